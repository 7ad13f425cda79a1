#!/usr/bin/env bash
# The Windows drivers as files (kdriver/build.sh): what is in them, and above all what TracerLatency.sys has not: an instruction that
# touches hardware. TAP; skipped by name where a tool is not here.
#   driver.sh all     also: mingw builds them, too; built again, the same bytes; a trial for ARM64; static checks
#   DRIVERS=FOLDER    fresh from kdriver/build.sh FOLDER --checked, instead of a first build
set -u
cd "$(dirname "$0")" || exit 1
root=$(cd ../.. && pwd)
kdriver=$root/kdriver
analyzer=${ANALYZER:-$root/artifacts/bin/analyzer/release/analyzer.dll}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

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
	if "$@" >"$work/said" 2>&1; then
		echo "ok $name"
	else
		sed 's/^/# /' "$work/said"
		echo "not ok $name"
		failed=1
		return 1
	fi
}

# The same for one that has to fail.
refuse() {
	local name=$1
	shift
	expect "$name" fails "$@"
}

fails() {
	! "$@"
}

build_with_clang() {
	[ -z "${DRIVERS:-}" ] || { ln -s "$DRIVERS" "$work/clang" && return; }
	"$kdriver/build.sh" "$work/clang" --checked
}

# Not in the folder of the first build, and from sources that stand elsewhere: no path gets into what is built.
repeats() {
	local file
	mkdir -p "$work/elsewhere/deep" && cp -r "$kdriver"/{arm64,asm,core,include,lab,wdm,build.sh} "$work/elsewhere/deep/" &&
		"$work/elsewhere/deep/build.sh" "$work/again" --arch x64 || return
	"$work/elsewhere/deep/build.sh" "$work/mingw-again" --compiler mingw --arch x64 || return
	for file in x64/{TracerLatency,TracerLatencyLab}.{sys,pdb}; do
		cmp "$work/clang/$file" "$work/again/$file" || return
	done
	for file in x64/{TracerLatency,TracerLatencyLab}.sys; do
		cmp "$work/mingw/$file" "$work/mingw-again/$file" || return
	done
}

code() {
	llvm-objdump-16 -d --no-show-raw-insn "$1" | grep '^ '
}

# What may touch a processor's tables, its local APIC, interrupt state, ports or control registers. An address is found in any base.
hardware='[[:space:]](l[gil]dt|sidt|ltr|lmsw|(rep )?(in|out)s?[bwld]?|cli|sti|hlt|popf[lq]?|wrmsr|iret[lq]?|int|into|rdpmc|swapgs|clts|invd'
hardware+='|wbinvd|invlpg|xsetbv|sys(ret|exit)[lq]?|vm[a-z]+)([[:space:]]|$)|%[cd]r[0-9]|0xfee0'

touches_hardware() {
	code "$1" | grep -qE "$hardware"
}

# Nor anything that is not code, which a disassembly could hide behind. rdmsr at most once: the counter of system management interrupts.
leaves_hardware_alone() {
	local listing
	listing=$(code "$1")
	[ "$(wc -l <<<"$listing")" -gt 1000 ] || { echo "$1 has no code" && return 1; }
	! grep -E "$hardware" <<<"$listing" || return
	[ "$2" = mingw ] || ! grep -F '<unknown>' <<<"$listing" || return
	[ "$(grep -c '[[:space:]]rdmsr' <<<"$listing")" -le 1 ] || { echo "rdmsr more than once" && return 1; }
}

# One library and routine a line. What no Windows exports is no import: it is looked for at run time (wdm/routines.c).
imports() {
	llvm-readobj-16 --coff-imports "$1" | awk '$1 == "Name:" { library = tolower($2) } $1 == "Symbol:" { print library, $2 }'
}

imports_only_the_kernel() {
	local wanted unavailable='Etw|Ex(Allocate|Set|Delete)Timer$|ExQueryTimer|Po(Unr|R)egister|SeTokenIsAdmin|IoCreateDeviceSecure'
	wanted=$(imports "$1")
	[ "$(wc -l <<<"$wanted")" -gt 40 ] || { echo "no imports" && return 1; }
	! grep -vE '^(ntoskrnl\.exe|hal\.dll) ' <<<"$wanted" && ! grep -E " ($unavailable)" <<<"$wanted"
}

