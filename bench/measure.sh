#!/bin/bash
# Compares tracer measure with programs that measure the same: cyclictest and oslat (Debian's rt-tests), sockperf, sysbench, and loops in C
# (bench/measure/loops.c), on CPU 1 at SCHED_FIFO 50. Five runs of each (RUNS), in turn; medians and ranges are printed. hackbench: what a
# message takes, and how many go to a switch. Needs root, Linux, two CPUs. docs/use/measure.md has results.
#
#   bench/measure.sh SECONDS [clock|switch|preemption|calls|timer|wakeup|sleep|preempt|network|yield|hackbench|tail]...
#   (default: all but tail)
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3}
shift || true
[ $# -gt 0 ] || set -- clock switch preemption calls timer wakeup sleep preempt network yield hackbench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -O2 -pthread -o "$folder/loops" bench/measure/loops.c -lm

tracer() { dotnet artifacts/bin/tracer/release/tracer.dll measure "$@" --duration "${seconds}s" --format csv > "$folder/csv"; }
value() { awk -F, -v part="$1" -v name="$2" -v number="$3" '$2 == part && $3 == name && $4 == number { print $5 }' "$folder/csv"; }
note() { echo "$2" >> "$folder/$1"; }
cyclic() { cyclictest -q -m -p 50 -i 1000 -t 1 -a 1 -D "$seconds" "$@" > "$folder/text"; }
of_cyclic() { sed -n "s/.*$1: *\([0-9]*\).*/\1/p" "$folder/text"; }
times() { awk -v factor="$1" '{ print $1 * factor }'; }

clock() {
	tracer clock --cpu 1
	note "reading the clock ns: tracer" "$(value table "clocks: CLOCK_MONOTONIC" mean)"
	note "reading the clock ns: C" "$("$folder/loops" clock "$seconds")"
}

switch() {
	tracer switch --cpu 1
	note "half a round trip ns: tracer" "$(value series "half a round trip" mean | times 1000)"
	note "half a round trip ns: C" "$("$folder/loops" switch "$seconds")"
}

preemption() {
	tracer preemption --cpu 1
	note "pre-emption ns: tracer" "$(value series preemption mean | times 1000)"
	note "pre-emption ns: C" "$("$folder/loops" preemption "$seconds")"
}

# Each kind of call has its share of the time.
calls() {
	tracer syscalls --cpu 1 --calls 1000000
	# The name of the call has a comma, and stands between quotation marks.
	note "getppid ns: tracer" "$(awk -F'"' '/"calls: getppid/ { print $3 }' "$folder/csv" | awk -F, '$2 == "mean" { print $3 * 1000 }')"
	note "getppid ns: C" "$("$folder/loops" calls "$seconds")"
}

timer() {
	dotnet artifacts/bin/tracer/release/tracer.dll measure timer --cpu 1 --duration "${seconds}s" --format json > "$folder/json"
	note "interval of 1 ms, deviation us: tracer" "$(sed -n 's/^ *"deviationUs": \([0-9.]*\),/\1/p' "$folder/json" | head -1)"
	note "interval of 1 ms, deviation us: C" "$("$folder/loops" timer "$seconds" | times 0.001)"
}

wakeup() {
	tracer wakeup --interval 1ms --cpu 1 --no-idle
	note "wake-up mean us: tracer" "$(value series absolute mean)"
	note "wake-up max us: tracer" "$(value series absolute max)"
	cyclic
	note "wake-up mean us: cyclictest" "$(of_cyclic Avg)"
	note "wake-up max us: cyclictest" "$(of_cyclic Max)"
}

sleep() {
	tracer sleep --length 1ms --spread 0s --cpu 1 --no-idle
	note "sleep of 1 ms, longer us: tracer" "$(value series deviation mean)"
	cyclic -r
	note "sleep of 1 ms, longer us: cyclictest -r" "$(of_cyclic Avg)"
}

preempt() {
	tracer preempt --pause 0s --cpu 1
	note "longest interruption us: tracer" "$(value series interruptions max)"
	oslat --cpu-list 1 --rtprio 50 --duration "${seconds}s" --bucket-size 32 --cpu-main-thread 0 > "$folder/text" 2>&1 || true
	note "longest interruption us: oslat" "$(sed -n 's/^ *Maximum:[[:space:]]*\([0-9]*\).*/\1/p' "$folder/text")"
}

network() {
	sockperf server -i 127.0.0.1 > /dev/null 2>&1 &
	local server=$!
	chrt -f -p 50 $server
	command sleep 0.5
	chrt -f 50 taskset -c 1 sockperf ping-pong -i 127.0.0.1 -m 14 -t "$seconds" > "$folder/text" 2>&1
	note "half a UDP round trip us: sockperf" "$(sed -n 's/.*avg-latency=\([0-9.]*\).*/\1/p' "$folder/text")"
	kill $server
	wait $server 2> /dev/null || true
	seconds=$((6 * seconds)) tracer io-interference --cpu 1
	note "half a UDP round trip us: tracer" "$(value series "network alone" mean | times 0.5)"
}

# sysbench: 1,000 times a yield between a lock and its release is an event.
yield() {
	tracer syscalls --cpu 1 --calls 1000000
	note "sched_yield ns: tracer" "$(value table "calls: sched_yield" mean | times 1000)"
	chrt -f 50 taskset -c 1 sysbench threads --threads=1 --thread-yields=1000 --thread-locks=1 --time="$seconds" run > "$folder/text"
	note "sched_yield and a lock ns: sysbench" "$(sed -n 's/.*avg: *\([0-9.]*\).*/\1/p' "$folder/text" | head -1 | times 1000)"
}

# One sends, one receives, on one CPU, by a pipe that holds many messages: the sender goes on until it is full.
hackbench_() {
	local messages=200000
	command time -f %w -o "$folder/switches" chrt -f 50 taskset -c 1 hackbench -g 1 -f 1 -T -p -s 100 -l $messages > "$folder/text"
	note "a message ns: hackbench" "$(sed -n 's/^Time: *\([0-9.]*\).*/\1/p' "$folder/text" | times $((1000000000 / messages)))"
	note "messages to a switch: hackbench" "$(awk -v messages=$messages '{ print messages / $1 }' "$folder/switches")"
}

# How the greatest of many wake-ups are distributed.
of_histogram() {
	awk -v percent="$1" '
		/^[0-9]+ [0-9]+$/ { at[++n] = $1; count[n] = $2; all += $2 }
		END {
			for (i = 1; i <= n && seen < all * percent / 100; i++) { seen += count[i]; value = at[i] }
			print value + 0
		}' "$folder/text"
}

tail_() {
	tracer wakeup --interval 1ms --cpu 1 --no-idle
	for percent in 50 99 99.9; do note "tail $percent % us: tracer" "$(value series absolute "p$percent")"; done
	note "tail most us: tracer" "$(value series absolute max)"
	cyclic -h 20000
	for percent in 50 99 99.9; do note "tail $percent % us: cyclictest" "$(of_histogram "$percent")"; done
	note "tail most us: cyclictest" "$(sed -n 's/^# Max Latencies: *0*\([0-9]*\).*/\1/p' "$folder/text")"
	"$folder/loops" wakeup "$seconds" > "$folder/late"
	for which in "1 50 %" "2 99 %" "3 99.9 %" "4 most"; do
		note "tail ${which#* } us: C" "$(awk -v column="${which%% *}" '{ print $column / 1000 }' "$folder/late")"
	done
}

for ((run = 0; run < ${RUNS:-5}; run++)); do
	for kind in "$@"; do
		[[ $kind != tail && $kind != hackbench ]] || kind+=_
		"$kind"
	done
done

cd "$folder"
for what in *:*; do
	sort -g "$what" | awk -v what="$what" '
		{ all[NR] = $1 }
		END { printf "%-48s median %8.1f   %8.1f to %8.1f\n", what, all[int((NR + 1) / 2)], all[1], all[NR] }'
done
