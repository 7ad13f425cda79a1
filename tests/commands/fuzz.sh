#!/bin/sh
# Damaged traces through all commands of analyzer, and a hundredth as many files of cases, and of stores, through fleet:
# tests/commands/fuzz.sh [FILES] [SEED].
# The figures go to standard output; docs/internals/fuzzing.md has those of the last run.
set -eu
cd "$(dirname "$0")/../.."
report="${TRACER_FUZZ_REPORT:-$(mktemp)}"
export TRACER_FUZZ_FILES="${1:-1000000}" TRACER_FUZZ_SEED="${2:-1}" TRACER_FUZZ_REPORT="$report"
export TRACER_FUZZ_FLEET_FILES=$((TRACER_FUZZ_FILES / 100))
[ -n "${NO_BUILD:-}" ] || dotnet build tests/commands -c Release
# 1 GiB for everything, the bases among it, so that whatever takes more fails.
status=0
DOTNET_TieredPGO=0 DOTNET_GCHeapHardLimit=0x40000000 dotnet artifacts/bin/Tracer.Commands.Tests/release/Tracer.Commands.Tests.dll \
  -class Tracer.Commands.Tests.Fuzzing.CommandFuzzTests -class Tracer.Commands.Tests.Fuzzing.FleetFuzzTests \
  -class Tracer.Commands.Tests.Fleet.ForgedStoreTests || status=$?
cat "$report"
exit $status
