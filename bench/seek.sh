#!/usr/bin/env bash
# Times `analyzer dump` of the last second of a long trace against the whole dump and against cat, and writes bench/seek.md.
#   SIZE=1500M          size of the trace
#   STACKED=400s        length of the second trace, which has stacks: 1.3 GB
#   ROUNDS=3            how often each is timed, in turn; medians count (the whole dump once)
#   TRACER_BENCH_DIR    where the trace is kept; a temporary folder that is deleted when left out
#   NO_BUILD=1          takes what is built
#   ANALYZER=A.dll      the build to be timed, if not that of this folder
#   BEFORE=B.dll        another build to be timed beside it, such as that of an earlier commit
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
size=${SIZE:-1500M}
stacked_for=${STACKED:-400s}
rounds=${ROUNDS:-3}
load=$(cut -d' ' -f1-3 /proc/loadavg)
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
trace=$dir/seek-$size.etl
samples=$dir/seek-samples
if [ -z "${NO_BUILD:-}" ]; then
	dotnet build analyzer -c Release -v q --nologo >&2
	dotnet build bench -c Release -v q --nologo >&2
	dotnet build tracer -c Release -v q --nologo >&2
fi
analyzer=${ANALYZER:-artifacts/bin/analyzer/release/analyzer.dll}
[ -f "$trace" ] || dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll make-trace "$trace" --size "$size" >&2
stacked=$dir/seek-stacks-$stacked_for.etl
[ -f "$stacked" ] || dotnet artifacts/bin/tracer/release/tracer.dll simulate ndis-miniport --cpus 8 --load net --seed 3 \
	--no-second-run --duration "$stacked_for" -o "$stacked" >&2

# timed NAME COMMAND...: a line with elapsed and CPU seconds, the peak of memory in KB, and the lines that were printed.
timed() {
	local name=$1 lines
	shift
	lines=$(/usr/bin/time -q -f "%e %U %S %M" -o "$dir/seek-time" "$@" 2>/dev/null | wc -l)
	awk -v name="$name" -v lines="$lines" '{print name, $1, $2 + $3, $4, lines}' "$dir/seek-time" | tee -a "$samples" >&2
}

# median NAME COLUMN
median() {
	awk -v name="$1" -v column="$2" '$1 == name {print $column}' "$samples" | sort -n |
		awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

# seconds_of TRACE: where its last second begins.
seconds_of() {
	local us
	us=$(dotnet "$analyzer" info "$1" --format json | sed -nE 's/.*"durationUs": *([0-9]+).*/\1/p' | head -n 1)
	echo $((us / 1000000 - 1))
}

# measure TRACE SECONDS: all but the whole dump, in turn.
measure() {
	: >"$samples"
	cat "$1" >/dev/null # So that all find it in memory.
	for ((round = 0; round < rounds; round++)); do
		timed cat cat "$1"
		timed last dotnet "$analyzer" dump "$1" --from "$2s"
		timed first dotnet "$analyzer" dump "$1" --to 1s
		timed none dotnet "$analyzer" dump "$1" --from 10000s
		[ -z "${BEFORE:-}" ] || timed before dotnet "$BEFORE" dump "$1" --from "$2s"
	done
	timed whole dotnet "$analyzer" dump "$1"
}

# table SECONDS: what was measured.
table() {
	local name what lines cat_cpu whole
	cat_cpu=$(median cat 3)
	whole=$(median whole 3)
	echo
	echo "| what | s | CPU s | CPU against \`cat\` | CPU against the whole dump | peak memory, MB | lines |"
	echo "|---|---|---|---|---|---|---|"
	for name in cat last first none before whole; do
		[ -n "$(median $name 2)" ] || continue
		case $name in
		cat) what='`cat`, into a pipe' ;;
		last) what="**\`dump --from $1s\`**, the last second" ;;
		first) what='`dump --to 1s`, the first' ;;
		none) what='`dump --from 10000s`, nothing: the first reading alone' ;;
		before) what='the last second, as it was before' ;;
		*) what='the whole dump' ;;
		esac
		lines=$(median $name 5)
		[ $name != cat ] || lines=
		awk -v what="$what" -v s="$(median $name 2)" -v cpu="$(median $name 3)" -v kb="$(median $name 4)" -v lines="$lines" \
			-v cat="$cat_cpu" -v whole="$whole" 'BEGIN {
			printf "| %s | %.2f | %.2f | %.1f | %.4f | %.0f | %s |\n", what, s, cpu, cpu / cat, cpu / whole, kb / 1024, lines }'
	done
	echo
}

{
	echo "# Dump of the last second of a long trace"
	echo
	echo "Written by \`SIZE=$size STACKED=$stacked_for ROUNDS=$rounds bench/seek.sh\` on $(date -u +%F): medians of $rounds in turn;"
	echo "load before: $load; $(nproc) cores of $(sed -nE 's/^model name.*: //p' /proc/cpuinfo | head -n 1), .NET $(dotnet --version)."
	echo "The traces are in the page cache. CPU time, which is user and system of all threads, counts where the machine is busy."
	echo
	echo "The trace of \`make-trace\` ([README.md](README.md)), $(stat -c %s "$trace") bytes, without stacks:"
	at=$(seconds_of "$trace")
	measure "$trace" "$at"
	table "$at"
	echo "\`tracer simulate ndis-miniport --cpus 8 --load net --seed 3 --duration $stacked_for\`, $(stat -c %s "$stacked") bytes,"
	echo "nearly half of whose events are stacks:"
	at=$(seconds_of "$stacked")
	measure "$stacked" "$at"
	table "$at"
	echo "What images, threads, keys of stacks and events are called may stand anywhere, so all of the trace is read once, by two"
	echo "threads; what comes before \`--from\` is then not ordered, joined or decoded, and behind the last event up to \`--to\` the"
	echo "reading ends."
} >"$dir/seek.md"
mv "$dir/seek.md" bench/seek.md
cat bench/seek.md
