#!/usr/bin/env bash
# Builds the Windows drivers: FOLDER/{x64,x86}/TracerLatency.sys and TracerLatencyLab.sys, each with its .pdb. FOLDER is kdriver/out unless
# given. The same sources and tools give the same bytes, in whatever folder.
#   kdriver/build.sh [FOLDER] [--compiler clang|mingw] [--checked] [--arch x64|x86|arm64] [--shim FILE.c]
# --compiler mingw   gcc and GNU ld, as a second opinion: without .pdb
# --checked          besides, {x64,x86}/checked/TracerLatency.sys: with assertions (kernel.h)
# --shim FILE.c      besides, x64/shimmed/TracerLatency.sys for a test: with a file that stands in for kernel routines, and a short first
#                    second
# --arch arm64       a trial, by clang: TracerLatency.sys only (docs/internals/driver.md)
set -euo pipefail
kdriver=$(cd "$(dirname "$0")" && pwd)
out=$kdriver/out compiler=clang checked= shim= architectures=(x64 x86)
while [ $# -gt 0 ]; do
	case $1 in
	--compiler) compiler=${2:?} && shift ;;
	--checked) checked=yes ;;
	--arch) architectures=("${2:?}") && shift ;;
	--shim) shim=$(realpath "${2:?}") && shift ;;
	-*) echo "build.sh: no option $1" >&2 && exit 2 ;;
	*) out=$1 ;;
	esac
	shift
done

[ -z "$checked" ] || [ "${architectures[*]}" != arm64 ] || { echo "build.sh: --checked is for x64 and x86" >&2 && exit 2; }

missing=0
need() {
	command -v "$1" >/dev/null || [ -e "$1" ] || { echo "build.sh: no $1 here: package $2" >&2 && missing=1; }
}
ddk=/usr/share/mingw-w64/include
need $ddk/ddk/wdm.h mingw-w64-common
case $compiler in
clang)
	need clang-16 clang-16
	need lld-link-16 lld-16
	need llvm-rc-16 llvm-16
	need llvm-objcopy-16 llvm-16
	;;
mingw) need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64 && need i686-w64-mingw32-gcc gcc-mingw-w64-i686 ;;
*) echo "build.sh: no compiler $compiler: clang or mingw" >&2 && exit 2 ;;
esac
need nasm nasm
need /usr/x86_64-w64-mingw32/lib/libntoskrnl.a mingw-w64-x86-64-dev
need /usr/i686-w64-mingw32/lib/libntoskrnl.a mingw-w64-i686-dev
[ $missing = 0 ] || exit 1

# Windows 7 and later. No floating point, no stack probes or other calls into a run-time library, no path of this machine.
flags=(-std=c11 -O2 -ffreestanding -fno-stack-protector -mgeneral-regs-only -fno-jump-tables
	-Wall -Wextra -Werror -Wno-unknown-pragmas -D_WIN32_WINNT=0x0601 -DNTDDI_VERSION=0x06010000
	-isystem "$ddk/ddk" -Iwdm -Ilab -Icore -Iinclude "-ffile-prefix-map=$kdriver/=")
case $compiler in
clang) flags+=(-g -gcodeview -gno-codeview-command-line -fdebug-compilation-dir=. -fms-extensions -Wno-pragma-pack) ;;
mingw) flags+=(-fno-ident) ;;
esac

# What only the laboratory driver has: TracerLatency.sys is linked without any APIC, PIT, IDT or NMI code.
laboratory_core=" tracer_apic tracer_gate tracer_nmi tracer_pit "

# precompile [OPTION...]: the kernel's headers have 50 000 lines: read once for all of an architecture's sources.
precompile() {
	case $compiler in
	clang)
		"${cc[@]}" "${flags[@]}" "$@" -x c-header wdm/kernel.h -o "$objects/kernel.pch"
		headers=(-include-pch "$objects/kernel.pch")
		;;
	mingw)
		cp wdm/kernel.h "$objects/"
		"${cc[@]}" "${flags[@]}" "$@" -x c-header wdm/kernel.h -o "$objects/kernel.h.gch"
		headers=("-I$objects" -include kernel.h)
		;;
	esac
}

