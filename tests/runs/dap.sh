#!/bin/bash
# A scripted client of the Debug Adapter Protocol goes through a run both ways: breakpoints by line and by function, the stack,
# variables, steps, the console, and mistakes.
# limit: 120
. tests/lib.sh
expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/*)
cat >"$WORK/client.py" <<'END'
import json, subprocess, sys

adapter = subprocess.Popen([sys.argv[1], "debug", sys.argv[2], "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
seq, events = 0, []

def send(command, arguments):
    global seq
    seq += 1
    body = json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode()
    adapter.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    adapter.stdin.flush()
    return seq

def receive():
    length = 0
    while True:
        line = adapter.stdout.readline()
        assert line, "the adapter ended"
        if line == b"\r\n":
            return json.loads(adapter.stdout.read(length))
        name, value = line.split(b":")
        assert name == b"Content-Length", line
        length = int(value)

def wait(number):
    while True:
        m = receive()
        if m["type"] == "event":
            events.append(m)
        elif m["request_seq"] == number:
            return m

def ask(command, **arguments):
    m = wait(send(command, arguments))
    assert m["success"], m
    return m["body"]

def refused(command, **arguments):
    m = wait(send(command, arguments))
    assert not m["success"], m
    return m["message"]

def event(name):
    while True:
        while events:
            m = events.pop(0)
            if m["event"] == name:
                return m["body"]
        m = receive()
        assert m["type"] == "event", m
        events.append(m)

def move(command, why, **arguments):
    ask(command, threadId=thread, **arguments)
    body = event("stopped")
    assert body["reason"] == why, body
    return body

def top():
    return ask("stackTrace", threadId=thread)["stackFrames"]

def icount():
    return ask("evaluate", expression="here", context="repl")["result"].split(" (")[0]

source = {"path": "tests/workloads/counter.c"}
assert ask("initialize", adapterID="polecat")["supportsStepBack"]
assert "launch" in refused("threads")
ask("launch", program="counter")
event("initialized")
lines = [n for n, text in enumerate(open(source["path"]), 1) if "next = seen + 1" in text]
points = ask("setBreakpoints", source=source, breakpoints=[{"line": lines[0]}, {"line": 9999}])["breakpoints"]
assert [p["verified"] for p in points] == [True, False] and points[1]["message"], points
assert ask("setFunctionBreakpoints", breakpoints=[{"name": "main"}])["breakpoints"][0]["verified"]
ask("configurationDone")
thread = event("stopped")["threadId"]
assert len(ask("threads")["threads"]) == 1

move("continue", "function breakpoint")
assert top()[0]["name"] == "main", top()
thread = move("continue", "breakpoint")["threadId"]
frames = top()
assert [f["name"] for f in frames[:2]] == ["add_one", "add_all"] or frames[0]["line"] == lines[0], frames
assert frames[0]["line"] == lines[0] and frames[0]["source"]["path"].endswith("tests/workloads/counter.c"), frames
assert len(ask("threads")["threads"]) >= 2
scopes = {s["name"]: s["variablesReference"] for s in ask("scopes", frameId=frames[0]["id"])["scopes"]}
assert sorted(scopes) == ["Arguments", "Globals", "Locals", "Registers"], scopes
variables = {name: [v["name"] for v in ask("variables", variablesReference=number)["variables"]] for name, number in scopes.items()}
assert variables["Arguments"] == ["c"] and "counter" in variables["Globals"] and "rip" in variables["Registers"], variables
assert ask("evaluate", expression="counter.total", context="hover", frameId=frames[0]["id"])["result"] == "0"
assert "nobody" in refused("evaluate", expression="nobody", context="watch", frameId=frames[0]["id"])

# Forward and back by instructions, by lines, by breakpoints: the same place again.
first = icount()
for i in range(3):
    move("next", "step", granularity="instruction")
assert icount() != first
for i in range(3):
    move("stepBack", "step", granularity="instruction")
assert icount() == first
move("continue", "breakpoint")
assert icount() != first
move("reverseContinue", "breakpoint")
assert icount() == first
move("next", "step")
assert top()[0]["line"] != lines[0]
move("stepBack", "step")
move("stepIn", "step")
move("stepOut", "breakpoint")
ask("setBreakpoints", source=source, breakpoints=[])
move("stepOut", "step")
assert top()[0]["name"] != "add_one", top()
ask("evaluate", expression="goto ev:4", context="repl")
assert event("stopped")["reason"] == "goto"
assert "there is no command" in refused("evaluate", expression="xyzzy", context="repl")

# Its end and its begin are places.
ask("setBreakpoints", source=source, breakpoints=[])
ask("setFunctionBreakpoints", breakpoints=[])
move("continue", "exit")
move("reverseContinue", "entry")
ask("pause", threadId=thread)
assert "no request" in refused("fly")
assert "no variablesReference" in refused("variables", variablesReference=77)
ask("disconnect")
assert adapter.wait() == 0
print("all as it should be")
END
expect 0 timeout 90 python3 "$WORK/client.py" "$POLECAT" "$run"
says '^all as it should be$'

# ---- what is no client -------------------------------------------------------------------------------------------
printf 'hello\r\n\r\n' | "$POLECAT" debug "$run" --dap >"$WORK/out" 2>&1
[ "${PIPESTATUS[1]}" = 4 ] || { cat "$WORK/out"; fail "it takes anything"; }
says 'not DAP: expected a header with Content-Length'
printf 'Content-Length: 2\r\n\r\n[]' | "$POLECAT" debug "$run" --dap >"$WORK/out" 2>&1
[ "${PIPESTATUS[1]}" = 4 ] || { cat "$WORK/out"; fail "it takes any JSON"; }
says 'expected a request with a command'
# An editor shows what its request is answered with, not what stands on standard error.
printf 'Content-Length: 49\r\n\r\n{"seq":1,"type":"request","command":"initialize"}' |
	"$POLECAT" debug "$WORK/nothing" --dap >"$WORK/out" 2>"$WORK/errors"
[ "${PIPESTATUS[1]}" = 4 ] || { cat "$WORK/out" "$WORK/errors"; fail "there is no such run"; }
says '"message":"[^"]*nothing'
"$POLECAT" debug "$run" --dap </dev/null >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "a client that is gone is no mistake"; }
exit 0
