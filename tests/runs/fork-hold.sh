#!/bin/bash
# A fork whose nodes stand still: a program that is about to exit is there as long as somebody looks, and goes on in a fork that does
# not hold it.
# limit: 300
. tests/lib.sh
runs=$WORK/r
"$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$runs" >"$WORK/out" 2>&1
run=$(echo "$runs"/2*)
fork=
# fork STATUS ARGUMENTS...: its run is $fork, and replays
fork() {
	local wanted=$1
	shift
	expect "$wanted" "$POLECAT" fork "$@"
	fork=$(sed -n 's/^recorded as //p' "$WORK/out")
	cp "$WORK/out" "$WORK/kept"
	expect 0 "$POLECAT" replay "$fork"
	says '^identical'
	cp "$WORK/kept" "$WORK/out"
}
count() { grep -c '^/counter' "$WORK/out"; }

# The counter has told what it lost and exits a moment later.
list='cat /proc/[0-9]*/cmdline | tr "\0" "\n"'
fork 0 "$run" --at prop:nothing-lost -- sh -c "$list"
[ "$(count)" = 0 ] || fail 'the counter did not go on'
fork 0 "$run" --at prop:nothing-lost --hold -- sh -c "$list"
[ "$(count)" = 1 ] || { cat "$WORK/out"; fail 'the counter was not held'; }
held=$fork

# As long as one looks: the state is that of the control group, whatever was going on.
fork 0 "$run" --at prop:nothing-lost --hold --node machine -- sh -c 'sleep 2; cat /sys/fs/cgroup/*/cgroup.events'
says '^frozen 1$'
# A shell that is fed holds them before its first line is read.
printf '%s\n' "$list" 'exit 5' >"$WORK/lines"
"$POLECAT" fork "$run" --at prop:nothing-lost --hold <"$WORK/lines" >"$WORK/out" 2>&1
[ $? = 5 ] || { cat "$WORK/out"; fail 'the shell'; }
[ "$(count)" = 1 ] || { cat "$WORK/out"; fail 'the counter was not held for the shell'; }

# A fork of the held one that does not hold: they go on.
fork 0 "$held" --at end --node machine -- sh -c 'sleep 1; cat /sys/fs/cgroup/*/cgroup.events'
says '^frozen 0$'

# Whoever is among a node's processes outlives them, while the node goes its way: it ends, or is killed and starts again.
fork 0 "$run" --at prop:nothing-lost -- sh -c 'sleep 1; echo still here'
says '^still here$'
expect 0 "$POLECAT" show "$fork" --events
says ' counter +node.cleaned '
"$POLECAT" run scenarios/echo-restart.yaml --seed 1 --runs "$runs/echo" >"$WORK/out" 2>&1
echo=$(echo "$runs/echo"/2*)
fork 0 "$echo" --at ev:4 --node server -- sh -c 'sleep 3; echo outlived'
says '^outlived$'
expect 0 "$POLECAT" show "$fork" --events
says ' server +node.started +invocation 2'

expect 4 "$POLECAT" fork "$run" --at ev:3 --hold --plan-from 2
says 'expected neither a command nor --node nor --hold'
