#!/bin/bash
# What would have happened with another seed's faults from a moment on: they come elsewhere, the rest is a run like others.
# limit: 300
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)

# Events of a kind of a run's fault, without what differs between any two.
stages() {
	sed -n 's/.*"kind":"fault\.\([a-z]*\)","fault":"\([^"]*\)".*"why":"\([^"]*\)".*/\1 \2 \3/p' "$1/events.jsonl"
}
# How many lines the client has written before the fault that was applied last.
lines_before() {
	awk '/"kind":"fault.applied"/ { n = lines } /"node":"client","kind":"io.line"/ { lines++ } END { print n }' "$1/events.jsonl"
}
line_of() {
	grep -o '"line":[0-9]*,"delay_ns"' "$1/plan.json" | head -1 | tr -dc 0-9
}
forked() {
	fork=$(sed -n 's/^run  *//p' "$WORK/out")
	[ -d "$fork" ] || { cat "$WORK/out"; fail 'the fork is no run'; }
}

# Before the fault: that of the other seed comes instead, after its own line.
expect 0 "$POLECAT" fork "$run" --at ev:8 --plan-from 9 --runs "$WORK/runs"
says '^pass +echo-restart +seed 9 .*1 of 1 faults applied'
says '^  pass +saw-restart'
forked
[ "$(line_of "$fork")" != "$(line_of "$run")" ] || fail 'both seeds have the same line: this test says nothing'
[ "$(lines_before "$fork")" -ge "$(line_of "$fork")" ] || fail 'the fault came before its line'
[ "$(lines_before "$fork")" -lt "$(($(line_of "$fork") + 4))" ] || fail 'the fault came long after its line'
[ "$(lines_before "$fork")" != "$(lines_before "$run")" ] || fail 'the fault came where it came in the parent'
[ "$(stages "$fork" | grep -c '^applied kill#1')" = 1 ] || fail 'not one fault'
head -8 "$run/events.jsonl" >"$WORK/parent"
head -8 "$fork/events.jsonl" >"$WORK/child"
same "$WORK/parent" "$WORK/child"

# It is a run like others: replayed, told apart from its parent, and forked again, be it for a command.
expect 0 "$POLECAT" replay "$fork"
says '^identical'
expect 0 "$POLECAT" diff "$run" "$fork"
says 'B is a fork|kill#1\.after\.lines'
expect 0 "$POLECAT" ls --runs "$WORK/runs"
says "fork of $(basename "$run")"
expect 0 "$POLECAT" fork "$fork" --at ev:20 -- echo seen
says '^seen$'
first=$fork
expect 0 "$POLECAT" fork "$fork" --at ev:20 --plan-from 42 --runs "$WORK/runs"
forked
[ "$(line_of "$fork")" = "$(line_of "$run")" ] || fail 'not the line of seed 42'
expect 0 "$POLECAT" replay "$fork"
says '^identical'

# The same question has the same answer.
expect 0 "$POLECAT" fork "$run" --at ev:8 --plan-from 9 --runs "$WORK/runs"
forked
same "$first/events.jsonl" "$fork/events.jsonl"
same "$first/plan.json" "$fork/plan.json"

# After the fault: it keeps its life and its name, and what lies in the past is rejected.
expect 0 "$POLECAT" fork "$run" --at fault:kill#1.healed --plan-from 7 --runs "$WORK/runs"
forked
stages "$fork" >"$WORK/stages"
cat >"$WORK/wanted" <<'END'
selected kill#1 
applied kill#1 
observed kill#1 
healed kill#1 
selected kill#2 
rejected kill#2 what it waits for lies before the fork
END
same "$WORK/wanted" "$WORK/stages"
expect 0 "$POLECAT" replay "$fork"
says '^identical'

# What cannot be asked is said.
expect 4 "$POLECAT" fork "$run" --at ev:8 --plan-from 9 -- ls
says 'expected neither a command nor --node'
expect 4 "$POLECAT" fork "$run" --at ev:8 --plan-from nine
says 'nine'
expect 4 "$POLECAT" fork "$run" --at end --plan-from 9
says 'the run is ending here'
exit 0
