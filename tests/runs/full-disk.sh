#!/bin/bash
# A full disk, a runs directory that is read-only, and one that is a file: said with exit 5 or 4, and nothing half-written stays.
. tests/lib.sh
scenario=scenarios/echo-restart.yaml
expect 0 "$POLECAT" run $scenario --seed 1 --runs "$WORK/runs" # the boot snapshot is there
# As much room as a limit on the size of files leaves: the replay log does not fit.
(
	ulimit -f 4
	trap '' XFSZ
	"$POLECAT" run $scenario --seed 2 --runs "$WORK/small" >"$WORK/out" 2>&1
	echo $? >"$WORK/status"
)
[ "$(cat "$WORK/status")" = 5 ] || { cat "$WORK/out"; fail "no room: exit $(cat "$WORK/status")"; }
says 'too large|No space'
[ -z "$(ls -A "$WORK/small" 2>/dev/null)" ] || fail "left behind: $(ls -A "$WORK/small")"
touch "$WORK/file"
expect 5 "$POLECAT" run $scenario --seed 2 --runs "$WORK/file"
says "$WORK/file"
expect 5 "$POLECAT" run $scenario --seed 2 --runs /proc/polecat-runs
says '/proc/polecat-runs'
expect 0 "$POLECAT" ls --runs "$WORK/does-not-exist"
