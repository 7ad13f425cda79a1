#!/usr/bin/env bash
# The commands' tests with the native analyzer in the place of the ordinary one, and what is its own; each a TAP line.
#   run.sh [PROGRAM]      PROGRAM: a native analyzer that is there; without it, one is built (native.sh: minutes)
# Needs the built tests (dotnet build -c Release) or builds them. A test that runs no 'analyzer' passes as it does elsewhere.
set -u
cd "$(dirname "$0")/../.." || exit 1
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 DOTNET_TieredPGO=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok native: $name"
	else
		sed 's/^/# /' "$work/log"
		echo "not ok native: $name"
		failed=1
	fi
}

# as_ordinary COMMAND...: the same bytes and the same status as the ordinary build.
as_ordinary() {
	local native ordinary
	"$program" "$@" >"$work/native" 2>"$work/native.error"
	native=$?
	dotnet artifacts/bin/analyzer/release/analyzer.dll "$@" >"$work/ordinary" 2>"$work/ordinary.error"
	ordinary=$?
	[ $native = $ordinary ] && cmp "$work/native" "$work/ordinary" && cmp "$work/native.error" "$work/ordinary.error"
}

program=${1:-}
if [ -z "$program" ]; then
	./native.sh >"$work/built" 2>&1 || {
		sed 's/^/# /' "$work/built"
		echo "not ok native: it is built"
		exit 1
	}
	program=$PWD/$(tail -n 1 "$work/built")
fi
for project in analyzer tests/commands; do
	name=$project
	[ $name = analyzer ] || name=Tracer.Commands.Tests
	[ -e artifacts/bin/$name/release/$name.dll ] || dotnet build $project -c Release -v q -p:RunAnalyzers=false >"$work/log" 2>&1 ||
		{ cat "$work/log" && exit 1; }
done

check "one file, and SQLite's library" test "$(find "$(dirname "$program")" -type f ! -name '*.dbg' ! -name '*.pdb' ! -name '*.map.xml' \
	! -name '*e_sqlite3*' | wc -l)" = 1
# A zip of a release takes the native program where native.sh has made it for these sources.
if [ -z "${1:-}" ]; then
	check "a zip has it" eval './publish.sh which "$(basename "$(dirname "$program")")" | grep -F "machine code"'
fi
for command in blame episodes report latency info dump slice pack export diff symbols fleet mcp; do
	check "help of $command as the ordinary build" as_ordinary $command --help
done
# exported FORMAT TRACE: the same file from both.
exported() {
	"$program" export "$2" --format "$1" -o "$work/native.out" >/dev/null &&
		dotnet artifacts/bin/analyzer/release/analyzer.dll export "$2" --format "$1" -o "$work/ordinary.out" >/dev/null &&
		cmp "$work/native.out" "$work/ordinary.out"
}

for trace in samples/*.etl; do
	for format in perfetto speedscope firefox-profiler folded sqlite; do
		check "export of ${trace##*/} as $format as the ordinary build" exported $format "$trace"
	done
	for words in "info" "blame --format json" "episodes" "dump" "latency --format json" "slice --from 100ms --to 300ms -o -"; do
		check "${words%% -*} of ${trace##*/} as the ordinary build" as_ordinary $words "$trace"
	done
done

TRACER_ANALYZER=$program dotnet test --project tests/commands -c Release --no-build --no-progress --no-ansi -- \
	--filter-not-namespace Tracer.Commands.Tests.Fuzzing >"$work/tests" 2>&1
status=$?
passed=$(sed -nE 's/^ *succeeded: ([0-9]+)$/\1/p' "$work/tests" | tail -n 1)
if [ $status = 0 ] && [ "${passed:-0}" -gt 0 ]; then
	echo "ok native: $passed tests of the commands"
else
	grep -A 12 '^failed ' "$work/tests" | sed 's/^/# /'
	tail -n 8 "$work/tests" | sed 's/^/# /'
	echo "not ok native: tests of the commands"
	failed=1
fi
exit $failed
