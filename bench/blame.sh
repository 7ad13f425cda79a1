#!/usr/bin/env bash
# Times blame on a trace with stacks against the ordered typed decode of the same file, and writes bench/blame.md. See bench/README.md.
#   TRACER_BENCH_DIR  where the traces are kept; a temporary folder that is deleted when left out (5.2 GB)
#   ROUNDS            how often each is timed, one after the other in turn (default: 5); medians count
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
rounds=${ROUNDS:-5}
load=$(cut -d' ' -f1-3 /proc/loadavg)
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
trace=$dir/blame.etl
small=$dir/blame-small.etl
large=$dir/blame-large.etl
samples=$dir/blame-samples
: >"$samples"

dotnet build Tracer.sln -c Release >"$dir/build.log" || { cat "$dir/build.log" && exit 1; }
simulate() {
	dotnet artifacts/bin/tracer/release/tracer.dll simulate ndis-miniport --cpus 8 --load net --seed 3 --no-second-run "$@" >&2
}
[ -f "$large" ] || simulate --duration 1600s -o "$large"
[ -f "$trace" ] || simulate --duration 400s -o "$trace"
[ -f "$small" ] || simulate --duration 8s -o "$small"
# Memory alone: a user's one run over four times as much.
large_kb=$(dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll read blame "$large" | tee /dev/stderr |
	sed -nE 's/.*peak_kb=([0-9]+).*/\1/p')
cat "$trace" >/dev/null # So that all find it in memory.

for ((round = 0; round < rounds; round++)); do
	for mode in plain time stacks facts blame; do
		dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll read "$mode" "$trace" --warm "$small" --passes 3 |
			tee -a "$samples" >&2
	done
done

# median MODE FIELD
median() {
	grep "^mode=$1 " "$samples" | sed -nE "s/.* $2=([0-9.]+).*/\1/p" | sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'
}
ratio() { awk "BEGIN {printf \"%.2f\", $1 / $2}"; }

time=$(median time ms)
blame=$(median blame ms)
{
	echo "# Blame on a trace with stacks"
	echo
	echo "Written by \`bench/blame.sh\` on $(date -u +%Y-%m-%d): $rounds rounds in turn, three passes each, medians;"
	echo "load before: $load;"
	echo "$(nproc) cores of $(sed -nE 's/^model name.*: //p' /proc/cpuinfo | head -n 1), .NET $(dotnet --version)."
	echo
	echo "The trace: \`tracer simulate ndis-miniport --cpus 8 --load net --seed 3 --duration 400s\`,"
	echo "$(stat -c %s "$trace") bytes, $(median time events) events, of which nearly half are stacks."
	echo
	echo "| what | ms | against the ordered typed decode | peak memory, MB |"
	echo "|---|---|---|---|"
	for mode in plain time stacks facts blame; do
		case $mode in
		plain) what="reading the bytes" ;;
		time) what="ordered typed decode (\`time\`)" ;;
		stacks) what="events in order with their stacks (\`stacks\`)" ;;
		facts) what="the first of blame's two readings, by two threads (\`facts\`)" ;;
		*) what="**blame**, both readings and the report, by two threads" ;;
		esac
		ms=$(median $mode ms)
		echo "| $what | $ms | $(ratio "$ms" "$time") | $(awk "BEGIN {printf \"%.0f\", $(median $mode peak_kb) / 1024}") |"
	done
	echo
	echo "Over a trace of $(stat -c %s "$large") bytes (1600 s of the same) blame's peak memory is $((large_kb / 1024)) MB."
	echo
	echo "Targets: blame at most 2 times the ordered typed decode (one thread), at most 256 MB on 4 GB."
	echo "Measured: $(ratio "$blame" "$time") times, $((large_kb / 1024)) MB."
} >bench/blame.md
cat bench/blame.md
