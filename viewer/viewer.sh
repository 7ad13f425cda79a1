#!/usr/bin/env bash
# Builds the viewer: one page that analyses traces in the browser, from a disk or from any web server, without a network.
#   viewer/viewer.sh OUT.html
# Needs dotnet and node. The runtime for browsers comes from NuGet at the first time, the page's packages from npm.
set -eu
if [ $# != 1 ]; then
	echo "usage: viewer/viewer.sh OUT.html" >&2
	exit 64
fi
mkdir -p "$(dirname "$1")"
out=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
if [ ! -e viewer/node_modules/.package-lock.json ] || [ viewer/package-lock.json -nt viewer/node_modules/.package-lock.json ]; then
	(cd viewer && npm ci --no-audit --no-fund --ignore-scripts)
	touch viewer/node_modules/.package-lock.json
fi
# What the SDK left of another build would be packed, too: its names have hashes.
framework=artifacts/publish/Tracer.Browser/release/wwwroot/_framework
rm -rf "$framework"
dotnet restore analyzer/browser --locked-mode -v q
dotnet publish analyzer/browser -c Release --no-restore -p:RunAnalyzers=false -v q
node viewer/pack.mjs "$framework" "$out"
