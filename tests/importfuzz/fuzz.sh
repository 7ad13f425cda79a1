#!/usr/bin/env bash
# Fuzzes `tracer import` with libFuzzer, guided by what the managed code does (README.md here).
#   tests/importfuzz/fuzz.sh [SECONDS] [FOLDER] [RECORDING...]
# FOLDER keeps the inputs that were found for the next time, and the input that broke it; without one they go when it ends. RECORDINGs are
# more to begin with than the one of the tests: kdriver/baremetal/run.sh --records writes some. Exits 0 when nothing broke, 2 where a
# tool is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
seconds=${1:-60}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
corpus=${2:-$build/corpus}
mkdir -p "$corpus"

command -v dotnet >/dev/null || { echo "fuzz.sh: no dotnet here: package dotnet-sdk-10.0" >&2; exit 2; }
command -v clang-16 >/dev/null || { echo "fuzz.sh: no clang-16 here: package clang-16" >&2; exit 2; }
echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return b == 0 && n < 0; }' >"$build/probe.c"
if ! clang-16 -fsanitize=fuzzer "$build/probe.c" -o "$build/probe" 2>/dev/null; then
	echo "fuzz.sh: no libFuzzer here: package libclang-rt-16-dev" >&2
	exit 2
fi

dotnet build "$here" -c Release -v q --nologo >&2
built=$root/artifacts/bin/Tracer.ImportFuzz/release
mkdir "$build/run"
cp "$built"/*.dll "$built"/*.json "$build/run/"
counters=$(dotnet "$built/Tracer.ImportFuzz.dll" "$built" "$build/run")
host=$(find "$(dirname "$(readlink -f "$(command -v dotnet)")")/host/fxr" -name libhostfxr.so | sort -V | tail -n 1)
clang-16 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -fsanitize=fuzzer -DHOSTFXR="\"$host\"" -DCOUNTERS="$counters" \
	"$here/import_fuzzer.c" -ldl -o "$build/run/import_fuzzer"

cp "$root/tests/capture/commands/import/nic-dpc.records" "$corpus/"
for recording in "${@:3}"; do
	cp "$recording" "$corpus/"
done
echo "$counters edges are counted"
# Faults of memory are .NET's own business: it makes exceptions of them. What libFuzzer would learn from comparisons is the runtime's.
status=0
"$build/run/import_fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
	-handle_segv=0 -handle_bus=0 -handle_ill=0 -handle_fpe=0 -use_cmp=0 -artifact_prefix="$corpus/broke-" "$corpus" \
	>"$build/said" 2>&1 || status=$?
if [ $status = 0 ]; then
	grep -E '^stat::|INITED|DONE' "$build/said"
else
	tail -n 60 "$build/said"
fi
exit $status
