#!/usr/bin/env bash
# TracerLatencyLab.sys (kdriver/lab): built for both word sizes, what it imports, and under Wine: it loads, `apic` mode is refused by name,
# timer mode measures. TAP; skipped by name where a tool is missing. What needs a real Windows: kdriver/lab/README.md.
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
	[ ! -d "$WINEPREFIX" ] || timeout 20 wineserver -k >/dev/null 2>&1
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

command -v "$wine" >/dev/null && command -v wineserver >/dev/null || skip "under Wine" "no wine64 here: package wine64"
x86_64-w64-mingw32-gcc -std=c11 -O1 -Wall -Wextra -Werror -I"$kdriver/include" -Iwine laboratory/main.c wine/device.c \
	-o "$work/laboratory.exe" >"$work/said" 2>&1
check "its test builds" $?
timeout 90 "$wine" wineboot -i >"$work/said" 2>&1
check "a Wine prefix is made" $?
timeout 20 "$wine" reg add 'HKCU\Software\Wine' /v Version /d win10 /f >"$work/said" 2>&1
# The services of the session that made the prefix do not know of all that it made.
timeout 20 wineserver -k >/dev/null 2>&1
timeout 20 wineserver -w >/dev/null 2>&1
driver=$(realpath "$drivers/x64/TracerLatencyLab.sys")
timeout 90 "$wine" "$work/laboratory.exe" "Z:${driver//\//\\}" >"$work/said" 2>/dev/null
status=$?
tr -d '\r' <"$work/said" | grep -E '^(ok|not ok|#) '
! grep -q '^not ok' "$work/said" || failed=1
grep -qE '^(ok|not ok) ' "$work/said" && grep -q '^not ok' "$work/said" || check "its test ends by itself" $status
exit $failed
