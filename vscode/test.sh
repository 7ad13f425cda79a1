#!/usr/bin/env bash
# Packages the extension and opens traces with it in VS Code for the Web, in headless Chromium: TAP lines, a minute or two. It is no part of
# the repository's test.sh, which only looks at the manifest and the page (test/unit.mjs).
set -eu
cd "$(dirname "$0")/.."
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "ok vscode: in the browser # SKIP no chromium here: package chromium"
	exit 0
}
vscode/package.sh >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/traces"
unzip -q artifacts/release/tracer-viewer-*.vsix -d "$work/unpacked"
cp samples/nic-behind-ndis.etl samples/with-symbols/nic.etl samples/with-symbols/nic.pdb "$work/traces"
gzip -nc samples/first.etl >"$work/traces/first.etl.gz"
# Zeros behind the last buffer are no buffers: a trace of 20 MB that is read as the small one.
cp samples/first.etl "$work/traces/pieces.etl"
truncate -s 20000000 "$work/traces/pieces.etl"
seq 20000 >"$work/traces/damaged.etl"
node vscode/test/unit.mjs "$work/unpacked/extension/viewer.html"
CHROMIUM=$chromium node vscode/test/web.mjs "$work/unpacked/extension" "$work/traces"
