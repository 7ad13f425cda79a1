#!/usr/bin/env bash
# Files of `analyzer export` read by others, each test a TAP line: speedscope's own schema, protobufjs, SQLite as Python has it. Samples,
# and a real trace where TRACER_CORPUS or ../shared/corpus has one. What lacks a tool is skipped by name.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
analyzer=artifacts/bin/analyzer/release/analyzer.dll
corpus=${TRACER_CORPUS:-../shared/corpus}
failed=0

skip() {
	echo "ok export: outside readers # SKIP $1"
	exit 0
}

[ -e $analyzer ] || skip "analyzer is not built: dotnet build -c Release"
{ command -v node && command -v npm; } >/dev/null || skip "no node and npm here: packages nodejs, npm"
if [ ! -e tests/export/node_modules/.package-lock.json ] ||
	[ tests/export/package-lock.json -nt tests/export/node_modules/.package-lock.json ]; then
	(cd tests/export && npm ci --no-audit --no-fund --ignore-scripts) >"$out/npm" 2>&1 ||
		skip "npm could not fetch the packages of tests/export/package-lock.json"
	touch tests/export/node_modules/.package-lock.json
fi

# result NAME: as the command before ended; its words are in $out/said.
result() {
	if [ $? = 0 ]; then
		echo "ok $1"
	else
		head -n 20 "$out/said" | sed 's/^/# /'
		echo "not ok $1"
		failed=1
	fi
}

# read_by_others TRACE FORMAT...
read_by_others() {
	local trace=$1 name format file
	name=$(basename "$trace")
	shift
	for format in "$@"; do
		file=$out/$name.$format
		if [ "$format" != sqlite ]; then
			dotnet $analyzer export "$trace" --format "$format" -o "$file" >"$out/said" 2>&1 &&
				node tests/export/check.mjs "$format" "$file" >"$out/said" 2>&1
		elif command -v python3 >/dev/null; then
			dotnet $analyzer export "$trace" --format sqlite -o "$file" >"$out/said" 2>&1 &&
				python3 - "$file" >"$out/said" 2>&1 <<-'END'
					import sqlite3, sys
					database = sqlite3.connect(sys.argv[1])
					assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
					assert database.execute("PRAGMA foreign_key_check").fetchall() == []
					assert database.execute("SELECT COUNT(*) FROM slices").fetchone()[0] > 0
				END
		else
			echo "ok export: $format of $name # SKIP no python3 here"
			continue
		fi
		result "export: $format of $name"
	done
}

read_by_others samples/nic-behind-ndis.etl perfetto speedscope folded sqlite
read_by_others samples/masked-interrupts.etl perfetto
if [ -e "$corpus/randomascii-slowppt.etl.gz" ]; then
	read_by_others "$corpus/randomascii-slowppt.etl.gz" perfetto speedscope folded sqlite
else
	echo "ok export: of a real trace # SKIP no randomascii-slowppt.etl.gz in $corpus"
fi
exit $failed
