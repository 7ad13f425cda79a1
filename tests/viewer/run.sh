#!/usr/bin/env bash
# Tests of the page of `analyzer report`, each a TAP line:
# - its sources are right by their types, and build the bundle that is stored;
# - its numbers and words are those of the text report (words.mjs);
# - the pages of a release lead nowhere wrong (documents.mjs);
# - it is shown in headless Chromium as it should be, without a request (browser.mjs);
# - the viewer, which analyses traces in the browser, says the same as the command, from a disk and without a network, in Chromium and in
#   Firefox (viewer.mjs);
# - the extension for VS Code makes its page of the viewer's (vscode/test/unit.mjs; vscode/test.sh opens it in VS Code).
#   run.sh [all]      without the word, one page is looked at in the browser, and neither the viewer nor the extension is built
# UPDATE_GOLDEN=1 stores the pictures anew. What lacks a tool is skipped by name.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# expect NAME COMMAND...: one line for a command that has to succeed; what it says is shown when it does not.
expect() {
	local name=$1
	shift
	if "$@" >"$out/said" 2>&1; then
		echo "ok $name"
	else
		sed 's/^/# /' "$out/said"
		echo "not ok $name"
		failed=1
	fi
}

# skip WHY NAME...: says what is left out.
skip() {
	local why=$1 name
	shift
	for name; do
		echo "ok $name # SKIP $why"
	done
}

names=("viewer: types" "viewer: the stored bundle is what its sources build" "viewer: numbers and words are those of the text report"
	"release: every link of its pages leads somewhere")
browser=("viewer: pages in the browser")
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	skip "no node and npm here: packages nodejs, npm" "${names[@]}" "${browser[@]}"
	exit 0
fi

# The lock file says which versions, to the byte.
if [ ! -e viewer/node_modules/.package-lock.json ] || [ viewer/package-lock.json -nt viewer/node_modules/.package-lock.json ]; then
	if ! (cd viewer && npm ci --no-audit --no-fund --ignore-scripts) >"$out/npm" 2>&1; then
		sed 's/^/# /' "$out/npm"
		skip "npm could not fetch the packages of viewer/package-lock.json" "${names[@]}" "${browser[@]}"
		exit 0
	fi
	touch viewer/node_modules/.package-lock.json
fi

bundle() {
	node viewer/build.mjs "$out/bundle" && diff -rq viewer/bundle "$out/bundle"
}

expect "${names[0]}" viewer/node_modules/.bin/tsc --noEmit -p viewer
expect "${names[1]}" bundle
expect "${names[2]}" node tests/viewer/words.mjs
documents() {
	./publish.sh documents "$out/documents" && touch "$out/documents/viewer.html" && node tests/viewer/documents.mjs "$out/documents"
}
expect "${names[3]}" documents

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
analyzer=artifacts/bin/analyzer/release/analyzer.dll tracer=artifacts/bin/tracer/release/tracer.dll
if [ -z "$chromium" ]; then
	skip "no chromium here: package chromium" "${browser[@]}"
elif [ ! -e $analyzer ] || [ ! -e $tracer ]; then
	skip "analyzer and tracer are not built: dotnet build -c Release" "${browser[@]}"
else
	CHROMIUM=$chromium ANALYZER=$analyzer TRACER=$tracer node tests/viewer/browser.mjs "$out" "${1:-}" || failed=1
	if [ "${1:-}" != all ]; then
		exit $failed
	fi
	mkdir "$out/given"
	# A machine without a network, where the kernel lets us have one.
	offline=(unshare -rn sh -c 'ip link set lo up && exec "$@"' -)
	"${offline[@]}" true 2>/dev/null || offline=()
	if viewer/viewer.sh "$out/viewer.html" >"$out/said" 2>&1; then
		CHROMIUM=$chromium FIREFOX=$(command -v firefox-esr || command -v firefox) ANALYZER=$analyzer \
			"${offline[@]}" node tests/viewer/viewer.mjs "$out/viewer.html" "$out/given" || failed=1
		node vscode/test/unit.mjs "$out/viewer.html" || failed=1
	elif grep -q "error NU[0-9]" "$out/said"; then
		sed 's/^/# /' "$out/said"
		skip "NuGet did not give the runtime for browsers" "viewer: the analysis in the browser"
	else
		sed 's/^/# /' "$out/said"
		echo "not ok viewer: it is built"
		failed=1
	fi
fi
exit $failed
