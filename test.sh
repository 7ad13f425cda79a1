#!/usr/bin/env bash
# Installs what the tests need on a fresh Debian, builds, and tests every part of the product. UPDATE_GOLDEN=1 rewrites stored texts.
# ./test.sh all: also what proves interfaces to other systems: a job array of Slurm, a store on ClickHouse, outside clients of mcp, outside
# readers of exports and of traces, the step of action.yml, the published programs under Wine, all pages and the viewer in the browser, the
# native build; the driver by a second compiler, for other targets, under the thread sanitizer, with static checks and repeated builds; the
# compiler's rules on the tests' own code (any other build of them has them, too) and the format of all sources; tests marked long; and of
# what is tried on a part of the files, all. The release workflow runs it; so does whoever changes one of them.
# ./test.sh quick: for the daily loop, what needs neither an emulator nor Wine nor long: tests marked slow are left out, and nothing is
# installed.
# Last line: "N passed, N failed", and ", N skipped" where something was; exit status 0 only when nothing failed.
set -u
cd "$(dirname "$0")" || exit 1
source tests/environment.sh
log=$(mktemp)
aside=$(mktemp -d)
trap 'end_compiler; rm -rf "$log" "$aside" "${failures:-}"' EXIT
# One compiler serves all builds of this run, the publications too, with a pipe of its own and no longer than they need it.
export UseSharedCompilation=true SharedCompilationId=tracer-test-$$
end_compiler() { grep -lsz -e "-[p]ipename:$SharedCompilationId" /proc/[0-9]*/cmdline | sed -E 's:/proc/([0-9]+)/.*:\1:' | xargs -r kill; }
passed=0 failed=0 skipped=0
quick='' all=''
case ${1:-} in
	'') ;;
	quick) quick=1 ;;
	all) all=1 ;;
	*)
		echo "usage: test.sh [quick | all]" >&2
		exit 64
		;;
esac
# What .NET, NuGet and npm keep goes home: where that is not told, to the user's, and where that cannot be written, to a new one.
if [ -z "${HOME:-}" ]; then
	HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
	[ -n "$HOME" ] && [ -w "$HOME" ] || HOME=$aside/home
	mkdir -p "$HOME"
	export HOME
fi
# A build writes beside the sources: where those cannot be written, it is a copy that is built and tested.
if ! { : >.writable-$$; } 2>/dev/null; then
	mkdir "$aside/copy"
	tar -cf - --exclude=./artifacts --exclude=node_modules . | tar -xf - -C "$aside/copy"
	chmod -R u+w "$aside/copy"
	echo "These sources cannot be written: a copy is tested."
	"$aside/copy/test.sh" "$@"
	exit
fi
rm -f .writable-$$
# Seconds and name of each suite: the slowest are told at the end, and the names of what failed.
times=()
failures=$(mktemp)

# need COMMAND PACKAGE: the package is installed if the command is not here.
missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }

