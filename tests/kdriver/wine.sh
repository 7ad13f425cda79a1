#!/usr/bin/env bash
# The driver loaded under Wine, and used by the published tracer.exe and by a program that breaks the rules (wine/). TAP; skipped by name
# where Wine, a compiler, the driver or the published tracer.exe is missing. What Wine does not model: docs/internals/driver.md. It has
# no high-resolution timers and runs no inserted DPC: the released driver is loaded, asked, and refuses to start; all that needs a run is
# tried with the same sources and a file that stands in for those routines (wine/shim.c).
#   DRIVERS=FOLDER    fresh from kdriver/build.sh FOLDER --shim wine/shim.c, instead of a build
#   FUZZ_SECONDS=2 FUZZ_SEED=1    random requests
set -u
cd "$(dirname "$0")" || exit 1
root=$(cd ../.. && pwd)
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver)
wine_kernel=/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/ntoskrnl.exe
tracer=$root/artifacts/bin/tracer/release/tracer.dll
analyzer=$root/artifacts/bin/analyzer/release/analyzer.dll
published=$root/artifacts/publish/wine
work=$(mktemp -d)
log=$work/wine.log
failed=0
export WINEPREFIX=$work/prefix WINEDEBUG=fixme-all WINEDLLOVERRIDES=mshtml= WINEARCH=win64
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1

# Wine writes in the prefix until its server has ended.
finish() {
	rm -f "$work/hold"
	[ ! -d "$WINEPREFIX" ] || timeout 100 "$wineserver" -k >/dev/null 2>&1
	rm -rf "$work"
}
trap finish EXIT

skip() {
	echo "ok wine # SKIP $*"
	exit 0
}

# check NAME STATUS: one line; after a failure, what was said last.
check() {
	if [ "$2" = 0 ]; then
		echo "ok wine: $1"
	else
		[ ! -s "$work/said" ] || tail -n 20 "$work/said" | sed 's/^/# /'
		echo "not ok wine: $1"
		failed=1
	fi
}

# in_wine SECONDS PROGRAM ARGUMENT...: what it prints goes to $work/said. A pipe would wait for the whole Wine session.
in_wine() {
	local seconds=$1
	shift
	timeout "$seconds" "$wine" "$@" >"$work/said" 2>>"$log"
}

# tracer_says PATTERN ARGUMENT...: the published tracer.exe ends with status 0 and prints the pattern.
tracer_says() {
	local pattern=$1
	shift
	in_wine 300 "$published/tracer.exe" "$@" && grep -Eq "$pattern" "$work/said"
}

windows_path() { echo "Z:${1//\//\\}"; }

tools() {
	local tool
	for tool in "$wine=wine64" "$wineserver=libwine" x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 llvm-nm-16=llvm-16 \
		llvm-readobj-16=llvm-16 jq=jq; do
		command -v "${tool%=*}" >/dev/null || skip "no ${tool%=*} here: package ${tool#*=}"
	done
	[ -f "$wine_kernel" ] || skip "no ntoskrnl.exe of Wine here: package libwine"
	for tool in "$tracer" "$analyzer"; do
		[ -f "$tool" ] || skip "${tool#"$root/"} is not built: dotnet build Tracer.sln -c Release"
	done
}

# The driver, and the same sources with what Wine lacks: only that one has it.
find_drivers() {
	local drivers=${DRIVERS:-$work/drivers}
	driver=$drivers/x64/TracerLatency.sys shimmed=$drivers/x64/shimmed/TracerLatency.sys
	[ -n "${DRIVERS:-}" ] || "$root/kdriver/build.sh" "$drivers" --arch x64 --shim wine/shim.c >"$work/said" 2>&1
	[ -f "$driver" ] || { [ -s "$work/said" ] && grep -q ': package ' "$work/said" && skip "$(grep -m 1 ': package ' "$work/said")"; }
	[ -f "$driver" ] && [ -f "$shimmed" ]
	check "the driver builds, and with what Wine lacks" $?
	[ $failed = 0 ] || exit 1
}

# tracer.exe for Windows, published where that has not been done since the sources changed.
publish() {
	timeout 900 "$root/publish.sh" wine tracer >"$work/said" 2>&1 && return
	! grep -q 'error NU' "$work/said" || skip "the packages that a program for win-x64 is made of are not to be had"
	check "tracer.exe is published for Windows" 1
	exit 1
}

