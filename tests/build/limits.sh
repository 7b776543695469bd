#!/bin/bash
# tests/limits.sh: 700 lines a file and 70 a function pass, one more of either does not.
. tests/lib.sh

function_of() {
	printf 'static int f(void)\n{\n'
	for i in $(seq "$1"); do printf '\tif (x%d) {\n' "$i" && printf '\t}\n'; done | head -n "$1"
	printf '}\n'
}
function_of 70 >"$WORK/good.c"
seq 700 | sed 's,^,// ,' >"$WORK/full.c"
expect 0 tests/limits.sh "$WORK/good.c" "$WORK/full.c"
function_of 71 >"$WORK/long.c"
expect 1 tests/limits.sh "$WORK/good.c" "$WORK/long.c"
says 'long.c:2: function of 71 lines, at most 70'
seq 701 | sed 's,^,// ,' >"$WORK/big.c"
expect 1 tests/limits.sh "$WORK/big.c" "$WORK/good.c"
says 'big.c:701: file of 701 lines, at most 700'
