#!/usr/bin/env bash
# The Windows shell (kdriver/wdm) on a fake kernel of our own (ntoskrnl/), under the address and the thread sanitizer, each call checked
# against the level that it is annotated with. TAP; skipped by name where a tool is missing.
#   ntoskrnl.sh [WORD]    only the tests whose name contains WORD
set -u
cd "$(dirname "$0")" || exit 1
kdriver=$(realpath ../../kdriver)
fake=$(realpath ntoskrnl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

skip() {
	echo "ok fake kernel: $1 # SKIP $2"
	exit 0
}

[ "$(uname -sm)" = "Linux x86_64" ] || skip "it runs" "it switches stacks on x86-64 Linux"
command -v clang-16 >/dev/null || skip "it runs" "no clang-16 here: package clang-16"
echo 'int main(void) { return 0; }' >"$work/probe.c"
clang-16 -fsanitize=address "$work/probe.c" -o "$work/probe" 2>/dev/null || skip "it runs" "no sanitizers here: package libclang-rt-16-dev"

flags=(-std=gnu11 -g1 -O1 -fshort-wchar -Wall -Wextra -Werror)
for folder in "$fake" "$fake/include" "$kdriver"/{include,wdm,core}; do
	flags+=("-I$folder")
done
# Branches tell the fake kernel where who runs may be interrupted; DBG makes the levels' assertions.
image=(-fPIC -shared -fsanitize-coverage=trace-pc-guard -DDBG=1)
kernel=() sources=("$kdriver"/wdm/*.c)
for source in "$fake"/*.c; do
	[[ $source == */image.c || $source == */bad_driver.c ]] || kernel+=("$source")
done
for source in "$kdriver"/core/*.c; do
	[[ $source =~ tracer_(apic|gate|nmi|pit).c ]] || sources+=("$source") # the laboratory driver's
done

# build NAME OPTION...: the driver under the sanitizer; the kernel under the address sanitizer, as the driver's objects are its arguments,
# but not under the thread sanitizer: its own order is no order of the driver's.
build() {
	local name=$1 to=$work/$1
	shift
	mkdir -p "$to"
	clang-16 "${flags[@]}" "${image[@]}" "$@" "${sources[@]}" "$fake/image.c" -o "$to/driver.so" &
	clang-16 "${flags[@]}" "${image[@]}" "$@" -Wno-unused-parameter "$fake/bad_driver.c" "$fake/image.c" -o "$to/bad_driver.so" || return
	if [ "$name" = threads ]; then
		(cd "$to" && clang-16 "${flags[@]}" -DTHREAD_SANITIZER -c "${kernel[@]}") && clang-16 "$@" -rdynamic "$to"/*.o -o "$to/ntoskrnl"
	else
		clang-16 "${flags[@]}" -fsanitize=address -rdynamic "${kernel[@]}" -o "$to/ntoskrnl"
	fi && wait $!
}

# run NAME BUILD WORD OPTION...
run() {
	local name=$1 to=$work/$1 build=$2 word=$3
	shift 3
	if ! build "$name" "$@" >"$work/said" 2>&1; then
		sed 's/^/# /' "$work/said"
		echo "not ok fake kernel: builds, $build"
		failed=1
		return
	fi
	"$to/ntoskrnl" "$to/bad_driver.so" "$build" "$word" || failed=1
	"$to/ntoskrnl" "$to/driver.so" "$build" "$word" || failed=1
}

# What the address sanitizer sees as well is not looked for twice.
run addresses "address sanitizer" "${1:-}" -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-sanitize=null,pointer-overflow,object-size
run threads "thread sanitizer" "${1:-}" -fsanitize=thread -DTHREAD_SANITIZER
exit $failed
