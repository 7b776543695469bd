#!/bin/bash
# Looking around when a run is over: a fork of its last instants, of a run that a limit of ours cut, and of a program that leaves
# the processor to nobody; what cannot go on says why.
# limit: 600
# takes: 54
. tests/lib.sh
# scenario NAME LIMITS COMMAND
scenario() {
	cat >"$WORK/$1.yaml" <<Y
polecat: 1
name: $1
nodes:
  a: {workload: {rootfs: $PWD/build/workloads/httpd}, command: [/bin/busybox, sh, -c, '$3'], disk: {size: 8MiB}}
faults: [{stop: a, for: 100ms, after: {lines: 2..9, of: a}}]
properties: [{id: ends, eventually: {node: a, exited: 0}}]
limits: {$2}
Y
	"$POLECAT" run "$WORK/$1.yaml" --seed 1 --runs "$WORK/$1" >"$WORK/out" 2>&1
	run=$(echo "$WORK/$1"/2*)
	[ -d "$run" ] || { cat "$WORK/out"; fail "no run of $1"; }
}
kind() { # the number of the first event of a kind
	sed -n "s/^{\"seq\":\([0-9]*\),.*\"kind\":\"$1\".*/\1/p" "$run/events.jsonl" | head -1
}
last() {
	sed -n 's/^  "icount": \([0-9]*\),$/\1/p' "$run/manifest.json"
}
# at MOMENT STATUS COMMAND: what it prints is in $WORK/out; the fork replays.
at() {
	expect "$2" "$POLECAT" fork "$run" --at "$1" -- sh -c "$3"
	[ "$2" = 4 ] && return
	fork=$(sed -n 's/^recorded as //p' "$WORK/out")
	cp "$WORK/out" "$WORK/kept"
	expect 0 "$POLECAT" replay "$fork"
	says '^identical'
	cp "$WORK/kept" "$WORK/out"
}

# A hung program that the limit of time ends: alive when the run is ending, and killed at its end; what it wrote stays.
scenario hung 'vtime: 1s' 'echo ready; echo kept >/data/log; sleep 1000; echo never'
at "ev:$(kind run.ending)" 0 'cat /proc/[0-9]*/cmdline | tr "\0" " "; echo; cat /data/log'
says 'sleep 1000'
says '^kept$'
at end 0 'cat /proc/[0-9]*/cmdline | tr "\0" " "; echo; cat /data/log'
says "^the run ends there: this went on from ev:$(($(kind run.end) - 1)), its last event before\$"
grep -q 'sleep 1000' "$WORK/out" && fail 'a killed program is alive'
says '^kept$'
at $(($(last) - 1)) 0 'cat /data/log'
says '^the run ends there'
says '^kept$'
at "ev:$(kind node.exited)" 0 'cat /data/log'
says '^kept$'
expect 4 "$POLECAT" fork "$run" --at end --plan-from 2
says "the run is ending here \(ev:$(kind run.ending)\), and no fault happens any more"
# The place of a moment long after its event has a time of its own, between two ends where programs sleep.
ending=$(sed -n "$(kind run.ending)s/.*\"icount\":\([0-9]*\),.*/\1/p" "$run/events.jsonl")
expect 0 "$POLECAT" debug "$run" --at $((ending - 20000)) \
	-e ps
says '^at .*\), t 0\.0[0-9]* to (0\.99|1\.00)[0-9]* s$'
says 'sleep 1000$'
# From within a session, which stays at the end.
expect 0 "$POLECAT" debug "$run" --at end -e digest -e 'fork @a cat /data/log' -e digest -e here
says '^kept$'
says '^\(the run ends here: this went on from ev:[0-9]*, its last event before\)$'
says '^at .*, the end$'
[ "$(grep -E '^(registers|memory) ' "$WORK/out" | sort | uniq -c | awk '$1 == 2' | wc -l)" = 2 ] ||
	{ cat "$WORK/out"; fail 'the session moved'; }
# A fork has an end as well.
run=$fork
at end 0 'cat /data/log; echo again'
says '^again$'
says '^kept$'

# A program that computes from its start to its end, within one slice of the processor: the visitor comes in spite of it.
scenario busy 'vtime: 60s' 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo $i'
at "ev:$(kind run.start)" 0 'echo visited'
says '^visited$'
at "ev:$(kind node.ready)" 0 'echo visited'
says '^visited$'
at "ev:$(kind io.line)" 0 'echo visited'
says '^visited$'
# Whoever is in a node when its command ends stays there.
expect 0 "$POLECAT" fork "$run" --at "ev:$(kind node.ready)" --node a --keep none -- sh -c 'sleep 10; echo stayed'
says '^stayed$'

# A stopped node stays stopped while somebody looks at it.
scenario stopped 'vtime: 60s' 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i; echo $i >>/data/log; done'
at "ev:$(kind fault.observed)" 0 'cat /data/log | wc -l; sleep 0.05; cat /data/log | wc -l'
{ [ "$(grep -cE '^[0-9]+$' "$WORK/out")" = 2 ] && [ "$(grep -E '^[0-9]+$' "$WORK/out" | sort -u | wc -l)" = 1 ]; } ||
	{ cat "$WORK/out"; fail 'it went on'; }

# A limit of ours ended these, their machines know nothing of that.
for limit in 'events: 40' 'bytes: 1KiB' 'instructions: 20M'; do
	scenario "cut-${limit%%:*}" "$limit" 'i=0; while true; do i=$((i+1)); echo line $i; done'
	at end 0 'echo visited'
	says '^visited$'
	grep -q 'the run ends there' "$WORK/out" && fail 'it does not end there'
	expect 4 "$POLECAT" fork "$run" --at end --plan-from 2
	says 'the run was cut here by its limit'
done
exit 0
