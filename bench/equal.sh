#!/usr/bin/env bash
# Makes reports of every trace at hand by 1, 2 and 7 threads, compares them byte for byte, and writes bench/equal.md. See bench/README.md.
#   REPEATS   how often those that are stored (default: 20)
#   SIMULATED how often one of each scenario of the simulator (default: 1)
#   CORPUS    the folder of real traces (default: ../shared/corpus); left out where it is absent
# Exit status: 0, 2 where reports differ, 1 where something failed.
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
places=(samples)
corpus=${CORPUS:-../shared/corpus}
[ ! -d "$corpus" ] || places+=("$corpus")
dotnet build bench -c Release -v q
simulated=$(mktemp)
trap 'rm -f "$simulated"' EXIT
status=0
equal() { dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll equal "$@" || status=$?; }
equal "${places[@]}" --repeats "${REPEATS:-20}" -o bench/equal.md
equal --simulated --repeats "${SIMULATED:-1}" -o "$simulated"
{
	echo
	sed '1s/.*/## Simulated machines/' "$simulated"
} >>bench/equal.md
exit "$status"
