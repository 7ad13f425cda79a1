#!/bin/sh
# Reads damaged traces: tests/etl/fuzz.sh [FILES] [SEED]. It prints its figures; docs/internals/fuzzing.md has those of the last run.
set -eu
cd "$(dirname "$0")/../.."
report="$(mktemp)"
trap 'rm -f "$report"' EXIT
export TRACER_FUZZ_LARGE="${TRACER_FUZZ_LARGE:-1}" TRACER_FUZZ_FILES="${1:-100000}" TRACER_FUZZ_SEED="${2:-1}" TRACER_FUZZ_REPORT="$report"
dotnet build tests/etl -c Release
# 640 MiB for everything, the bases among it, so that whatever takes more fails.
DOTNET_GCHeapHardLimit=0x28000000 dotnet artifacts/bin/Tracer.Etl.Tests/release/Tracer.Etl.Tests.dll \
  -class Tracer.Etl.Tests.Reading.FuzzTests
cat "$report"
