#!/usr/bin/env bash
# Times `analyzer dump` of the last second of a long trace against the whole dump and against cat, and writes bench/seek.md.
#   SIZE=1500M          size of the trace
#   ROUNDS=3            how often each is timed, in turn; medians count (the whole dump once)
#   TRACER_BENCH_DIR    where the trace is kept; a temporary folder that is deleted when left out
#   NO_BUILD=1          takes what is built
#   BEFORE=ANALYZER.dll another build to be timed beside it, such as that of an earlier commit
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
size=${SIZE:-1500M}
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
: >"$samples"
if [ -z "${NO_BUILD:-}" ]; then
	dotnet build analyzer -c Release -v q --nologo >&2
	dotnet build bench -c Release -v q --nologo >&2
fi
analyzer=artifacts/bin/analyzer/release/analyzer.dll
[ -f "$trace" ] || dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll make-trace "$trace" --size "$size" >&2

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

cat "$trace" >/dev/null # So that all find it in memory.
seconds=$(dotnet "$analyzer" info "$trace" --format json | sed -nE 's/.*"durationUs": *([0-9]+).*/\1/p' | head -n 1)
seconds=$((seconds / 1000000 - 1))
for ((round = 0; round < rounds; round++)); do
	timed cat cat "$trace"
	timed last dotnet "$analyzer" dump "$trace" --from "${seconds}s"
	timed first dotnet "$analyzer" dump "$trace" --to 1s
	timed none dotnet "$analyzer" dump "$trace" --from 10000s
	[ -z "${BEFORE:-}" ] || timed before dotnet "$BEFORE" dump "$trace" --from "${seconds}s"
done
timed whole dotnet "$analyzer" dump "$trace"

cpu=$(median cat 3)
{
	echo "# Dump of the last second of a long trace"
	echo
	echo "Written by \`SIZE=$size ROUNDS=$rounds bench/seek.sh\` on $(date -u +%F): medians of $rounds in turn; load before: $load;"
	echo "$(nproc) cores of $(sed -nE 's/^model name.*: //p' /proc/cpuinfo | head -n 1), .NET $(dotnet --version)."
	echo
	echo "The trace: $(stat -c %s "$trace") bytes, $(median whole 5) lines, of \`make-trace\` ([README.md](README.md)); in the page cache."
	echo "CPU time, which is user and system of all threads, counts where the machine is busy."
	echo
	echo "| what | s | CPU s | CPU against \`cat\` | CPU against the whole dump | peak memory, MB | lines |"
	echo "|---|---|---|---|---|---|---|"
	for name in cat last first none before whole; do
		[ -n "$(median $name 2)" ] || continue
		case $name in
		cat) what='`cat`' ;;
		last) what="**\`dump --from ${seconds}s\`**, the last second" ;;
		first) what='`dump --to 1s`, the first' ;;
		none) what='`dump --from 10000s`, nothing: the first reading alone' ;;
		before) what='the last second, as it was before' ;;
		*) what='the whole dump' ;;
		esac
		lines=$(median $name 5)
		[ $name != cat ] || lines=
		awk -v what="$what" -v s="$(median $name 2)" -v cpu="$(median $name 3)" -v kb="$(median $name 4)" -v lines="$lines" \
			-v cat="$cpu" -v whole="$(median whole 3)" 'BEGIN {
			printf "| %s | %.2f | %.2f | %.1f | %.4f | %.0f | %s |\n", what, s, cpu, cpu / cat, cpu / whole, kb / 1024, lines }'
	done
	echo
	echo "What images, threads, keys of stacks and events are called may stand anywhere, so all of the trace is read once, by two threads;"
	echo "what comes before \`--from\` is then not ordered, joined or decoded, and behind the last event up to \`--to\` the reading ends."
} >bench/seek.md
cat bench/seek.md
