#!/usr/bin/env bash
# The tests and the CPU seconds of each suite that test.sh runs by default, in a fresh worktree of the last commit, one behind the other;
# writes bench/tests.md. All that a suite starts counts, compilers' servers too. A busy machine changes CPU seconds by a third, and wall
# seconds by much: the load is written down.
#   bench/tests.sh [BASE]    BASE: a commit that is measured first, for the column "before"
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'git -C "$root" worktree remove --force "$work/tree" 2>"$work/removed" || true; rm -rf "$work"' EXIT
# The corpus lies beside the sources.
[ ! -e "$root/../shared" ] || ln -s "$(realpath "$root/../shared")" "$work/shared"

# suite NAME COMMAND...: a line of CPU seconds, seconds by the clock, tests (0 where it counts none), name.
suite() {
	local name=$1 seconds status=0
	shift
	seconds=$(python3 "$root/bench/cpu_seconds.py" "$@" 2>"$work/said") || status=$?
	[ $status = 0 ] || { tail -n 20 "$work/said" && echo "tests.sh: $name failed"; } >&2
	# The runner's sum, or the lines of a suite that says "ok NAME".
	echo "$seconds $(sed -nE 's/.*Total: ([0-9]+),.*/\1/p' "$work/said" | grep . || grep -cE '^ok ' "$work/said" || true) $name"
}

# suites COMMIT: all of them, in an environment as test.sh of that commit makes it.
suites() (
	git -C "$root" worktree add --quiet --detach --force "$work/tree" "$1"
	cd "$work/tree"
	source <(grep -hE '^export [A-Za-z0-9_]+=' tests/environment.sh test.sh 2>"$work/missing" | grep -v -e '\$' -e TRACER_)
	export TRACER_TESTS_ANALYZED=false UseSharedCompilation=true SharedCompilationId=tracer-bench-$$
	suite "build" dotnet build Tracer.sln -c Release -v q
	for program in artifacts/bin/Tracer.*.Tests/release/Tracer.*.Tests; do
		suite "$(basename "$program")" "$program" -noColor -trait- Against=peers -trait- Speed=long
	done
	suite "answers to simulated machines" dotnet run -c Release --no-build --project bench -- accuracy --seeds 1 --from 1 --every 12 \
		--expect bench/accuracy/answers.txt
	suite "tests/kdriver/run.sh" tests/kdriver/run.sh
	suite "tests/symbols/strace.sh" tests/symbols/strace.sh
	suite "tests/viewer/run.sh" tests/viewer/run.sh
	cd "$root"
	git -C "$root" worktree remove --force "$work/tree"
)

load_before=$(cut -d ' ' -f 1 /proc/loadavg)
: >"$work/before"
[ $# = 0 ] || suites "$1" | tee "$work/before" >&2
suites HEAD | tee "$work/now" >&2
{
	echo "# CPU seconds of the tests"
	echo
	echo "What \`./test.sh\` runs by default, each suite alone: CPU seconds of all processes, and seconds by the clock. Written by"
	echo "\`bench/tests.sh ${1:-}\` at $(git -C "$root" rev-parse --short HEAD) on $(nproc) cores" \
		"($(sed -n 's/^model name.*: //p;T;q' /proc/cpuinfo)); load $load_before at the start," \
		"$(cut -d ' ' -f 1 /proc/loadavg) at the end."
	echo
	echo "| suite | tests | CPU s before | CPU s | clock s |"
	echo "|---|---:|---:|---:|---:|"
	awk '
		{ name = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", name) }
		FILENAME == ARGV[1] { old[name] = $1; next }
		{
			printf "| %s | %s | %s | %.0f | %.0f |\n", name, $3 ? $3 : "", name in old ? sprintf("%.0f", old[name]) : "", $1, $2
			tests += $3; all += $1; wall += $2; were += old[name]
		}
		END { printf "| all | %d | %s | %.0f | %.0f |\n", tests, were ? sprintf("%.0f", were) : "", all, wall }
	' "$work/before" "$work/now"
} >"$root/bench/tests.md"
