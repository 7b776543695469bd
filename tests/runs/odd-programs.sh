#!/bin/bash
# Programs that do what they ought not to: reach for the machine, leave orphans, kill everything, close their output, ignore
# SIGTERM. The agent says what happened, and the other nodes are none the worse.
# limit: 300
. tests/lib.sh
odd="{binary: $PWD/build/workloads/odd}"
rootfs=$PWD/build/workloads/httpd
cat >"$WORK/s.yaml" <<Y
polecat: 1
name: odd
nodes:
  reach: {workload: $odd, command: [/odd, reach-out]}
  orphan: {workload: $odd, command: [/odd, leave-orphan]}
  killer: {workload: $odd, command: [/odd, kill-all]}
  closer: {workload: $odd, command: [/odd, close-output]}
  opener: {workload: $odd, command: [/odd, reopen-output], user: "1000:1000"}
  deaf: {workload: $odd, command: [/odd, ignore-term], ready: {line: ready}, restart: never}
  frozen: {workload: $odd, command: [/odd, ignore-term], ready: {line: ready}, restart: after-fault}
  teller:
    workload: {rootfs: $rootfs}
    command: [busybox, sh, -c, 'i=0; while [ \$i -lt 40 ]; do i=\$((i+1)); busybox printf %01000d 7; done >\$POLECAT_EVENTS;
      echo >\$POLECAT_EVENTS; echo whole >\$POLECAT_EVENTS; busybox printf rest >\$POLECAT_EVENTS']
    after: []
  witness: {workload: {rootfs: $rootfs}, command: [busybox, sleep, "3"]}
until: {exited: witness}
faults:
  - {kill: deaf, signal: SIGTERM, after: {ready: deaf}}
  - {restart: deaf, grace: 100ms, after: {ready: deaf}, delay: 10ms}
  - {stop: frozen, for: 60s, after: {ready: frozen}}
  - {kill: frozen, after: {fault: 'stop#1', stage: observed}, delay: 20ms}
properties: [{id: ends, eventually: {node: witness, exited: 0}}]
limits: {vtime: 60s}
Y
expect 0 "$POLECAT" run "$WORK/s.yaml" --runs "$WORK/runs"
events=$(ls "$WORK"/runs/2*/events.jsonl)
has() { grep -qE -- "$1" "$events" || { cat "$events"; fail "no event: $1"; }; }
for what in port iopl mknod mount sysctl clock reboot chroot; do
	has "\"node\":\"reach\",\"kind\":\"io.line\",.*\"text\":\"$what: refused\""
done
has '"node":"reach","kind":"node.exited","inv":1,"exit":0,'
has '"node":"orphan","kind":"node.exited","inv":1,"exit":3,'
has '"node":"orphan","kind":"node.cleaned"'
has '"node":"killer","kind":"node.exited","inv":1,"signal":"SIGKILL",'
has '"node":"closer","kind":"node.exited","inv":1,"exit":4,"out_bytes":0,'
has '"node":"opener","kind":"io.line",.*"text":"through /dev/stdout"'
# SIGTERM was ignored, the restart's grace ended it: both faults were observed with that, and healed by the new start.
has '"fault":"kill#1","type":"kill","inv":1,"why":"it was ended by signal 9"'
has '"node":"deaf","kind":"node.started","inv":2'
has '"kind":"fault.healed","fault":"restart#1"'
# What is frozen can still be killed, and the next start is not frozen.
has '"kind":"fault.healed","fault":"stop#1","type":"stop","inv":1,"why":"the invocation ended"'
has '"node":"frozen","kind":"node.ready","inv":2'
# The events file: a line too long is cut, one without an end is taken when the command ends.
has '"node":"teller","kind":"user.event","inv":1,"text":"whole"'
has '"node":"teller","kind":"user.event","inv":1,"text":"rest"'
[ "$(grep '"node":"teller","kind":"user.event"' "$events" | head -n 1 | wc -c)" -lt 33000 ] || fail "a line of events was not cut"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
says '^identical'
