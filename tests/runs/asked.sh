#!/bin/bash
# Files that the memory of a stopped machine does not hold are asked of a live copy of it: they agree with what is in memory, cost
# nothing the second time, and leave the run and the session as they were.
# takes: 38
. tests/lib.sh
gcc -O1 -Wall -static -o "$WORK/asked" tests/runs/asked/asked.c || fail 'asked.c does not compile'
cat >"$WORK/asked.yaml" <<END
polecat: 1
name: asked
nodes:
  asker: {workload: {binary: asked}, command: [/asked]}
properties:
  - {id: ready, eventually: {node: asker, line: ready}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
END
expect 0 "$POLECAT" run "$WORK/asked.yaml" --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
sums() { (cd "$run" && sha256sum -- *); }
sums >"$WORK/before"
ask() { # COMMAND...: in one session where the program is ready; what each said is $WORK/said/1 ...
	debugs 0 prop:ready "$@"
	rm -rf "$WORK/said"
	mkdir "$WORK/said"
	awk -v dir="$WORK/said" '/^> /{n++} {print >(dir "/" n - 1)}' "$WORK/out"
}
tells() { # N TEXT: command N said the line TEXT
	grep -qxF -- "$2" "$WORK/said/$1" || { cat "$WORK/out"; fail "command $1 does not say: $2"; }
}
asked='(asked a live copy of the machine)'

# /proc against `ps`, by its own pid, that of `ps`, and through the machine below; the second time it comes from what is known.
ask ps digest 'cat asker:/proc/self/stat' 'cat asker:/proc/uptime' 'cat asker:/proc/uptime' 'ls asker:/proc' digest
read -r pid inside parent _ < <(awk '{sub(/^[* ]/, "")} $7 == "/node-0"' "$WORK/said/1")
inner=$(sed -n 's/^\([0-9]*\) (odd\\e\[2Jname) S .*/\1/p' "$WORK/said/3")
[ "$inner" = "$inside" ] || { cat "$WORK/out"; fail "process $pid of $parent is $inside in its node, not '$inner'"; }
tells 3 "$asked"
same <(tail -n +2 "$WORK/said/4") <(tail -n +2 "$WORK/said/5")
same <(grep memory "$WORK/said/2") <(grep memory "$WORK/said/7")
same <(grep registers "$WORK/said/2") <(grep registers "$WORK/said/7")
tells 6 "d0555     0          0 $inner"
grep -q ' uptime$' "$WORK/said/6" || { cat "$WORK/said/6"; fail 'no uptime in /proc'; }
# The supervisor, the program, its child: whoever asks is not listed.
[ "$(grep -cE ' [0-9]+$' "$WORK/said/6")" = 4 ] || { cat "$WORK/said/6"; fail 'processes in /proc'; }

# What is known needs no live copy, which there cannot be any more: its directory would be beside the run's.
mkfifo "$WORK/commands"
"$POLECAT" debug "$run" --at prop:ready --json <"$WORK/commands" >"$WORK/session" 2>"$WORK/session.err" &
session=$!
exec 5>"$WORK/commands"
line() { # N COMMAND PATTERN: the session's answer number N
	printf '%s\n' "$2" >&5
	answered() { [ "$(wc -l <"$WORK/session")" -ge "$1" ]; }
	until_true answered "$1" || { cat "$WORK"/session*; fail "no answer to $2"; }
	sed -n "$1p" "$WORK/session" >"$WORK/out"
	says "$3"
}
line 2 'cat asker:/proc/uptime' '"ok":true,.*"asked":true,"output":"[0-9.]+ [0-9.]+.n.asked'
mv "$WORK/runs" "$WORK/away"
: >"$WORK/runs"
line 3 'cat asker:/proc/uptime' '"ok":true,.*"asked":true,"output":"[0-9.]+ [0-9.]+.n.asked'
# What failed is answered at once as well: whoever asks may wait for it before asking again.
line 4 'ps kernel' '"ok":false'
exec 5>&-
wait "$session"
[ $? = 4 ] || fail 'the session'
rm "$WORK/runs"
mv "$WORK/away" "$WORK/runs"
same <(sed -n '2s/.*"ok"/"ok"/p' "$WORK/session") <(sed -n '3s/.*"ok"/"ok"/p' "$WORK/session")

# Through a link, in the machine below, of a pipe; and what is in memory is not asked for.
ask "cat $pid:/proc/self/comm" 'cat asker:/tmp/me' "cat 1:/proc/$pid/status" 'cat asker:/tmp/fifo' 'cat asker:/etc/hostname' 'ls asker:/tmp' 'cat asker:/dev/zero'
tells 1 'odd\e[2Jname'
tells 2 'odd\e[2Jname'
tells 2 "$asked"
tells 3 "Pid:\\t$pid"
tells 3 "PPid:\\t$parent"
tells 3 'Threads:\t1'
tells 4 'it waits'
tells 4 "(it did not end within 2 s of the machine's time: that is what came until then)"
tells 5 asker
grep -q asked "$WORK/said/5" "$WORK/said/6" && { cat "$WORK/out"; fail 'memory has it'; }
tells 7 '(cut after 1 MiB)'

# What there is not, and what cannot be meant.
refused() { # PATTERN COMMAND...
	local pattern=$1
	shift
	expect 4 "$POLECAT" debug "$run" --at prop:ready "$@"
	says "$pattern"
}
refused '^polecat: /proc/self/nothing: No such file|^polecat: /proc/[0-9]+/nothing: No such file or directory \(asked a live copy' -e 'cat asker:/proc/self/nothing'
refused "process $pid is $inner in its node: expected /proc/$inner, or $pid:/proc/self\$" -e "cat asker:/proc/$pid/status"
refused '^polecat: /tmp/nothing: there is no "nothing"$' -e 'cat asker:/tmp/nothing'
child=$("$POLECAT" debug "$run" --at prop:ready -e ps | awk -v parent="$pid" '{sub(/^[* ]/, "")} $3 == parent {print $1}')
refused 'the process has a root directory of its own, and only memory is looked at: it is no regular file' -e "cat $child:/fifo"
expect 0 "$POLECAT" debug "$run" --at prop:ready --json -e 'cat asker:/proc/version' -e 'cat asker:/etc/hosts'
says '"command":"cat asker:/proc/version","ok":true,.*"asked":true,"output":"Linux version '
says '"command":"cat asker:/etc/hosts","ok":true,.*"asked":false,'

# At the end the node has no process: the live copy leaves before that, or is of what is left.
expect 0 "$POLECAT" debug "$run" --at end -e 'cat asker:/proc/version' -e 'ls asker:/'
says '^\(asked a live copy of the machine from ev:[0-9]+ on: the run ends here\)$'
expect 4 "$POLECAT" debug "$run" --at end -e 'cat asker:/proc/self/comm'
says '/proc/self is whoever reads it, and the node has no process here: expected /proc/PID/comm'

# Stopped on request: nothing is left, as nothing was of all the others.
"$POLECAT" debug "$run" --at prop:ready -e 'ls asker:/proc' >"$WORK/stopped" 2>&1 &
stopped=$!
until_true grep -q '^recording' "$WORK/stopped" || fail 'it does not record'
kill -TERM $stopped
wait $stopped
[ $? = 5 ] || { cat "$WORK/stopped"; fail 'it was not cancelled'; }
sums >"$WORK/after"
same "$WORK/before" "$WORK/after"
[ "$(find "$WORK/runs" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || { ls -la "$WORK/runs"; fail 'a live copy was kept'; }
