#!/usr/bin/env bash
# Times what Tracer and two other readers make of the same trace, and tries the readers on real files; writes bench/peers.md. See README.md.
#   TRACER_BENCH_DIR  where the trace and the readers are kept; a temporary folder that is deleted when left out
#   TRACER_CORPUS     real files, and beside them the packages of other readers (default: ../shared/corpus)
#   DURATION          seconds of simulated time in the trace that all read (default: 500ms, of 46 000 events; a million are 20s)
#   ROUNDS            how often each is timed, in turn (default: 3); medians count
#   NATIVE            the native analyzer, if it is to be in the table
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C DOTNET_TieredPGO=0
rounds=${ROUNDS:-3}
duration=${DURATION:-500ms}
corpus=${TRACER_CORPUS:-../shared/corpus}
packages=$corpus/../peers
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
samples=$dir/peer-samples
: >"$samples"

say() { echo "$*" >&2; }
if [ ! -d "$packages" ] || ! command -v python3 >/dev/null; then
	say "The packages of the other readers are not here ($packages), or no python3."
	exit 1
fi

# --- what is timed ---------------------------------------------------------------------------------------------------------------------

python=$dir/venv/bin/python3
[ -x "$python" ] || python3 -m venv "$dir/venv"
"$python" -m pip install --quiet --no-index --find-links "$packages" dissect.etl construct
tar -xzf "$packages/etl-parser-1.0.1.tar.gz" -C "$dir"
for project in bench analyzer tracer; do
	dotnet build $project -c Release -v q -p:RunAnalyzers=false >"$dir/build.log" || { cat "$dir/build.log" >&2 && exit 1; }
done
analyzer=artifacts/bin/analyzer/release/analyzer.dll
trace=$dir/peers-$duration.etl
[ -f "$trace" ] || dotnet artifacts/bin/tracer/release/tracer.dll simulate ndis-miniport --cpus 8 --load net --seed 3 --no-second-run \
	--duration "$duration" -o "$trace" >/dev/null

# peer READER WORK FILE: "EVENTS SECONDS RESULT", or the error as one line and status 1.
peer() {
	PYTHONPATH=$dir/etl-parser-1.0.1 timeout 300 "$python" bench/peers.py "$@" 2>"$dir/error" && return
	local status=$?
	[ $status != 124 ] || echo "not done after 300 s" >"$dir/error"
	tail -n 1 "$dir/error"
	return 1
}

sample() { echo "$1 $2" >>"$samples"; }

median() { awk -v name="$1" '$1 == name { print $2 }' "$samples" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# whole NAME COMMAND...: the CPU time of a whole process, in seconds.
whole() {
	local name=$1 times TIMEFORMAT='%U %S'
	shift
	times=$({ time "$@" >/dev/null; } 2>&1)
	sample "$name" "$(awk 'END { print $1 + $2 }' <<<"$times")"
}

expected=$(dotnet $analyzer info "$trace" --format json)
events=$(jq .trace.events <<<"$expected")
routines=$(jq '[.classes[] | select(.group == "PerfInfo" and (.opcode | IN(50, 66, 67, 68, 69))).count] | add' <<<"$expected")
for ((round = 1; round <= rounds; round++)); do
	say "round $round of $rounds"
	line=$(dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll read headers "$trace" --warm "$trace" --passes 9)
	sample tracer.headers "$(sed -nE 's/.* cpu_ms=([0-9.]+) .*/\1/p' <<<"$line" | awk '{ print $1 / 1000 }')"
	whole tracer.classes dotnet $analyzer info "$trace" --format json
	whole tracer.dpcisr dotnet $analyzer blame "$trace" --style xperf
	if [ -n "${NATIVE:-}" ]; then
		whole native.classes "$NATIVE" info "$trace" --format json
		whole native.dpcisr "$NATIVE" blame "$trace" --style xperf
	fi
	for reader in dissect etl-parser; do
		for work in headers classes dpcisr; do
			if ! line=$(peer $reader $work "$trace"); then
				say "$reader $work: $line"
				continue
			fi
			read -r count seconds result <<<"$line"
			sample $reader.$work "$seconds"
			[ "$count" = "$events" ] || echo "$reader sees $count of $events events." >>"$dir/differing"
			[ $work != dpcisr ] || [ "$result" = "$routines" ] ||
				echo "$reader sees $result of $routines runs of ISRs and DPCs." >>"$dir/differing"
		done
	done
done

# --- the report ------------------------------------------------------------------------------------------------------------------------

# rate NAME EVENTS: thousands of events a second.
rate() {
	local seconds
	seconds=$(median "$1")
	[ -n "$seconds" ] && awk -v n="$2" -v s="$seconds" 'BEGIN { printf "%.0f k", n / s / 1000 }' || echo "fails"
}

{
	echo "# Other readers"
	echo
	echo "Written by \`ROUNDS=$rounds bench/peers.sh\` on $(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores," \
		"$(date -u +%Y-%m-%d); medians, events in a second of CPU time." \
		"Where others use the machine, take ratios, not rates."
	echo
	echo "## The same trace"
	echo
	echo "A simulated trace with stacks, $events events, $(stat -c %s "$trace") bytes" \
		"(\`tracer simulate ndis-miniport --cpus 8 --load net --seed 3 --duration $duration\`)."
	echo
	echo "| reader | header iteration | counts of classes | ISR and DPC table |"
	echo "|---|---|---|---|"
	echo "| Tracer, .NET | $(rate tracer.headers "$events") | $(rate tracer.classes "$events") |" \
		"$(rate tracer.dpcisr "$events") |"
	[ -z "${NATIVE:-}" ] || echo "| Tracer, native | | $(rate native.classes "$events") | $(rate native.dpcisr "$events") |"
	for reader in dissect etl-parser; do
		version="1.0.1"
		[ $reader != dissect ] || version=$("$python" -m pip show dissect.etl 2>/dev/null | sed -n 's/^Version: //p')
		echo "| ${reader/dissect/dissect.etl} $version | $(rate $reader.headers "$events") | $(rate $reader.classes "$events") |" \
			"$(rate $reader.dpcisr "$events") |"
	done
	echo
	echo "Header iteration of Tracer is the library in a process that is warm; its other columns are whole processes, start included" \
		"(\`analyzer info\`, \`analyzer blame --style xperf\`), which also blame: on a trace as" \
		"small as this one the start is most of them. The others' times are without Python's start." \
		"Neither of them has layouts of ISRs and DPCs: the script reads the 16 bytes itself, and makes no names of addresses."
	echo
	if [ -s "$dir/differing" ]; then
		sort -u "$dir/differing" | paste -sd ' '
	else
		echo "All see the same $events events and $routines runs of ISRs and DPCs."
	fi
	echo
	echo "## Real files"
	echo
	echo "What each reads of the corpus: the number of events, or what it says. What says 0 for a compressed file says nothing" \
		"else, and ends as if it had read it."
	echo
	echo "| file | Tracer | dissect.etl | etl-parser |"
	echo "|---|---|---|---|"
	for file in "$corpus"/*.etl; do
		name=${file##*/}
		count=$(dotnet $analyzer info "$file" --format json 2>/dev/null | jq .trace.events)
		row="| $name | $count |"
		for reader in dissect etl-parser; do
			line=$(peer $reader headers "$file") && line=${line%% *}
			row+=" ${line:0:110} |"
		done
		echo "$row"
	done
	echo
	cat bench/peers-published.md
} >"$dir/peers.md"
cp "$dir/peers.md" bench/peers.md
say "written: bench/peers.md"
