#!/bin/bash
# Time travel in a recorded run: walks there and back, seeks in any order, a killed QEMU, writes found by scans.
# limit: 600
# takes: 70
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
end=$(sed -n 's/^  "icount": \([0-9]*\),$/\1/p' "$run/manifest.json")
[ "$end" -gt 1000000 ] || fail "a run of $end instructions"

# debug SCRIPT: runs it; the lines that it answers are in $WORK/out.
debug() {
	expect 0 "$POLECAT" debug "$run" -x "$1"
}

# 200 instructions forward, 200 back: every program counter is the same again.
{
	echo 'goto ev:20'
	for _ in $(seq 200); do printf 'regs rip\nstepi\n'; done
	for _ in $(seq 200); do printf 'rstepi\nregs rip\n'; done
} >"$WORK/steps"
debug "$WORK/steps"
sed -n 's/^rip //p' "$WORK/out" >"$WORK/rips"
[ "$(wc -l <"$WORK/rips")" = 400 ] || fail "$(wc -l <"$WORK/rips") program counters, expected 400"
[ "$(sort -u "$WORK/rips" | wc -l)" -gt 50 ] || fail "stepping stands still"
head -200 "$WORK/rips" | tac >"$WORK/there"
tail -200 "$WORK/rips" >"$WORK/back"
same "$WORK/there" "$WORK/back"

# Every event forward, every event back: registers and all memory are the same again.
count=$(wc -l <"$run/events.jsonl")
{
	echo 'goto ev:1'
	for _ in $(seq $((count - 1))); do printf 'next\ndigest\n'; done
	for _ in $(seq $((count - 1))); do printf 'digest\nprev\n'; done
} >"$WORK/events"
debug "$WORK/events"
says '^at .*, the end'
grep -E '^(registers|memory) ' "$WORK/out" >"$WORK/digests"
places=$(grep -c '^registers' "$WORK/digests")
[ "$places" -ge $((2 * count - 10)) ] || fail "$places digests for $count events"
head -"$places" "$WORK/digests" | paste - - | tac >"$WORK/there"
tail -"$places" "$WORK/digests" | paste - - >"$WORK/back"
same "$WORK/there" "$WORK/back"

# Seeks in any order against one straight way.
awk -v end="$end" 'BEGIN { srand(7); for (i = 0; i < 60; i++) print int(rand() * end) }' >"$WORK/places"
places() {
	while read -r at; do printf 'goto %s\ndigest\n' "$at"; done
}
places <"$WORK/places" >"$WORK/any"
sort -n "$WORK/places" | places >"$WORK/straight"
for way in any straight; do
	debug "$WORK/$way"
	awk '/^> goto/ { at = $3 } /^registers|^memory/ { print at, $0 }' "$WORK/out" | sort -u >"$WORK/$way.digests"
done
[ "$(wc -l <"$WORK/any.digests")" -ge 100 ] || fail 'digests are missing'
same "$WORK/any.digests" "$WORK/straight.digests"

# Begin and end are places; nothing moves beyond them.
printf 'goto end\nstepi 5\nnext\n' >"$WORK/beyond"
expect 4 "$POLECAT" debug "$run" -x "$WORK/beyond"
says 'that is beyond the end of the run'
says 'there is no such event after here'
printf 'goto begin\nrstepi\n' >"$WORK/before"
debug "$WORK/before"
says 'that is before the begin of the run'

# Who wrote the kernel's clock: each value follows the one before, and memory agrees.
printf 'goto ev:40\nmem jiffies 8\nlast jiffies 4\n' >"$WORK/last"
debug "$WORK/last"
sed -n 's/^\([0-9]*\)  0x\([0-9a-f]*\) -> 0x\([0-9a-f]*\)  .*tick_do_update_jiffies64.*/\1 \2 \3/p' "$WORK/out" >"$WORK/writes"
[ "$(wc -l <"$WORK/writes")" = 4 ] || { cat "$WORK/out"; fail 'four writes of jiffies were not found'; }
awk '{ if (NR > 1 && (before != $3 || at <= $1)) exit 1; at = $1; before = $2 }' "$WORK/writes" || fail 'the writes do not follow each other'
bytes=$(awk 'NR == 1 { v = sprintf("%016s", $3); gsub(/ /, "0", v); for (i = 15; i > 0; i -= 2) printf "%s ", substr(v, i, 2) }' "$WORK/writes")
grep -q "${bytes% }" <(sed 's/  / /g' "$WORK/out") || { cat "$WORK/out"; fail "memory is not what the last write left: $bytes"; }
read -r at _ after <"$WORK/writes"
printf 'goto %s\nmem jiffies 8\nstepi\nmem jiffies 8\n' $((at - 1)) >"$WORK/exact"
debug "$WORK/exact"
[ "$(grep '^0x' "$WORK/out" | sort -u | wc -l)" = 2 ] || { cat "$WORK/out"; fail "the write is not the instruction at $at"; }

# Source lines of the client, there and back: the same lines, and a call is stepped over.
{
	echo 'goto ev:20
until switch
step'
	for _ in $(seq 6); do echo 'over'; done
	for _ in $(seq 5); do echo 'rover'; done
} >"$WORK/lines"
debug "$WORK/lines"
sed -n 's/^=> *\([0-9]*\)  .*/\1/p' "$WORK/out" >"$WORK/numbers"
[ "$(wc -l <"$WORK/numbers")" = 12 ] || { cat "$WORK/out"; fail 'source lines are missing'; }
says 'main.*echo-client\.c:[0-9]+'
sed -n '2,6p' "$WORK/numbers" | tac >"$WORK/there"
sed -n '8,12p' "$WORK/numbers" >"$WORK/back"
same "$WORK/there" "$WORK/back"
[ "$(grep -c 'echo-client\.c:[0-9]*$' "$WORK/out")" = 12 ] || { cat "$WORK/out"; fail 'over went into a call'; }

# A process that ends, a breakpoint and a watch, both ways.
expect 4 "$POLECAT" debug "$run" -e 'goto begin' -e 'until exit 99999'
says 'that does not happen after here'
printf 'goto ev:30\nbreak do_exit\ncontinue\nhere\nwatch jiffies\nrcontinue\nrcontinue\ncontinue\nruntil event fault.selected\n' >"$WORK/stops"
debug "$WORK/stops"
says 'pc 0x[0-9a-f]+ do_exit  in the kernel for'
says 'tick_do_update_jiffies64'
says 'fault\.selected'

# A QEMU that is killed is said and replaced.
mkfifo "$WORK/in"
"$POLECAT" debug "$run" <"$WORK/in" >"$WORK/out" 2>&1 &
debugger=$!
exec 3>"$WORK/in"
echo 'goto ev:30
digest' >&3
until [ "$(grep -c '^memory' "$WORK/out")" = 1 ]; do kill -0 $debugger || fail 'the debugger is gone'; read -rt 0.05 <> <(:); done
kill -9 "$(ps -o pid= --ppid $debugger | head -1 | tr -d ' ')"
echo 'goto ev:30
goto ev:31
goto ev:30
digest' >&3
exec 3>&-
wait $debugger || { cat "$WORK/out"; fail 'the session did not survive its QEMU'; }
says 'QEMU had ended and was started again'
[ "$(grep '^memory' "$WORK/out" | sort -u | wc -l)" = 1 ] || { cat "$WORK/out"; fail 'memory differs after the restart'; }

# Nothing changed the recording.
expect 0 "$POLECAT" replay "$run"
says '^identical'
