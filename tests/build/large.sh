#!/bin/bash
# serial
# A run of a million events opens within bounded memory, keeps an index file, and two of them can be compared. The times are
# those of docs/BENCH.md tenfold, so that only a wrong kind of work fails, not a slow host.
. tests/lib.sh
tools=build/${MODE:-release}
for seed in 1 2; do
	"$tools/make-run" "$WORK/$seed" --events 1000000 --idle 0 --nodes 4 --seed $seed || fail make-run
done
expect 0 "$tools/time-timeline" "$WORK/1" "$WORK/2"
cat "$WORK/out"

# at_most LIMIT PATTERN: the number that the pattern's group takes from the output.
at_most() {
	local got
	got=$(sed -nE "s/^$2.*/\1/p" "$WORK/out")
	[ -n "$got" ] && awk -v g="$got" -v l="$1" 'BEGIN { exit !(g <= l) }' || fail "$2 is ${got:-nothing}, at most $1 wanted"
}
at_most 200 'memory with one run: ([0-9]+)'
at_most 200 'memory with two runs and their diff: ([0-9]+)'
at_most 5000 'open without an index: ([0-9.]+)'
at_most 5000 'open with an index: ([0-9.]+)'
at_most 160 'lanes by time, whole run: median ([0-9.]+)'
at_most 160 'a page of 60 events: median ([0-9.]+)'
at_most 500 'search .not to be found. through all: .* worst step of 1 MiB ([0-9.]+)'
at_most 10000 'diff, indexes read: ([0-9.]+)'
[ "$(stat -c '%a' "$WORK/1/events.idx")" = 600 ] || fail "the index is not its owner's only"
expect 0 "$POLECAT" show "$WORK/1" --events --json --from ev:999999
[ "$(wc -l <"$WORK/out")" = 2 ] || fail "not the last two events"
rm -r "$WORK/1" "$WORK/2"