# Each kernel routine that the driver imports, and each that it looks up by name. An import that Wine lacks keeps the driver from loading;
# one that Wine exports as a stub, or a stub that a lookup finds, ends the process that calls it. Wine's own symbol table tells them
# apart: winebuild names the code of a stub export __wine_stub_NAME.
check_routines() {
	local stubs=$work/stubs exports=$work/exports imports=$work/imports lookups=$work/lookups
	llvm-nm-16 "$wine_kernel" | sed -n 's/.* T __wine_stub_//p' | sort -u >"$stubs"
	llvm-readobj-16 --coff-exports "$wine_kernel" "${wine_kernel%/*}/hal.dll" | sed -n 's/^ *Name: //p' | sort -u >"$exports"
	llvm-readobj-16 --coff-imports "$driver" | sed -nE 's/^ *Symbol: (\w+).*/\1/p' | sort -u >"$imports"
	grep -ohE 'L"(Ex|Etw|Hal|Io|Ke|Mm|Ob|Po|Ps|Rtl|Se|Zw)[A-Za-z0-9]+"' "$root"/kdriver/wdm/*.c | tr -d 'L"' | sort -u >"$lookups"
	[ "$(wc -l <"$stubs")" -gt 100 ] && [ "$(wc -l <"$exports")" -gt 500 ] && [ -s "$imports" ] && [ -s "$lookups" ]
	check "the lists of routines are to be had" $?
	comm -23 "$imports" "$exports" | sed 's/^/Wine has no /' >"$work/said"
	[ ! -s "$work/said" ]
	check "Wine has each of the $(wc -l <"$imports") routines that the driver imports" $?
	sort -u "$imports" "$lookups" | comm -12 - "$stubs" | sed 's/^/a stub: /' >"$work/said"
	[ ! -s "$work/said" ]
	check "none of them, and none of the $(wc -l <"$lookups") that it looks up, is a stub of Wine's" $?
	echo "# looked up and absent under Wine: $(comm -23 "$lookups" "$exports" | tr '\n' ' ')"
}

# Windows' headers are read once for all of its files.
build_tests() {
	local cc=(x86_64-w64-mingw32-gcc -std=c11 -O1 -Wall -Wextra -Werror -I"$root/kdriver/include")
	mkdir -p "$work/headers" && cp wine/device.h "$work/headers/" &&
		"${cc[@]}" -x c-header wine/device.h -o "$work/headers/device.h.gch" >"$work/said" 2>&1 &&
		"${cc[@]}" -I"$work/headers" -include device.h wine/{main,device,fuzz,*_tests}.c \
			-o "$work/device_tests.exe" >"$work/said" 2>&1
}

start_wine() {
	"$root/tests/wine/prefix.sh" "$WINEPREFIX" >>"$log" 2>&1
	check "a prefix is made" $?
	touch "$work/hold"
	# Services end soon after the last program of a user: one is kept alive.
	timeout 1800 "$wine" "$work/device_tests.exe" hold "$(windows_path "$work/hold")" >/dev/null 2>>"$log" &
}

# Processes of this prefix that have the driver in memory.
driver_processes() {
	local process
	for process in /proc/[0-9]*; do
		grep -qsz "^WINEPREFIX=$WINEPREFIX\$" "$process/environ" && grep -qs "/${driver##*/}\$" "$process/maps" && echo "$process"
	done
}

# The released file.
refuse_without_timers() {
	tracer_says ': installed' driver install "$(windows_path "$driver")"
	check "tracer driver install: the released driver" $?
	in_wine 300 "$published/tracer.exe" driver start
	[ $? = 1 ] && tail -n 1 "$log" | grep -q 'no high-resolution timers'
	check "it loads, and refuses to start where there are no high-resolution timers" $?
	tell in_wine 300 "$work/device_tests.exe" refused
	tracer_says 'uninstalled' driver uninstall
	check "it unloads" $?
	[ -z "$(driver_processes)" ]
	check "no process has it in memory" $?
	in_wine 300 "$published/tracer.exe" doctor --self-test --driver "$(windows_path "$driver")"
	[ "$(grep -cE '^ok +driver (installed|loaded|answers|unloaded|removed) ' "$work/said")" = 5 ]
	check "the self-test installs it, loads it, asks it, unloads it and removes it" $?
}

