#!/usr/bin/env bash
# The step of action.yml on made traces, as GitHub would run it: what it says, puts into outputs and summary, and how it ends.
# Needs the built commands; ends with lines "ok NAME" or "not ok NAME".
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {
	local name=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok action: $name"
	else
		cat "$work/log" "$work/said" 2>/dev/null
		echo "not ok action: $name"
		failed=1
	fi
}

bin=$PWD/artifacts/bin/Tracer.Commands.Tests/release
printf '#!/bin/sh\nexec dotnet "%s/analyzer.dll" "$@"\n' "$bin" >"$work/analyzer"
chmod +x "$work/analyzer"
dotnet "$bin/tracer.dll" simulate clean --seed 5 --duration 3s -o "$work/a b.etl" >"$work/log" 2>&1
dotnet "$bin/tracer.dll" simulate dpc-flood --seed 5 --duration 3s -o "$work/new.etl" >"$work/log" 2>&1

# A release that lies on the disk: the analyzer as the workflow packs it.
version=$(sed -n 's:.*<Version>\(.*\)</Version>.*:\1:p' Directory.Build.props)
release=$work/releases/v$version
mkdir -p "$release"
(cd "$release" && zip -q -j "analyzer-$version-native-linux-x64.zip" "$work/analyzer" && sha256sum -- *.zip >SHA256SUMS)

# compare STATUS: runs the step with the variables that are set before it.
compare() {
	: >"$work/outputs"
	: >"$work/summary"
	RUNNER_TEMP=$work GITHUB_OUTPUT=$work/outputs GITHUB_STEP_SUMMARY=$work/summary RELEASES=${RELEASES:-file://$work/releases} \
		RUNNER_OS=${RUNNER_OS:-Linux} RUNNER_ARCH=X64 .ci/compare >"$work/said" 2>&1
	[ $? = "$1" ]
}

BASE="$work/a b.etl" NEW=$(printf '%s\r\n' "$work/new.etl") check "worse fails" compare 2
check "the verdict is an output" grep -qx 'verdict=worse' "$work/outputs"
check "the report is one" test -s "$(sed -n 's/^report=//p' "$work/outputs")"
check "the summary has the sentence" grep -qi 'worse' "$work/summary"
BASE="$work/a b.etl" NEW="$work/new.etl" FAIL_IF_WORSE=false check "worse does not fail where that is not asked" compare 0
BASE="$work/new.etl" NEW="$work/a b.etl" THRESHOLD=1ms check "better passes" compare 0
check "better is an output" grep -qx 'verdict=better' "$work/outputs"
BASE="$work/none.etl" NEW="$work/new.etl" check "a trace that is not there fails" compare 1
check "with a sentence" grep -q 'none.etl' "$work/said"
BASE="" NEW="$work/new.etl" check "one side alone is wrong usage" compare 64

BASE="$work/a b.etl" NEW="$work/new.etl" ANALYZER=$work/analyzer RELEASES=file:///nowhere \
	check "an analyzer that is named needs no release" compare 2
BASE="$work/a b.etl" NEW="$work/new.etl" RELEASES=file:///nowhere check "without a release it fails" compare 1
check "and says how to build it" grep -q "set 'source: true'" "$work/said"
BASE="$work/a b.etl" NEW="$work/new.etl" RUNNER_OS=macOS check "a system without a release fails, too" compare 1
echo >>"$release/analyzer-$version-native-linux-x64.zip"
BASE="$work/a b.etl" NEW="$work/new.etl" check "a file that is not the listed one is not run" compare 1
check "and says so" grep -q 'is not what SHA256SUMS of its release lists' "$work/said"
BASE="$work/a b.etl" NEW="$work/new.etl" SOURCE=true RELEASES=file:///nowhere \
	check "where it is asked for, it is built from source" compare 2

declared=$(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):$/\1/p' action.yml | sort)
used=$(grep -oE 'inputs\.[a-z-]+' action.yml | sed 's/^inputs\.//' | sort -u)
check "inputs are used as they are declared" test "$declared" = "$used"
passed_on=$(sed -n '/^      env:/,$s/^        \([A-Z_]*\):.*/\1/p' action.yml | sort)
taken=$(grep -oE '\$\{(BASE|NEW|THRESHOLD|FAIL_IF_WORSE|ANALYZER|SOURCE|RELEASES)' .ci/compare | tr -d '${' | sort -u)
check "the script takes what the action passes on" test "$passed_on" = "$(grep -v '^$' <<<"$taken")"

# The schema of actions, as an outside validator has it; and that it would notice.
if ! { command -v node && command -v npm; } >/dev/null; then
	echo "ok action: the schema of actions # SKIP no node and npm here: packages nodejs, npm"
elif ! { [ -e tests/action/node_modules/.package-lock.json ] &&
	[ ! tests/action/package-lock.json -nt tests/action/node_modules/.package-lock.json ]; } &&
	! (cd tests/action && npm ci --no-audit --no-fund --ignore-scripts && touch node_modules/.package-lock.json) >"$work/npm" 2>&1; then
	echo "ok action: the schema of actions # SKIP npm could not fetch the packages of tests/action/package-lock.json"
else
	sed 's/using: composite/using: composit/' action.yml >"$work/wrong.yml"
	check "action.yml keeps the schema of actions" node tests/action/schema.mjs action.yml
	check "the schema would notice a wrong one" sh -c '! node tests/action/schema.mjs "$1"' - "$work/wrong.yml"
fi
exit $failed
