#!/usr/bin/env bash
# What the hostile traces of tests/adversary cost each command of analyzer: bench/limits.sh writes bench/limits.md. Each run is a process
# of its own of the release build; its CPU time (user and system, all threads) and its peak memory are the kernel's (/usr/bin/time).
#   BYTES=1000000   size of the families that issue 18 did not measure
#   NO_BUILD=1      takes what is built
#   PART=newer      only the table of the commands that came later, of families of NEWER_BYTES (200000): bench/limits-newer.md
#   FAMILIES="..."  of that table, only these families: their rows take the place of those that bench/limits-newer.md has
set -euo pipefail
cd "$(dirname "$0")/.."
bytes=${BYTES:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${NO_BUILD:-}" ]; then
	dotnet build analyzer -c Release -v q --nologo >&2
	dotnet build bench -c Release -v q --nologo >&2
fi
bench=${BENCH:-artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll}
analyzer=${ANALYZER:-artifacts/bin/analyzer/release/analyzer.dll}
out=${OUT:-bench/limits.md}

# row FAMILY BYTES COMMAND BEFORE: one line of the table.
row() {
	local family=$1 size=$2 command=$3 before=$4 trace="$work/$1-$2.etl" status=0
	[ -f "$trace" ] || dotnet "$bench" adversary "$family" -o "$trace" --bytes "$size"
	# shellcheck disable=SC2086 # The command has options.
	timeout 600 /usr/bin/time -q -f "%U %S %M" -o "$work/time" dotnet "$analyzer" ${command%% *} "$trace" ${command#"${command%% *}"} \
		>"$work/out" 2>"$work/err" || status=$?
	tail -n 1 "$work/time" | awk -v family="$family" -v command="$command" -v before="$before" -v status="$status" \
		-v size="$(stat -c %s "$trace")" -v output="$(stat -c %s "$work/out")" '{
			printf "| `%s` | %.2f | `%s` | %s | %.2f s | %.0f MB | %.2f | %.0f | %.2f | %s |\n",
				family, size / 1e6, command, before, $1 + $2, $3 / 1024, 1e6 * ($1 + $2) / size,
				$3 * 1024 / size, output / 1e6, status }'
}

# newer FAMILY COMMAND: a line of a command that came later, with the files that it needs.
newer() {
	local family=$1 command=$2 size=${NEWER_BYTES:-200000} status=0 input=/dev/null
	local trace="$work/$family-$size.etl"
	[ -f "$trace" ] || dotnet "$bench" adversary "$family" -o "$trace" --bytes "$size"
	local line=("$command" "$trace")
	case $command in
		report) line+=(-o "$work/page.html") ;;
		diff)
			# A copy of the trace would be refused: the same recording cannot be before a change and after it.
			local other="$work/$family-$((size + size / 4)).etl"
			[ -f "$other" ] || dotnet "$bench" adversary "$family" -o "$other" --bytes $((size + size / 4))
			line+=("$other")
			;;
		pack) line+=(--from 0s -o "$work/case.zip") ;;
		export) line+=(--format perfetto -o "$work/trace.pftrace") ;;
		fleet)
			dotnet "$analyzer" blame "$trace" --format cases >"$work/cases.jsonl" 2>/dev/null
			line=(fleet "$work/cases.jsonl")
			;;
		mcp)
			mkdir -p "$work/folder"
			ln -f "$trace" "$work/folder/trace.etl"
			line=(mcp "$work/folder")
			input=$work/asked
			client='"clientInfo":{"name":"b","version":"1"}'
			hello='"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
			call='"method":"tools/call","params"'
			printf '{"jsonrpc":"2.0",%s}\n' '"id":1,'"$hello$client}" '"method":"notifications/initialized"' \
				'"id":2,'"$call"':{"name":"verdicts","arguments":{}}' \
				'"id":3,'"$call"':{"name":"episodes","arguments":{"trace":"trace.etl"}}' >"$input"
			;;
	esac
	timeout 600 /usr/bin/time -q -f "%U %S %M" -o "$work/time" \
		dotnet "$analyzer" "${line[@]}" <"$input" >"$work/out" 2>"$work/err" || status=$?
	grep -q 'internal error' "$work/err" "$work/out" && status="$status, internal error"
	tail -n 1 "$work/time" | awk -v family="$family" -v command="$command" -v status="$status" -v size="$(stat -c %s "$trace")" '{
		printf "| `%s` | %.2f | `%s` | %.2f s | %.0f MB | %s |\n", family, size / 1e6, command, $1 + $2, $3 / 1024, status }'
}

