#!/usr/bin/env bash
# Builds nic.sys, nic.pdb, player.exe and player.pdb beside this script (clang-16 lld-16). The trace is made of what is in them, so
# afterwards: UPDATE_GOLDEN=1 dotnet test --project tests/commands -- --filter-class '*SymbolSampleTests'
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf /tmp/with-symbols
mkdir /tmp/with-symbols
cd /tmp/with-symbols
cp "$here"/*.cpp .
for name in nic player; do
	clang-16 --target=x86_64-pc-windows-msvc -c -O1 -g -gcodeview -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector \
		-ffunction-sections -mno-stack-arg-probe -fno-builtin -fasynchronous-unwind-tables "$name.cpp" -o "$name.obj"
done
lld-link-16 /debug /Brepro /nodefaultlib /driver /subsystem:native /entry:DriverEntry /export:NicIsr /out:nic.sys /pdb:nic.pdb \
	/pdbaltpath:nic.pdb /opt:noref,noicf nic.obj
lld-link-16 /debug /Brepro /nodefaultlib /subsystem:console /entry:main /out:player.exe /pdb:player.pdb /pdbaltpath:player.pdb \
	/opt:noref,noicf player.obj
mv nic.sys nic.pdb player.exe player.pdb "$here"
rm -rf /tmp/with-symbols
