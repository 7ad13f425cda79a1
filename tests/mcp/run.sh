#!/usr/bin/env bash
# An outside client of `analyzer mcp`, each test a TAP line: the protocol's TypeScript SDK solves three cases (cases.mjs), and what was
# said is docs/generated/mcp-transcript.md; UPDATE_GOLDEN=1 writes that anew. What lacks a tool is skipped by name.
#   run.sh [inspector]      with the word, also the protocol's inspector asks each kind of question; its packages are large
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
name="mcp: an outside client solves three cases"
failed=0

skip() {
	echo "ok $2 # SKIP $1"
	exit 0
}

# fetch FOLDER: the packages of its lock file, to the byte.
fetch() {
	if [ ! -e "$1/node_modules/.package-lock.json" ] || [ "$1/package-lock.json" -nt "$1/node_modules/.package-lock.json" ]; then
		(cd "$1" && npm ci --no-audit --no-fund --ignore-scripts) >"$out/npm" 2>&1 || return 1
		touch "$1/node_modules/.package-lock.json"
	fi
}

{ command -v node && command -v npm; } >/dev/null || skip "no node and npm here: packages nodejs, npm" "$name"
analyzer=artifacts/bin/analyzer/release/analyzer.dll tracer=artifacts/bin/tracer/release/tracer.dll
{ [ -e $analyzer ] && [ -e $tracer ]; } || skip "analyzer and tracer are not built: dotnet build -c Release" "$name"
fetch tests/mcp || skip "npm could not fetch the packages of tests/mcp/package-lock.json" "$name"

mkdir "$out/traces"
cp samples/firmware-blackout.etl samples/nic-behind-ndis.etl "$out/traces"
if ! dotnet $tracer simulate coarse-clock --no-second-run -o "$out/traces/coarse-clock.etl" >"$out/said" 2>&1 ||
	! node tests/mcp/cases.mjs "$out/traces" dotnet $analyzer >"$out/page" 2>"$out/said"; then
	sed 's/^/# /' "$out/said"
	echo "not ok $name"
	failed=1
elif [ "${UPDATE_GOLDEN:-}" = 1 ]; then
	cp "$out/page" docs/generated/mcp-transcript.md
	echo "ok $name"
elif diff -u docs/generated/mcp-transcript.md "$out/page" >"$out/diff"; then
	echo "ok $name"
else
	sed 's/^/# /' "$out/diff" | head -n 40
	echo "not ok $name: docs/generated/mcp-transcript.md is another; UPDATE_GOLDEN=1 tests/mcp/run.sh writes it"
	failed=1
fi

[ "${1:-}" = inspector ] || exit $failed
name="mcp: the inspector asks each kind of question"
fetch tests/mcp/inspector || skip "npm could not fetch the packages of tests/mcp/inspector/package-lock.json" "$name"
# inspect WORD... : asks, and the answer has to hold the first word.
inspect() {
	local has=$1
	shift
	# Its status is 1 for the answer that a tool cannot, too.
	tests/mcp/inspector/node_modules/.bin/mcp-inspector --cli dotnet $analyzer mcp samples "$@" >"$out/said" 2>&1
	if grep -q -e "$has" "$out/said"; then
		echo "ok $name: ${*}"
	else
		head -n 20 "$out/said" | sed 's/^/# /'
		echo "not ok $name: ${*}"
		failed=1
	fi
}
inspect '"readOnlyHint": true' --method tools/list
inspect 'gimoxowifi.sys' --method tools/call --tool-name blame --tool-arg trace=nic-behind-ndis.etl
inspect 'no unit' --method tools/call --tool-name blame --tool-arg trace=first.etl --tool-arg threshold=500
inspect 'tracer://traces' --method resources/list
inspect 'uriTemplate' --method resources/templates/list
inspect 'tracer.blame/1' --method resources/read --uri tracer://blame/json/first.etl
exit $failed
