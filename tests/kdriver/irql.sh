#!/usr/bin/env bash
# The levels (IRQL) that the Windows shell's functions are annotated with, checked over the call graph of both drivers
# (ntoskrnl/irql_calls.py). TAP; skipped by name where a tool is missing.
set -u
cd "$(dirname "$0")" || exit 1
kdriver=$(realpath ../../kdriver)
fake=$(realpath ntoskrnl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for tool in clang-16 python3; do
	command -v $tool >/dev/null || { echo "ok irql: levels # SKIP no $tool here: package $tool" && exit 0; }
done

# tree FOLDER SOURCE: the syntax tree as irql_calls.py reads it.
tree() {
	local to=$work/$1/$(basename "$(dirname "$2")")-$(basename "$2").json
	mkdir -p "$work/$1"
	echo "$2" >"$to.path"
	clang-16 -std=gnu11 -fshort-wchar -Wall -Wno-unused -Werror -DIRQL_ANNOTATIONS -I"$fake/include" -I"$kdriver/wdm" -I"$kdriver/lab" \
		-I"$kdriver/core" -I"$kdriver/include" -fsyntax-only -Xclang -ast-dump=json "$2" >"$to"
}

# nothing NAME COMMAND...: has to find nothing; how much it looked at stands behind.
nothing() {
	local name=$1
	shift
	if "$@" >"$work/said" 2>"$work/counted" && [ ! -s "$work/said" ]; then
		cat "$work/counted"
		echo "ok irql: $name"
	else
		sed 's/^/# /' "$work/said" "$work/counted"
		echo "not ok irql: $name"
		failed=1
	fi
}

trees() {
	local source
	for source in "$kdriver"/{wdm,core,lab}/*.c; do
		tree drivers "$source" || return
	done
	tree sins "$fake/irql_sins.c"
}

trees >"$work/said" 2>&1 || { sed 's/^/# /' "$work/said" && echo "not ok irql: compiles" && exit 1; }
nothing "both drivers: no function is called at a level that it is not for" \
	python3 "$fake/irql_calls.py" "$fake/routine_levels.txt" "$work/drivers"/*.json
nothing "the fake kernel asks for the documented levels" python3 "$fake/irql_calls.py" "$fake/routine_levels.txt" --fake "$fake"/*.c

# Each sin is found, and nothing that is none; two are found in what they call, which has no level of its own.
python3 "$fake/irql_calls.py" "$fake/routine_levels.txt" "$work/sins"/*.json >"$work/said" 2>/dev/null
grep -oE '\b(sin_[a-z_]+|in_between|handed_over)\b' "$fake/irql_sins.c" | grep -vx -e sin_indirect -e sin_parameter |
	sort -u >"$work/wanted"
sed -E 's/^[^:]*: ([a-z_]+): .*/\1/' "$work/said" | sort -u >"$work/found"
if diff "$work/wanted" "$work/found" >"$work/differ"; then
	echo "ok irql: finds each of $(wc -l <"$work/wanted") functions that are wrong"
else
	sed 's/^/# /' "$work/said" "$work/differ"
	echo "not ok irql: finds each function that is wrong"
	failed=1
fi
exit $failed
