#!/bin/bash
# `polecat diff` says "identical" of two runs of one seed, and tells where others part and why.
. tests/lib.sh
runs=tests/screens/runs

cp -r $runs/fail "$WORK/again"
expect 0 "$POLECAT" diff $runs/fail "$WORK/again"
[ "$(cat "$WORK/out")" = "identical: 300 events, verdict fail, seed 42" ] || fail "one seed twice is not identical"

expect 0 "$POLECAT" diff $runs/fail $runs/other
head -n 1 "$WORK/out" | grep -q '^differ: seed 42 and seed 43: they diverge at event 63' || fail "the first line does not tell"
says '^  A     ev 63 .* fault.selected  kill#1$'
says '^plan: A has seed 42, B has seed 43; 8 choices differ$'
says '^most likely because of kill#1:$'
says '^  kill#1.after.lines: A 16 of 10..58, B 30 of 10..58 \(scenario.yaml:18:48\)$'
says '^  \* kill#3 +A not planned; B selected'
says '^  \.\.\. 62 events in both$'
says '^- +63 .* kill#1$'
lines=$(wc -l <"$WORK/out")
expect 0 "$POLECAT" diff $runs/fail $runs/other --full
[ "$(wc -l <"$WORK/out")" -gt "$lines" ] || fail "--full does not print more"
# Every event of each run is there once, or in a folded stretch.
folded=$(sed -n 's/^  \.\.\. \([0-9]*\) events in both$/\1/p' "$WORK/out" | paste -sd+ | bc)
events=$(sed -n '/^events$/,$p' "$WORK/out")
a=$(($(grep -cE '^(-| ) +[0-9]+  [0-9.]+  ' <<<"$events") + folded))
b=$(($(grep -cE '^(\+| ) +[0-9]+  [0-9.]+  ' <<<"$events") + folded))
[ "$a $b" = "300 300" ] || fail "--full shows $a and $b events of 300"

expect 0 "$POLECAT" diff $runs/fail $runs/other --json
says '"polecat_diff": 1'
says '"identical": false'
says '"first": 63'

# The same plan and other events: somebody tampered, or the machine is not the same.
sed -i '0,/acked 11/s//acked 12/' "$WORK/again/events.jsonl"
expect 0 "$POLECAT" diff $runs/fail "$WORK/again"
says 'these runs should have been identical'

# A fork, and another machine: made from the same run. (The manifest's own digest is of itself with zeros in its place.)
manifest() {
	python3 - "$1/manifest.json" "$2" "$3" <<'E'
import hashlib, re, sys
path, old, new = sys.argv[1:]
text = open(path).read().replace(old, new)
text = re.sub(r'("self_sha256": ")[0-9a-f]{64}', lambda m: m[1] + "0" * 64, text)
digest = hashlib.sha256(text.encode()).hexdigest()
open(path, "w").write(re.sub(r'("self_sha256": ")0{64}', lambda m: m[1] + digest, text))
E
}
manifest "$WORK/again" '"made": true' '"made": false'
expect 0 "$POLECAT" diff $runs/fail "$WORK/again"
says 'but not the machine:$'
says '^  made: A true, B false$'
manifest "$WORK/again" '"parent": null,' '"parent": "fail",'
expect 0 "$POLECAT" diff $runs/fail "$WORK/again"
says '^B is a fork: from instruction 0 of fail on it went its own way$'

expect 0 "$POLECAT" diff $runs/fail $runs/.incomplete-recording
says '^differ: '
expect 0 "$POLECAT" diff $runs/hostile $runs/many
LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$WORK/out" && fail "control characters"
expect 4 "$POLECAT" diff $runs/fail
expect 4 "$POLECAT" diff $runs/fail $runs/nowhere
says 'nowhere'
exit 0