# compile OPTIONS -- SOURCE...: into $objects, as many at a time as there are CPUs.
compile() {
	local source failed=0 options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for source in "$@"; do
		while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
			wait -n || failed=1
		done
		"${cc[@]}" "${options[@]}" "${flags[@]}" -c "$source" -o "$objects/$(object "$source")" &
	done
	while [ -n "$(jobs -rp)" ]; do
		wait -n || failed=1
	done
	[ $failed = 0 ] || return
	# 32-bit mingw targets describe their stack frames in DWARF, which no Windows tool reads.
	[ "$compiler$architecture" != clangx86 ] || for source in "$@"; do
		llvm-objcopy-16 --remove-section=.debug_frame "$objects/$(object "$source")"
	done
}

object() {
	local name=${1//\//-}
	echo "${name%.c}.obj"
}

# resource NAME DESCRIPTION: llvm-rc takes a path that begins with /c for an option, so it works in the folder.
resource() {
	"${cc[@]}" -E -P -x c "-DDRIVER_NAME=\"$1\"" "-DDRIVER_FILE=\"$1.sys\"" "-DDRIVER_DESCRIPTION=\"$2\"" \
		wdm/version.rc -o "$objects/$1.rc"
	case $compiler in
	clang) (cd "$objects" && llvm-rc-16 /no-preprocess /fo "$1.res" "$1.rc") ;;
	mingw) "$triple-windres" "$objects/$1.rc" -O coff -o "$objects/$1.res" ;;
	esac
}

# link NAME OBJECT...
link() {
	local name=$1
	shift
	case $compiler in
	clang)
		(cd "$objects" && lld-link-16 /nologo /driver /release /Brepro /subsystem:native,$windows /entry:DriverEntry /base:0x10000 \
			"/machine:$architecture" /nodefaultlib /dynamicbase /nxcompat /tsaware:no /opt:ref /opt:noicf /section:INIT,ERD \
			/debug "/pdb:$name.pdb" "/pdbaltpath:$name.pdb" /pdbsourcepath:. "${link_flags[@]}" "/out:$name.sys" \
			"$@" "$name.res" "${libraries[@]}")
		mv "$objects/$name.pdb" "$to/"
		;;
	mingw)
		(cd "$objects" && "${cc[@]}" -shared -nostdlib -s -Wl,--subsystem,native:6.01 "-Wl,--entry,$entry" \
			-Wl,--image-base,0x10000,--dynamicbase,--nxcompat,--no-insert-timestamp,--exclude-all-symbols \
			-Wl,--enable-reloc-section,--gc-sections -o "$name.sys" "$@" "$name.res" "${libraries[@]}")
		;;
	esac
	mv "$objects/$name.sys" "$to/"
}

# There are no import libraries for arm64: they are made of the routines that the objects ask for. Each must be in those of x64, so that it
# is a routine of the kernel's and no slip.
import_libraries() {
	local module
	llvm-nm-16 --undefined-only "$@" | sed -nE 's/.* U (__imp_(\w+)|(mem(cpy|set|cmp|move)))$/\2\3/p' | sort -u >wanted
	for module in ntoskrnl.exe hal.dll; do
		llvm-nm-16 --defined-only --just-symbol-name "/usr/x86_64-w64-mingw32/lib/lib${module%.*}.a" 2>/dev/null | sort -u >exported
		{ printf '%s\n' "LIBRARY $module" EXPORTS && comm -12 wanted exported; } >exports.def
		llvm-dlltool-16 -m arm64 -d exports.def -l "${module%.*}.lib"
		comm -23 wanted exported >left && mv left wanted
	done
	[ ! -s wanted ] || { sed 's/^/build.sh: the kernel has no /' wanted >&2 && return 1; }
}

