#!/bin/bash
# A shell in the past, fed from a pipe: its output and status, where it is, that guest time goes on without a jump, that what it
# made is a run like others, what cannot be done; and that nothing is left when it is broken off.
# limit: 600
# takes: 40
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
cp -r "$run" "$WORK/before"

# shell STATUS ARGUMENTS...: $WORK/in to a shell; $fork is what it made.
shell() {
	local wanted=$1 got
	shift
	"$POLECAT" fork "$run" "$@" <"$WORK/in" >"$WORK/out" 2>"$WORK/err"
	got=$?
	[ "$got" = "$wanted" ] || { cat "$WORK/out" "$WORK/err"; fail "exit $got, expected $wanted: $*"; }
	fork=$(sed -n 's/^recorded as //p' "$WORK/err")
}
number() {
	sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1/manifest.json" | head -1
}

# Lines in, lines out; the shell's status is polecat's. Errors stay errors.
printf 'hostname\necho told >&2\ncat nothing-here\nexit 7\n' >"$WORK/in"
shell 7 --at ev:40 --node server
[ "$(cat "$WORK/out")" = server ] || { cat "$WORK/out"; fail 'standard output is not the shell'\''s'; }
grep -qx told "$WORK/err" || fail 'nothing on standard error'
fork=$(sed -n 's/^recorded as //p' "$WORK/err")
[ -d "$fork" ] || fail 'the fork is no run'

# Without an exit the end of the input ends it; without any input there is nothing to do.
printf 'echo last' >"$WORK/in"
shell 0 --at ev:40
grep -qx last "$WORK/out" || fail 'a line without its end was not read'
true >"$WORK/in"
shell 0 --at ev:40
[ -s "$WORK/out" ] && fail 'a shell without input said something'

# More than the port, the pipes and the buffers hold at once, both ways.
{
	for i in $(seq 400); do echo "n=\$((n + $i)) # aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; done
	echo 'echo $n'
} >"$WORK/in"
shell 0 --at ev:40
[ "$(cat "$WORK/out")" = 80200 ] || { cat "$WORK/out"; fail 'bytes were lost on the way in'; }
echo 'i=0; while [ $i -lt 6000 ]; do echo "$i 0123456789abcdef"; i=$((i + 1)); done' >"$WORK/in"
shell 0 --at ev:40
[ "$(wc -l <"$WORK/out")" = 6000 ] && [ "$(tail -1 "$WORK/out")" = '5999 0123456789abcdef' ] || fail 'bytes were lost on the way out'
# Bytes that mean something to the protocol are bytes.
printf "printf %%s '\020w\020e\020\020h\020x\001\377' | od -An -tx1\n" >"$WORK/in"
shell 0 --at ev:40
[ "$(tr -s ' ' <"$WORK/out")" = ' 10 77 10 65 10 10 68 10 78 01 ff' ] || { cat "$WORK/out"; fail 'bytes were changed on the way'; }

# Guest time goes on from the moment: it cannot have grown by more than the host's time since, and the time of what was executed.
# A clock that jumped by the time QEMU has run (or the parent's replay took) is far beyond that.
for node in server machine; do
	printf 'cat /proc/uptime\nsleep 1\n' >"$WORK/in"
	shell 0 --at ev:40 --node $node
	began=$(sed -n 40p "$run/events.jsonl" | sed 's/.*"vtime_ns":\([0-9]*\).*/\1/')
	grown=$(($(number "$fork" vtime_ns) - began))
	executed=$(($(number "$fork" icount) - $(number "$fork" parent_icount)))
	may=$(($(number "$fork" record_ms) * 1000000 + executed * 2))
	[ $grown -ge 1000000000 ] || fail "a second of sleep took $grown ns"
	[ $grown -le $may ] || fail "guest time grew by $grown ns, but only $may ns have passed"
	started=$(grep '"node":"visit","kind":"node.started"' "$fork/events.jsonl" | sed 's/.*"vtime_ns":\([0-9]*\).*/\1/')
	[ $((started - began)) -lt 50000000 ] || fail "the shell started $((started - began)) ns after the moment"
done

# It is a run: open, replayed, walked through, and forked in the middle of the shell.
grep -q '"kind": *"open"' "$fork/manifest.json" && grep -q '"reproducible": *"log"' "$fork/manifest.json" || fail 'it does not say that it is open'
expect 0 "$POLECAT" replay "$fork" --times 2
says '^identical .*\(2 of 2\)'
head -40 "$run/events.jsonl" | cmp - <(head -40 "$fork/events.jsonl") || fail 'it does not begin as its parent'
typed=$(sed -n 's/.*"kind":"user.input".*"text":"\(.*\)"}/\1/p' "$fork/events.jsonl" | tr -d '\n')
[ "$typed" = 'cat /proc/uptime\nsleep 1\n' ] || fail 'what was typed is not in the events'
typed=$(grep -n '"kind":"user.input"' "$fork/events.jsonl" | tail -1 | cut -d: -f1)
printf 'goto end\ndigest\ngoto ev:%s\nps\ngoto begin\nstepi 20\nrstepi 20\ngoto end\ndigest\n' "$typed" >"$WORK/script"
expect 0 "$POLECAT" debug "$fork" -x "$WORK/script"
says ' sh$'
[ "$(grep -E '^(registers|memory) ' "$WORK/out" | sort | uniq -c | awk '$1 == 2' | wc -l)" = 2 ] || { cat "$WORK/out"; fail 'the end is not the same twice'; }
middle=$fork
"$POLECAT" fork "$middle" --at "ev:$typed" --node machine -- ps >"$WORK/out" 2>"$WORK/err" || { cat "$WORK/err"; fail 'no fork of the shell'; }
grep -q 'sh$' "$WORK/out" || { cat "$WORK/out"; fail 'the shell is not among the processes'; }
expect 0 "$POLECAT" replay "$(sed -n 's/^recorded as //p' "$WORK/err")"
says '^identical'
echo 'echo the second shell' | "$POLECAT" fork "$middle" --at "ev:$typed" >"$WORK/out" 2>"$WORK/err" || { cat "$WORK/err"; fail 'no shell in the shell'; }
grep -qx 'the second shell' "$WORK/out" || { cat "$WORK/out" "$WORK/err"; false; } || fail 'the second shell said something else'
expect 0 "$POLECAT" replay "$(sed -n 's/^recorded as //p' "$WORK/err")"
says '^identical'

# A run's end is a place to look around at.
echo 'echo seen; exit 3' >"$WORK/script"
"$POLECAT" fork "$run" --at end --keep none <"$WORK/script" >"$WORK/out" 2>&1
[ $? = 3 ] || { cat "$WORK/out"; fail 'no shell at the end'; }
says '^seen$'
says '^the run ends there: this went on from ev:'

# What cannot be done is said.
expect 4 "$POLECAT" fork "$run" --at ev:20 --node nobody
says "expected server, client, or machine"

# Broken off: nothing is left of it (the runner looks for processes). Killed when the shell has said something.
mkfifo "$WORK/keys"
runs_before=$(ls -A "$WORK/runs")
"$POLECAT" fork "$run" --at ev:40 <"$WORK/keys" >"$WORK/out" 2>"$WORK/err" &
pid=$!
exec 7>"$WORK/keys"
echo 'echo here' >&7
until grep -qx here "$WORK/out"; do kill -0 $pid || { cat "$WORK/err"; fail 'it ended'; }; read -rt 0.05 <> <(:); done
kill -TERM $pid
wait $pid
[ $? = 5 ] || { cat "$WORK/err"; fail "SIGTERM ended it with $?"; }
exec 7>&-
[ "$(ls -A "$WORK/runs")" = "$runs_before" ] || fail 'something was left of a shell that was broken off'

# The parent is as it was.
diff -r "$run" "$WORK/before" | grep -v 'Only in .*: events.idx' && fail 'the parent was changed'
exit 0