says() {
	grep -qE "$2" <<<"$1" || { echo "not there: $2" && return 1; }
}

# A string of the version resource is UTF-16.
has_wide() {
	LC_ALL=C grep -qaP "$(sed 's/./&\\x00/g' <<<"$2")" "$1" || { echo "no $2" && return 1; }
}

is_a_driver() {
	local file=$1 headers sections name
	headers=$(llvm-readobj-16 --file-headers "$file") && sections=$(llvm-readobj-16 --sections "$file") || return
	name=$(basename "$file" .sys)
	says "$headers" 'Subsystem: IMAGE_SUBSYSTEM_NATIVE' && says "$headers" 'IMAGE_DLL_CHARACTERISTICS_NX_COMPAT' &&
		says "$headers" 'IMAGE_DLL_CHARACTERISTICS_DYNAMIC_BASE' && says "$headers" 'CheckSum: 0x[0-9A-F]*[1-9A-F]' &&
		says "$headers" 'MajorSubsystemVersion: 6' && says "$headers" 'MinorSubsystemVersion: 1' || return
	! grep -q '^ExportTableRVA: 0x[0-9A-F]*[1-9A-F]' <<<"$headers" || { echo "it exports" && return 1; }
	# INIT goes after DriverEntry; nothing is writable and executable.
	awk '/Name: /{ name = $2 } /MEM_DISCARDABLE/ && name == "INIT" { found = 1 } END { exit !found }' <<<"$sections" || return
	awk '/Name: /{ write = execute = 0 } /MEM_WRITE/ { write = 1 } /MEM_EXECUTE/ { execute = 1 } write && execute { exit 1 }' \
		<<<"$sections" || { echo "writable code" && return 1; }
	has_wide "$file" "$name.sys" && has_wide "$file" VS_VERSION_INFO
}

# What stands in for kernel routines under Wine (tests/kdriver/wine/shim.c) is in no released file: those routines are the kernel's there,
# and no such source is among those that the file was made of.
has_no_shim() {
	local routine sources
	for routine in KeInsertQueueDpc KeFlushQueuedDpcs MmGetSystemRoutineAddress; do
		imports "$1.sys" | grep -qx "ntoskrnl.exe $routine" || { echo "$routine is not the kernel's" && return 1; }
	done
	sources=$(llvm-pdbutil-16 dump --modules "$1.pdb") && grep -q wdm-timer_mode <<<"$sources" || { echo "$sources" && return 1; }
	! grep -i shim <<<"$sources"
}

# A file that no machine has run: what it is, whom it asks, and that none of its instructions asks for the processor's state but that
# of the system counter.
is_an_arm64_driver() {
	local file=$1 headers listing
	headers=$(llvm-readobj-16 --file-headers "$file") && listing=$(code "$file") || return
	says "$headers" 'Machine: IMAGE_FILE_MACHINE_ARM64' && says "$headers" 'Subsystem: IMAGE_SUBSYSTEM_NATIVE' &&
		says "$headers" 'MajorSubsystemVersion: 10' && says "$headers" 'CheckSum: 0x[0-9A-F]*[1-9A-F]' &&
		imports_only_the_kernel "$file" && has_wide "$file" VS_VERSION_INFO || return
	[ "$(wc -l <<<"$listing")" -gt 1000 ] || { echo "it has no code" && return 1; }
	! grep -E '[[:space:]](msr|hvc|smc|svc|eret|wfi|wfe|tlbi|at|dc|ic|sys|sysl)([[:space:]]|$)|<unknown>' <<<"$listing" || return
	[ "$(grep -E '[[:space:]]mrs[[:space:]]' <<<"$listing" | grep -vic cntvct)" = 0 ] || { echo "it reads a register" && return 1; }
}

arm64() {
	expect "driver: arm64, a trial: builds" "$kdriver/build.sh" "$work/arm" --arch arm64 &&
		expect "driver: arm64, a trial: is a driver that asks the kernel only, and touches no register" \
			is_an_arm64_driver "$work/arm/arm64/TracerLatency.sys"
}

