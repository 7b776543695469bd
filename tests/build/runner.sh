#!/bin/bash
# The runner itself: what it counts, what it calls a failure, what it keeps, and that Ctrl-C leaves nothing.
. tests/lib.sh

export POLECAT_TEST_LOGS=$WORK/logs
make_test() { # NAME, body on stdin
	{ echo '#!/bin/bash'; cat; } >"$WORK/$1.sh"
	chmod +x "$WORK/$1.sh"
}
ends() {
	[ "$(tail -n 1 "$WORK/out")" = "$1" ] || { cat "$WORK/out"; fail "the last line is not: $1"; }
}

make_test good <<<'[ -d "$WORK" ] && [ -z "$(ls -A "$TMPDIR")" ] && [ "$HOME" != / ]'
expect 0 tests/runner "$WORK/good.sh"
ends "1 passed, 0 failed"

make_test counts <<<'echo "12 passed, 3 failed"; exit 1'
expect 1 tests/runner "$WORK/good.sh" "$WORK/counts.sh"
ends "13 passed, 3 failed"

make_test bad <<<'echo the reason; touch "$WORK/evidence"; exit 1'
expect 1 tests/runner "$WORK/bad.sh"
ends "0 passed, 1 failed"
says '^FAIL .*bad '
says 'the reason'
says "again: make .*bad.sh"
[ -n "$(find "$WORK/logs" -name evidence)" ] || fail "the files of the failed test are gone"

make_test litter <<<'touch "$TMPDIR/forgotten"'
expect 1 tests/runner "$WORK/litter.sh"
says 'left in TMPDIR: ./forgotten'

make_test orphan <<<'setsid sleep 1000 >/dev/null 2>&1 & disown'
expect 1 tests/runner "$WORK/orphan.sh"
# Caught early, it is still the shell or setsid that is about to become sleep.
says 'left running: [0-9]+ '
orphan=$(sed -n 's/.*left running: \([0-9]*\) .*/\1/p' "$WORK/out" | head -n 1)
# Killed it is, at once; dead a little later, and perhaps not yet collected by the host's init.
for _ in $(seq 100); do
	grep -qsE '^State:	[^ZX]' "/proc/$orphan/status" || break
	read -rt 0.05 <> <(:) || true
done
grep -qsE '^State:	[^ZX]' "/proc/$orphan/status" && fail "the orphan lives"

make_test slow <<'T'
# limit: 1
exec sleep 1000
T
expect 1 tests/runner "$WORK/slow.sh"
says 'did not end within 1 s'

expect 1 tests/runner "$WORK/absent.sh"
ends "0 passed, 1 failed"

# Interrupted: the test's folder and processes go with the runner.
mkfifo "$WORK/started"
make_test endless <<<"echo \$TMPDIR >'$WORK/started'; exec sleep 1000"
setsid tests/runner "$WORK/endless.sh" >"$WORK/out" 2>&1 &
runner=$!
read -r room <"$WORK/started"
kill -INT $runner 2>/dev/null || fail "the runner is gone"
kill -TERM $runner 2>/dev/null
wait $runner
[ $? = 130 ] || fail "interrupted, the runner exits with another status than 130"
[ -d "$room" ] && fail "$room is left"
for pid in /proc/[0-9]*; do
	grep -qzx "TMPDIR=$room" "$pid/environ" 2>/dev/null && fail "left running: $(tr '\0' ' ' <"$pid/cmdline")"
done
exit 0
