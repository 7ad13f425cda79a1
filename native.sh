#!/usr/bin/env bash
# Builds the native analyzer: machine code that needs no .NET and starts in a few milliseconds, with SQLite's library beside it for export
# and fleet. A system builds its own: the code is linked with its libraries. On Linux that takes clang or gcc, on Windows the C++ tools of
# Visual Studio.
#   native.sh [--map]      --map: also what is in it, for bench/start.sh
# artifacts/native/RID/ has the program. The release workflow runs this on each system that a release is for.
set -eu
cd "$(dirname "$0")"
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
map=()
case ${1:-} in
"") ;;
--map) map=(-p:IlcGenerateMapFile=true) ;;
*)
	echo "usage: native.sh [--map]" >&2
	exit 64
	;;
esac
suffix=
case $(uname -s) in
Linux) system=linux ;;
MINGW* | MSYS*) system=win suffix=.exe ;;
*)
	echo "The native analyzer is built on Linux and Windows." >&2
	exit 1
	;;
esac
# On Windows uname is a program of x64 whatever the machine is.
case ${PROCESSOR_IDENTIFIER:-$(uname -m)} in
ARM* | aarch64) rid=$system-arm64 ;;
*) rid=$system-x64 ;;
esac
out=artifacts/native/$rid
dotnet publish analyzer -c Release -r "$rid" -p:PublishAot=true -p:DebugType=none -p:RunAnalyzers=false "${map[@]}" -o "$out" -v q
echo "$out/analyzer$suffix"