use_commands() {
	tracer_says 'not installed' driver status
	check "tracer driver status: not installed" $?
	tracer_says ': installed' driver install "$(windows_path "$shimmed")"
	check "tracer driver install" $?
	tracer_says 'run started: timer mode, every 2 ms' driver start --threshold 2s --period 2ms
	check "tracer driver start loads the driver and starts a run" $?
	# Without it nothing that follows can be, and each would wait in vain.
	[ $failed = 0 ] || { tail -n 20 "$log" | sed 's/^/# /' && exit 1; }
	[ -n "$(driver_processes)" ]
	check "a process has the driver in memory" $?
	in_wine 300 "$published/tracer.exe" driver start --threshold 2s --period 2ms
	[ $? = 1 ]
	check "a second run is refused" $?
	for _ in 1 2 3 4 5 6 7 8 9; do
		sleep 0.5
		tracer_says '"probes": [1-9]' driver status --format json && break
	done
	grep -q '"probes": [1-9]' "$work/said"
	check "tracer driver status counts wake-ups" $?
	jq -e '.schema == "tracer.driver/1" and .service == "loaded"
		and .driver.isRunning and .driver.mode == "timer" and .driver.clock == "qpc"
		and (.latencies | map(.phase) | index("total") != null) and (.latencies | all(.p50Us <= .p99Us and .p99Us <= .maxUs))
		and (.driver.refusal | test("a run is on already"))' "$work/said" >/dev/null 2>"$work/jq"
	check "status in JSON: mode, clock, percentiles, the refusal explained" $?
	tracer_says '^run ended: [1-9].* wake-ups' driver stop
	check "tracer driver stop ends the run and unloads the driver" $?
	tracer_says 'installed, not loaded' driver status
	check "tracer driver status: not loaded" $?
}

# What tracer.exe records under Wine is read here.
record() {
	local recorded='' imported blamed seconds
	# Wine's timers are late by hundreds of milliseconds on a busy machine: until there is something to count.
	for seconds in 1 5 20; do
		tracer_says "^[^ ]*: [0-9,]+ wake-ups" driver start --all-wakeups --threshold 2s --period 2ms \
			--record "$(windows_path "$work/run.bin")" --duration ${seconds}s || break
		recorded=$(sed -nE 's/.*: ([0-9,]+) wake-ups.*/\1/p' "$work/said" | tr -d ,)
		[ "${recorded:-0}" -le 20 ] || break
	done
	[ -n "$recorded" ]
	check "tracer driver start --record" $?
	sed 's/^.*run.bin: /# /; s/;.*//' "$work/said"
	dotnet "$tracer" import "$work/run.bin" -o "$work/run.etl" >"$work/said" 2>&1
	check "tracer import takes the recording" $?
	imported=$(sed -nE 's/.*: ([0-9]+) wake-ups.*/\1/p' "$work/said")
	dotnet "$analyzer" blame "$work/run.etl" --probe wakeup --threshold 1ms --format json >"$work/blame.json" 2>"$work/said"
	check "analyzer blame reads the trace" $?
	blamed=$(jq .summary.probes "$work/blame.json")
	echo "# recorded $recorded wake-ups, imported $imported, analyzed $blamed"
	[ "${recorded:-0}" -gt 20 ] && [ "$recorded" = "$imported" ] && [ "$imported" = "$blamed" ]
	check "recorded, imported and analyzed are equally many" $?
}

# tell COMMAND...: a program that prints TAP lines of its own.
tell() {
	"$@"
	local status=$?
	tr -d '\r' <"$work/said" >"$work/tap"
	grep -E '^(ok|not ok|#) ' "$work/tap"
	: >"$work/said"
	! grep -q '^not ok' "$work/tap" || failed=1
	grep -q '^not ok' "$work/tap" || [ $status = 0 ] || check "it ends by itself: ${*: -1}" $status
}

break_rules() {
	tell in_wine 450 "$work/device_tests.exe" tests "${FUZZ_SECONDS:-2}" "${FUZZ_SEED:-1}"
	[ "$(grep -c '^ok' "$work/tap")" -ge 20 ]
	check "the program that breaks the rules ends by itself" $?
}

unload() {
	tracer_says 'uninstalled' driver uninstall
	check "tracer driver uninstall" $?
	tracer_says 'not installed' driver status
	check "the service is gone" $?
	in_wine 100 "$work/device_tests.exe" gone
	check "the device is gone" $?
	[ -z "$(driver_processes)" ]
	check "no process has the driver in memory" $?
	! grep -E 'unimplemented function|Unhandled (exception|page fault)' "$log" >"$work/said"
	check "nothing called a routine that is not there" $?
}

tools
find_drivers
publish
build_tests
check "the program that breaks the rules builds" $?
check_routines
start_wine
refuse_without_timers
use_commands
record
break_rules
unload
exit $failed
