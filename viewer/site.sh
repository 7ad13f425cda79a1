#!/usr/bin/env bash
# Builds the viewer: a static site that analyses a trace in the browser. Any web server can serve the folder; nothing runs on the server.
#   viewer/site.sh OUT
# Needs dotnet and node. The runtime for browsers comes from NuGet at the first time, the page's packages from npm.
set -eu
if [ $# != 1 ]; then
	echo "usage: viewer/site.sh OUT" >&2
	exit 64
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
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
node viewer/site.mjs "$framework" "$out"
