#!/usr/bin/env bash
# The driver's core on bare metal (kdriver/baremetal) under QEMU, each scenario to its end: what was injected is what is measured, what was
# guilty is what is named. TAP; skipped by name where a tool is not here.
#   baremetal.sh all     also: static checks; another seed, and a DPC seen by the periodic timer
set -u
cd "$(dirname "$0")" || exit 1
root=$(cd ../.. && pwd)
run=$root/kdriver/baremetal/run.sh
analyzer=${ANALYZER:-$root/artifacts/bin/analyzer/release/analyzer.dll}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
length=400 # ms of a run; where more is to be seen it is said

for tool in qemu-system-x86_64=qemu-system-x86 clang-16=clang-16 lld-link-16=lld-16 nasm=nasm jq=jq; do
	if ! command -v "${tool%=*}" >/dev/null; then
		echo "ok bare metal # SKIP no ${tool%=*} here: package ${tool#*=}"
		exit 0
	fi
done
if [ ! -f "$analyzer" ]; then
	echo "ok bare metal # SKIP the analyzer is not built: dotnet build analyzer -c Release"
	exit 0
fi

# check NAME CONDITION: one line; the condition is an exit status.
check() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		failed=1
	fi
}

# holds NAME FILTER FILE [OPTION...]: a filter of jq that must give true.
holds() {
	local name=$1 filter=$2 file=$3 answer
	shift 3
	answer=$(jq "$@" "$filter" "$file" 2>&1)
	[ "$answer" = true ]
	check "$name" $?
	[ "$answer" = true ] || sed 's/^/# /' <<<"$answer" | head -5
}

# start NAME SCENARIO [OPTION...]: runs it into a folder of this name, with the report of the test kernel.
start() {
	local folder=$work/$1 scenario=$2
	mkdir -p "$folder"
	if ! "$run" "$scenario" "$folder/trace.etl" --milliseconds $length --records "$folder/records.bin" "${@:3}" \
		>"$folder/report.txt" 2>"$folder/errors.txt"; then
		sed 's/^/# /' "$folder/report.txt" "$folder/errors.txt"
	fi
}

