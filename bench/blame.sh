#!/usr/bin/env bash
# Times blame on two traces with stacks, one under load and one of a quiet machine, against the ordered typed decode of the same file by one
# thread, and writes bench/blame.md. See bench/README.md.
#   TRACER_BENCH_DIR  where the traces are kept; a temporary folder that is deleted when left out (6.2 GB)
#   ROUNDS            how often each is timed, one after the other in turn (default: 5); medians count
#   DURATION          seconds of simulated time in the trace under load (default: 400); the quiet one has 2.25 times as many
#   LARGE             the same of the trace on which memory is measured (default: 1600); 0 for none
#   BUILT             anything: take the programs as they were built last
#   PREFIX            goes before each measurement, such as a command that keeps others from running meanwhile
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
rounds=${ROUNDS:-5}
load=$(cut -d' ' -f1-3 /proc/loadavg)
duration=${DURATION:-400}
large_duration=${LARGE:-1600}
read -ra prefix <<<"${PREFIX:-}"
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
trace=$dir/blame-$duration.etl
quiet_duration=$((duration * 9 / 4))
quiet_trace=$dir/blame-quiet-$quiet_duration.etl
small=$dir/blame-small.etl
large=$dir/blame-$large_duration.etl
samples=$dir/blame-samples
: >"$samples"

[ -n "${BUILT:-}" ] || dotnet build Tracer.sln -c Release >"$dir/build.log" || { cat "$dir/build.log" && exit 1; }
simulate() {
	dotnet artifacts/bin/tracer/release/tracer.dll simulate "$@" --seed 3 --no-second-run >&2
}
load() { simulate ndis-miniport --cpus 8 --load net "$@"; }
[ -f "$trace" ] || load --duration "${duration}s" -o "$trace"
[ -f "$quiet_trace" ] || simulate clean --duration "${quiet_duration}s" -o "$quiet_trace"
[ -f "$small" ] || load --duration 8s -o "$small"
bench() { "${prefix[@]}" dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll "$@"; }
# Memory alone: a user's one run over four times as much.
large_kb=0
if [ "$large_duration" != 0 ]; then
	[ -f "$large" ] || load --duration "${large_duration}s" -o "$large"
	large_kb=$(bench read blame "$large" | tee /dev/stderr | sed -nE 's/.*peak_kb=([0-9]+).*/\1/p')
fi

# What is timed: mode and threads; the last ones are all that the machine has.
cores=$(nproc)
modes="plain:1 time:1 time:$cores stacks:1 info:1 info:$cores facts:1 facts:$cores blame:1 blame:$cores"
for kind in load quiet; do
	file=$trace
	[ $kind = load ] || file=$quiet_trace
	cat "$file" >/dev/null # So that all find it in memory.
	for ((round = 0; round < rounds; round++)); do
		for mode in $modes; do
			bench read "${mode%:*}" "$file" --warm "$small" --passes 3 --threads "${mode#*:}" |
				sed "s/^/$kind $mode /" | tee -a "$samples" >&2
		done
	done
done

# median KIND MODE:THREADS FIELD
median() {
	grep "^$1 $2 " "$samples" | sed -nE "s/.* $3=([0-9.]+).*/\1/p" | sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'
}
ratio() { awk "BEGIN {printf \"%.2f\", $1 / $2}"; }

# table KIND
table() {
	local mode time what threads ms
	time=$(median "$1" time:1 ms)
	echo "| what | threads | ms | against the ordered typed decode by one thread | CPU, ms | peak memory, MB |"
	echo "|---|---|---|---|---|---|"
	for mode in $modes; do
		threads=${mode#*:}
		case ${mode%:*} in
		plain) what="reading the bytes" ;;
		time) what="ordered typed decode (\`time\`)" ;;
		stacks) what="events in order with their stacks (\`stacks\`)" ;;
		info) what="what \`analyzer info\` reads (\`info\`)" ;;
		facts) what="the first of blame's two readings (\`facts\`)" ;;
		*) what="**blame**, both readings and the report" ;;
		esac
		ms=$(median "$1" "$mode" ms)
		echo "| $what | $threads | $ms | $(ratio "$ms" "$time") | $(median "$1" "$mode" cpu_ms) |" \
			"$(awk "BEGIN {printf \"%.0f\", $(median "$1" "$mode" peak_kb) / 1024}") |"
	done
}

model=$(bench scaling "$trace" --warm "$small")
{
	echo "# Blame on traces with stacks"
	echo
	echo "Written by \`bench/blame.sh\` on $(date -u +%Y-%m-%d): $rounds rounds in turn, three passes each, medians;"
	echo "load before: $load;"
	echo "$cores cores of $(sed -nE 's/^model name.*: //p' /proc/cpuinfo | head -n 1), .NET $(dotnet --version)."
	echo "Where others use the machine meanwhile, ratios hold and milliseconds do not."
	echo
	echo "## Under load"
	echo
	echo "\`tracer simulate ndis-miniport --cpus 8 --load net --seed 3 --duration ${duration}s\`,"
	echo "$(stat -c %s "$trace") bytes, $(median load blame:1 events) events, of which nearly half are stacks."
	echo
	table load
	echo
	if [ "$large_kb" != 0 ]; then
		echo "Over a trace of $(stat -c %s "$large") bytes (${large_duration} s of the same)"
		echo "blame's peak memory is $((large_kb / 1024)) MB."
		echo
	fi
	echo "## A quiet machine"
	echo
	echo "\`tracer simulate clean --seed 3 --duration ${quiet_duration}s\`: samples at 1 kHz with stacks, little else;"
	echo "$(stat -c %s "$quiet_trace") bytes, $(median quiet blame:1 events) events."
	echo
	table quiet
	echo
	echo "## More cores: a model"
	echo
	echo "\`bench scaling\` on the trace under load: the CPU time of each part by one thread is measured, the second"
	echo "table is **a model**. It says how long blame takes where its parts run beside each other as they do and nothing else slows"
	echo "them down."
	echo
	echo "$model"
	echo
	echo "Targets: blame at most 2.0 times the ordered typed decode by one thread, 1.3 by two, at most 96 MB and 16 MB a thread."
	echo "Measured under load: $(ratio "$(median load blame:1 ms)" "$(median load time:1 ms)") and" \
		"$(ratio "$(median load "blame:$cores" ms)" "$(median load time:1 ms)") times," \
		"$(awk "BEGIN {printf \"%.0f\", $(median load "blame:$cores" peak_kb) / 1024}") MB."
	echo
	cat bench/blame-notes.md
} >bench/blame.md
cat bench/blame.md
