#!/usr/bin/env bash
# The published Windows programs under Wine, each a TAP line: what needs no Windows gives the same bytes as on Linux, the doctor and the
# probe run, and a capture fails as documented and leaves nothing. Needs the build of the solution, and what ./publish.sh wine
# writes: made here if the sources are newer. Wine's output goes to files: it never closes a pipe before its server ends.
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! command -v wine >/dev/null; then
	echo "ok published programs under Wine # SKIP no wine here: package wine"
	exit 0
fi
work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEDLLOVERRIDES=mshtml= WINEDEBUG=-all NO_COLOR=1
failed=0

stop_wine() {
	wineserver -k >/dev/null 2>&1
	rm -rf "$work"
}
trap stop_wine EXIT

# expect NAME COMMAND...: one line; what the command says is shown when it fails, and in the line itself how the program ended: an ended
# CI keeps no more.
expect() {
	local name=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		echo "ok published: $name"
	else
		sed 's/^/# /' "$work/said" | tail -n 20
		echo "not ok published: $name (status $(cat "$work/windows/status" 2>/dev/null): $(tail -n 1 "$work/said" | cut -c 1-200))"
		failed=1
	fi
}

root=$PWD windows=artifacts/publish/wine linux=artifacts/bin

# on SYSTEM PROGRAM ARGUMENTS...: runs it in a folder of that system; its output, messages and status go to files there.
on() {
	local system=$1 program=$2 root=$PWD
	shift 2
	mkdir -p "$work/$system"
	(
		cd "$work/$system" || exit 1
		if [ "$system" = windows ]; then
			timeout 180 wine "$root/$windows/$program.exe" "$@" >out 2>err
		else
			dotnet "$root/$linux/$program/release/$program.dll" "$@" >out 2>err
		fi
		echo $? >status
	)
}

# same PROGRAM ARGUMENTS...: both systems print the same bytes and end alike.
same() {
	on windows "$@"
	on linux "$@"
	cmp "$work/windows/out" "$work/linux/out" && cmp "$work/windows/status" "$work/linux/status" || {
		cat "$work/windows/err"
		return 1
	}
}

simulated() {
	same tracer simulate nic-autosense --duration 12s -o nic.etl && cmp "$work/windows/nic.etl" "$work/linux/nic.etl" &&
		cmp "$work/windows/nic.etl.truth.json" "$work/linux/nic.etl.truth.json" 2>/dev/null ||
		cmp "$work/windows/nic.truth.json" "$work/linux/nic.truth.json"
}

blamed() { same analyzer blame nic.etl && same analyzer blame nic.etl --format json && grep -q '"verdict"' "$work/windows/out"; }

# Windows tells one file from another by its id: another spelling and a hard link are the trace itself, a new name is a new file.
kept_apart() {
	local status=0 file
	ln -f "$work/windows/nic.etl" "$work/windows/link.etl"
	for file in nic.etl NIC.ETL '.\nic.etl' link.etl; do
		on windows analyzer dump nic.etl -o "$file"
		[ "$(cat "$work/windows/status")" = 64 ] && grep -q 'read by this command' "$work/windows/err" || status=1
	done
	cat "$work/windows/err"
	cmp "$work/windows/nic.etl" "$work/linux/nic.etl" && same analyzer dump nic.etl -o dump.txt &&
		cmp "$work/windows/dump.txt" "$work/linux/dump.txt" && same analyzer dump nic.etl -o dump.txt &&
		[ -z "$(find "$work/windows" -name '*.tracer-part')" ] && [ $status = 0 ]
}

# The doctor sees that this is Wine, says so, and ends with the status of a failed check.
doctor_runs() {
	on windows tracer doctor
	cat "$work/windows/out" "$work/windows/err"
	grep -q '^fail  *windows .*Wine' "$work/windows/out" && grep -q '^A capture will not work' "$work/windows/out" &&
		[ "$(cat "$work/windows/status")" = 1 ]
}

# The script of the proof, from a folder of its own: without the programs it says so; beside them it leaves a bundle, and says what failed.
proof_runs() (
	local folder=$work/windows/proof
	mkdir -p "$folder"
	sed 's/\r*$/\r/' samples/windows-proof.cmd >"$folder/windows-proof.cmd"
	cd "$folder" || return 1
	timeout 60 wine cmd /c windows-proof.cmd >said 2>&1
	grep -q 'tracer.exe is neither beside this file nor one folder up' said && [ ! -e windows-proof.zip ] || return 1
	ln -s "$root/$windows/tracer.exe" "$root/$windows/analyzer.exe" .
	timeout 180 wine cmd /c windows-proof.cmd names >said 2>&1
	echo $? >../status
	cat said
	[ "$(cat ../status)" = 1 ] && grep -q '^ok  *probe process ' said && grep -q '^fail  *recorder session .*Wine' said &&
		grep -q '^skipped  *driver installed ' said && unzip -p windows-proof.zip proof.json | grep -q '"schema": *"tracer.proof/1"'
)

