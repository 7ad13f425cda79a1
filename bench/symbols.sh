#!/usr/bin/env bash
# Times look-ups in PDBs beside llvm-symbolizer, and writes bench/symbols.md, which bench/compare.sh puts behind its own results.
#   TRACER_BENCH_DIR  where the generated PDB is kept; a temporary folder that is deleted when left out (1.5 GB)
#   TRACER_CORPUS     real files (default: ../shared/corpus)
#   MODULES           object files of the generated PDB (default: 150, which make more than 200 MB)
#   ROUNDS            how often each is timed (default: 5); medians count
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C
modules=${MODULES:-150}
rounds=${ROUNDS:-5}
functions=2000
corpus=${TRACER_CORPUS:-../shared/corpus}
load=$(cut -d' ' -f1-3 /proc/loadavg)
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir/pdb"

bench() { dotnet artifacts/bin/Tracer.Bench/release/Tracer.Bench.dll symbols "$@"; }

# source MODULE: functions with long names, each with four inlined calls.
source_of() {
	awk -v m="$1" -v functions="$functions" 'BEGIN {
		print "extern volatile int sink;"
		for (h = 0; h < 20; h++)
			printf "static inline __attribute__((always_inline)) int helper_%d_%d(int a)\n{\n\tint b = a * %d;\n\tsink = b;\n" \
				"\treturn b - sink;\n}\n", m, h, h + 3
		for (k = 0; k < functions; k++) {
			printf "int module_%d_function_with_a_long_name_%d(int a)\n{\n\tint s = a;\n", m, k
			for (j = 0; j < 4; j++)
				printf "\ts += helper_%d_%d(s + %d);\n\tif (s > %d)\n\t\tsink = s;\n", m, (k + j * 7) % 20, j, k + j
			print "\treturn s;\n}"
		}
	}'
}

compile() {
	clang-16 --target=x86_64-pc-windows-msvc -c -O0 -g -gcodeview -ffreestanding -ffunction-sections "$1" -o "${1%.c}.obj"
	rm "$1"
}
export -f compile

make_pdb() {
	local i
	[ -f "$dir/pdb/generated-$modules.pdb" ] && return
	for ((i = 0; i < modules; i++)); do
		source_of "$i" >"$dir/pdb/m$i.c"
	done
	echo 'volatile int sink; int entry(void) { return sink; }' >"$dir/pdb/main.c"
	find "$dir/pdb" -name '*.c' -print0 | xargs -0 -P "$(nproc)" -I{} bash -c 'compile {}'
	lld-link-16 /debug /nodefaultlib /entry:entry /subsystem:console /opt:noref,noicf "/out:$dir/pdb/generated-$modules.exe" \
		"/pdb:$dir/pdb/generated-$modules.pdb" "$dir"/pdb/*.obj
	rm "$dir"/pdb/*.obj
}

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# measure PDB ADDRESSES: what each round prints.
measure() {
	local round
	for ((round = 1; round <= rounds; round++)); do
		bench "$1" "$2"
	done | tr ' ' '\n' >"$dir/figures"
}

# figure NAME: the median of one figure.
figure() { sed -n "s/^$1=//p" "$dir/figures" | median; }

# whole FILE COMMAND...: milliseconds of a process that reads the file as its input, the median of three.
whole() {
	local input=$1 round start end
	shift
	for round in 1 2 3; do
		start=$EPOCHREALTIME
		"$@" <"$input" >/dev/null
		end=$EPOCHREALTIME
		awk "BEGIN { printf \"%.0f\\n\", (${end/./} - ${start/./}) / 1000 }"
	done | median
}

megabytes() { awk "BEGIN { printf \"%.1f\", $1 / 1024 }"; }

row() {
	measure "$1" "$2"
	echo "| $3 | $(stat -c %s "$1") | $(figure open_ms) ms | $(figure first_ms) ms | $(wc -l <"$2"): $(figure all_ms) ms |" \
		"$(figure per_second) | $(megabytes "$(figure managed_kb)") MB | $(megabytes "$(figure peak_kb)") MB |"
}

dotnet build bench -c Release >"$dir/build.log" || { cat "$dir/build.log" && exit 1; }
make_pdb
large=$dir/pdb/generated-$modules
bench "$large.pdb" --make-addresses 100000 >"$dir/many"
head -n 100 "$dir/many" >"$dir/few"
head -n 1000 "$dir/many" >"$dir/more"
head -n 1 "$dir/many" >"$dir/one"
cat "$large.pdb" >/dev/null
{
	echo "## Symbols"
	echo
	echo "Written by \`bench/symbols.sh\`: medians of $rounds, files in the page cache, .NET without ReadyToRun (the first look-up"
	echo "holds the compilation of the reader); $(date -u +%Y-%m-%dT%H:%MZ), commit $(git rev-parse --short HEAD), load average at"
	echo "the start $load. Peak memory has the pages of the mapped file that were read in it; they can be dropped at any time."
	echo
	echo "| PDB | bytes | open | to the first answer | all addresses, the first time | look-ups/s after that | heap | peak memory |"
	echo "|---|---|---|---|---|---|---|---|"
	row "$large.pdb" "$dir/many" "generated, $((modules * functions)) functions, four inlined calls each, random places"
	row "$large.pdb" "$dir/one" "the same, one address"
	if [ -f "$corpus/pdb/perfview-CppCon.pdb" ]; then
		bench "$corpus/pdb/perfview-CppCon.pdb" --make-addresses 10000 >"$dir/real"
		row "$corpus/pdb/perfview-CppCon.pdb" "$dir/real" "perfview-CppCon"
	fi
	echo
	echo "Beside llvm-symbolizer 16 on the generated PDB, whole processes:"
	echo
	echo "| addresses | Tracer | llvm-symbolizer |"
	echo "|---|---|---|"
	for addresses in one few more; do
		echo "| $(wc -l <"$dir/$addresses") | $(whole "$dir/$addresses" bench "$large.pdb" "$dir/$addresses" --passes 0) ms |" \
			"$(whole "$dir/$addresses" llvm-symbolizer-16 "--obj=$large.exe" --relative-address) ms |"
	done
} >"$dir/symbols.md"
cp "$dir/symbols.md" bench/symbols.md
echo "written: bench/symbols.md" >&2
