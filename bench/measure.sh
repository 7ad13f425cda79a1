#!/bin/bash
# Compares tracer measure with programs that measure the same: cyclictest (Debian's rt-tests) and loops in C (bench/measure/loops.c), on
# CPU 1 at SCHED_FIFO 50. Five runs of each, in turn; medians and ranges are printed. Needs root and Linux. docs/measure.md has results.
#
#   bench/measure.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -O2 -pthread -o "$folder/loops" bench/measure/loops.c

tracer() { dotnet artifacts/bin/tracer/release/tracer.dll measure "$@" --duration "${seconds}s" --format csv; }
value() { awk -F, -v part="$1" -v name="$2" -v number="$3" '$2 == part && $3 == name && $4 == number { print $5 }'; }
note() { echo "$2" >> "$folder/$1"; }

for run in 1 2 3 4 5; do
	tracer wakeup --interval 1ms --cpu 1 --no-idle > "$folder/csv"
	note "wake-up mean us: tracer" "$(value series absolute mean < "$folder/csv")"
	note "wake-up max us: tracer" "$(value series absolute max < "$folder/csv")"
	cyclictest -q -m -p 50 -i 1000 -t 1 -a 1 -D "$seconds" > "$folder/text"
	note "wake-up mean us: cyclictest" "$(sed -n 's/.*Avg: *\([0-9]*\).*/\1/p' "$folder/text")"
	note "wake-up max us: cyclictest" "$(sed -n 's/.*Max: *\([0-9]*\).*/\1/p' "$folder/text")"
	note "half a round trip ns: tracer" "$(tracer switch --cpu 1 | value series "half a round trip" mean | awk '{ print $1 * 1000 }')"
	note "half a round trip ns: C" "$("$folder/loops" switch "$seconds")"
	note "reading the clock ns: tracer" "$(tracer clock --cpu 1 | value table "clocks: CLOCK_MONOTONIC" mean)"
	note "reading the clock ns: C" "$("$folder/loops" clock "$seconds")"
done

cd "$folder"
for what in *:*; do
	sort -g "$what" | awk -v what="$what" '
		{ all[NR] = $1 }
		END { printf "%-32s median %8.1f   %8.1f to %8.1f\n", what, all[3], all[1], all[5] }'
done
