#!/usr/bin/env bash
# Times blame on three traces with stacks, one under load, one of a quiet machine and one of a PC with a game, against the ordered typed
# decode of the same file by one thread, and writes bench/blame.md. See bench/README.md.
#   TRACER_BENCH_DIR  where the traces are kept; a temporary folder that is deleted when left out (6.2 GB)
#   ROUNDS            how often each is timed, one after the other in turn (default: 5); medians count
#   DURATION          seconds of simulated time in the trace under load (default: 400); the quiet one has 2.25 times as many, the
#                     game's a third
#   LARGE             the same of the trace on which memory is measured (default: 1600); 0 for none
#   BUILT             anything: take the programs as they were built last
#   NATIVE            the native analyzer (./native.sh), if it is to be in the tables
#   NATIVE_BENCH      the native bench, if the model is to be of native parts: dotnet publish bench -c Release -r linux-x64
#                     -p:PublishAot=true -p:RestoreLockedMode=false -o DIR
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
game_duration=$((duration / 3))
game_trace=$dir/blame-game-$game_duration.etl
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
[ -f "$game_trace" ] || simulate clean --machine game --cpus 16 --duration "${game_duration}s" -o "$game_trace"
[ -f "$small" ] || load --duration 8s -o "$small"
bench() { "${prefix[@]}" dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll "$@"; }
# process THREADS COMMAND...: a line as that of "read", of a whole process from its start to its end.
process() {
	"${prefix[@]}" env DOTNET_PROCESSOR_COUNT="$1" python3 -c '
import os, sys, time
began = time.monotonic()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(pid, 0)
ms = 1000 * (time.monotonic() - began)
print(f"ms={ms:.2f} cpu_ms={1000 * (used.ru_utime + used.ru_stime):.2f} peak_kb={used.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))' "${@:2}"
}
net=$(command -v dotnet)
analyzer() { process "$1" "$net" artifacts/bin/analyzer/release/analyzer.dll blame "$2"; }
native() { process "$1" "$NATIVE" blame "$2"; }

# What is timed: mode and threads; the last ones are all that the machine has.
cores=$(nproc)
modes="plain:1 time:1 time:$cores stacks:1 info:1 info:$cores facts:1 facts:$cores blame:1 blame:$cores analyzer:1 analyzer:$cores"
[ -z "${NATIVE:-}" ] || modes+=" native:1 native:$cores"
# Memory alone: a user's one run over four times as much.
if [ "$large_duration" != 0 ]; then
	[ -f "$large" ] || load --duration "${large_duration}s" -o "$large"
	for mode in analyzer ${NATIVE:+native}; do
		"$mode" "$cores" "$large" | sed "s/^/large $mode:$cores /" | tee -a "$samples" >&2
	done
fi

for kind in load quiet game; do
	case $kind in
	load) file=$trace ;;
	quiet) file=$quiet_trace ;;
	game) file=$game_trace ;;
	esac
	cat "$file" >/dev/null # So that all find it in memory.
	for ((round = 0; round < rounds; round++)); do
		for mode in $modes; do
			case $mode in
			analyzer:* | native:*) "${mode%:*}" "${mode#*:}" "$file" ;;
			*) bench read "${mode%:*}" "$file" --warm "$small" --passes 3 --threads "${mode#*:}" ;;
			esac | sed "s/^/$kind $mode /" | tee -a "$samples" >&2
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
		blame) what="**blame**, both readings and the report, compiled before" ;;
		analyzer) what="\`analyzer blame\` by .NET, the whole process" ;;
		native) what="**\`analyzer blame\`, native, the whole process**" ;;
		esac
		ms=$(median "$1" "$mode" ms)
		echo "| $what | $threads | $ms | $(ratio "$ms" "$time") | $(median "$1" "$mode" cpu_ms) |" \
			"$(awk "BEGIN {printf \"%.0f\", $(median "$1" "$mode" peak_kb) / 1024}") |"
	done
}

model=$(${NATIVE_BENCH:-bench} scaling "$trace" --warm "$small" --passes 7)
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
	echo "$(stat -L -c %s "$trace") bytes, $(median load blame:1 events) events, of which nearly half are stacks."
	echo
	table load
	echo
	if [ "$large_duration" != 0 ]; then
		echo "Over a trace of $(stat -L -c %s "$large") bytes (${large_duration} s of the same), by $cores threads:"
		echo
		echo "| what | s | CPU, s | peak memory, MB |"
		echo "|---|---|---|---|"
		for mode in analyzer ${NATIVE:+native}; do
			echo "| \`analyzer blame\`, $([ $mode = native ] && echo native || echo by .NET) |" \
				"$(awk "BEGIN {printf \"%.1f | %.1f | %.0f\", $(median large "$mode:$cores" ms) / 1000, $(
					median large "$mode:$cores" cpu_ms
				) / 1000, $(median large "$mode:$cores" peak_kb) / 1024}") |"
		done
		echo
	fi
	echo "## A quiet machine"
	echo
	echo "\`tracer simulate clean --seed 3 --duration ${quiet_duration}s\`: samples at 1 kHz with stacks, little else;"
	echo "$(stat -L -c %s "$quiet_trace") bytes, $(median quiet blame:1 events) events."
	echo
	table quiet
	echo
	echo "## A PC of today with a game"
	echo
	echo "\`tracer simulate clean --machine game --cpus 16 --seed 3 --duration ${game_duration}s\`: Windows 11 with 17,000 DPCs, 10,000"
	echo "interrupts, 18,000 switches and 16,000 samples with stacks a second (\`analyzer info\`);"
	echo "$(stat -L -c %s "$game_trace") bytes, $(median game blame:1 events) events."
	echo
	table game
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
	best=blame
	[ -z "${NATIVE:-}" ] || best=native
	echo "Measured under load ($([ $best = native ] && echo native, as a process || echo by .NET, compiled before)):" \
		"$(ratio "$(median load $best:1 ms)" "$(median load time:1 ms)") and" \
		"$(ratio "$(median load "$best:$cores" ms)" "$(median load time:1 ms)") times," \
		"$(awk "BEGIN {printf \"%.0f and %.0f\", $(median load $best:1 peak_kb) / 1024, $(
			median load "$best:$cores" peak_kb
		) / 1024}") MB."
	echo
	cat bench/blame-notes.md
} >bench/blame.md
cat bench/blame.md
