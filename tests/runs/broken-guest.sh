#!/bin/bash
# A guest kernel that panics, an agent that fails, stops, hangs or says nonsense, a process killed for lack of memory: each is
# told apart from a property that fails, and what can be a run is one that replays.
# limit: 600
# takes: 78
. tests/lib.sh
cat >"$WORK/s.yaml" <<Y
polecat: 1
name: broken
nodes:
  a: {workload: {binary: $PWD/build/workloads/spew}, command: [/spew, "0"]}
properties: [{id: ends, eventually: {node: a, exited: 0}}]
limits: {wall: 120s, vtime: 24h, instructions: 1000G}
Y
build() {
	musl-gcc -static -Os -std=c11 -D_GNU_SOURCE -DMODE="$1" -I. -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu \
		-o "$WORK/$1" tests/tools/bad-agent.c agent/boot.c agent/outbox.c agent/port.c agent/sysfile.c agent/why.c agent/wire.c \
		-Wl,--gc-sections 2>"$WORK/cc" || { cat "$WORK/cc"; fail "bad-agent does not build"; }
	export POLECAT_AGENT=$WORK/$1
}
run_ends() { # STATUS REASON WHY
	expect "$1" "$POLECAT" run "$WORK/s.yaml" --runs "$WORK/runs"
	tail -n 1 "$WORK"/runs/2*/events.jsonl | grep -q "\"reason\":\"$2\",\"why\":\".*$3" ||
		fail "run.end is $(tail -n 1 "$WORK"/runs/2*/events.jsonl)"
	expect 0 "$POLECAT" replay last --runs "$WORK/runs"
	says '^identical'
	rm -rf "$WORK/runs"
}
run_fails() { # WHY
	expect 5 "$POLECAT" run "$WORK/s.yaml" --runs "$WORK/runs"
	says "$1"
	grep -q "$1" "$WORK"/runs/*.failed/failure.json || fail "no failure bundle"
	[ "$(find "$WORK/runs" -size +65k)" = "" ] || fail "a failure bundle is large"
	rm -rf "$WORK/runs"
}
build panic
run_ends 2 guest_panic 'Attempted to kill init'
build crash
run_ends 2 agent_failed 'it has had enough'
build silent
run_fails 'stopped without saying why'
build garbage
run_fails 'no frame starts here'
build hang
sed -i 's/wall: 120s/wall: 5s/' "$WORK/s.yaml" # which only this one may reach
run_fails 'watchdog'
unset POLECAT_AGENT

# Out of memory is the guest's own affair: an event, and a property can speak of it.
cat >"$WORK/oom.yaml" <<Y
polecat: 1
name: oom
nodes:
  a:
    workload: {rootfs: $PWD/build/workloads/httpd}
    command: [/bin/busybox, sh, -c, 'x=aaaaaaaaaaaaaaaa; while true; do x=\$x\$x; done']
properties: [{id: enough-memory, never: {event: proc.oom}}]
Y
expect 1 "$POLECAT" run "$WORK/oom.yaml" --runs "$WORK/runs"
says 'fail +enough-memory'
