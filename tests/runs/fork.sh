#!/bin/bash
# A command executed in the past: its output and status, in which node, that the fork is a run like others, and what is refused.
# limit: 600
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
cp -r "$run" "$WORK/before"

# One command; what it prints is all that stands on standard output.
"$POLECAT" fork "$run" --at ev:20 -- ls / >"$WORK/ls" 2>"$WORK/err" || { cat "$WORK/err"; fail "exit $?"; }
grep -qx proc "$WORK/ls" || fail 'no listing of the root'
grep -vqE '^[a-z.-]+$' "$WORK/ls" && { cat "$WORK/ls"; fail 'something else than a listing'; }
fork=$(sed -n 's/^recorded as //p' "$WORK/err")
[ -d "$fork" ] || { cat "$WORK/err"; fail 'the fork is no run'; }
"$POLECAT" fork "$run" --at ev:20 --keep none -- sh -c 'echo seen; echo told >&2; exit 7' >"$WORK/o" 2>"$WORK/e"
[ $? = 7 ] || { cat "$WORK/e"; fail 'the status of the command is not polecat'\''s'; }
[ "$(cat "$WORK/o")" = seen ] || fail "standard output is $(cat "$WORK/o")"
grep -qx told "$WORK/e" || fail 'nothing on standard error'

# The same command at the same moment does the same; another node is another place.
for i in 1 2; do
	"$POLECAT" fork "$run" --at ev:46 --node server -- sh -c 'hostname; cat /proc/uptime /proc/net/tcp; ps' >"$WORK/server$i" 2>/dev/null ||
		fail "exit $?"
done
same "$WORK/server1" "$WORK/server2"
head -1 "$WORK/server1" | grep -qx server || fail 'not in the node server'
grep -q '/echo-server' "$WORK/server1" || fail 'the server is not there'
expect 0 "$POLECAT" fork "$run" --at ev:46 --node machine -- ps
says '/echo-server'
says '/echo-client'
# A node between two invocations has a place as well, with none of its processes.
expect 0 "$POLECAT" fork "$run" --at ev:40 --node server --keep none -- sh -c 'hostname; cat /proc/[0-9]*/comm'
says '^server$'
grep -q echo-server "$WORK/out" && fail 'a server that was killed is there'

# The processes go on while the command runs: the client is heard until it is over.
expect 0 "$POLECAT" fork "$run" --at ev:20 -- sleep 0.02
slept=$(sed -n 's/^recorded as //p' "$WORK/out")
grep '"node":"client"' "$slept/events.jsonl" >"$WORK/client"
[ "$(wc -l <"$WORK/client")" -gt 20 ] || fail 'the client stood still during the visit'

# It is a run: replayed, shown, debugged, with the events of its parent up to the moment, and forked again.
expect 0 "$POLECAT" replay "$fork" --times 2
says '^identical .*\(2 of 2\)'
head -20 "$run/events.jsonl" >"$WORK/parent"
head -20 "$fork/events.jsonl" >"$WORK/child"
same "$WORK/parent" "$WORK/child"
expect 0 "$POLECAT" ls --runs "$WORK/runs"
says "fork of $(basename "$run")"
printf 'here\ngoto end\nprev visit\ngoto begin\n' >"$WORK/script"
expect 0 "$POLECAT" debug "$fork" -x "$WORK/script"
says '^at .*\(ev:20\).*the begin'
says 'visit +node\.cleaned'
# While the visitor is there too: its successor is another one.
expect 0 "$POLECAT" fork "$fork" --at ev:22 -- echo another one
says '^another one$'
expect 0 "$POLECAT" replay "$(sed -n 's/^recorded as //p' "$WORK/out")"
says '^identical'

# From within a session, which stands where it stood.
printf 'goto ev:20\ndigest\nfork ls /\ndigest\nstepi 50\nrstepi 50\ndigest\n' >"$WORK/script"
expect 0 "$POLECAT" debug "$run" -x "$WORK/script"
says '^proc$'
[ "$(grep -E '^(registers|memory) ' "$WORK/out" | sort | uniq -c | awk '$1 == 3' | wc -l)" = 2 ] || { cat "$WORK/out"; fail 'the session moved'; }

# What cannot be done is said.
expect 4 "$POLECAT" fork "$run" -- ls
says '--at MOMENT is missing'
expect 4 "$POLECAT" fork "$run" --at ev:20 --node nobody -- ls
says "expected server, client, or machine"
expect 4 "$POLECAT" fork "$run" --at ev:20 -- /no/such/program
says 'could not be started: executing /no/such/program: No such file or directory'
expect 4 "$POLECAT" fork "$run" --at ev:20 -- sh -c "$(head -c 5000 /dev/zero | tr '\0' x)"
says 'the command is too long'
mv "$run" "$WORK/elsewhere"
expect 4 "$POLECAT" replay "$fork"
says 'the run that this is a fork of'
mv "$WORK/elsewhere" "$run"

# The parent is as it was.
diff -r "$run" "$WORK/before" | grep -v 'Only in .*: events.idx' && fail 'the parent was changed'
exit 0
