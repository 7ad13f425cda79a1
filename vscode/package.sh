#!/usr/bin/env bash
# Packages the extension for VS Code: artifacts/release/tracer-viewer-VERSION.vsix, which "code --install-extension" takes. Nothing is
# published. Needs dotnet and node; the packages come from npm by the lock file.
set -eu
cd "$(dirname "$0")/.."
if [ ! -e vscode/node_modules/.package-lock.json ] || [ vscode/package-lock.json -nt vscode/node_modules/.package-lock.json ]; then
	(cd vscode && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --ignore-scripts)
	touch vscode/node_modules/.package-lock.json
fi
viewer/viewer.sh artifacts/viewer/viewer.html
vscode/node_modules/.bin/tsc --noEmit -p vscode
node vscode/build.mjs artifacts/viewer/viewer.html artifacts/vscode
mkdir -p artifacts/release
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' vscode/package.json)
vsix=$PWD/artifacts/release/tracer-viewer-$version.vsix
(cd artifacts/vscode && ../../vscode/node_modules/.bin/vsce package --no-dependencies --allow-missing-repository -o "$vsix")
