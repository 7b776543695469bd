#!/bin/bash
# What a node is: a computer of its own. Names, addresses, processes, users, environments, files and disks are as the scenario
# says, the same in every start, and nothing of one node or of the agent shows in another.
# limit: 400
# takes: 40
. tests/lib.sh
rootfs=$PWD/build/workloads/httpd
lines() { # NODE: the lines of its output, in order
	python3 - "$1" "$WORK"/runs/2*/events.jsonl <<'P'
import json, sys
for line in open(sys.argv[2]):
    e = json.loads(line)
    if e["kind"] == "io.line" and e["node"] == sys.argv[1]:
        print(e["stream"], e["text"] if "text" in e else e["hex"])
P
}
has() { lines "$1" | grep -qxF -- "$2" || { lines "$1"; fail "node $1 does not say: $2"; }; }

# One node that looks around.
cat >"$WORK/look.sh" <<'S'
echo "host $(busybox hostname) $(busybox id -u):$(busybox id -g) in $PWD"
echo "args $# $1 $2"
busybox env | busybox sort | busybox sed 's/^/env /'
for fd in /proc/self/fd/*; do echo "fd ${fd##*/}"; done
busybox grep NoNewPrivs /proc/self/status
for p in /proc/[0-9]*; do read -r comm <"$p/comm"; echo "process ${p#/proc/} $comm"; done
echo "parent $PPID"
echo mine >/tmp/file && busybox cat /tmp/file
[ -e /polecat ] && echo "the agent's files show"
echo "date $(busybox date +%Y)"
echo "to stderr" >&2
busybox printf 'no end'
S
cat >"$WORK/a.yaml" <<Y
polecat: 1
name: look
nodes:
  looker:
    workload: {rootfs: $rootfs}
    command: [busybox, sh, -c, '$(sed "s/'/''/g" "$WORK/look.sh" | awk '{printf "%s\n\n      ", $0}')', one, two words, "three"]
    env: {GREETING: hello there}
    user: "1000:1001"
    cwd: /www
properties: [{id: ends, eventually: {node: looker, exited: 0}}]
Y
expect 0 "$POLECAT" run "$WORK/a.yaml" --runs "$WORK/runs"
has looker "out host looker 1000:1001 in /www"
has looker "out args 2 two words three"
has looker "out env GREETING=hello there"
has looker "out NoNewPrivs:	1"
has looker "out mine"
has looker "out date 2020"
has looker "err to stderr"
has looker "out no end"
lines looker | grep -E '^out parent 1$' && fail "the command's parent is PID 1"
[ "$(lines looker | grep -cE '^out process ')" -le 6 ] || fail "other nodes' processes show: $(lines looker)"
lines looker | grep 'agent.s files' && fail "the agent's files show"
lines looker | grep -E '^out fd ' | grep -vE '^out fd [0-3]$|^out fd \*$' && fail "descriptors are inherited"
rm -rf "$WORK/runs"

# Sixteen nodes find each other by name, over TCP; each has a start of its own.
{
	printf 'polecat: 1\nname: sixteen\nmachine: {memory: 256MiB}\nnodes:\n'
	printf '  n1: {workload: {rootfs: %s}, command: [busybox, httpd, -f, -p, "80", -h, /www], ready: {port: 80}}\n' "$rootfs"
	for i in $(seq 2 16); do
		printf '  n%d: {workload: {binary: build/workloads/httpget}, command: [/httpget, n1, "80", /, "2"]}\n' "$i" |
			sed "s,build/workloads,$PWD/build/workloads,"
	done
	printf 'properties:\n'
	for i in $(seq 2 16); do printf '  - {id: n%d-fetches, eventually: {node: n%d, exited: 0}, within: 20s}\n' "$i" "$i"; done
} >"$WORK/b.yaml"
expect 0 "$POLECAT" run "$WORK/b.yaml" --runs "$WORK/runs"
[ "$(grep -c '"kind":"node.exited"' "$WORK"/runs/2*/events.jsonl)" = 16 ] || fail "not sixteen nodes"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
rm -rf "$WORK/runs"

# Restarts: a fresh root every time, a disk that stays, standard input as planned, stop and restart faults with all stages.
cat >"$WORK/c.yaml" <<Y
polecat: 1
name: again
nodes:
  worker:
    workload: {rootfs: $rootfs}
    command: [busybox, sh, -c, 'read -r word; echo "read \$word"; [ -e /tmp/seen ] && echo "root is not fresh"; echo x >/tmp/seen;
      echo x >>/data/starts; echo "start \$(busybox wc -l </data/starts)"; busybox sleep 1000']
    restart: after-fault
    disk: {size: 4MiB}
    stdin: "ping\n"
  chatter:
    workload: {rootfs: $rootfs}
    command: [busybox, sh, -c, 'i=0; while [ \$i -lt 40 ]; do i=\$((i+1)); echo "tick \$i"; busybox sleep 0.05; done']
  teller:
    workload: {rootfs: $rootfs}
    command: [busybox, sh, -c, 'echo "{\"custom\":1}" >>\$POLECAT_EVENTS; busybox cat; echo told']
    stdin: [{text: "a", delay: 10ms}, {text: "b\n", delay: 20ms}]
until: {exited: [chatter, teller]}
faults:
  - {kill: worker, signal: SIGTERM, after: {lines: 3, of: chatter}}
  - {restart: worker, after: {lines: 12, of: chatter}}
  - {stop: chatter, for: 300ms, after: {lines: 20, of: chatter}}
  - {kill: teller, after: {lines: 1000, of: chatter}}
properties:
  - {id: three-starts, sometimes: {event: node.started, node: worker, nth: 3}}
  - {id: fresh, never: {node: worker, line: not fresh}}
  - {id: disk-stays, sometimes: {node: worker, line: '^start 3$'}}
  - {id: stop-heals, eventually: {fault: stop, stage: healed}, within: 20s}
  - {id: chatter-ends, eventually: {node: chatter, exited: 0}, within: 20s}
Y
expect 0 "$POLECAT" run "$WORK/c.yaml" --runs "$WORK/runs"
[ "$(lines worker | grep -cxF 'out read ping')" = 3 ] || fail "standard input: $(lines worker)"
has teller "out ab"
has teller "out told"
events=$(ls "$WORK"/runs/2*/events.jsonl)
for id in kill#1 restart#1 stop#1; do
	for stage in selected applied observed healed; do
		grep -q "\"kind\":\"fault.$stage\",\"fault\":\"$id\"" "$events" || { grep fault "$events"; fail "$id is never $stage"; }
	done
done
grep -q '"kind":"fault.rejected","fault":"kill#2"' "$events" || fail "a fault that never came is not rejected"
grep -q '"kind":"user.event".*custom' "$events" || fail "no user event"
expect 0 "$POLECAT" verify "$WORK/c.yaml" --runs "$WORK/again"
says '^seed-reproducible'
# Launch failures have a step and an errno.
cat >"$WORK/d.yaml" <<Y
polecat: 1
name: nothing
nodes:
  a:
    workload: {rootfs: $rootfs}
    command: [/no/such/program]
properties: [{id: ends, eventually: {node: a, exited: 0}}]
Y
"$POLECAT" run "$WORK/d.yaml" --runs "$WORK/d" >"$WORK/out" 2>&1
grep -q '"kind":"node.launch_failed".*"errno":"ENOENT"' "$WORK"/d/2*/events.jsonl || { cat "$WORK/out"; fail "no launch failure"; }
