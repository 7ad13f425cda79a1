#!/usr/bin/env bash
# Times Tracer's readings of the same files against cat and against dissect, and writes bench/results.md. See bench/README.md.
#   TRACER_BENCH_DIR  where the traces and programs are kept; a temporary folder that is deleted when left out (4 GB)
#   TRACER_CORPUS     real files, and beside them the packages of other readers (default: ../shared/corpus)
#   ROUNDS            how often each is timed, one after the other in turn (default: 7); medians count
#   RESULTS           where to write (default: bench/results.md)
#   SKIP_AOT          1: no Native AOT build
#   ALONE             a command that runs the readings, two minutes, when nothing else is measured or built
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
rounds=${ROUNDS:-7}
results=${RESULTS:-bench/results.md}
corpus=${TRACER_CORPUS:-../shared/corpus}
load=$(cut -d' ' -f1-3 /proc/loadavg)
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
samples=$dir/samples
[ "${1:-}" = readings ] || : >"$samples"

say() { echo "$*" >&2; }

# --- what is timed ---------------------------------------------------------------------------------------------------------------------

build() {
	dotnet build bench -c Release >"$dir/build.log" || { cat "$dir/build.log" && exit 1; }
	dotnet publish analyzer -c Release -r linux-x64 -p:PublishReadyToRun=true --self-contained false -p:PackAsTool=false \
		-o "$dir/r2r" >"$dir/r2r.log" || { cat "$dir/r2r.log" && exit 1; }
	has_aot=0
	if [ "${SKIP_AOT:-0}" = 0 ]; then
		# docs/internals/decisions.md, item 9
		if dotnet publish analyzer -c Release -r linux-x64 -p:TracerTargetFramework=net9.0 -p:PublishAot=true -p:PackAsTool=false \
			-p:NoWarn=IL2104 -o "$dir/aot" >"$dir/aot.log"; then
			has_aot=1
		else
			say "Native AOT cannot be built here: see $dir/aot.log"
		fi
	fi
}

bench() { dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll "$@"; }

# trace NAME ARGUMENTS...: makes a trace unless it is there; traces of another version of the load are made anew.
trace() {
	local path=$dir/$1
	shift
	[ -f "$path" ] && [ -f "$dir/load-$key" ] || bench make-trace "$path" "$@" >&2
}

