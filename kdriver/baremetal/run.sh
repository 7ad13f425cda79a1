#!/usr/bin/env bash
# Runs the driver core on bare metal under QEMU while a driver module misbehaves, and makes a trace of it, with the PDBs beside it.
#   kdriver/baremetal/run.sh SCENARIO OUT.etl [--seed N] [--sampling pit|nmi] [--timer one-shot|periodic|one] [--cpus 1..4]
#                            [--milliseconds N] [--window US] [--rate HZ] [--records FILE]
# Scenarios: clean, nic-dpc, nic-isr, video-masked, disk-flood, raised-irql. The same options give the same bytes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
built=$root/kdriver/out/baremetal
scenarios="clean nic-dpc nic-isr video-masked disk-flood raised-irql"

usage() {
	echo "run.sh: $1" >&2
	sed -n '3,5s/^# *//p' "$0" >&2
	exit 64
}

seed=1
sampling=pit
timer=one-shot
cpus=1
milliseconds=2000
window=0
rate=1000
records=
places=()
while [ $# -gt 0 ]; do
	case $1 in
	--seed | --sampling | --timer | --cpus | --milliseconds | --window | --rate | --records)
		[ $# -ge 2 ] || usage "$1 needs a value"
		declare "${1#--}=$2"
		shift
		;;
	-*) usage "there is no option $1" ;;
	*) places+=("$1") ;;
	esac
	shift
done
[ ${#places[@]} = 2 ] || usage "a scenario and a trace to write are required"
scenario=${places[0]} trace=${places[1]}
[[ " $scenarios " == *" $scenario "* ]] || usage "there is no scenario $scenario"
[[ $seed =~ ^[0-9]{1,18}$ ]] || usage "--seed: a number is expected"
[[ $milliseconds =~ ^[1-9][0-9]{0,4}$ ]] || usage "--milliseconds: 1 to 99999"
[ "$sampling" = pit ] || [ "$sampling" = nmi ] || usage "--sampling: pit or nmi"
[[ " one-shot periodic one " == *" $timer "* ]] || usage "--timer: one-shot, periodic or one"
[[ $cpus =~ ^[1-4]$ ]] || usage "--cpus: 1 to 4"
[[ $window =~ ^[0-9]{1,3}$ ]] || usage "--window: 0 to 999"
[[ $rate =~ ^[1-9][0-9]{1,3}$ ]] && [ "$rate" -le 8000 ] || usage "--rate: 10 to 8000"
[ -d "$(dirname "$trace")" ] || usage "there is no folder $(dirname "$trace")"

missing=0
need() {
	command -v "$1" >/dev/null || { echo "run.sh: no $1 here: package $2" >&2; missing=1; }
}
need qemu-system-x86_64 qemu-system-x86
need dotnet dotnet-sdk-10.0
[ $missing = 0 ] || exit 1

"$here/build.sh" "$built"
tracer=$root/artifacts/bin/tracer/release/tracer.dll
if [ ! -f "$tracer" ]; then
	dotnet build "$root/tracer" -c Release -v q --nologo >&2
fi

# CPUs take turns: the more there are the faster is each, so that what it does for the probe takes less of the others' time.
shift=4
[ "$cpus" = 1 ] || shift=3
[ "$timer" != one ] || shift=2

line="scenario=$scenario seed=$seed milliseconds=$milliseconds sampling=$sampling rate=$rate"
line+=" timer=$timer cpus=$cpus window=$window"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# -icount without sleeping: virtual time is a count of instructions, so the run is the same each time, however busy the host is.
status=0
timeout 300 qemu-system-x86_64 -machine pc -accel tcg -cpu max -smp "$cpus" -m 128M -icount shift=$shift,sleep=off \
	-rtc base=2026-01-01T00:00:00,clock=vm -display none -nodefaults -no-reboot \
	-kernel "$built/loader" -initrd "$built/modules.tar" \
	-append "$line" \
	-serial "file:$work/report.txt" -debugcon "file:$work/records.bin" -device isa-debug-exit,iobase=0xf4,iosize=4 || status=$?
cat "$work/report.txt"
# The test kernel ends with 0x10 (QEMU makes 33 of it) when all its checks were met.
if [ $status != 33 ]; then
	echo "run.sh: the test kernel ended with status $status" >&2
	exit 1
fi
[ -z "$records" ] || cp "$work/records.bin" "$records"
dotnet "$tracer" import "$work/records.bin" -o "$trace"
cp "$built"/{ntoskrnl,nic,video,disk,quiet,app}.pdb "$(dirname "$trace")/"
