#!/usr/bin/env bash
# Builds the programs of a release once more, from a copy of the sources in a folder of another name that is no checkout, and compares them
# byte by byte with those of artifacts/publish, which publish.sh makes here first if the sources are newer.
#   reproducible.sh [win-x64|linux-x64]...      default: both
# A TAP line for each program, with its SHA-256; exit status 0 only if all are alike.
set -eu
cd "$(dirname "$0")"
rids=("$@")
[ ${#rids[@]} -gt 0 ] || rids=(win-x64 linux-x64)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy="$work/another folder"
mkdir "$copy"
git ls-files -z | xargs -0 cp --parents -t "$copy"
for folder in . "$copy"; do
	"$folder/publish.sh" --no-zip "${rids[@]}" >"$work/log" 2>&1 || {
		tail -n 40 "$work/log"
		exit 1
	}
done
different=0
for rid in "${rids[@]}"; do
	for program in tracer analyzer; do
		[ "$rid" != win-x64 ] || program=$program.exe
		file=artifacts/publish/$rid/$program
		if cmp "$file" "$copy/$file"; then
			echo "ok $rid $program $(sha256sum <"$file" | cut -d ' ' -f 1)"
		else
			echo "not ok $rid $program"
			different=1
		fi
	done
done
exit $different