# INIT cannot be marked discardable there, and GNU ld orders no checksum of a driver's.
is_a_driver_of_mingw() {
	local headers
	headers=$(llvm-readobj-16 --file-headers "$1") && says "$headers" 'Subsystem: IMAGE_SUBSYSTEM_NATIVE' &&
		says "$headers" 'IMAGE_DLL_CHARACTERISTICS_NX_COMPAT' && has_wide "$1" VS_VERSION_INFO
}

# The product's version, the version resource's and the INF's.
has_one_version() {
	local version
	version=$(sed -nE 's/.*<Version>([0-9.]+)<.*/\1.0/p' "$root/Directory.Build.props")
	echo "version $version"
	[ -n "$version" ] && has_wide "$1" "$version" && grep -qx "FILEVERSION ${version//./,}" "$kdriver/wdm/version.rc" &&
		grep -qE "^DriverVer = .*,${version//./\\.}$" "$kdriver/TracerLatency.inf"
}

entry_of() {
	llvm-readobj-16 --file-headers "$1" | awk '$1 == "AddressOfEntryPoint:" { print $2 }'
}

# Address of a function by LLVM's reader of PDBs, as "section:offset" in decimal; the first section begins at 0x1000.
place_of() {
	llvm-pdbutil-16 dump --symbols "$1" | grep -A2 "PROC32.*\`$2\`" | sed -nE 's/.*addr = 0001:([0-9]+).*/\1/p' | head -1
}

names_functions() {
	local stem=$1 place
	place=$(place_of "$stem.pdb" TimerDpc) && [ -n "$place" ] || { echo "no TimerDpc in $stem.pdb" && return 1; }
	dotnet "$analyzer" symbols "$stem.pdb" "$(entry_of "$stem.sys")" $(printf '0x%x' $((place + 0x1000))) >"$work/names" || return
	cat "$work/names"
	grep -q DriverEntry "$work/names" && grep -q TimerDpc "$work/names"
}

has_no_path() {
	! LC_ALL=C grep -qaF -e "$root" -e "$work" -e "$HOME/" "$1"
}

# A checked build asserts (int $0x2c); what is released has no assertion that could stop a machine.
asserts() {
	[ "$(code "$work/clang/x64/checked/TracerLatency.sys" | grep -cE 'int[[:space:]]+\$0x2c')" -gt 50 ] ||
		{ echo "no assertions" && return 1; }
}

# All sources of a driver as one: the kernel's headers are read once.
in_one() {
	local file
	for file in "$@"; do
		echo "#include \"$file\""
	done >"$work/all.c"
	clang-tidy-16 --quiet --config-file="$kdriver/wdm/.clang-tidy" "$work/all.c" -- --target=x86_64-w64-mingw32 -std=c11 \
		-ffreestanding -fms-extensions -D_WIN32_WINNT=0x0601 -DNTDDI_VERSION=0x06010000 \
		-isystem /usr/share/mingw-w64/include/ddk "-I$kdriver/wdm" "-I$kdriver/lab" "-I$kdriver/core" "-I$kdriver/include"
}

check_code() {
	cppcheck --quiet --std=c11 --enable=warning,style,performance,portability --suppress=unusedStructMember --error-exitcode=1 \
		"-I$kdriver/wdm" "-I$kdriver/lab" "-I$kdriver/core" "-I$kdriver/include" "$1"
}

