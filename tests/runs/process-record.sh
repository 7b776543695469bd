#!/bin/bash
# The process table at 100 random moments of a recorded run, read out of the guest's memory, is what the agent's own record says:
# which node has which process, from its start to its exit, and nothing is left when it is cleaned.
# limit: 240
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
cat >"$WORK/choose.py" <<'EOF'
import json, random, sys
run, out = sys.argv[1:]
events = [json.loads(line) for line in open(run + "/events.jsonl")]
end = events[-1]["icount"]
random.seed(4)
moments = {random.randrange(end) for _ in range(80)}
# The others are where it matters: at the events themselves, and around them.
record = [e for e in events if e["kind"] in ("node.started", "node.exited", "node.cleaned")]
while len(moments) < 100:
    moments.add(max(0, min(end, random.choice(record)["icount"] + random.choice((-1, 0, 1, 50)))))
with open(out, "w") as f:
    for moment in sorted(moments):
        print("goto", moment, file=f)
        print("ps", file=f)
EOF
expect 0 python3 "$WORK/choose.py" "$run" "$WORK/moments"
expect 0 "$POLECAT" debug "$run" -x "$WORK/moments"
cp "$WORK/out" "$WORK/tables"
cat >"$WORK/check.py" <<'EOF'
import json, re, sys
run, tables = sys.argv[1:]
events = [json.loads(line) for line in open(run + "/events.jsonl")]
nodes = {"server": 0, "client": 1}
LAG = 60000  # instructions between what happens and the agent's having written it down

class Invocation:
    def __init__(self, e):
        self.node, self.pid, self.started = e["node"], e["pid"], e["icount"]
        self.exited = self.may_end = end
        self.last_line = e["icount"]

end = events[-1]["icount"] + 1

invocations = {}
for e in events:
    key = e["node"], e.get("inv")
    if e["kind"] == "node.started":
        invocations[key] = Invocation(e)
    elif e["kind"] == "io.line":
        invocations[key].last_line = e["icount"]
    elif e["kind"] == "node.exited":
        invocations[key].exited = e["icount"]
        if "signal" not in e:  # it ended by itself, after the last that it wrote
            invocations[key].may_end = invocations[key].last_line - LAG
    elif e["kind"] == "run.ending" or (e["kind"] == "fault.applied" and e["type"] == "kill"):
        for i in invocations.values():
            if i.exited == end and e["node"] in ("", i.node):
                i.may_end = min(i.may_end, e["icount"] - LAG)

wrong = alive = dead = moments = 0
def say(*words):
    global wrong
    wrong += 1
    print(*words)

at, table = None, {}
def check():
    global moments, alive, dead
    moments += 1
    for i in invocations.values():
        p = table.get(i.pid)
        group = "/node-%d" % nodes[i.node]
        if at < i.started:
            # Until then it is the agent's child that gets everything ready.
            if p and p["group"] == group and at < i.started - LAG and not p["command"].startswith("/init"):
                say(at, i.node, "runs", p, "before it started")
        elif at < i.exited:
            alive += 1
            if at < i.may_end and not p:
                say(at, i.node, "has no process", i.pid)
            if p and (p["group"] != group or (p["state"] != "Z" and "echo-" + i.node not in p["command"])):
                say(at, i.node, "process", i.pid, "is", p)
            if p and p["state"] == "Z" and at < i.may_end:
                say(at, i.node, "process", i.pid, "has ended too early:", p)
        else:
            dead += 1
            if p:
                say(at, i.node, "process", i.pid, "is still there after its exit:", p)
    for pid, p in table.items():
        if p["group"].startswith("/node-") and not any(
                i.pid == pid and p["group"] == "/node-%d" % nodes[i.node] and at < i.exited for i in invocations.values()):
            say(at, "nobody started", pid, p)

for line in open(tables):
    if m := re.match(r"> goto (\d+)$", line):
        if at is not None:
            check()
        at, table = int(m[1]), {}
    elif m := re.match(r"[* ] *(\d+) +(?:\d+|-) +(\d+) (\S) +(\d+) +\d+ (\S+) +(.*)$", line):
        table[int(m[1])] = {"parent": int(m[2]), "state": m[3], "threads": int(m[4]), "group": m[5], "command": m[6]}
        if m[1] == "1" and "init" not in m[6]:
            say(at, "process 1 is", m[6])
check()
print(moments, "moments,", len(invocations), "invocations,", alive, "times alive,", dead, "times gone,", wrong, "wrong")
# A check that sees nothing proves nothing.
sys.exit(wrong > 0 or moments != 100 or len(invocations) < 3 or alive < 50 or dead < 20)
EOF
expect 0 python3 "$WORK/check.py" "$run" "$WORK/tables"
cat "$WORK/out"
