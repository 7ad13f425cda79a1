#!/usr/bin/env bash
# Builds the test kernel, its driver modules and a program into a folder: loader (what QEMU boots), modules.tar (PE images), a PDB for each.
#   kdriver/baremetal/build.sh FOLDER
# The same sources and tools give the same bytes, in whatever folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
core=$here/../core
out=${1:?a folder is required}
mkdir -p "$out"
out=$(cd "$out" && pwd)

missing=0
need() {
	command -v "$1" >/dev/null || { echo "build.sh: no $1 here: package $2" >&2; missing=1; }
}
need clang-16 clang-16
need lld-link-16 lld-16
need ld.lld-16 lld-16
need nasm nasm
need tar tar
[ $missing = 0 ] || exit 1

# What is there already, unless a source is newer.
if [ -f "$out/modules.tar" ] && [ -z "$(find "$here" "$core" "$here/../asm" "$here/../include" -newer "$out/modules.tar" -type f)" ]; then
	exit 0
fi
rm -f "$out/modules.tar"

warnings=(-Wall -Wextra -Werror -Wno-unused-command-line-argument)
common=(-std=c11 -O2 -ffreestanding -fno-stack-protector -mno-red-zone -mgeneral-regs-only "${warnings[@]}")
windows=(--target=x86_64-pc-windows-msvc "${common[@]}" -g -gcodeview -fasynchronous-unwind-tables -mno-stack-arg-probe -mcx16)
# A caller is on the stack as long as what it called runs.
windows+=(-fno-optimize-sibling-calls)
# No path of this machine in anything that is built.
windows+=("-ffile-prefix-map=$here/=" "-fdebug-prefix-map=$here/=" -fdebug-compilation-dir=.)
link=(/nologo /machine:x64 /nodefaultlib /dynamicbase /debug /Brepro /release /pdbsourcepath:.)
system=(/driver /subsystem:native)

cd "$here"
objects=()
for source in loader/*.c; do
	object=$out/loader-$(basename "$source" .c).o
	clang-16 --target=x86_64-elf "${common[@]}" -fno-pic -mcmodel=small -c "$source" -o "$object"
	objects+=("$object")
done
nasm -f elf64 loader/boot.asm -o "$out/loader-boot.o"
ld.lld-16 -m elf_x86_64 -e start -static --build-id=none -z noexecstack -z separate-loadable-segments --image-base=0x100000 \
	-o "$out/loader" "$out/loader-boot.o" "${objects[@]}"

# The core is a library: what the kernel does not ask for stays out.
objects=()
for source in "$core"/*.c; do
	object=$out/core-$(basename "$source" .c).obj
	clang-16 "${windows[@]}" -I../include -c "$source" -o "$object"
	objects+=("$(basename "$object")")
done
nasm -f win64 -I../asm/ ../asm/stubs_x64.asm -o "$out/core-stubs.obj"
(cd "$out" && lld-link-16 /lib /nologo /out:core.lib "${objects[@]}" core-stubs.obj)

objects=()
for source in kernel/*.c; do
	object=$out/kernel-$(basename "$source" .c).obj
	clang-16 "${windows[@]}" -DBAREMETAL_KERNEL -I../include -c "$source" -o "$object"
	objects+=("$(basename "$object")")
done
nasm -f win64 kernel/interrupts.asm -o "$out/kernel-interrupts-asm.obj"
(cd "$out" && lld-link-16 "${link[@]}" "${system[@]}" /entry:KiSystemStartup /out:ntoskrnl.exe /implib:ntoskrnl.lib /pdb:ntoskrnl.pdb \
	/pdbaltpath:ntoskrnl.pdb "${objects[@]}" kernel-interrupts-asm.obj core.lib)

for driver in nic video disk quiet; do
	clang-16 "${windows[@]}" -c "drivers/$driver.c" -o "$out/$driver.obj"
	(cd "$out" && lld-link-16 "${link[@]}" "${system[@]}" /entry:DriverEntry "/out:$driver.sys" "/pdb:$driver.pdb" \
		"/pdbaltpath:$driver.pdb" "$driver.obj" ntoskrnl.lib)
done
clang-16 "${windows[@]}" -c programs/app.c -o "$out/app.obj"
(cd "$out" && lld-link-16 "${link[@]}" /subsystem:console /entry:AppMain /out:app.exe /pdb:app.pdb /pdbaltpath:app.pdb app.obj)
tar --format=ustar --owner=0 --group=0 --mtime=@0 -C "$out" -cf "$out/modules.part" ntoskrnl.exe nic.sys video.sys disk.sys quiet.sys \
	app.exe
mv "$out/modules.part" "$out/modules.tar"
