#!/usr/bin/env bash
# How much of the core clang's analyzer reaches before it gives a function up, and what that costs: every return of kdriver/core is marked,
# and each number of states tried.
#   tests/kdriver/reached.sh [STATES...]      default: 225000 (clang's own), 50000 (run.sh's), 25000, 1000
set -euo pipefail
core=$(cd "$(dirname "$0")/../../kdriver/core" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- 225000 50000 25000 1000
for source in "$core"/*.c; do
	# A return by itself, or the only statement of an if.
	awk 'BEGIN { print "void clang_analyzer_warnIfReached(void);" }
		/^\t+return( .*)?;$/ { sub(/return/, "{ clang_analyzer_warnIfReached(); return"); $0 = $0 " }" }
		{ print }' "$source" >"$work/$(basename "$source")"
done
echo "$(cat "$work"/*.c | grep -c '{ clang_analyzer_warnIfReached') returns"
for states in "$@"; do
	TIMEFORMAT="$states states: %U s of user time"
	time for source in "$work"/*.c; do
		clang-16 --analyze -Xclang -analyzer-checker=core,unix,deadcode,security,debug.ExprInspection \
			-Xclang -analyzer-config -Xclang "max-nodes=$states" -std=c11 -ffreestanding "-I$core" "-I$core/../include" \
			"$source" -o /dev/null 2>&1
	done >"$work/said"
	! grep -E 'error:' "$work/said" || exit 1
	echo "$states states: $(grep REACHABLE "$work/said" | sort -u | wc -l) returns reached"
done