make_traces() {
	key=$(cat bench/traces/*.cs | sha1sum | cut -c1-12)
	trace small.etl --size 16M
	trace small-compressed.etl --size 16M --compressed
	trace 256M.etl --size 256M
	trace 256M-compressed.etl --size 256M --compressed
	trace 2G.etl --size 2G
	trace 2G-compressed.etl --size 2G --compressed
	touch "$dir/load-$key"
}

# --- samples and what they give --------------------------------------------------------------------------------------------------------

sample() { echo "$1 $2" >>"$samples"; }

median() { awk -v name="$1" '$1 == name { print $2 }' "$samples" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# of FORMULA: a number with two digits behind the point.
of() { awk "BEGIN { printf \"%.2f\", $1 }"; }

# timed NAME COMMAND...: the time of a whole process in ms.
timed() {
	local name=$1 start end
	shift
	start=$EPOCHREALTIME
	"$@" >/dev/null
	end=$EPOCHREALTIME
	sample "$name" "$(awk "BEGIN { print (${end/./} - ${start/./}) / 1000 }")"
}

# read_trace NAME MODE FILE WARM OPTION...: time, peak memory, sum of one reading in a process of its own.
read_trace() {
	local line field
	line=$(bench read "$2" "$3" --warm "$4" "${@:5}")
	for field in $line; do
		case $field in
		ms=*) sample "$1" "${field#ms=}" ;;
		peak_kb=*) sample "$1.peak" "$(of "${field#peak_kb=} / 1024")" ;;
		events=*) sample "$1.events" "${field#events=}" ;;
		bytes=*) sample "$1.bytes" "${field#bytes=}" ;;
		sum=*) echo "$1 ${field#sum=}" >>"$dir/sums" ;;
		esac
	done
}

# same_sum NAME...: readings of the same events in several orders must have seen the same.
same_sum() {
	local sums
	sums=$(for name in "$@"; do awk -v name="$name" '$1 == name { print $2 }' "$dir/sums"; done | sort -u | wc -l)
	[ "$sums" = 1 ] || { say "The readings $* differ in their sums." && exit 1; }
}

# --- the rounds ------------------------------------------------------------------------------------------------------------------------

time_readings() {
	: >"$dir/sums"
	local round mode threads
	for ((round = 1; round <= rounds; round++)); do
		say "readings, round $round of $rounds"
		cat "$dir"/2G.etl "$dir"/2G-compressed.etl "$dir"/256M*.etl >/dev/null
		timed cat cat "$dir/2G.etl"
		for mode in plain headers cpu cpu-all time time-all threads; do
			read_trace $mode $mode "$dir/2G.etl" "$dir/small.etl"
		done
		read_trace xpress xpress "$dir/2G-compressed.etl" "$dir/small-compressed.etl"
		for threads in 1 2 3; do
			read_trace "compressed.$threads" time "$dir/256M-compressed.etl" "$dir/small-compressed.etl" --threads $threads
		done
	done
	same_sum cpu time threads
	same_sum compressed.1 compressed.2 compressed.3
	same_sum cpu-all time-all
}

measure_memory() {
	local mode
	say "memory"
	for mode in headers cpu time; do
		read_trace "m256.$mode" $mode "$dir/256M.etl" "$dir/small.etl"
		read_trace "m2g.$mode" $mode "$dir/2G.etl" "$dir/small.etl"
		read_trace "z256.$mode" $mode "$dir/256M-compressed.etl" "$dir/small.etl"
		read_trace "z2g.$mode" $mode "$dir/2G-compressed.etl" "$dir/small.etl"
	done
	for mode in headers file time; do
		cat "$dir/256M.etl" | read_trace "p256.$mode" $mode /dev/stdin "$dir/small.etl"
		cat "$dir/2G.etl" | read_trace "p2g.$mode" $mode /dev/stdin "$dir/small.etl"
		cat "$dir/2G-compressed.etl" | read_trace "pz2g.$mode" $mode /dev/stdin "$dir/small.etl"
	done
}

time_peers() {
	local venv=$dir/venv packages=$corpus/../peers round file count seconds
	has_peers=0
	if [ ! -d "$packages" ] || ! command -v python3 >/dev/null; then
		say "dissect is not here: $packages"
		return
	fi
	[ -x "$venv/bin/python3" ] || python3 -m venv "$venv"
	"$venv/bin/python3" -m pip install --quiet --no-index --find-links "$packages" dissect.etl 2>"$dir/venv.log" || return 0
	has_peers=1
	for ((round = 1; round <= 3; round++)); do
		say "dissect, round $round of 3"
		read -r count seconds < <("$venv/bin/python3" bench/dissect_speed.py events "$dir/small.etl" 30000)
		sample dissect.events "$(of "$count / $seconds")"
		read -r count seconds < <("$venv/bin/python3" bench/dissect_speed.py xpress "$dir/small-compressed.etl" 60)
		sample dissect.xpress "$(of "$count / $seconds / 1e6")"
		for file in $real_compressed; do
			read -r count seconds < <("$venv/bin/python3" bench/dissect_speed.py xpress "$corpus/$file.etl")
			sample "dissect.xpress.$file" "$(of "$count / $seconds / 1e6")"
			line=$(bench read xpress "$corpus/$file.etl" --warm "$dir/small-compressed.etl" --passes 25)
			sample "xpress.$file" "$(awk -F'[= ]' '{ print $10 / $4 / 1e3 }' <<<"$line")" # bytes / ms
		done
	done
}

time_analyzer() {
	local round file
	# In a folder of its own: message formats beside a trace would be read too.
	small=$dir/alone/small.etl
	mkdir -p "$dir/alone"
	real=(tx-Process ebpf-for-windows-tracelogging perfview-net.4.5.2.x64)
	if [ -f "$corpus/sawbuck-process_data_64_v2.etl" ]; then
		cp -f "$corpus/sawbuck-process_data_64_v2.etl" "$small"
	else
		real=()
		bench make-trace "$small" --size 192K >/dev/null
	fi
	for ((round = 1; round <= 3 * rounds; round++)); do
		timed start.r2r "$dir/r2r/analyzer" info "$small"
		timed start.empty "$dir/r2r/analyzer" --version
		[ "$has_aot" = 0 ] || timed start.aot "$dir/aot/analyzer" info "$small"
	done
	for ((round = 1; round <= rounds; round++)); do
		say "analyzer info, round $round of $rounds"
		for file in "${real[@]}"; do
			timed "cat.$file" cat "$corpus/$file.etl"
			timed "info.$file" "$dir/r2r/analyzer" info "$corpus/$file.etl"
			[ "$has_aot" = 0 ] || timed "info.aot.$file" "$dir/aot/analyzer" info "$corpus/$file.etl"
		done
		timed info.2G "$dir/r2r/analyzer" info "$dir/2G.etl"
		timed info.2G-compressed "$dir/r2r/analyzer" info "$dir/2G-compressed.etl"
		[ "$has_aot" = 0 ] || timed info.aot.2G "$dir/aot/analyzer" info "$dir/2G.etl"
	done
}

# --- the report ------------------------------------------------------------------------------------------------------------------------

# verdict VALUE at_most|at_least TARGET
verdict() {
	awk -v v="$1" -v how="$2" -v t="$3" 'BEGIN {
		met = how == "at_most" ? (v <= t) : (v >= t)
		if (met) print "met"
		else printf "**missed by %.0f %%**\n", 100 * (how == "at_most" ? v / t - 1 : 1 - v / t) }'
}

# row WHAT MEASURED RATIO HOW TARGET UNIT
row() { echo "| $1 | $([ "$4" = at_most ] && echo '<=' || echo '>=') $5$6 | $2 | $3$6 | $(verdict "$3" "$4" "$5") |"; }

ns_per_event() { of "$1 * 1e6 / $events"; }

report_machine() {
	echo "# Results"
	echo
	echo "Written by \`ROUNDS=$rounds bench/compare.sh\`; medians. How it measures: README.md in this folder."
	echo
	echo "| machine | |"
	echo "|---|---|"
	echo "| CPU | $(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores, $(lscpu | sed -n 's/^Hypervisor vendor: *//p')" \
		"family $(lscpu | sed -n 's/^CPU family: *//p') model $(lscpu | sed -n 's/^Model: *//p') |"
	echo "| caches | $(lscpu | sed -n 's/^\(L[0-9]*[di]*\) cache: */\1 /p' | paste -sd, | sed 's/,/, /g') |"
	echo "| memory | $(awk '/MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo) |"
	echo "| system | $(uname -sr), .NET $(dotnet --list-runtimes | awk '$1 == "Microsoft.NETCore.App" { v = $2 } END { print v }') |"
	echo "| commit | $(git rev-parse --short HEAD) |"
	echo "| date | $(date -u +%Y-%m-%dT%H:%MZ) |"
	echo "| load average at the start | $load |"
	echo
	if awk "BEGIN { exit !(${load%% *} > 0.5) }"; then
		echo "**The machine was not quiet** (load average > 0.5 at the start): take these numbers with care."
		echo
	fi
}

report_readings() {
	local cat plain headers cpu time threads xpress bytes rate peak other
	cat=$(median cat) plain=$(median plain) headers=$(median headers) cpu=$(median cpu) time=$(median time) threads=$(median threads)
	xpress=$(median xpress) bytes=$(median xpress.bytes) events=$(median headers.events)
	rate=$(of "$bytes / $xpress / 1e3")
	echo "## Reading $(stat -c %s "$dir/2G.etl") bytes, $events kernel events of 65 bytes, in the page cache"
	echo
	echo "\`cat FILE > /dev/null\` takes $cat ms ($(of "$(stat -c %s "$dir/2G.etl") / $cat / 1e6") GB/s)," \
		"a plain loop of reads as Tracer's $plain ms ($(of "$plain / $cat")x)."
	echo
	echo "| | target | measured | ratio | |"
	echo "|---|---|---|---|---|"
	row "(a) header walk, against \`cat\`" "$headers ms, $(ns_per_event "$headers") ns/event" "$(of "$headers / $cat")" at_most 1.2 x
	row "(b) typed decode by CPU, against \`cat\`" "$cpu ms, $(ns_per_event "$cpu") ns/event" "$(of "$cpu / $cat")" at_most 2.0 x
	echo "| the same, every field of these records | | $(median cpu-all) ms | $(of "$(median cpu-all) / $cat")x | |"
	row "(c) typed decode by time, against \`cat\`" "$time ms, $(ns_per_event "$time") ns/event" "$(of "$time / $cat")" at_most 4.5 x
	echo "| the same, every field of these records | | $(median time-all) ms | $(of "$(median time-all) / $cat")x | |"
	row "two threads by CPU, against one" "$threads ms" "$(of "$cpu / $threads")" at_least 1.7 x
	if [ "$has_peers" = 1 ]; then
		row "(d) XPRESS output, against dissect.util's $(median dissect.xpress) MB/s" "$rate MB/s" \
			"$(of "$rate / $(median dissect.xpress)")" at_least 170 x
		row "header iteration, against dissect.etl's $(of "$(median dissect.events) / 1e3") k events/s" \
			"$(of "$events / $headers / 1e3") M events/s" \
			"$(of "$events / $headers * 1e3 / $(median dissect.events)")" at_least 300 x
	fi
	row "start of \`analyzer info\` on $(stat -c %s "$small") bytes, ReadyToRun" "" "$(median start.r2r)" at_most 60 " ms"
	[ "$has_aot" = 0 ] || row "the same, Native AOT" "" "$(median start.aot)" at_most 12 " ms"
	peak=$(awk '$1 ~ /peak$/ { print $2 }' "$samples" | sort -g | tail -n 1)
	row "peak memory, the largest of the table below" "" "$peak" at_most 128 " MB"
	echo
	echo "Typed decode by time of the compressed trace of 256 MB, by 1, 2 and 3 threads:" \
		"$(median compressed.1), $(median compressed.2), $(median compressed.3) ms." \
		"From the second on, others decompress while one puts in order and decodes."
	echo
	echo "Events a second: (b) $(of "$events / $cpu / 1e3") M, (c) $(of "$events / $time / 1e3") M." \
		"Above the plain loop of reads, which no reading of copied bytes can beat, an event costs" \
		"(a) $(ns_per_event "($headers - $plain)") ns," \
		"(b) $(ns_per_event "($cpu - $plain)") ns, (c) $(ns_per_event "($time - $plain)") ns."
	echo
	if [ "$has_peers" = 1 ] && [ -n "$real_compressed" ]; then
		echo "| XPRESS on real files | dissect.util | ratio | target | measured | |"
		echo "|---|---|---|---|---|---|"
		for file in $real_compressed; do
			rate=$(of "$(median "xpress.$file") / 1000")
			other=$(median "dissect.xpress.$file")
			echo "| $file | $other MB/s | $(of "1000 * $rate / $other")x |" \
				">= 2.5 GB/s | $rate GB/s | $(verdict "$rate" at_least 2.5) |"
		done
		echo
	fi
}

report_memory() {
	local mode
	echo "## Peak memory in MB (VmHWM of the process)"
	echo
	echo "| | 256 MB | 2 GB | 256 MB compressed | 2 GB compressed | pipe 256 MB | pipe 2 GB | pipe 2 GB compressed |"
	echo "|---|---|---|---|---|---|---|---|"
	for mode in headers cpu file time; do
		printf '| %s |' $mode
		for kind in m256 m2g z256 z2g p256 p2g pz2g; do
			printf ' %s |' "$(median $kind.$mode.peak)"
		done
		echo
	done
	echo
}

report_analyzer() {
	echo "## \`analyzer info\` as a whole process"
	echo
	echo "| file | bytes | \`cat\` | ReadyToRun | Native AOT |"
	echo "|---|---|---|---|---|"
	for file in "${real[@]}"; do
		echo "| $file | $(stat -c %s "$corpus/$file.etl") | $(median "cat.$file") ms |" \
			"$(median "info.$file") ms ($(of "$(median "info.$file") / $(median "cat.$file")")x) |" \
			"$([ "$has_aot" = 0 ] || echo "$(median "info.aot.$file") ms") |"
	done
	echo "| 65-byte events | $(stat -c %s "$dir/2G.etl") | $(median cat) ms | $(median info.2G) ms" \
		"($(of "$(median info.2G) / $(median cat)")x) | $([ "$has_aot" = 0 ] || echo "$(median info.aot.2G) ms") |"
	echo "| the same, compressed | $(stat -c %s "$dir/2G-compressed.etl") | | $(median info.2G-compressed) ms | |"
	echo
	echo "\`analyzer --version\`, ReadyToRun: $(median start.empty) ms; this much is the start of the runtime and of the command line."
	echo
}

if [ "${1:-}" = readings ]; then
	time_readings
	exit
fi

real_compressed=""
for file in dotnet-performance-DynamicEvents filtrace-etw perfview-net.4.5.2.x64; do
	[ ! -f "$corpus/$file.etl" ] || real_compressed+=" $file"
done
build
make_traces
TRACER_BENCH_DIR=$dir ${ALONE:-} "$BASH" "$PWD/bench/compare.sh" readings
time_peers
time_analyzer
measure_memory
{
	report_machine
	report_readings
	report_memory
	report_analyzer
	cat bench/bounds.md
	echo
	cat bench/symbols.md
} >"$dir/results.md"
cp "$dir/results.md" "$results"
say "written: $results"
