#!/usr/bin/env bash
# TracerLatencyLab.sys (kdriver/lab): built for both word sizes, what it imports, and under Wine: it loads, both modes are refused by
# name. TAP; skipped by name where a tool is missing. What needs a real Windows: kdriver/lab/README.md.
#   DRIVERS=FOLDER    FOLDER/{x64,x86}/TracerLatencyLab.sys instead of a fresh build
set -u
cd "$(dirname "$0")" || exit 1
kdriver=../../kdriver
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
work=$(mktemp -d)
failed=0
export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml=' WINEARCH=win64

# Wine writes in the prefix until its server has ended.
finish() {
	[ ! -d "$WINEPREFIX" ] || timeout 100 wineserver -k >/dev/null 2>&1
	rm -rf "$work"
}
trap finish EXIT

# check NAME STATUS
check() {
	if [ "$2" = 0 ]; then
		echo "ok laboratory: $1"
	else
		[ ! -s "$work/said" ] || tail -n 20 "$work/said" | sed 's/^/# /'
		echo "not ok laboratory: $1"
		failed=1
	fi
}

skip() {
	echo "ok laboratory: $1 # SKIP $2"
	exit $failed
}

# Only the kernel and its HAL, and nothing but a driver.
imports() {
	local image=$drivers/$1/TracerLatencyLab.sys modules
	modules=$(llvm-readobj-16 --coff-imports "$image" | sed -n 's/^ *Name: //p' | tr 'A-Z' 'a-z' | sort -u | tr '\n' ' ')
	echo "imports $modules" >"$work/said"
	[ -n "$modules" ] && [ -z "$(echo "$modules" | tr ' ' '\n' | grep -vx -e ntoskrnl.exe -e hal.dll -e '')" ]
	check "$1: imports from the kernel and its HAL only" $?
}

# Whatever the file is called, and though the certificate is a good one: another driver gets its signature.
signing() {
	local key=(-newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/certificate.pem")
	if ! command -v openssl >/dev/null || ! command -v osslsigncode >/dev/null; then
		echo "ok laboratory: is not signed for release # SKIP no openssl or osslsigncode here: packages of these names"
		return
	fi
	openssl req -x509 -sha256 -subj /CN=Release -addext extendedKeyUsage=codeSigning "${key[@]}" >/dev/null 2>&1
	cp "$drivers/x64/TracerLatencyLab.sys" "$work/Other.sys"
	cp "$drivers/x64/TracerLatency.sys" "$work/"
	"$kdriver/sign.sh" "$work/TracerLatency.sys" --certificate "$work/certificate.pem" --key "$work/key.pem" >"$work/said" 2>&1
	check "the other driver is signed with a given certificate" $?
	! "$kdriver/sign.sh" "$work/Other.sys" --certificate "$work/certificate.pem" --key "$work/key.pem" >"$work/said" 2>&1 &&
		grep -q 'is the laboratory driver' "$work/said" && cmp -s "$work/Other.sys" "$drivers/x64/TracerLatencyLab.sys"
	check "is not signed for release" $?
}

drivers=${DRIVERS:-$work/drivers}
if [ -z "${DRIVERS:-}" ]; then
	"$kdriver/build.sh" "$drivers" >"$work/said" 2>&1 || ! grep -q ': package ' "$work/said" ||
		skip "builds" "$(grep -m 1 ': package ' "$work/said")"
	[ -f "$drivers/x64/TracerLatencyLab.sys" ] && [ -f "$drivers/x86/TracerLatencyLab.sys" ]
	check "builds for 64 and 32 bits" $?
	[ $failed = 0 ] || exit 1
fi
command -v llvm-readobj-16 >/dev/null || skip "imports" "no llvm-readobj-16 here: package llvm-16"
imports x64
imports x86
signing

command -v "$wine" >/dev/null && command -v wineserver >/dev/null || skip "under Wine" "no wine64 here: package wine64"
x86_64-w64-mingw32-gcc -std=c11 -O1 -Wall -Wextra -Werror -I"$kdriver/include" -Iwine laboratory/main.c wine/device.c \
	-o "$work/laboratory.exe" >"$work/said" 2>&1
check "its test builds" $?
../wine/prefix.sh "$WINEPREFIX" >"$work/said" 2>&1
check "a Wine prefix is made" $?
driver=$(realpath "$drivers/x64/TracerLatencyLab.sys")
timeout 450 "$wine" "$work/laboratory.exe" "Z:${driver//\//\\}" >"$work/said" 2>/dev/null
status=$?
tr -d '\r' <"$work/said" | grep -E '^(ok|not ok|#) '
! grep -q '^not ok' "$work/said" || failed=1
grep -qE '^(ok|not ok) ' "$work/said" && grep -q '^not ok' "$work/said" || check "its test ends by itself" $status
exit $failed
