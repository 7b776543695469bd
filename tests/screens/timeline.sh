#!/bin/bash
# `polecat show --timeline` draws the stored runs as the files in tests/screens/timeline say. GENERATE=1 rewrites them.
. tests/lib.sh
passed=0 failed=0

# golden NAME ARGUMENTS OF SHOW...
golden() {
	local name=$1 file=tests/screens/timeline/$1.txt
	shift
	"$POLECAT" show "$@" --timeline >"$WORK/$name.txt" 2>&1 || fail "exit $?: polecat show $*"
	if [ -n "${GENERATE-}" ]; then
		cp "$WORK/$name.txt" "$file"
	elif ! diff -u "$file" "$WORK/$name.txt"; then
		failed=$((failed + 1))
		return
	fi
	passed=$((passed + 1))
}

runs=tests/screens/runs
golden fail-120 $runs/fail --width 120
golden fail-80-ascii $runs/fail --width 80 --ascii --at fault:kill#1.applied
golden fail-40 $runs/fail --width 40 --at end
golden fail-20-ascii $runs/fail --width 20 --ascii --at ev:100
golden fail-icount $runs/fail --width 100 --axis icount
golden fail-events $runs/fail --width 100 --axis event --from fault:kill#1.selected --to fault:kill#1.healed --at fault:kill#1
golden fail-zoom $runs/fail --width 100 --from t:1s --to t:1500ms
golden pass-100 $runs/pass --width 100
golden hostile-100 $runs/hostile --width 100
golden many-120 $runs/many --width 120
golden recording-100 $runs/.incomplete-recording --width 100
golden fail-json $runs/fail --width 60 --ascii --json
echo "$passed passed, $failed failed"
[ $failed = 0 ]
