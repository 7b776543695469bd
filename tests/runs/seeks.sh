#!/bin/bash
# A thousand random moments of a run: whatever way a session takes to one (checkpoints that were just made, in the background,
# that had to make room for others, that an earlier session left), registers and memory are those of a straight replay.
# limit: 1200
# takes: 120
. tests/lib.sh
make -s --no-print-directory "build/${MODE:-release}/seeks" || fail "seeks does not build"
seeks=build/${MODE:-release}/seeks
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
# A cache of checkpoints of its own; the rest is the common one.
export XDG_CACHE_HOME=$WORK/cache
mkdir -p "$WORK/cache/polecat"
for part in "${POLECAT_TEST_CACHE:-$PWD/build/test-cache}"/polecat/*; do
	[ "${part##*/}" = checkpoints ] || ln -s "$part" "$WORK/cache/polecat/"
done
"$seeks" "$run" straight 0 1000 >"$WORK/straight" 2>"$WORK/straight.errors" &
straight=$!
# 1 M between two checkpoints, and no room for them.
"$seeks" "$run" alone 250 250 1000000 1 >"$WORK/alone" 2>"$WORK/alone.errors" &
alone=$!
{
	# Room; room for about half of them, and what was kept before; what was kept.
	"$seeks" "$run" made 0 250 1000000 &&
		"$seeks" "$run" kept 500 250 500000 16 &&
		"$seeks" "$run" kept 750 250
} >"$WORK/any" 2>"$WORK/any.errors" || { cat "$WORK/any.errors"; fail "a way was not gone"; }
wait $alone || { cat "$WORK/alone.errors"; fail "without room"; }
wait $straight || { cat "$WORK/straight.errors"; fail "no straight replay"; }
cat "$WORK/alone.errors"
cat "$WORK/any.errors"
[ "$(wc -l <"$WORK/straight")" = 1000 ] || fail "$(wc -l <"$WORK/straight") moments"
[ "$(cut -d' ' -f3 "$WORK/straight" | sort -u | wc -l)" -gt 900 ] || fail 'memory is the same everywhere'
sort -n "$WORK/any" "$WORK/alone" >"$WORK/sorted"
sort -n "$WORK/straight" >"$WORK/wanted"
same "$WORK/sorted" "$WORK/wanted"
grep -q '^made: 0 stored before' "$WORK/any.errors" || fail 'there were checkpoints before'
