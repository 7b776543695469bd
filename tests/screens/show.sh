#!/bin/bash
# `polecat show` says what is in a run, for people and for programs, and explains what it cannot do.
. tests/lib.sh
runs=tests/screens/runs

expect 0 "$POLECAT" show $runs/fail
says '^scenario  made, seed 42$'
says '^fail +no-lost-ack .*decided by ev'
says "was added \(ev [0-9]+\) and never read"
says '^kill#1 +server +selected ev 63 .* applied ev 64 '
says 'after line 16 of client; signal SIGKILL \(scenario.yaml:18:6\)'
expect 0 "$POLECAT" show $runs/.incomplete-recording
says 'not whole: still being recorded, or cut short'
says '^no verdicts yet$'

expect 0 "$POLECAT" show $runs/fail --events --json
same "$WORK/out" $runs/fail/events.jsonl
expect 0 "$POLECAT" show $runs/fail --properties --json
same "$WORK/out" $runs/fail/properties.json
expect 0 "$POLECAT" show $runs/fail --plan --json
same "$WORK/out" $runs/fail/plan.json
expect 0 "$POLECAT" show $runs/fail --manifest --json
same "$WORK/out" $runs/fail/manifest.json
expect 0 "$POLECAT" show $runs/fail --plan
says '^  kill#1.after.lines +16 of 10..58 \(scenario.yaml:18:48\)$'
expect 0 "$POLECAT" show $runs/fail --faults --json
says '"polecat_faults": 1'
says '"trigger": "after line 16 of client"'

# Parts of the events.
expect 0 "$POLECAT" show $runs/fail --events --kind fault --node server
[ "$(wc -l <"$WORK/out")" = "$(grep -c '"node":"server","kind":"fault' $runs/fail/events.jsonl)" ] || fail "not the server's fault events"
expect 0 "$POLECAT" show $runs/fail --events --json --search 'acked 1'
[ "$(cat "$WORK/out")" = "$(grep 'acked 1' $runs/fail/events.jsonl)" ] || fail "not the lines that say 'acked 1'"
expect 0 "$POLECAT" show $runs/fail --events --from ev:63 --to ev:65
[ "$(awk '{print $1}' "$WORK/out" | tr '\n' ' ')" = "63 64 65 " ] || fail "not events 63 to 65"
expect 0 "$POLECAT" show $runs/fail --events --from ev:65 --to ev:63
[ ! -s "$WORK/out" ] || fail "events from 65 to 63"

# Nothing of a guest reaches the terminal raw.
for part in --events --faults --properties --plan --timeline --manifest; do
	expect 0 "$POLECAT" show $runs/hostile $part
	LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$WORK/out" && fail "control characters in show $part"
done
expect 0 "$POLECAT" show $runs/hostile --events
says 'not utf-8 \\xff\\xfe\\x80'
says '\\e\[2J'

expect 0 "$POLECAT" show $runs/fail --events --follow
[ "$(wc -l <"$WORK/out")" = 300 ] || fail "following a whole run does not print it and end"

expect 4 "$POLECAT" show $runs/fail --events --faults
says 'only one of --events'
expect 4 "$POLECAT" show $runs/fail --events --from ev:301
says 'there is no event 301: the run has events 1 to 300'
expect 4 "$POLECAT" show $runs/fail --events --node sever
says "this run has no node 'sever'"
expect 4 "$POLECAT" show $runs/fail --events --kind io.lime
says "did you mean 'io.line'"
expect 4 "$POLECAT" show $runs/fail --timeline --axis wall
says 'expected time, icount or event'
expect 4 "$POLECAT" show $runs/nowhere
says 'nowhere'
