#!/bin/sh
# Reads damaged images, names and PDBs: tests/symbols/fuzz.sh [COUNT] [SEED]. docs/internals/fuzzing.md has the figures of the last run.
set -eu
cd "$(dirname "$0")/../.."
report="$(mktemp)"
trap 'rm -f "$report"' EXIT
export TRACER_FUZZ_FILES="${1:-100000}" TRACER_FUZZ_SEED="${2:-1}" TRACER_FUZZ_REPORT="$report"
dotnet build tests/symbols -c Release
# 512 MiB for everything, so that whatever takes more fails.
DOTNET_GCHeapHardLimit=0x20000000 dotnet artifacts/bin/Tracer.Symbols.Tests/release/Tracer.Symbols.Tests.dll \
  -class Tracer.Symbols.Tests.Pe.FuzzImageTests -class Tracer.Symbols.Tests.Demangling.FuzzNameTests \
  -class Tracer.Symbols.Tests.Pdb.PdbFuzzTests
cat "$report"
