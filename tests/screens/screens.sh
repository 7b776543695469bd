#!/bin/bash
# Screens without a terminal: every NAME.keys here is played at three sizes against the stored runs, and the cells and roles
# are compared with NAME.screen. GENERATE=1 writes them anew: `GENERATE=1 make tests/screens/screens.sh`, then read the diff.
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
passed=0 failed=0
cp -a tests/screens/runs "$WORK/runs"
export INPUTRC=/dev/null
for keys in tests/screens/*.keys; do
	name=$(basename "$keys" .keys)
	golden=${keys%.keys}.screen
	read -ra open < <(sed -n 's/^# open: *//p' "$keys")
	bad=
	for size in 40x12 80x24 120x40; do
		(cd "$WORK" && "$tui" --runs runs --now 1800000000 --size $size --script "$OLDPWD/$keys" "${open[@]/#/runs/}") 2>>"$WORK/$name.errors" ||
			{ echo "$name at $size: exit $?"; bad=1; }
	done >"$WORK/$name.screen"
	if [ -s "$WORK/$name.errors" ]; then cat "$WORK/$name.errors"; bad=1; fi
	[ -n "${GENERATE-}" ] && [ -z "$bad" ] && cp "$WORK/$name.screen" "$golden"
	if [ -z "$bad" ] && diff -u "$golden" "$WORK/$name.screen" | head -n 60 >"$WORK/$name.diff" && [ ! -s "$WORK/$name.diff" ]; then
		passed=$((passed + 1))
	else
		cat "$WORK/$name.diff" 2>/dev/null
		echo "FAIL: $name (GENERATE=1 make tests/screens/screens.sh, if the new screen is right)"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
