#!/usr/bin/env bash
# A run of "blame --format cases --resume" that is killed at each of its writes, by strace, and then goes on: the file must be that of a
# run that was not. So must be what a store of "fleet" answers, after a kill at any write to it or to its journal. Prints TAP lines.
# ANALYZER: the built analyzer.dll.
set -u
cd "$(dirname "$0")/../.." || exit 1
analyzer=${ANALYZER:-artifacts/bin/analyzer/release/analyzer.dll}
if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	echo "ok kills at each write # SKIP strace is not here, or may not trace"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp samples/first.etl "$work/a.etl"
cp samples/first.etl "$work/b.etl"
echo "no trace" >"$work/c.etl"
run() {
	"$@" dotnet "$analyzer" blame "$work"/{a,b,c}.etl --format cases --jobs 1 --resume -o "$work/cases" >/dev/null 2>&1
}
run env
cp "$work/cases" "$work/whole"
cp "$work/cases.paths" "$work/whole.paths"
bad=0 killed=0
for ((at = 1; at <= 8; at++)); do
	rm -f "$work/cases" "$work/cases.paths"
	run strace -f -qq -o "$work/trace" -P "$work/cases" -P "$work/cases.paths" \
		-e trace=write,pwrite64 -e inject=write,pwrite64:error=EIO:signal=KILL:when="$at"
	grep -q SIGKILL "$work/trace" || break
	killed=$((killed + 1))
	[ -e "$work/cases.lock" ] && held=1
	run env
	if ! cmp "$work/cases" "$work/whole" || ! cmp "$work/cases.paths" "$work/whole.paths"; then
		bad=$((bad + 1))
	fi
done
if [ "$killed" -ge 4 ] && [ "$bad" = 0 ] && [ -n "${held:-}" ]; then
	echo "ok kills at each write: $killed"
else
	echo "not ok kills at each write: $killed killed, $bad otherwise"
fi

# The store: of two cases, one of which is another machine's.
sed 's/"id":"\(.\)/"id":"0/; s/"machine":"\(.\)/"machine":"0/' "$work/whole" >"$work/others"
answer() {
	"$@" dotnet "$analyzer" fleet "$work/whole" "$work/others" --store "$work/store.db" --format json 2>/dev/null
}
answer env >"$work/answer"
bad=0 killed=0
for at in 1 4 9 16 25; do
	rm -f "$work"/store.db*
	answer strace -f -qq -o "$work/trace" -P "$work/store.db" -P "$work/store.db-journal" -P "$work/store.db-wal" \
		-e trace=write,pwrite64,ftruncate,fdatasync,fsync,unlink \
		-e inject=write,pwrite64:error=EIO:signal=KILL:when="$at" >/dev/null
	grep -q SIGKILL "$work/trace" || break
	killed=$((killed + 1))
	answer env | cmp -s - "$work/answer" || bad=$((bad + 1))
done
if [ "$killed" -ge 3 ] && [ "$bad" = 0 ] && grep -q '"' "$work/answer"; then
	echo "ok kills at writes to a store: $killed"
else
	echo "not ok kills at writes to a store: $killed killed, $bad otherwise"
fi