# The blame of every trace, as JSON beside it, an object a line of one process: it starts and compiles once. The trace without PDBs is a
# copy of another, which would count once beside it: it goes alone.
blame_all() {
	local trace
	{
		dotnet "$analyzer" blame "$work/bare/trace.etl" --format json | jq -c .
		dotnet "$analyzer" blame $(printf '%s\n' "$work"/*/trace.etl | grep -v '/bare/') --format json
	} 2>/dev/null >"$work/blames"
	for trace in "$work"/*/trace.etl; do
		grep -F "\"path\":\"$trace\"" "$work/blames" >"${trace%/*}/blame.json"
	done
}

# events FOLDER: all events of its trace, printed once.
events() {
	[ -f "$work/$1/events" ] || dotnet "$analyzer" dump --us "$work/$1/trace.etl" >"$work/$1/events" 2>/dev/null
	cat "$work/$1/events"
}

# dump FOLDER NAME: the provider's events of this name.
dump() {
	events "$1" | grep " Tracer.Latency/$2 "
}

# images FOLDER: name, address and size of each image.
images() {
	events "$1" | sed -nE 's/.* Image\/DCStart ImageBase=(\w+) ImageSize=(\w+) .* FileName=([^ ]+)$/\3 \1 \2/p'
}

# What the test kernel itself says: everything restored.
restored() {
	local word missing=0
	for word in "the hook comes out" "vectors given back" "IDT restored" "APIC restored" "8259 restored" "PIT mode restored" \
		"PIT rate restored" "every CPU was sampled" "every CPU was measured" "no stray interrupts" "no foreign NMIs" \
		"NMIs came on their own stack, or none came" "no C ran with access prevention off" "no record lost" "no wake-up missed" \
		"a threshold below twice the floor is refused"; do
		grep -qx "ok $word" "$work/$1/report.txt" || missing=1
	done
	! grep -q '^not ok' "$work/$1/report.txt" && [ $missing = 0 ]
	check "$1: IDT, APIC, 8259 and PIT are found restored" $?
}

# guilty FOLDER: module and routine, as the drivers said on the serial port.
guilty() {
	sed -n 's/^guilty \([^ ]*\.sys \)/\1/p' "$work/$1/report.txt"
}

# How each misbehaviour keeps the probe waiting.
declare -A mechanisms=([nic-dpc]=dpc [nic-isr]=isr [video-masked]=blackout [disk-flood]=dpc [raised-irql]=raised-irql)

# judge NAME SCENARIO [SHARE]: a run with a culprit: latency, samples (that share of them, 0.9), name, mechanism.
judge() {
	local name=$1 mechanism=${mechanisms[$2]} share=${3:-0.9} injected module routine
	injected=$(sed -n 's/^injected ns //p' "$work/$name/report.txt")
	read -r module routine <<<"$(guilty "$name")"
	restored "$name"
	holds "$name: the worst latency is within 10 % of the $((injected / 1000)) us injected, again and again" \
		'(.summary.worstUs * 1000 / $injected | . > 0.9 and . < 1.1) and .summary.episodes >= 10' \
		"$work/$name/blame.json" --argjson injected "$injected"
	holds "$name: of the samples of episodes $share or more are in $routine" \
		'[.episodes[].samples.functions[] | select(.module != "ntoskrnl.exe")] | (map(select(.function == $routine).count) | add) >=
			$share * (map(.count) | add)' "$work/$name/blame.json" --arg routine "$routine" --argjson share "$share"
	holds "$name: blame names $module!$routine, mechanism $mechanism" \
		'.summary.verdict == "driver" and .culprits[0].name == $driver and .culprits[0].mechanism == $mechanism and
			.culprits[0].functions[0].name == $driver + "!" + $routine' \
		"$work/$name/blame.json" --arg driver "$module" --arg routine "$routine" --arg mechanism "$mechanism"
}

# Four CPUs, for function only: QEMU may let one stand for a millisecond and more while another works (0.7 to 1.95 ms at worst with the
# seeds 1 to 8), so no figure is exact.
judge_four() {
	local name=$1 injected module routine guilty counts
	injected=$(sed -n 's/^injected ns //p' "$work/$name/report.txt")
	guilty=$(sed -n 's/^guilty CPU //p' "$work/$name/report.txt")
	read -r module routine <<<"$(guilty "$name")"
	restored "$name"
	holds "$name: blame names $module!$routine, which works on CPU $guilty" \
		'.summary.verdict == "driver" and .culprits[0].name == $driver and
			.culprits[0].functions[0].name == $driver + "!" + $routine' \
		"$work/$name/blame.json" --arg driver "$module" --arg routine "$routine"
	holds "$name: the latencies of CPU $guilty are those injected, the other three have none but QEMU's" \
		'(.episodes | map(select(.cpu == $guilty and .latencyUs * 1000 > 0.5 * $injected)) | length >= 10) and
			(.episodes | map(select(.cpu != $guilty and .latencyUs > 2000)) | length == 0)' \
		"$work/$name/blame.json" --argjson injected "$injected" --argjson guilty "$guilty"
	counts=$(dump "$name" Wakeup | grep -o ' cpu=[0-3] ' | sort | uniq -c | awk '$1 > 500' | wc -l)
	dump "$name" PitSample >"$work/$name/samples"
	[ "$counts" = 4 ] && [ "$(grep -c " cpu=$guilty .*($module!$routine+" "$work/$name/samples")" -ge 10 ]
	check "$name: wake-ups of all CPUs and samples of CPU $guilty are in the trace" $?
}

# from_user FOLDER EVENT PATTERN LEAST: so many events interrupted user mode (CS of ring 3), all of them in app.exe, and none of app.exe
# is said to be of another ring.
from_user() {
	local base size
	read -r base size <<<"$(images "$1" | sed -n 's/^app.exe //p')"
	dump "$1" "$2" | grep -E "$3" | awk -v base="$((base))" -v size="$((size))" -v least="$4" '
		function number(text,   value, i) {
			for (i = 3; i <= length(text); i++)
				value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return value
		}
		{
			for (i = 1; i <= NF; i++) { split($i, f, "="); v[tolower(f[1])] = f[2] }
			ip = number("ip" in v ? v["ip"] : v["interruptedip"])
			cs = "cs" in v ? v["cs"] : v["interruptedcs"]
			inside = ip >= base && ip < base + size
			if (inside && cs % 4 == 3) users++
			if (inside != (cs % 4 == 3)) wrong++
		}
		END { exit !(users >= least && !wrong) }'
}

kernel=$root/kdriver/baremetal
if [ "${1:-}" = all ] && command -v cppcheck >/dev/null; then
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 "$kernel" >&2
	check "bare metal: cppcheck finds nothing" $?
fi
if [ "${1:-}" = all ] && command -v clang-tidy-16 >/dev/null; then
	states=(-Xclang -analyzer-config -Xclang "max-nodes=${ANALYZER_STATES:-225000}") # run.sh says why
	(cd "$kernel" && clang-tidy-16 --quiet {kernel,drivers,programs}/*.c -- --target=x86_64-pc-windows-msvc -std=c11 -ffreestanding \
		-mcx16 -DBAREMETAL_KERNEL -I../include "${states[@]}" &&
		clang-tidy-16 --quiet loader/*.c -- -std=c11 -ffreestanding "${states[@]}") >"$work/tidy" 2>/dev/null
	check "bare metal: clang-tidy finds nothing" $?
	grep -E 'error:' "$work/tidy" | sed 's/^/# /'
fi

# All runs at once: counted instructions are their time, so that how busy the host is changes nothing.
"$kernel/build.sh" "$root/kdriver/out/baremetal" || { check "bare metal: builds" 1; exit 1; }
again() {
	"$run" nic-dpc "$work/again.etl" --milliseconds $length --records "$work/again.bin" --seed 7 >"$work/again.txt" 2>&1
}
misbehaviours="nic-dpc nic-isr video-masked disk-flood raised-irql"
start clean clean &
for scenario in $misbehaviours; do
	longer=()
	[ $scenario != video-masked ] || longer=(--milliseconds 800)
	start "$scenario" "$scenario" --seed 7 "${longer[@]}" &
done
again &
if [ "${1:-}" = all ]; then
	start other nic-dpc --seed 8 &
	start periodic-dpc nic-dpc --seed 7 --timer periodic &
fi
start nmi video-masked --seed 7 --sampling nmi --milliseconds 800 &
start nmi-often video-masked --seed 7 --sampling nmi --rate 4000 --milliseconds 800 &
start periodic-masked video-masked --seed 7 --timer periodic --milliseconds 800 &
start four nic-dpc --seed 2 --cpus 4 --milliseconds 500 &
start one nic-dpc --seed 2 --cpus 4 --timer one --milliseconds 200 &
start four-nmi video-masked --seed 3 --cpus 4 --sampling nmi --window 300 --milliseconds 500 &
wait

# Names come from the module list and the PDB with its id, and from nothing else: a trace without PDBs, and one that has nic.sys with one
# byte of its PDB's id changed.
mkdir "$work/bare" "$work/foreign"
cp "$work/nic-dpc/trace.etl" "$work/bare/"
cp "$work/nic-dpc/"*.pdb "$work/nic-dpc/records.bin" "$work/foreign/"
place=$(grep -E '^ok .*\.(sys|exe)$' "$work/nic-dpc/report.txt" | grep -n 'nic.sys' | cut -d: -f1)
at=$((176 * (place - 1) + 32)) # pdb_guid of its module record
byte=$(od -An -tu1 -j $at -N1 "$work/foreign/records.bin")
printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$work/foreign/records.bin" bs=1 seek=$at conv=notrunc status=none
tracer=$root/artifacts/bin/tracer/release/tracer.dll
dotnet "$tracer" import "$work/foreign/records.bin" -o "$work/foreign/trace.etl" >"$work/foreign/said" 2>&1
blame_all

restored clean
holds "clean: nobody is named" \
	'.summary.verdict == "none" and .summary.episodes == 0 and .summary.probes > 500 and (.culprits | length) == 0' \
	"$work/clean/blame.json"

for scenario in $misbehaviours; do
	judge "$scenario" "$scenario"
done

# The same again, byte by byte.
{ cmp "$work/again.bin" "$work/nic-dpc/records.bin" && cmp "$work/again.etl" "$work/nic-dpc/trace.etl"; } >"$work/differs" 2>&1
check "the same seed gives the same bytes" $?
sed 's/^/# /' "$work/differs"
[ ! -s "$work/differs" ] || diff "$work/again.txt" "$work/nic-dpc/report.txt" | sed 's/^/# /'
if [ "${1:-}" = all ]; then
	# Another seed gives other addresses.
	judge other nic-dpc
	images other | cut -d ' ' -f 1,2 | sort >"$work/other/bases"
	images nic-dpc | cut -d ' ' -f 1,2 | sort >"$work/nic-dpc/bases"
	[ "$(wc -l <"$work/other/bases")" = 6 ] && [ "$(wc -l <"$work/nic-dpc/bases")" = 6 ] &&
		[ -z "$(comm -12 "$work/other/bases" "$work/nic-dpc/bases")" ]
	check "another seed puts every module elsewhere" $?
	judge periodic-dpc nic-dpc
fi

# Masked interrupts: the PIT sees nothing of them but where the CPU goes on, NMIs see all.
read -r module routine <<<"$(guilty video-masked)"
dump video-masked PitSample >"$work/video-masked/samples"
masked='flags=0x([0-9a-f]{1,2}|[0-9a-f]*[014589cd][0-9a-f]{2}) ' # bit 9 of RFLAGS is 0
! grep -E -q "$masked" "$work/video-masked/samples"
check "video-masked: the PIT's interrupt sees no code that masks interrupts" $?
dump video-masked Wakeup | awk '{
	for (i = 1; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] }
	if (v["isr"] - v["expected"] > 500000) print }' >"$work/video-masked/late"
late=$(wc -l <"$work/video-masked/late")
named=$(grep -c "interruptedIp=[^ ]* ($module!$routine+" "$work/video-masked/late")
[ "$late" -gt 10 ] && [ "$late" = "$named" ]
check "video-masked: the ISR behind each of $late gaps interrupted $routine" $?

judge nmi video-masked
dump nmi PitSample >"$work/nmi/samples"
inside=$(grep -E "$masked" "$work/nmi/samples" | grep -c "($module!$routine+")
other=$(grep -E "$masked" "$work/nmi/samples" | grep -v -c "($module!$routine+")
episodes=$(jq '[.episodes[].startUs] | unique | length' "$work/nmi/blame.json")
[ "$inside" -ge $((2 * episodes)) ] && [ "$other" -le $((inside / 10)) ]
check "nmi: $inside samples inside the masked code of $episodes episodes, $other elsewhere with interrupts off" $?

# Four thousand a second, and all that hit the masked code have its callers, down to the thread's start.
judge nmi-often video-masked
dump nmi-often PitSample | grep -E "$masked" | grep "source=1 " | grep "($module!$routine+" >"$work/nmi-often/samples"
inside=$(wc -l <"$work/nmi-often/samples")
called=$(grep -c 'callers=\[ .*PspSystemThreadStartup' "$work/nmi-often/samples")
[ "$inside" -ge $((8 * episodes)) ] && [ "$called" = "$inside" ]
check "nmi-often: all of $inside samples inside the masked code of $episodes episodes have callers" $?

# The timer that starts over by itself, whose count is the clock of the event: what runs between two of its events is sampled, too.
judge periodic-masked video-masked 0.8
grep -q 'merged [1-9]' "$work/periodic-masked/report.txt"
check "periodic-masked: events that became one interrupt are counted" $?

# All four CPUs, one guilty in each run; the broadcast NMI sees into what CPU 3 masks, and behind SYSCALL, where the stack pointer is a
# program's and leads nowhere.
judge_four four
judge_four four-nmi
read -r module routine <<<"$(guilty four-nmi)"
guilty_cpus=$(sed -n 's/^guilty CPU //p' "$work/four/report.txt" "$work/four-nmi/report.txt" | paste -sd ' ')
[ "$guilty_cpus" = "0 3" ] && [ "$(grep -E " cpu=3 .*$masked.*source=1 " "$work/four-nmi/samples" | grep -c "($module!$routine+")" -ge 10 ]
check "four-nmi: NMIs that CPU 0 passed on sampled masked code of CPU 3" $?
grep -qx "ok NMIs came behind SYSCALL and left the program's stack alone" "$work/four-nmi/report.txt"
check "four-nmi: NMIs right behind SYSCALL follow no stack pointer of a program" $?

# One timer for all CPUs: a long DPC on CPU 0, which runs its callback, is late for the timer and for CPU 0, and for nobody else. Of the
# callbacks the DPC's length less the way from its begin to the next tick is seen.
restored one
grep -qx 'guilty CPU 0' "$work/one/report.txt" &&
	[ "$(grep -cE '^CPU [1-3]: wake-ups [0-9]+ over threshold 0 ' "$work/one/report.txt")" = 3 ]
check "one: no wake-up of CPUs 1 to 3 is late" $?
grep -qE '^tick ns 9765[0-9]{2}$' "$work/one/report.txt"
check "one: the clock's ticks are found, 1024 a second" $?
late=$(sed -nE 's/^CPU 0: callbacks [0-9]+ worst ns ([0-9]+)$/\1/p' "$work/one/report.txt")
[ "${late:-0}" -gt 3500000 ] && [ "$late" -lt 5200000 ] &&
	[ "$(grep -cE '^CPU [1-3]: callbacks 0 ' "$work/one/report.txt")" = 3 ]
check "one: the timer's phase is CPU 0's, up to ${late:-no} ns" $?
dump one TimerState | tail -n 1 >"$work/one/state"
grep -qE ' tickNs=9765[0-9]{2} ' "$work/one/state"
check "one: the timer's state stands in the trace" $?
timers=$(sed -nE 's/.* lateTimers=([0-9]+) .*/\1/p' "$work/one/state")
wakeups=$(sed -nE 's/^CPU 0: wake-ups [0-9]+ over threshold ([0-9]+) .*/\1/p' "$work/one/report.txt")
# That all CPUs' wake-ups tell of a late timer makes it no more than one delay.
holds "one: blame names nic.sys and charges ${timers:-no} late timers and ${wakeups:-no} late wake-ups, each once, to CPU 0" \
	'.culprits[0].name == "nic.sys" and .culprits[0].mechanism == "dpc" and ([.episodes[].cpu] | unique) == [0] and
		$timers >= 3 and .summary.episodes == $timers + $wakeups' \
	"$work/one/blame.json" --argjson timers "${timers:-0}" --argjson wakeups "${wakeups:-0}"

# The floor is measured on the idle machine and said; the kernel has asked for less than twice as much and was refused.
floor=$(sed -n 's/^floor ns //p' "$work/clean/report.txt")
[ "${floor:-0}" -gt 0 ] && dump clean Start | grep -q " floorNs=$floor "
check "clean: the floor measured, ${floor:-none} ns, stands in the trace" $?

# Privilege changes: app.exe runs in ring 3.
from_user clean Wakeup . 100
check "clean: latency interrupts from user mode, with CS of ring 3 in app.exe only" $?
from_user video-masked PitSample ' source=0 ' 5
check "video-masked: the PIT's hook samples user mode" $?
from_user nmi PitSample ' source=1 ' 5
check "nmi: NMIs sample user mode, on a stack of their own" $?

holds "without PDBs: module and offset only" \
	'.culprits[0].name == "nic.sys" and (.culprits[0].functions | length > 0 and all(.name | test("^nic\\.sys\\+0x[0-9a-f]+$")))' \
	"$work/bare/blame.json"
holds "with one byte of the PDB's GUID changed: no name from it" \
	'.culprits[0].name == "nic.sys" and ([.. | strings | select(test("nic.sys!"))] | length == 0)' "$work/foreign/blame.json"
[ "$(dump foreign PitSample | grep -c 'ntoskrnl.exe!')" -gt 0 ]
check "and names of the others still" $?
exit $failed
