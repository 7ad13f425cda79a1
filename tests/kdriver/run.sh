#!/usr/bin/env bash
# Tests of the driver's shared headers, its core and its assembly, each a TAP line:
# - the headers, compiled as every side does that shares them, every hidden padding an error;
# - the unit tests under the sanitizers and in 32 bits, the ring and the stack walk instruction by instruction, threads and signals;
# - the device interface under libFuzzer for some seconds (fuzz.sh);
# - the static checks;
# - the levels of the Windows shell's functions over the call graph (irql.sh), and the shell on a fake kernel (ntoskrnl.sh);
# - the laboratory driver: built, and under Wine (laboratory.sh);
# - the Windows drivers as files (driver.sh);
# - the core on bare metal, under QEMU (baremetal.sh);
# - the driver loaded under Wine (wine.sh).
# What lacks a tool is skipped by name. run.sh quick: the first two only; run.sh all: also the core and the stubs compiled for every target,
# asking nothing of a library, the static checks, the shell under the thread sanitizer, and of the drivers as files that mingw builds them
# too, that a second build is the same and the trial for ARM64. With BUILT=FILE, those that need the commands begin when the file is there,
# or its folder is gone.
set -u
cd "$(dirname "$0")" || exit 1
kdriver=../../kdriver
core=$kdriver/core asm=$kdriver/asm include=$kdriver/include
portable=("$core"/*.c $kdriver/lab/tracer_lab.c) # without Windows
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

strict=(-std=c11 -Wall -Wextra -Werror -I"$core" -I"$include" -I$kdriver/lab)
freestanding=(-ffreestanding -fno-stack-protector -mgeneral-regs-only -O2 -Wconversion -Wsign-conversion)
suite=(core/checks.c core/fake_machine.c core/fake_shell.c core/mean_clock.c core/main.c core/*_tests.c)

# has NAME PACKAGE COMMAND: prints the line of a skipped test where the command is not here.
has() {
	command -v "$3" >/dev/null && return
	echo "ok $1 # SKIP no $3 here: package $2"
	return 1
}

# expect NAME COMMAND...: one line for a command that has to succeed; what it says is shown when it does not.
expect() {
	local name=$1
	shift
	if "$@" >"$out/said" 2>&1; then
		echo "ok $name"
	else
		sed 's/^/# /' "$out/said"
		echo "not ok $name"
		failed=1
	fi
}

# programs that print their own lines; one that dies counts as a failed test.
run() {
	local name=$1 status
	shift
	timeout 600 "$@" >"$out/said" 2>&1
	status=$?
	if [ $status != 0 ] && ! grep -q '^not ok' "$out/said"; then
		echo "not ok $name: ended with status $status" >>"$out/said"
	fi
	cat "$out/said"
	! grep -q '^not ok' "$out/said" || failed=1
}

headers() {
	local name=$1 package=$2
	shift 2
	has "$name" "$package" "$1" || return
	expect "$name" "$@" -std=c11 -ffreestanding -Wall -Wextra -Wpadded -Werror -I"$include" -x c -fsyntax-only "$include/tracer_ioctl.h"
}

# The core and the stubs of one target in one object: all that it still asks for is the shell's, or what compilers call by themselves.
compile_core() {
	local format=$1 stubs=$2
	shift 2
	local folder=$out/$format objects
	mkdir -p "$folder"
	for file in "${portable[@]}"; do
		"$@" "${strict[@]}" "${freestanding[@]}" -c "$file" -o "$folder/$(basename "$file" .c).o" || return
	done
	nasm -Wall -Werror -f "$format" -I"$asm/" "$asm/$stubs" -o "$folder/stubs.o" || return
	objects=("$folder"/*.o)
	[ ${#objects[@]} -gt 10 ] || return
	if nm -A "${objects[@]}" | awk -v prefix="$([ "$format" = win32 ] && echo _)" '
		$(NF-1) == "U" { wanted[$NF] = 1 }
		$(NF-1) ~ /^[A-TV-Z]$/ { given[$NF] = 1 }
		END {
			for (name in wanted) {
				shell = "^" prefix "(tracer_(hal|on|shell)_[a-z_]+|memcpy|memset)$"
				if (!(name in given) && name !~ shell && name !~ "GLOBAL_OFFSET")
					print "asks for " name
			}
		}' | grep .; then
		return 1
	fi
}

# The drivers' build has the two others for Windows: gcc, 64 bits, and clang, 32 bits.
targets() {
	has "core: compiles for every target" nasm nasm || return
	expect "core: gcc, 64 bits, System V" compile_core elf64 stubs_x64.asm gcc -m64
	expect "core: gcc, 32 bits, System V" compile_core elf32 stubs_x86.asm gcc -m32 -fno-pie
	has "core: gcc, 32 bits, Windows" gcc-mingw-w64-i686 i686-w64-mingw32-gcc &&
		expect "core: gcc, 32 bits, Windows" compile_core win32 stubs_x86.asm i686-w64-mingw32-gcc
	has "core: clang" clang-16 clang-16 || return
	expect "core: clang, 64 bits, Windows" compile_core win64 stubs_x64.asm clang-16 --target=x86_64-w64-mingw32
}

assemble() {
	nasm -Wall -Werror -f "$1" -I"$asm/" "$asm/stubs_$2.asm" -o "$out/stubs_$2.o" &&
		nasm -Wall -Werror -f "$1" "core/interrupt_$2.asm" -o "$out/interrupt_$2.o"
}

build_64() {
	assemble elf64 x64 &&
		gcc "${strict[@]}" -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
			-DBUILD_NAME='"64 bits, sanitized"' "${suite[@]}" "${portable[@]}" "$out"/{stubs,interrupt}_x64.o \
			-o "$out/tests_64" &&
		gcc "${strict[@]}" -O2 -mno-red-zone -DBUILD_NAME='"64 bits"' core/ring_steps.c core/checks.c "$core/tracer_ring.c" \
			"$out"/{stubs,interrupt}_x64.o -o "$out/ring_steps"
}

build_32() {
	assemble elf32 x86 &&
		gcc -m32 -nostdlib -static -fno-pie -no-pie "${strict[@]}" "${freestanding[@]}" \
			-Wno-conversion -Wno-sign-conversion -DBUILD_NAME='"32 bits"' core/bare_linux.c "${suite[@]}" "${portable[@]}" \
			"$out"/{stubs,interrupt}_x86.o -o "$out/tests_32"
}

# Whether the kernel runs 32-bit programs: one that does nothing but end, with a status that no shell gives in its place.
runs_32() {
	printf '%s\n' '.globl _start' '_start:' 'movl $1, %eax' 'movl $77, %ebx' 'int $0x80' >"$out/end.s" &&
		gcc -m32 -nostdlib -static -no-pie "$out/end.s" -o "$out/end_32" || return 1
	"$out/end_32" 2>/dev/null
	[ $? = 77 ]
}

build_stress() {
	local name=$1
	shift
	gcc "${strict[@]}" -g "$@" -pthread -DBUILD_NAME="\"$name\"" core/stress.c core/checks.c \
		"$core"/tracer_{ring,histogram,probe,episode,floor,run,walk,clock}.c -o "$out/stress"
}

image=(-O2 -ffreestanding -fno-stack-protector -mno-stack-arg-probe -fasynchronous-unwind-tables)

clang_image() {
	clang-16 --target=x86_64-w64-mingw32 "${image[@]}" -c core/walked_image.c -o "$out/walked.o" &&
		lld-link-16 /dll /entry:start /nodefaultlib /subsystem:native "/out:$out/walked.dll" "$out/walked.o"
}

gcc_image() {
	x86_64-w64-mingw32-gcc "${image[@]}" -nostdlib -shared -Wl,-e,start core/walked_image.c -o "$out/walked.dll"
}

walk() {
	local compiler=$1
	expect "walk: builds with $compiler's image" "${compiler}_image" && expect "walk: builds its test" \
		gcc "${strict[@]}" -g -O1 -mno-red-zone -fsanitize=address,undefined -fno-sanitize-recover=undefined \
		-DBUILD_NAME='"64 bits, sanitized"' -DIMAGE_NAME="\"$compiler's image\"" core/walk_steps.c core/checks.c \
		"$core/tracer_walk.c" -o "$out/walk_steps" && run "walk with $compiler's image" "$out/walk_steps" "$out/walked.dll"
}

unit_tests() {
	has "core: unit tests" nasm nasm || return
	[ "$(uname -m)" = x86_64 ] || { echo "ok core: unit tests # SKIP they run on x86-64 Linux" && return; }
	expect "core: builds its unit tests, 64 bits" build_64
	run "unit tests, 64 bits" "$out/tests_64"
	run "ring, step by step" "$out/ring_steps"
	expect "core: builds its unit tests, 32 bits" build_32
	if runs_32; then
		run "unit tests, 32 bits" "$out/tests_32"
	else
		echo "ok unit tests, 32 bits # SKIP this kernel runs no 32-bit programs"
	fi
	has "walk: clang's image" lld-16 lld-link-16 && has "walk: clang's image" clang-16 clang-16 && walk clang
	has "walk: gcc's image" gcc-mingw-w64-x86-64 x86_64-w64-mingw32-gcc && walk gcc
	expect "core: builds its stress test" build_stress "threads" -O2
	run "stress" "$out/stress"
	expect "core: builds its stress test for the thread sanitizer" build_stress "thread sanitizer" -O1 -fsanitize=thread -Wno-tsan
	run "stress under the thread sanitizer" "$out/stress"
}

# clang-tidy's analyzer gives a function up after so many states of it, of 225,000 by default: it reaches as much of the core, and ends in a
# third of the time (docs/internals/driver.md).
export ANALYZER_STATES=50000

static_checks() {
	local tidy
	has "core: cppcheck finds nothing" cppcheck cppcheck &&
		expect "core: cppcheck finds nothing" cppcheck --quiet --std=c11 --enable=warning,style,performance,portability \
			--error-exitcode=1 -I"$core" -I"$include" "${portable[@]}"
	tidy=$(command -v clang-tidy-16 || command -v clang-tidy) || tidy=clang-tidy-16
	has "core: clang-tidy finds nothing" clang-tidy-16 "$tidy" &&
		expect "core: clang-tidy finds nothing" "$tidy" --quiet "${portable[@]}" -- -std=c11 -ffreestanding -I"$core" -I"$include" \
			-Xclang -analyzer-config -Xclang "max-nodes=$ANALYZER_STATES"
}

fuzz() {
	local name="core: device interface under libFuzzer for 2 s" status=0
	./fuzz.sh 2 >"$out/said" 2>&1 || status=$?
	case $status in
	0) echo "ok $name" ;;
	2) echo "ok $name # SKIP $(tail -n 1 "$out/said")" ;;
	*)
		sed 's/^/# /' "$out/said"
		echo "not ok $name"
		failed=1
		;;
	esac
}

headers "headers, 64 bits, System V" gcc gcc -m64
headers "headers, 32 bits, System V" gcc gcc -m32
headers "headers, 64 bits, Windows" gcc-mingw-w64-x86-64 x86_64-w64-mingw32-gcc
headers "headers, 32 bits, Windows" gcc-mingw-w64-i686 i686-w64-mingw32-gcc
[ "${1:-}" != all ] || targets
unit_tests
[ "${1:-}" != quick ] || exit $failed
fuzz
[ "${1:-}" != all ] || static_checks
# Built once for the three that look at it; where that fails, they say why.
if "$kdriver/build.sh" "$out/drivers" --checked --shim wine/shim.c >/dev/null 2>&1; then
	export DRIVERS=$out/drivers
fi
./irql.sh || failed=1
./ntoskrnl.sh "${1:-}" || failed=1
./laboratory.sh || failed=1
# The others read what the drivers write with the built commands.
while [ -n "${BUILT:-}" ] && [ ! -e "$BUILT" ] && [ -d "$(dirname "$BUILT")" ]; do sleep 0.5; done
./driver.sh "${1:-}" || failed=1
./baremetal.sh "${1:-}" || failed=1
# Alone at the end: it measures wake-ups of this machine.
./wine.sh || failed=1
exit $failed
