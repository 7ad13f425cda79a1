#!/usr/bin/env bash
# Compares the speed of two commits on the same traces, in interleaved pairs, and prints a ratio with its spread. See bench/README.md.
#   guard.sh BASE [HEAD]    HEAD left out: the working tree as it stands, committed or not
#   MODES             what is timed (default below): modes of "read"; info and dump, commands of analyzer; start, analyzer --version
#   ROUNDS            pairs (default: 9)
#   DURATION          seconds of simulated time in the traces (default: 20s, of 65 MB each)
#   LIMIT             a ratio surely above 1 + LIMIT counts as slower (default: 0.02)
#   TRACER_BENCH_DIR  where builds and traces are kept; a temporary folder that is deleted when left out
# Exit status: 0, 1 something failed or the two read differently, 2 something is slower, 64 usage.
set -euo pipefail
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C DOTNET_TieredPGO=0
export EnableTrimAnalyzer=false EnableAotAnalyzer=false EnableSingleFileAnalyzer=false
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: bench/guard.sh BASE [HEAD]" >&2
	exit 64
fi
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-9}
if [ "$rounds" -lt 6 ]; then
	echo "ROUNDS is at least 6: fewer pairs have no interval that holds the ratio with 95 of 100." >&2
	exit 64
fi
modes=${MODES:-headers time stacks facts blame info start}
duration=${DURATION:-20s}
limit=${LIMIT:-0.02}
load=$(cut -d' ' -f1-3 /proc/loadavg)
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"

say() { echo "$*" >&2; }

# commit NAME: its full hash.
commit() { git rev-parse --verify --quiet "$1^{commit}" || { say "No commit is called $1." && exit 64; }; }

# build FOLDER: the programs that are timed.
build() {
	local project
	for project in bench analyzer; do
		if ! (cd "$1" && dotnet build "$project" -c Release -v q -p:RunAnalyzers=false) >"$dir/build.log" 2>&1; then
			say "$project of $1 does not build:"
			cat "$dir/build.log" >&2
			exit 1
		fi
	done
}

# sources HASH: a folder with that commit, built; one that was kept is taken as it is.
sources() {
	local folder=$dir/commit-${1:0:12}
	if [ ! -e "$folder.built" ]; then
		rm -rf "$folder"
		mkdir -p "$folder"
		git archive "$1" | tar -x -C "$folder"
		build "$folder"
		touch "$folder.built"
	fi
	echo "$folder"
}

base_name=$1
head_name=${2:-the working tree}
base=$(commit "$1")
say "builds $base_name and $head_name"
base=$(sources "$base")
if [ $# -eq 2 ]; then
	head=$(commit "$2")
	head=$(sources "$head")
else
	head=$PWD
	build "$head"
fi

# Traces are made once by this folder's simulator: interrupts with stacks, and a quiet machine that is sampled with stacks.
if [ ! -f "$dir/load-$duration.etl" ] || [ ! -f "$dir/quiet-$duration.etl" ]; then
	dotnet build tracer -c Release -v q -p:RunAnalyzers=false >"$dir/build.log" 2>&1 || { cat "$dir/build.log" >&2 && exit 1; }
	for kind in "load ndis-miniport net" "quiet clean idle"; do
		read -r name scenario activity <<<"$kind"
		dotnet artifacts/bin/tracer/release/tracer.dll simulate "$scenario" --cpus 8 --load "$activity" --seed 3 --no-second-run \
			--duration "$duration" -o "$dir/$name-$duration.etl" >/dev/null
	done
fi
cat "$dir"/*-"$duration".etl >/dev/null # So that all find them in memory.

# once SIDE MODE TRACE ROUND: times one run, in a process of its own, and writes a line: side, mode, trace, round, ms, CPU ms, what it read.
once() {
	local side=$1 mode=$2 trace=$3 folder=$base line words times TIMEFORMAT='%R %U %S'
	[ "$side" = base ] || folder=$head
	case $mode in
	info | dump | start)
		words=("$mode" "$dir/$trace-$duration.etl")
		[ "$mode" != start ] || words=(--version)
		times=$({ time dotnet "$folder/artifacts/bin/analyzer/release/analyzer.dll" "${words[@]}" >"$dir/output"; } 2>&1) ||
			{ say "$mode $trace failed: $times" && exit 1; }
		line=$(sha1sum <"$dir/output")
		awk -v head="$side $mode $trace $4" -v sum="${line%% *}" '{ print head, $1 * 1000, ($2 + $3) * 1000, sum }' <<<"$times"
		;;
	*)
		# Compiled for good at once: tiers are entered at times of their own, which would spread the times by a factor of two.
		line=$(DOTNET_TieredCompilation=0 dotnet "$folder/artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll" \
			read "$mode" "$dir/$trace-$duration.etl" --warm "$dir/$trace-$duration.etl" --passes 3)
		sed -nE "s/.* ms=([0-9.]+) cpu_ms=([0-9.]+) events=([0-9]+) .* sum=([0-9a-f]+) .*/\1 \2 \3-\4/p" <<<"$line" |
			sed "s/^/$side $mode $trace $4 /"
		;;
	esac
}

