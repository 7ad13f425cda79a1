#!/usr/bin/env bash
# Compares our reader of PDBs with Microsoft's DIA, which runs under Wine in the analyzer for Windows, and writes
# docs/generated/symbols-dia.md: every fixture and every PDB of the corpus, at begin, middle and end of every function and at every public
# symbol.
#   needs         Debian's wine and wine64 (apt-get install wine wine64), clang-16 lld-16 llvm-16
#   TRACER_MSDIA  msdia140.dll for x64 (default: that of the NuGet package Microsoft.Diagnostics.Tracing.TraceEvent)
#   TRACER_CORPUS real files (default: ../shared/corpus)
set -euo pipefail
cd "$(dirname "$0")/../.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
dia=${TRACER_MSDIA:-}
if [ -z "$dia" ]; then
	packages=${NUGET_PACKAGES:-$HOME/.nuget/packages}
	dia=$(find "$packages/microsoft.diagnostics.tracing.traceevent" -path '*amd64/msdia140.dll' 2>/dev/null | sort | tail -1 || true)
fi
if [ -z "$dia" ]; then
	echo "dia.sh: skipped: no msdia140.dll (dotnet restore bench brings Microsoft.Diagnostics.Tracing.TraceEvent, which has it)"
	exit 0
fi
if [ ! -x /usr/lib/wine/wine64 ]; then
	echo "dia.sh: skipped: no Wine (apt-get install wine wine64)"
	exit 0
fi
dotnet publish analyzer -c Release -r win-x64 --self-contained -p:PackAsTool=false -o artifacts/dia -v q
cp "$dia" artifacts/dia/
dotnet build tests/symbols -c Release -v q
TRACER_DIA_REPORT=$PWD/docs/generated/symbols-dia.md dotnet artifacts/bin/Tracer.Symbols.Tests/release/Tracer.Symbols.Tests.dll \
	-class Tracer.Symbols.Tests.Dia.DiaTests
cat docs/generated/symbols-dia.md
