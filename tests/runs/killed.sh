#!/bin/bash
# kill -9 of polecat or of QEMU in the middle of boot, run and replay: nothing keeps running, the next commands work and clean up.
# limit: 600
# takes: 31
. tests/lib.sh
scenario=scenarios/redis-acked-writes.yaml
qemu_of() { pgrep -P "$1" -f 'qemu-system.* -icount'; } # not one that is only asked for its version

# until COMMAND...: waits for a condition, at most 60 s.
until_() {
	for _ in $(seq 3000); do
		"$@" && return 0
		read -rt 0.02 <> <(:)
	done
	fail "never: $*"
}
gone() { ! kill -0 "$1" 2>/dev/null; }
recording() { ls -d "$WORK"/runs/.incomplete-* >/dev/null 2>&1 && [ -n "$(qemu_of "$1")" ]; }
has_qemu() { [ -n "$(qemu_of "$1")" ]; }

# Boot: with a cache of its own, so that there is one.
export XDG_CACHE_HOME=$WORK/cache
mkdir -p "$WORK/cache/polecat"
cp -a "${POLECAT_TEST_CACHE:-$PWD/build/test-cache}/polecat/kernels" "$WORK/cache/polecat/"
"$POLECAT" run $scenario --seed 1 --runs "$WORK/runs" >/dev/null 2>&1 &
pid=$!
until_ has_qemu $pid
qemu=$(qemu_of $pid)
kill -9 $pid
until_ gone "$qemu"
"$POLECAT" run $scenario --seed 1 --runs "$WORK/runs" >"$WORK/boot" 2>&1 &
pid=$!
until_ has_qemu $pid
kill -9 "$(qemu_of $pid)"
wait $pid
[ $? = 5 ] || fail "QEMU killed in boot: not exit 5: $(cat "$WORK/boot")"
expect 0 "$POLECAT" run $scenario --seed 1 --runs "$WORK/runs"
ls "$WORK"/cache/polecat/snapshots/.* -d | grep -vE '/\.{1,2}$' | grep -v lock && fail "half-built snapshots stay"
rm -rf "$WORK/runs"

# Run.
"$POLECAT" run $scenario --seed 2 --runs "$WORK/runs" >/dev/null 2>&1 &
pid=$!
until_ recording $pid
qemu=$(qemu_of $pid)
kill -9 $pid
until_ gone "$qemu"
expect 0 "$POLECAT" ls --runs "$WORK/runs"
says '^abandoned'
"$POLECAT" run $scenario --seed 3 --runs "$WORK/runs" >"$WORK/run" 2>&1 &
pid=$!
until_ recording $pid
kill -9 "$(qemu_of $pid)"
wait $pid
[ $? = 5 ] || fail "QEMU killed in a run: not exit 5: $(cat "$WORK/run")"
grep -q 'QEMU' "$WORK/run" || fail "QEMU's death is not said: $(cat "$WORK/run")"
expect 0 "$POLECAT" ls --runs "$WORK/runs"
says '^failed'
grep -q abandoned "$WORK/out" && fail "the next recording did not sweep"
grep -rlE "$HOME|$WORK" "$WORK"/runs/*.failed && fail "a failure bundle names host paths"
# Ctrl-C leaves nothing at all.
"$POLECAT" run $scenario --seed 4 --runs "$WORK/other" >/dev/null 2>&1 &
pid=$!
until_ has_qemu $pid
kill -INT $pid
wait $pid
[ $? = 5 ] || fail "Ctrl-C: not exit 5"
[ -z "$(ls -A "$WORK/other")" ] || fail "Ctrl-C left $(ls -A "$WORK/other")"

# Replay.
expect 0 "$POLECAT" run $scenario --seed 5 --runs "$WORK/runs"
"$POLECAT" replay last --runs "$WORK/runs" --times 100 >"$WORK/replay" 2>&1 &
pid=$!
until_ has_qemu $pid
kill -9 "$(qemu_of $pid)"
wait $pid
[ $? = 5 ] || fail "QEMU killed in a replay: not exit 5: $(cat "$WORK/replay")"
"$POLECAT" replay last --runs "$WORK/runs" --times 100 >/dev/null 2>&1 &
pid=$!
until_ has_qemu $pid
qemu=$(qemu_of $pid)
kill -9 $pid
until_ gone "$qemu"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
expect 0 "$POLECAT" gc --runs "$WORK/runs"
