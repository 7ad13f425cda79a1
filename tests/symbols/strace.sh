#!/usr/bin/env bash
# What the analyzer opens, runs and asks, by its system calls (strace), in a folder where a stranger has put a trace, PDBs, images and what
# might be loaded by mistake. Each check is a TAP line. Needs what "dotnet build analyzer -c Release" writes.
#   tests/symbols/strace.sh          KEEP=folder keeps the traces of calls there
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	echo "ok system calls of the analyzer # SKIP no strace that may trace here: package strace"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
analyzer=$PWD/artifacts/bin/analyzer/release/analyzer.dll
beside=$work/stranger
calls=${KEEP:-$work}
failed=0

# The sample, and bait: names that a runtime, a loader, a debugger's symbol engine or a shell might look for.
mkdir -p "$beside/tmf" "$calls"
cp samples/with-symbols/nic.etl samples/with-symbols/*.pdb samples/with-symbols/*.sys samples/with-symbols/*.exe "$beside"
for bait in libSystem.Native.so libclrjit.so libcoreclr.so libc.so.6 libssl.so.3 msdia140.dll dbghelp.dll symsrv.dll \
	analyzer.dll analyzer.so System.Private.CoreLib.dll System.CommandLine.dll analyzer.deps.json \
	analyzer.runtimeconfig.json analyzer.runtimeconfig.dev.json \
	DOTNET_gcServer.json nic.dll nic symstore.ini srcsrv.ini; do
	[ -e "$beside/$bait" ] || printf '#!/bin/sh\ntouch "%s/ran"\n' "$work" >"$beside/$bait"
	chmod +x "$beside/$bait"
done

files() { (cd "$beside" && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
files >"$work/files"

# run NAME ARGUMENTS...: the analyzer in the stranger's folder; its calls go to NAME.calls.
run() {
	local name=$1
	shift
	(cd "$beside" && LD_LIBRARY_PATH='' strace -f -y -s 256 -o "$calls/$name.calls" \
		-e trace=execve,execveat,open,openat,mmap,mprotect,socket,connect,sendto,sendmsg \
		dotnet "$analyzer" "$@" >"$work/$name.out" 2>"$work/$name.err")
	echo $? >"$work/$name.status"
}

# holds NAME COMMAND...: one line; what the command prints is shown when it fails.
holds() {
	local name=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		echo "ok system calls: $name"
	else
		head -n 20 "$work/said" | sed 's/^/# /'
		echo "not ok system calls: $name"
		failed=1
	fi
}

# nothing PATTERN FILE: no line of the calls fits.
nothing() { ! grep -E "$1" "$calls/$2.calls"; }

# Only the trace, PDBs and images were opened there, and the folder to be listed. By what the system calls the file that was opened.
opened_only() {
	local other
	other=$(sed -nE 's/.*open(at)?[( ].*= [0-9]+<([^>]*)>$/\2/p' "$calls/$1.calls" | grep -F "$beside" |
		grep -vxE "$beside(/tmf)?|$beside/(nic|player)\.(etl|pdb|sys|exe)" | sort -u)
	echo "$other"
	[ -z "$other" ]
}

# The first line is the analyzer itself.
one_process() { [ "$(grep -cE 'execve(at)?\(' "$calls/$1.calls")" = 1 ]; }

same_files() { files | diff "$work/files" -; }

names_were_found() { [ "$(cat "$work/$1.status")" = 0 ] && grep -q 'nic\.sys!' "$work/$1.out"; }

export _NT_SYMBOL_PATH="srv*$work/cache*https://msdl.microsoft.com/download/symbols"
run blame blame nic.etl
run dump dump nic.etl
run symbols symbols nic.etl
for name in blame dump symbols; do
	holds "$name opens the trace, PDBs and images beside it, and nothing else" opened_only $name
	holds "$name maps no file from there to be run" nothing "m(map|protect)\\(.*PROT_EXEC.*<$beside" $name
	holds "$name starts no process" one_process $name
	holds "$name asks no server, although the symbol path names one" nothing 'AF_INET' $name
done
holds "the names of functions were found all the same" names_were_found blame
holds "nothing of what lay there has run" test ! -e "$work/ran"
# That the checks see what they look for: with the option, a connection is tried (to nobody, on this machine).
run server symbols nic.etl --symbol-server --symbols "srv*$work/cache*http://127.0.0.1:9/symbols"
holds "with --symbol-server a connection is seen" grep -qE 'connect\(.*AF_INET.*127\.0\.0\.1' "$calls/server.calls"
holds "nothing was written into the folder, and nothing in it changed" same_files
exit $failed
