#!/usr/bin/env bash
# Fuzzes the device interface of the driver (kdriver/core) on this machine: libFuzzer with address and undefined-behaviour sanitizers.
#   tests/kdriver/fuzz.sh [SECONDS] [FOLDER]
# FOLDER keeps the inputs that were found for the next time, and the input that broke it; without one they go when it ends. Exits 0 when
# nothing broke, 2 where a tool is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-60}
core=$here/../../kdriver/core
include=$here/../../kdriver/include
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
corpus=${2:-$build/corpus}
mkdir -p "$corpus"

command -v clang-16 >/dev/null || { echo "fuzz.sh: no clang-16 here: package clang-16" >&2; exit 2; }
echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return b == 0 && n < 0; }' >"$build/probe.c"
if ! clang-16 -fsanitize=fuzzer "$build/probe.c" -o "$build/probe" 2>/dev/null; then
	echo "fuzz.sh: no libFuzzer here: package libclang-rt-16-dev" >&2
	exit 2
fi

flags=(-std=c11 -Wall -Wextra -Werror -g -O1 -I"$core" -I"$include" -I"$here/core")
clang-16 "${flags[@]}" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined "$here/fuzz/device_fuzzer.c" \
	"$here/core/fake_shell.c" "$core"/tracer_{device,outlet,queue,events,run,clock}.c -o "$build/device_fuzzer"
clang-16 "${flags[@]}" "$here/fuzz/seeds.c" -o "$build/seeds"
"$build/seeds" "$corpus"
status=0
"$build/device_fuzzer" -max_total_time="$seconds" -max_len=4096 -len_control=0 -rss_limit_mb=1024 -print_final_stats=1 \
	-artifact_prefix="$corpus/broke-" "$corpus" >"$build/said" 2>&1 || status=$?
if [ $status = 0 ]; then
	grep -E '^stat::|INITED|DONE' "$build/said"
else
	tail -n 60 "$build/said"
fi
exit $status