# What touches a PC's hardware is not even compiled: the laboratory's part of the core, and wdm/smi.c, in place of which is arm64/smi.c.
build_arm64() {
	local source core=() shell=(arm64/smi.c) all=()
	for source in core/*.c; do
		[[ $laboratory_core == *" $(basename "$source" .c) "* ]] || core+=("$source")
	done
	for source in wdm/*.c; do
		[ "$source" = wdm/smi.c ] || shell+=("$source")
	done
	compile -- "${core[@]}"
	compile "${headers[@]}" -- "${shell[@]}"
	for source in "${core[@]}" "${shell[@]}"; do
		all+=("$(object "$source")")
	done
	(cd "$objects" && import_libraries "${all[@]}")
	resource TracerLatency "Tracer latency probe"
	link TracerLatency "${all[@]}"
}

build() {
	local source release=() laboratory=()
	precompile
	if [ "$architecture" = arm64 ]; then
		build_arm64
		return
	fi
	compile -Wconversion -Wsign-conversion -- core/*.c
	compile "${headers[@]}" -- wdm/*.c
	for source in core/*.c wdm/*.c; do
		[ "$source" = wdm/modes.c ] || laboratory+=("$(object "$source")")
		[[ $laboratory_core == *" $(basename "$source" .c) "* ]] || release+=("$(object "$source")")
	done
	resource TracerLatency "Tracer latency probe"
	link TracerLatency "${release[@]}"
	compile "${headers[@]}" -- lab/*.c
	for source in lab/*.c; do
		laboratory+=("$(object "$source")")
	done
	nasm -f "$format" -Iasm/ "asm/stubs_$architecture.asm" -o "$objects/stubs.obj"
	resource TracerLatencyLab "Tracer latency probe (laboratory)"
	link TracerLatencyLab "${laboratory[@]}" stubs.obj
	# What is left is made of the core's objects as they are.
	[ "$architecture" != x64 ] || [ -z "$shim" ] || build_shimmed
	[ -z "$checked" ] || build_checked
}

build_shimmed() {
	local to=$to/shimmed
	mkdir -p "$to"
	# Nothing is measured in that second.
	compile "${headers[@]}" "-DTRACER_TIMER_FIRST_NS=UINT64_C(150000000)" -- wdm/timer_mode.c
	"${cc[@]}" "${headers[@]}" "${flags[@]}" -c "$shim" -o "$objects/shim.obj"
	link TracerLatency "${release[@]}" shim.obj
}

build_checked() {
	local to=$to/checked
	mkdir -p "$to"
	precompile -DDBG=1
	compile "${headers[@]}" -DDBG=1 -- wdm/*.c
	link TracerLatency "${release[@]}"
}

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$kdriver"
for architecture in "${architectures[@]}"; do
	case $architecture in
	x64) triple=x86_64-w64-mingw32 format=win64 entry=DriverEntry unwind=-fasynchronous-unwind-tables link_flags=() ;;
	x86) triple=i686-w64-mingw32 format=win32 entry=_DriverEntry@8 unwind=-fno-asynchronous-unwind-tables link_flags=(/safeseh:no) ;;
	arm64) triple=aarch64-w64-mingw32 unwind=-fasynchronous-unwind-tables link_flags=() ;;
	*) echo "build.sh: no architecture $architecture: x64, x86 or arm64" >&2 && exit 2 ;;
	esac
	case $compiler in
	clang) cc=(clang-16 "--target=$triple") ;;
	mingw) cc=("$triple-gcc") ;;
	esac
	cc+=("$unwind")
	libraries=("/usr/$triple/lib/libntoskrnl.a" "/usr/$triple/lib/libhal.a") windows=6.01
	case $architecture in
	arm64)
		[ "$compiler" = clang ] || { echo "build.sh: arm64 is built by clang only" >&2 && exit 2; }
		cc+=(-D_M_ARM -D_IA64_ -Iarm64 -isystem "$ddk")
		libraries=(ntoskrnl.lib hal.lib) windows=10.00
		;;
	*) cc+=(-mno-stack-arg-probe) ;;
	esac
	to=$out/$architecture
	mkdir -p "$to"
	build
done