install_missing() {
	[ ${#missing[@]} -gt 0 ] || return 0
	local root=()
	[ "$(id -u)" = 0 ] || root=(sudo -n)
	local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends) package without=()
	if ! { "${root[@]}" apt-get update -qq && "${install[@]}" "${missing[@]}"; } >"$log" 2>&1; then
		tail -n 5 "$log"
		# Where one is not known (Ubuntu has neither chromium nor firefox-esr) nothing was installed: each by itself.
		for package in "${missing[@]}"; do
			"${install[@]}" "$package" >"$log" 2>&1 || without+=("$package")
		done
		[ ${#without[@]} = 0 ] || echo "Could not install: ${without[*]}. Tests that need them are skipped, each with a word."
	fi
}

# step NAME COMMAND...: one test by itself; its output is shown only when it fails.
step() {
	local name=$1 began=$SECONDS
	shift
	if "$@" >"$log" 2>&1; then
		echo "passed: $name"
		passed=$((passed + 1))
		times+=("$((SECONDS - began)) s: $name")
	else
		tail -n 60 "$log"
		echo "FAILED: $name: $*" | tee -a "$failures"
		failed=$((failed + 1))
		times+=("$((SECONDS - began)) s: $name")
		return 1
	fi
}

# beside NAME COMMAND...: starts it; result_of NAME waits for it, prints what it said, and ends as it did.
beside() {
	local name=$1
	shift
	{
		"$@" >"$aside/$name" 2>&1
		echo $? >"$aside/$name.status"
	} &
}

result_of() {
	while [ ! -s "$aside/$1.status" ]; do sleep 0.2; done
	cat "$aside/$1"
	return "$(cat "$aside/$1.status")"
}

# The first command of the README, as it stands there.
readme_command() { bash -c "$(grep -m 1 '^dotnet run ' README.md)"; }

# tap NAME COMMAND...: a TAP line; what it printed is shown when it fails.
tap() {
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		echo "ok $name"
	else
		tail -n 60 <<<"$said"
		echo "not ok $name"
	fi
}

# Tests that report by TAP lines: "ok NAME", "not ok NAME", "ok NAME # SKIP why".
tap_tests() {
	local began=$SECONDS
	"$@" 2>&1 | tee "$log"
	local status=${PIPESTATUS[0]} bad
	times+=("$((SECONDS - began)) s: $*")
	bad=$(grep -c '^not ok' "$log")
	grep '^not ok' "$log" >>"$failures"
	[ "$status" = 0 ] || [ "$bad" -gt 0 ] || bad=1
	failed=$((failed + bad))
	skipped=$((skipped + $(grep -c '^ok.*# SKIP' "$log")))
	passed=$((passed + $(grep '^ok' "$log" | grep -vc '# SKIP')))
}

# The number behind a word of the summary that "dotnet test" ends with.
summary() { sed -nE "s/^ *$1: ([0-9]+)\$/\1/p" "$log" | tail -n 1; }

# What was started and has said nothing of its end.
unfinished() {
	sed -nE 's/^Running tests from ([^ ]*\/)?([^ /]+)\.dll.*/\2/p' "$log" | sort -u | while read -r name; do
		grep -qE "$name\.dll \([^)]*\) (passed|failed|skipped)" "$log" || echo "$name"
	done
}

dotnet_tests() {
	local limit=900 began=$SECONDS status good bad left_out cut
	# Four programs at a time: some mostly wait, and end in a few tests that run alone. Behind what runs beside: that is one chain, and
	# would end last.
	nice -n 5 timeout "$limit" dotnet test --solution Tracer.sln -c Release --no-build --no-progress --no-ansi \
		--max-parallel-test-modules 4 "$@" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	times+=("$((SECONDS - began)) s: dotnet test")
	while read -r name minutes seconds; do
		times+=("$((10#${minutes:-0} * 60 + 10#$seconds)) s: $name")
	done < <(sed -nE 's/^ .*\/([^ /]+)\.dll \([^)]*\) (passed|failed).*\((([0-9]+)m )?([0-9]+)s [0-9]+ms\)$/\1 \4 \5/p' "$log" |
		awk 'NF == 2 { print $1, 0, $2; next } { print }')
	if [ "$status" = 124 ]; then
		cut=$(unfinished | paste -sd ' ')
		echo "dotnet test was stopped after $limit s; its counts are of what had ended."
		echo "Still running: ${cut:-nothing that it named}"
	fi
	good=$(summary succeeded) bad=$(summary failed) left_out=$(summary skipped)
	grep -E '^failed ' "$log" >>"$failures"
	passed=$((passed + ${good:-0}))
	skipped=$((skipped + ${left_out:-0}))
	# A test program that died, or ran nothing, has no failed test to count.
	if [ "${bad:-0}" = 0 ] && { [ "$status" != 0 ] || [ "${good:-0}" = 0 ]; }; then
		bad=1
	fi
	failed=$((failed + bad))
}

finish() {
	echo
	head -n 20 "$failures"
	if [ ${#times[@]} -gt 0 ]; then
		echo "slowest: $(printf '%s\n' "${times[@]}" | sort -rn | head -n 6 | paste -sd ';' | sed 's/;/; /g')"
	fi
	echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
	[ "$failed" = 0 ]
	exit
}

if ! command -v dotnet >/dev/null; then
	echo "The .NET SDK 10 is needed (command dotnet): https://dotnet.microsoft.com/download"
	failed=1
	finish
fi
need git git
need cc gcc
[ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64
need i686-w64-mingw32-gcc gcc-mingw-w64-i686
# The driver's core: its assembly and its static checks.
need nasm nasm
need cppcheck cppcheck
need clang-tidy-16 clang-tidy-16
# And its run on bare metal, under libFuzzer, signed, and loaded under Wine.
need qemu-system-x86_64 qemu-system-x86
need jq jq
[ -e /usr/lib/llvm-16/lib/clang/16/lib/linux/libclang_rt.fuzzer-x86_64.a ] || missing+=(libclang-rt-16-dev)
need osslsigncode osslsigncode
need openssl openssl
need wine wine
[ -x /usr/lib/wine/wine64 ] || missing+=(wine64)
# Symbols: the images that tests read are made by these, and what they say of them is what ours says.
need clang-16 clang-16
need lld-link-16 lld-16
need llvm-readobj-16 llvm-16
need gcab gcab
need strace strace
need tmux tmux
# The levels of the driver's functions, by clang's syntax tree.
need python3 python3
# The report's page, in a browser.
need node nodejs
need npm npm
need chromium chromium
if [ -n "$all" ]; then
	# The viewer in another browser.
	need firefox-esr firefox-esr
	# The recipes of docs/use/fleet.md: a job array of Slurm, and a store on ClickHouse.
	need slurmctld slurmctld
	need slurmd slurmd
	need sbatch slurm-client
	need munged munge
	need clickhouse-server clickhouse-server
	need curl curl
fi
[ -n "$quick" ] || install_missing

# Most of the driver's tests need no .NET.
[ -n "$all" ] || export TRACER_TESTS_ANALYZED=false
[ -n "$quick" ] || BUILT=$aside/built beside kdriver tests/kdriver/run.sh ${all:+all}
step "build" dotnet build Tracer.sln -c Release || finish
if [ -n "$quick" ]; then
	tap_tests tests/kdriver/run.sh quick
	dotnet_tests -- --filter-not-trait Speed=slow --filter-not-trait Speed=long
	finish
fi
# What mostly waits, or keeps one core busy, runs beside the rest.
beside strace tests/symbols/strace.sh
beside answers dotnet run -c Release --no-build --project bench -- accuracy --seeds 1 --from 1 --every 12 \
	--expect bench/accuracy/answers.txt
if [ -n "$all" ]; then
	export TRACER_EVERY=1
	# Of the format only blanks are left to look at: the build has all other rules, as errors.
	beside format dotnet format whitespace . --folder --exclude artifacts --verify-no-changes
	beside mcp tests/mcp/run.sh inspector
	beside export tests/export/run.sh
	beside action tests/action/run.sh
	beside kills tests/fleet/kills.sh
	beside slurm tests/fleet/slurm.sh
	beside clickhouse tests/fleet/clickhouse.sh
fi
if [ -n "$all" ]; then
	step "first command of the README" readme_command
	! command -v wine >/dev/null || step "publish" ./publish.sh wine
fi
touch "$aside/built"
# One behind the other: both look after the libraries' folders.
pages() {
	[ -n "$all" ] || tap "first command of the README" readme_command
	tests/viewer/run.sh ${all:+all}
}
beside viewer pages
if [ -n "$all" ]; then
	step "format" result_of format
	beside published tests/wine/published.sh
	dotnet_tests
else
	dotnet_tests -- --filter-not-trait Against=peers --filter-not-trait Speed=long
fi
step "answers to simulated machines" result_of answers
tap_tests result_of kdriver
tap_tests result_of strace
tap_tests result_of viewer
if [ -n "$all" ]; then
	for other in published mcp export action kills slurm clickhouse; do tap_tests result_of "$other"; done
	tap_tests tests/aot/run.sh
fi
finish