samples=$dir/guard-samples
: >"$samples"
for ((round = 1; round <= rounds; round++)); do
	say "round $round of $rounds"
	# By turns one and the other goes first.
	sides="base head"
	[ $((round % 2)) = 0 ] || sides="head base"
	for mode in $modes; do
		for trace in load quiet; do
			[ "$mode $trace" != "start quiet" ] || continue
			for side in $sides; do
				once $side "$mode" $trace $round >>"$samples"
			done
		done
	done
done

# The reports, byte by byte.
differing=""
for trace in load quiet; do
	for side in base head; do
		folder=$base
		[ $side = base ] || folder=$head
		dotnet "$folder/artifacts/bin/analyzer/release/analyzer.dll" blame "$dir/$trace-$duration.etl" --format json \
			>"$dir/report-$side" || [ $? = 2 ]
	done
	cmp -s "$dir/report-base" "$dir/report-head" || differing+=" $trace"
done

echo "$base_name against $head_name, $rounds pairs, load before: $load; simulated $duration, seed 3; ms are the least and the median."
echo
awk -v limit="$limit" '
	# The ratios of pairs, ordered; the interval holds their median with at least 95 of 100 (order statistics: no shape is assumed).
	function interval(values, n,   i, j, t, tail, p, k) {
		for (i = 2; i <= n; i++) {
			t = values[i]
			for (j = i - 1; j >= 1 && values[j] > t; j--) values[j + 1] = values[j]
			values[j + 1] = t
		}
		p = 0.5 ^ n; tail = p; k = 1
		while (k + 1 <= n / 2) {
			p = p * (n - k + 1) / k
			if (tail + p > 0.025) break
			tail += p; k++
		}
		low = values[k]; high = values[n + 1 - k]
		middle = n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
		least = values[1]
	}
	function word() { return low > 1 + limit ? "**slower**" : high < 1 ? "faster" : "" }
	{
		key = $2 " " $3
		if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
		if ($4 > rounds) rounds = $4
		wall[key, $1, $4] = $5; cpu[key, $1, $4] = $6
		if (key in read && read[key] != $7) differs[key] = 1
		read[key] = $7
	}
	END {
		print "| what | base, ms | head, ms | head / base | its interval | CPU time, head / base | its interval | |"
		print "|---|---|---|---|---|---|---|---|"
		for (i = 1; i <= count; i++) {
			key = keys[i]
			for (r = 1; r <= rounds; r++) values[r] = wall[key, "base", r]
			interval(values, rounds); baseLeast = least; baseMiddle = middle
			for (r = 1; r <= rounds; r++) values[r] = wall[key, "head", r]
			interval(values, rounds); headLeast = least; headMiddle = middle
			for (r = 1; r <= rounds; r++) values[r] = wall[key, "head", r] / wall[key, "base", r]
			interval(values, rounds); said = word(); wallText = sprintf("%.3f | %.3f to %.3f", middle, low, high)
			for (r = 1; r <= rounds; r++) values[r] = cpu[key, "base", r] > 0 ? cpu[key, "head", r] / cpu[key, "base", r] : 1
			interval(values, rounds)
			if (word() != "" && said != "**slower**") said = word()
			if (said == "**slower**") slower = 1
			if (key in differs) { said = said " **reads differently**"; different = 1 }
			printf "| %s | %.1f, %.1f | %.1f, %.1f | %s | %.3f | %.3f to %.3f | %s |\n",
				key == "start load" ? "start" : key, baseLeast, baseMiddle, headLeast, headMiddle, wallText,
				middle, low, high, said
		}
		exit different ? 1 : slower ? 2 : 0
	}' "$samples" && status=0 || status=$?
echo
if [ -n "$differing" ]; then
	echo "**The reports of blame differ:**$differing."
	status=1
else
	echo "The reports of blame are the same, byte by byte."
fi
exit $status