# A process of its own, shared memory, timers, real-time priority: all of the probe but its latencies.
probe_measures() {
	on windows tracer probe --duration 1s --threshold 10s
	cat "$work/windows/out" "$work/windows/err"
	grep -Eq '^[1-9][0-9,]* wake-ups, 0 lost' "$work/windows/out" && [ "$(cat "$work/windows/status")" = 0 ]
}

# Measurements: clocks, timers, threads, priorities, and another process over UDP. What Wine refuses stands among the settings.
measures() {
	on windows tracer measure "$@" --duration 200ms --warm-up 50ms --format json
	cat "$work/windows/out" "$work/windows/err"
	[ "$(cat "$work/windows/status")" = 0 ] && grep -q "\"measurement\": \"$1\"" "$work/windows/out"
}

# What needs a console gets one: a keyboard and a screen.
measures_console() {
	(
		cd "$work/windows" || exit 1
		timeout 180 script -qec "wine '$root/$windows/tracer.exe' measure $* --duration 300ms --format json -o console.json" \
			/dev/null </dev/null >out
		grep -q "\"measurement\": \"$1\"" console.json
	)
}

# In a console of its own, without arguments, it shows a menu that waits; q ends it.
menu_shows() {
	(
		cd "$work/windows" || exit 1
		(sleep 10 && printf 'q\r') | timeout 180 script -qec "wine '$root/$windows/$1.exe'" /dev/null >menu
		tr -d '\r' <menu
		grep -q 'Type a number and press Enter' menu
	)
}

# Wine's StartTrace reports success and lies: started is only what delivers events.
capture_fails() {
	on windows tracer capture --threshold 500us --duration 2s -o capture.etl
	cat "$work/windows/out" "$work/windows/err"
	[ "$(cat "$work/windows/status")" = 1 ] &&
		grep -q '^tracer: .*no session runs: this Windows does not trace' "$work/windows/err" &&
		[ -z "$(find "$work/windows" -name 'capture*' -print)" ]
}

# No capture runs, no service is there: each says so and changes nothing.
nobody_to_signal() {
	on windows tracer snap
	cat "$work/windows/out" "$work/windows/err"
	[ "$(cat "$work/windows/status")" = 1 ] && grep -q '^tracer: no capture runs' "$work/windows/err"
}

no_service() {
	on windows tracer service status
	cat "$work/windows/out" "$work/windows/err"
	[ "$(cat "$work/windows/status")" = 0 ] && grep -q '^not installed' "$work/windows/out" &&
		on windows tracer service start && grep -q 'the service is not installed' "$work/windows/err"
}

# A name that is not registered is found out before a session starts; Wine knows no providers.
unknown_provider() {
	on windows tracer capture --trigger event:Contoso-Nobody/1 -o capture.etl
	cat "$work/windows/out" "$work/windows/err"
	[ "$(cat "$work/windows/status")" = 64 ] && grep -q "no provider 'Contoso-Nobody' is registered" "$work/windows/err"
}

monitor_fails() {
	on windows tracer monitor --duration 2s --no-probe
	cat "$work/windows/out" "$work/windows/err"
	[ "$(cat "$work/windows/status")" = 1 ] && grep -q '^tracer: the monitor could not be started' "$work/windows/err"
}

# Of this prefix: the driver's tests run the same program beside these.
nothing_runs() {
	local process left=0
	for process in $(pgrep -f "$windows/tracer.exe"); do
		grep -qzFx "WINEPREFIX=$WINEPREFIX" "/proc/$process/environ" 2>/dev/null || continue
		echo "still running: $process"
		left=1
	done
	return $left
}

expect "they are built" ./publish.sh wine
tests/wine/prefix.sh "$WINEPREFIX" >/dev/null 2>&1
expect "the help of tracer" same tracer --help
expect "the help of analyzer" same analyzer --help
expect "a simulated trace and its truth" simulated
expect "the blame of it, as text and as JSON" blamed
expect "no input is written over, and a file is replaced" kept_apart
expect "a double-click on tracer shows a menu" menu_shows tracer
expect "a double-click on analyzer shows a menu" menu_shows analyzer
expect "the doctor runs" doctor_runs
expect "the script of the proof runs" proof_runs
expect "the probe measures" probe_measures
expect "clocks are measured" measures clock
expect "wake-ups are measured, and written as events" measures wakeup --interval 2ms --events wakeups.etl
expect "a way between two processes is measured" measures udp --interval 5ms
expect "a keyboard beside a computing thread is measured" measures_console io-interference
expect "a capture fails as documented and leaves nothing" capture_fails
expect "no capture to signal is told" nobody_to_signal
expect "no service is told" no_service
expect "an unknown provider is wrong usage" unknown_provider
expect "a monitor fails as documented" monitor_fails
expect "no process is left" nothing_runs
exit $failed