if [ "${PART:-}" = newer ] && [ -n "${FAMILIES:-}" ]; then
	out=${OUT:-bench/limits-newer.md}
	for family in $FAMILIES; do
		for command in report latency diff pack export mcp fleet; do newer "$family" "$command"; done
	done >"$work/rows"
	told="Rows of ${FAMILIES// /, }: $(date -u +%F) at $(git rev-parse --short HEAD), load $(cut -d' ' -f1 /proc/loadavg),"
	awk -v families=" $FAMILIES " -v rows="$work/rows" -v told="$told with \`FAMILIES\` set to them." '
		/^\| family / { print told "\n" }
		/^\| `/ { name = $2; gsub("`", "", name); if (index(families, " " name " ")) next }
		{ print }
		END { while ((getline line < rows) > 0) print line }' "$out" | cat -s >"$work/newer.md"
	cp "$work/newer.md" "$out"
	exit
fi

if [ "${PART:-}" = newer ]; then
	out=${OUT:-bench/limits-newer.md}
	{
		echo "# What hostile traces cost the newer commands"
		echo
		echo "\`PART=newer bench/limits.sh\` wrote this on $(date -u +%F) at $(git rev-parse --short HEAD), on $(nproc) cores," \
			"load $(cut -d' ' -f1 /proc/loadavg)."
		echo "Families are those of \`tests/adversary\`, columns as in [limits](limits.md). Status 1 is that of a file in which" \
			"no event" \
			"could be read, or"
		echo "of which nothing can be judged. \`fleet\` reads the case of the trace; \`mcp\` is asked for verdicts and episodes;"
		echo "\`diff\` compares it with a trace of the same family, a quarter larger." \
			"\`pack\` ends with 64 where a trace has no time at which a part could begin."
		echo
		echo "| family | MB | command | CPU | peak memory | status |"
		echo "|---|---|---|---|---|---|"
		for family in $(dotnet "$bench" adversary | awk '{ print $1 }'); do
			for command in report latency diff pack export mcp fleet; do
				newer "$family" "$command"
			done
		done
	} >"$work/newer.md"
	cp "$work/newer.md" "$out"
	exit
fi

head_of_table() {
	echo "| family | MB | command | before | CPU | peak memory | us a byte | bytes of memory a byte | MB printed | status |"
	echo "|---|---|---|---|---|---|---|---|---|---|"
}

{
	echo "# What hostile traces cost"
	echo
	echo "\`bench/limits.sh\` wrote this on $(date -u +%F) at $(git rev-parse --short HEAD), on $(nproc) cores," \
		"load $(cut -d' ' -f1 /proc/loadavg)."
	echo "Families are those of \`tests/adversary\` (\`bench -- adversary\` lists them). CPU time is of all threads," \
		"start of the runtime and"
	echo "compilation of methods included (0.2 to 0.4 s and 40 to 50 MB of every line, so ratios of small files say little)." \
		"docs/reference/limits.md has the law."
	echo "Status 1 is that of a file in which no event could be read."
	echo
	echo "## The offenders of issue 18"
	echo
	echo "\"Before\" are the figures of the issue for its own files of the same shape and size, for the command that it names."
	echo
	head_of_table
	# FAMILY BYTES COMMAND-THAT-THE-ISSUE-NAMES ITS-FIGURES; the other commands have none.
	while read -r family size named figures; do
		for command in info blame episodes dump symbols; do
			row "$family" "$size" $command "$([ $command != "$named" ] || echo "$figures")"
		done
	done <<-END
		storm 3700000 blame 60 s, 4.2 GB
		waits-dpcs 787000 blame out of memory at 24 GB
		bombs 9000 blame 3.3 GB
		bombs-300-cpus 27000 dump 1.1 GB
		tiny-buffers 1456000 blame 738 MB
		tiny-buffers 5824000 blame 2.6 GB
		claims 4000000 info 67 s
		spans-overlapping 720000 blame 26 s
		random-kernel-times 1200000 blame 50 s
		manifests 4000000 dump 13.5 s
		value-map 4000000 dump
		nested-zeros 200000 dump 820 MB printed
		long-names 1000000 dump 3.1 GB printed
	END
	row random-kernel-times 1200000 "blame --style xperf" "rows up to one bad time stamp"
	echo
	echo "## The other families"
	echo
	head_of_table
	for family in $(dotnet "$bench" adversary | awk '{ print $1 }'); do
		case $family in storm | waits-dpcs | bombs* | tiny-buffers | claims | spans-overlapping | random-kernel-times | \
			manifests | value-map | nested-zeros | long-names) continue ;; esac
		for command in info blame episodes dump; do
			row "$family" "$bytes" $command ""
		done
		row "$family" $((4 * bytes)) blame ""
	done
} >"$work/limits.md"
sed -i 's/| *|/| |/g' "$work/limits.md"
cp "$work/limits.md" "$out"
