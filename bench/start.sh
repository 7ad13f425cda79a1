#!/usr/bin/env bash
# Times whole runs of analyzer, native, as released (ReadyToRun, one file) and by 'dotnet', and writes bench/start.md. See README.md.
#   TRACER_BENCH_DIR  where traces are kept; a temporary folder that is deleted when left out
#   ROUNDS            how often each is timed, in turn (default: 20); medians count
#   QUIET             a command before the timed part, which keeps the machine quiet for it
#   CORPUS            the folder of real traces (default: ../shared/corpus); without it the real trace is left out
# The native one is built (native.sh --map) unless it is there and newer than the sources, and so is the released one (publish.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
rounds=${ROUNDS:-20}
read -ra quiet <<<"${QUIET:-}"
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
native=artifacts/native/linux-x64/analyzer
map=artifacts/aot/obj/analyzer/release_linux-x64/native/analyzer.map.xml
newer() { [ -e "$1" ] && [ -z "$(find analyzer commandline contract etl symbols Directory.* -newer "$1" -type f -print -quit)" ]; }
{ newer $native && [ -e $map ]; } || ./native.sh --map >&2
released=artifacts/publish/linux-x64/analyzer
./publish.sh --no-zip linux-x64 >&2
dotnet build tracer -c Release -v q -p:RunAnalyzers=false >&2
dotnet build analyzer -c Release -v q -p:RunAnalyzers=false >&2
trace=$dir/start-10s.etl
[ -f "$trace" ] || dotnet artifacts/bin/tracer/release/tracer.dll simulate ndis-miniport --cpus 8 --load net --seed 3 --no-second-run \
	--duration 10s -o "$trace" >/dev/null

works=("--version" "info samples/first.etl" "blame samples/first.etl" "info $trace" "blame $trace")
names=("\`--version\`" "\`info\` of $(stat -c %s samples/first.etl) bytes" "\`blame\` of the same"
	"\`info\` of $(stat -c %s "$trace") bytes" "\`blame\` of the same")
real=${CORPUS:-../shared/corpus}/randomascii-slowppt.etl.gz
if [ -f "$real" ]; then
	gunzip -c "$real" >"$dir/start-real.etl"
	works+=("blame $dir/start-real.etl")
	names+=("\`blame\` of the real trace of $(stat -c %s "$dir/start-real.etl") bytes")
fi
export native released
# Interleaved; each line is: program, number of the work, wall ms, CPU ms.
measure() {
	local round i program command
	for ((round = 1; round <= $1; round++)); do
		for ((i = 2; i <= $#; i++)); do
			for program in native released dotnet; do
				command=${!program:-dotnet artifacts/bin/analyzer/release/analyzer.dll}
				# The long ones a quarter as often.
				[ "$i" -lt 5 ] || [ $((round % 4)) = 0 ] || continue
				# shellcheck disable=SC2086 # words
				{ time $command ${!i} >/dev/null; } 2>&1 |
					awk -v head="$program $i" '{ print head, $1 * 1000, ($2 + $3) * 1000 }'
			done
		done
	done
}
export -f measure
samples=$("${quiet[@]}" bash -c 'TIMEFORMAT="%R %U %S"; measure "$@"' measure "$rounds" "${works[@]}")

# cell PROGRAM NUMBER: median and least wall time, median CPU time.
cell() {
	local column wall
	for column in 3 4; do
		awk -v name="$1 $2" -v column=$column '$1 " " $2 == name { print $column }' <<<"$samples" | sort -g |
			awk '{ v[NR] = $1 } END { printf "%.0f %.0f ", v[int((NR + 1) / 2)], v[1] }'
	done | awk '{ printf "%s (%s), %s", $1, $2, $3 }'
}

# goal NUMBER MS: whether the native program takes no longer, by its median.
goal() {
	cell native "$1" | awk -v goal="$2" '{ print $1 " ms of " goal ": " ($1 <= goal ? "reached" : "missed") }'
}

{
	echo "# Start, and the native analyzer"
	echo
	echo "Written by \`ROUNDS=$rounds bench/start.sh\` on $(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores," \
		"$(date -u +%Y-%m-%d), load before: $(cut -d' ' -f1-3 /proc/loadavg)." \
		"Whole processes, ms: median (least) of the clock's time, median of CPU time."
	echo
	echo "| | native | released | \`dotnet analyzer.dll\` |"
	echo "|---|---|---|---|"
	for i in "${!names[@]}"; do
		echo "| ${names[$i]} | $(cell native $((i + 2))) | $(cell released $((i + 2))) | $(cell dotnet $((i + 2))) |"
	done
	echo "| size of the file, bytes | $(stat -c %s $native) | $(stat -c %s $released) | |"
	echo
	echo "Goals of a quiet machine: \`blame\` of a sample $(goal 4 60)$(
		[ ! -f "$real" ] || echo "; of the real trace $(goal 7 200)"
	)."
	echo
	cat bench/start-notes.md
	echo
	python3 bench/native_pieces.py $map $native
} >"$dir/start.md"
cp "$dir/start.md" bench/start.md
echo "written: bench/start.md" >&2