signs() {
	mkdir -p "$work/signed" && cp "$work/clang/x64"/*.sys "$work/signed/" &&
		"$kdriver/sign.sh" "$work/signed"/*.sys --folder "$work/certificate" || return
	for file in "$work/signed"/*.sys; do
		verifies "$file" || return
	done
}

verifies() {
	osslsigncode verify -CAfile "$work/certificate/tracer-test.pem" -in "$1" >/dev/null
}

# One bit of the code.
flip() {
	cp "$1" "$2" && printf '\x5a' | dd of="$2" bs=1 seek=4096 conv=notrunc status=none && ! cmp -s "$1" "$2"
}

sign_elsewhere() {
	"$kdriver/sign.sh" "$1" --certificate "$work/certificate/tracer-test.pem" --key "$work/certificate/tracer-test.key"
}

signatures() {
	has "driver: signatures" osslsigncode osslsigncode && has "driver: signatures" openssl openssl || return
	expect "driver: is signed for a test machine, and verifies" signs || return
	flip "$work/signed/TracerLatency.sys" "$work/signed/flipped.sys"
	refuse "driver: a flipped byte fails verification" verifies "$work/signed/flipped.sys"
	refuse "driver: unsigned fails verification" verifies "$work/clang/x64/TracerLatency.sys"
	refuse "driver: the laboratory driver gets no other certificate" sign_elsewhere "$work/clang/x64/TracerLatencyLab.sys"
	cp "$work/clang/x64/TracerLatencyLab.sys" "$work/renamed.sys"
	refuse "driver: nor under another name" sign_elsewhere "$work/renamed.sys"
}

static_checks() {
	if has "driver: clang-tidy finds nothing" clang-tidy-16 clang-tidy-16; then
		expect "driver: clang-tidy finds nothing in wdm" in_one "$kdriver"/wdm/*.c
		expect "driver: clang-tidy finds nothing in lab" in_one "$kdriver"/lab/*.c
	fi
	if has "driver: cppcheck finds nothing" cppcheck cppcheck; then
		expect "driver: cppcheck finds nothing in wdm" check_code "$kdriver/wdm"
		expect "driver: cppcheck finds nothing in lab" check_code "$kdriver/lab"
	fi
}

contents() {
	local compiler compilers=(clang) architecture name folder
	[ ! -d "$work/mingw" ] || compilers+=(mingw)
	for architecture in x64 x86; do
		for compiler in "${compilers[@]}"; do
			name="$compiler, $architecture" folder=$work/$compiler/$architecture
			expect "driver: no instruction that touches hardware ($name)" leaves_hardware_alone \
				"$folder/TracerLatency.sys" $compiler
			expect "driver: imports only the kernel ($name)" imports_only_the_kernel "$folder/TracerLatency.sys"
			expect "driver: imports of the laboratory driver ($name)" imports_only_the_kernel "$folder/TracerLatencyLab.sys"
			expect "driver: the laboratory driver does touch it ($name)" touches_hardware "$folder/TracerLatencyLab.sys"
			expect "driver: no path of this machine ($name)" has_no_path "$folder/TracerLatency.sys"
		done
		folder=$work/clang/$architecture
		expect "driver: no path of this machine in the PDB ($architecture)" has_no_path "$folder/TracerLatency.pdb"
		expect "driver: nothing of what tests put in place of kernel routines ($architecture)" has_no_shim "$folder/TracerLatency"
		for name in TracerLatency TracerLatencyLab; do
			expect "driver: $name.sys is a driver ($architecture)" is_a_driver "$folder/$name.sys"
			[ ! -d "$work/mingw" ] || expect "driver: $name.sys of mingw is one, too ($architecture)" is_a_driver_of_mingw \
				"$work/mingw/$architecture/$name.sys"
		done
		name="driver: analyzer symbols names its functions ($architecture)"
		if [ -f "$analyzer" ]; then
			expect "$name" names_functions "$folder/TracerLatency"
		else
			echo "ok $name # SKIP the analyzer is not built: dotnet build analyzer -c Release"
		fi
	done
}

for tool in clang-16=clang-16 lld-link-16=lld-16 llvm-objdump-16=llvm-16 nasm=nasm x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 \
	i686-w64-mingw32-gcc=gcc-mingw-w64-i686; do
	has driver "${tool#*=}" "${tool%=*}" || exit 0
done
expect "driver: builds with clang" build_with_clang || exit 1
[ "${1:-}" != all ] || expect "driver: builds with mingw" "$kdriver/build.sh" "$work/mingw" --compiler mingw || exit 1
[ "${1:-}" != all ] || expect "driver: builds again, the same bytes" repeats
expect "driver: a checked build asserts" asserts
contents
[ "${1:-}" != all ] || arm64
expect "driver: one version" has_one_version "$work/clang/x64/TracerLatency.sys"
signatures
[ "${1:-}" != all ] || static_checks
exit $failed
