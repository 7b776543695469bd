#!/bin/bash
# docs/TUTORIAL.md shows what one sees: its screens are made by pressing its keys in a stored run. GENERATE=1 writes them anew.
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
doc=docs/TUTORIAL.md
cp -a tests/screens/tutorial "$WORK/runs"
export INPUTRC=/dev/null
# Each "```screen KEYS" becomes a step and a picture.
awk '/^```screen/ { sub(/^```screen */, ""); if ($0 != "") print "key " $0; print "snap " ++n }' $doc >"$WORK/keys"
(cd "$WORK" && "$tui" --runs runs --now 1800000000 --size 80x24 --script keys runs/redis-memory-only) >"$WORK/out" || fail "exit $?"
awk -v dir="$WORK" '
	/^== / { file = dir "/screen." $2; printf "" >file; next }
	/^roles$/ { file = ""; next }
	file { print substr($0, 2) >file }' "$WORK/out"
awk -v dir="$WORK" '
	/^```screen/ { print; file = dir "/screen." ++n; while ((getline line <file) > 0) print line; skip = 1; next }
	/^```$/ { skip = 0 }
	!skip' $doc >"$WORK/doc"
[ -n "${GENERATE-}" ] && cp "$WORK/doc" $doc
diff -u $doc "$WORK/doc" || fail "the tutorial shows something else (GENERATE=1 make tests/screens/tutorial.sh)"
keys=$(awk '/^key / { n += NF - 1 } END { print n }' "$WORK/keys")
[ "$keys" -le 8 ] || fail "$keys keys are more than eight"
echo "found in $keys keys"
