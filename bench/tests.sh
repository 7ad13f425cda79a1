#!/usr/bin/env bash
# The CPU seconds of each suite that test.sh runs by default, in a fresh worktree of the last commit, one behind the other; writes
# bench/tests.md. All that a suite starts counts, compilers too. A busy machine changes CPU seconds by a tenth, and wall seconds by much.
#   bench/tests.sh [BEFORE]    BEFORE: rows of an earlier commit, "CPU wall suite" each, as bench/tests.rows has them
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
before=$(realpath "${1:-/dev/null}")
work=$(mktemp -d)
tree=$work/tree
trap 'git -C "$root" worktree remove --force "$tree"; rm -rf "$work"' EXIT
git -C "$root" worktree add --quiet --detach "$tree" HEAD
[ ! -e "$root/../shared" ] || ln -s "$(realpath "$root/../shared")" "$work/shared" # The corpus lies beside the sources.
cd "$tree"
source tests/environment.sh
export TRACER_TESTS_ANALYZED=false
rows=$root/bench/tests.rows
: >"$rows"

# suite NAME COMMAND...
suite() {
	local name=$1 seconds status=0
	shift
	seconds=$(python3 "$root/bench/cpu_seconds.py" "$@" 2>"$work/said") || status=$?
	[ $status = 0 ] || { tail -n 20 "$work/said" && echo "tests.sh: $name failed" >&2; }
	echo "$seconds $name" | tee -a "$rows"
}

suite "build" env UseSharedCompilation=true SharedCompilationId=tracer-bench-$$ dotnet build Tracer.sln -c Release -v q
for program in artifacts/bin/Tracer.*.Tests/release/Tracer.*.Tests; do
	suite "$(basename "$program")" "$program" -noColor -trait- Against=peers -trait- Speed=long
done
suite "answers to simulated machines" dotnet run -c Release --no-build --project bench -- accuracy --seeds 1 --from 1 --every 12 \
	--expect bench/accuracy/answers.txt
suite "tests/kdriver/run.sh" tests/kdriver/run.sh
suite "tests/symbols/strace.sh" tests/symbols/strace.sh
suite "tests/viewer/run.sh" tests/viewer/run.sh

{
	echo "# CPU seconds of the tests"
	echo
	echo "What \`./test.sh\` runs by default, each suite alone: CPU seconds of all processes, and seconds by the clock. Written by"
	echo "\`bench/tests.sh\` at $(git rev-parse --short HEAD) on $(nproc) cores ($(sed -n 's/^model name.*: //p;T;q' /proc/cpuinfo)), load" \
		"$(cut -d ' ' -f 1 /proc/loadavg) at the end."
	echo
	echo "| suite | CPU s before | CPU s | clock s |"
	echo "|---|---:|---:|---:|"
	awk 'NR == FNR { name = $0; sub(/^[^ ]+ [^ ]+ /, "", name); old[name] = $1; next }
		{
			name = $0; sub(/^[^ ]+ [^ ]+ /, "", name)
			printf "| %s | %s | %.0f | %.0f |\n", name, name in old ? sprintf("%.0f", old[name]) : "", $1, $2
			all += $1; wall += $2; were += old[name]
		}
		END { printf "| all | %s | %.0f | %.0f |\n", were ? sprintf("%.0f", were) : "", all, wall }' "$before" "$rows"
} >"$root/bench/tests.md"
