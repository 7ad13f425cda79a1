#!/usr/bin/env bash
# The Windows shell (kdriver/wdm) on a fake kernel of our own (ntoskrnl/), under the address and the thread sanitizer, each call checked
# against the level that it is annotated with. TAP; skipped by name where a tool is missing.
#   ntoskrnl.sh           under the address sanitizer
#   ntoskrnl.sh all       under the thread sanitizer, too
#   ntoskrnl.sh WORD      only the tests whose name contains WORD, under both
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
image=(-fPIC -shared -fsanitize-coverage=trace-pc-guard,pc-table -DDBG=1)
kernel=() sources=("$fake"/{interrupt_mode,image}.c)
for source in "$fake"/*.c; do
	[[ $source =~ (image|bad_driver|interrupt_mode|irql_sins).c$ ]] || kernel+=("$source")
done
for source in "$kdriver"/{wdm,core}/*.c; do
	# The modes are interrupt_mode.c's; those of the core are the laboratory driver's.
	[[ $source =~ (wdm/modes|tracer_apic|tracer_gate|tracer_nmi|tracer_pit).c$ ]] || sources+=("$source")
done

# build NAME OPTION...: the driver under the sanitizer; the kernel under the address sanitizer, as the driver's objects are its arguments,
# but not under the thread sanitizer: its own order is no order of the driver's.
build() {
	local name=$1 to=$work/$1
	shift
	mkdir -p "$to"
	clang-16 "${flags[@]}" "${image[@]}" "$@" "${sources[@]}" -o "$to/driver.so" &
	clang-16 "${flags[@]}" "${image[@]}" "$@" -Wno-unused-parameter "$fake"/{bad_driver,image}.c -o "$to/bad_driver.so" || return
	if [ "$name" = threads ]; then
		(cd "$to" && clang-16 "${flags[@]}" -DTHREAD_SANITIZER -c "${kernel[@]}") &&
			clang-16 "$@" -rdynamic "$to"/*.o -o "$to/ntoskrnl"
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
	NEVER_RUN=$to/never_run "$to/ntoskrnl" "$to/driver.so" "$build" "$word" || failed=1
}

# All of the shell's functions have run in some test, but for the one that reads a register of Intel's processors.
all_ran() {
	local name="fake kernel: every function of kdriver/wdm runs"
	command -v addr2line >/dev/null || { echo "ok $name # SKIP no addr2line here: package binutils" && return; }
	addr2line -f -e "$work/addresses/driver.so" <"$work/addresses/never_run" | paste - - | sed -n 's|^\(.*\)\t.*/kdriver/wdm/|\1 |p' |
		grep -v '^read_counter smi.c:' >"$work/said"
	if [ -s "$work/said" ]; then
		sed 's/^/# never: /' "$work/said"
		echo "not ok $name"
		failed=1
	else
		echo "ok $name"
	fi
}

word=${1:-}
[ "$word" != all ] || word=
# What the address sanitizer sees as well is not looked for twice.
run addresses "address sanitizer" "$word" -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-sanitize=null,pointer-overflow,object-size
[ -n "$word" ] || all_ran
[ -z "${1:-}" ] || run threads "thread sanitizer" "$word" -fsanitize=thread -DTHREAD_SANITIZER
exit $failed
