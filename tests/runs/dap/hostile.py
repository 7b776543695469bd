"""Moves that are stopped, requests of every wrong form, and clients that leave in the middle."""
import json
import os
import signal
import subprocess
import sys

from client import Client, line_of

command = sys.argv[1:]
source = {"path": "tests/workloads/counter.c"}
never = {"line": line_of(source["path"], "next = seen + 1"), "condition": "c->total * 1.5 == -1"}


def begin():
    c = Client(*command)
    c.start()
    c.ask("setBreakpoints", source=source, breakpoints=[never])
    c.configured()
    return c


def long_move(c, request="continue"):
    """Something that goes on for long: until it is told that it does."""
    number = c.send(request, threadId=c.thread)
    assert c.wait(number)["success"]
    return number, c.event("progressStart")


c = begin()
first = c.icount()

# It is answered at once, and ends where nothing was found up to.
_, progress = long_move(c)
assert progress["cancellable"] and progress["requestId"], progress
c.ask("pause", threadId=c.thread)
assert c.event("progressEnd")["progressId"] == progress["progressId"]
c.stopped("pause")

# By the number of the progress, or of the request; a request that waits behind it has not been made.
_, progress = long_move(c)
c.ask("cancel", progressId=progress["progressId"])
c.stopped("pause")
number, _ = long_move(c)
waiting = c.send("stackTrace", threadId=c.thread)
assert c.wait(c.send("cancel", requestId=waiting))["success"]
assert c.wait(waiting)["message"] == "cancelled"
c.ask("cancel", requestId=number)
c.stopped("pause")
assert "nothing of that number" in c.refused("cancel", requestId=number)
assert "nothing of that number" in c.refused("cancel", progressId="move-1")
assert c.ask("pause") == {}

# Questions of every wrong form are answered with a sentence each, and the session goes on.
commands = ["initialize", "launch", "setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints",
            "setExceptionBreakpoints", "dataBreakpointInfo", "breakpointLocations", "threads", "stackTrace", "scopes", "variables",
            "evaluate", "completions", "exceptionInfo", "source", "loadedSources", "modules", "readMemory", "disassemble",
            "gotoTargets", "goto", "restartFrame", "cancel", "pause", "next", "stepIn", "stepOut", "stepBack", "fly", "", "\n\x1b[31m"]
wrong = [None, [], {}, 3, "x", {"threadId": -1, "frameId": -1, "line": -1, "variablesReference": -1, "start": -1, "count": -1},
         {"threadId": 10**30, "frameId": 10**18, "source": [], "breakpoints": {}, "line": 2**63 - 1, "name": [], "expression": 7},
         {"source": {"path": "x" * 5000}, "breakpoints": [None, 3, [], {"line": "x"}, {"line": 1, "condition": "(" * 900}],
          "expression": "(" * 2000, "text": "\u202e", "column": 2**40, "memoryReference": "0x" + "f" * 40, "count": 2**50,
          "instructionCount": 2**50, "offset": -2**62, "line": 10**9, "endLine": 10**9, "name": "*" * 900, "filters": [[]],
          "dataId": "1:2:3", "targetId": 0.5, "variablesReference": 1, "context": {}, "granularity": "atom"}]
slow = {"next", "stepIn", "stepOut", "stepBack"}
for name in commands:
    for arguments in wrong:
        if name in slow and not (isinstance(arguments, dict) and arguments):
            continue
        c.seq += 1
        body = json.dumps({"seq": c.seq, "type": "request", "command": name, "arguments": arguments}).encode()
        c.write(b"Content-Length: %d\r\nX-Other: 1\r\n\r\n" % len(body) + body)
        answer = c.wait(c.seq)
        assert answer["command"] == name, answer
        if name == "launch" and answer["success"]:
            c.event("initialized")
c.ask("launch")
c.event("initialized")
c.ask("setBreakpoints", source=source, breakpoints=[never])
c.configured()
where = c.icount()
assert where == first, (where, first)

# A response to nothing is nothing. More requests than wait at once are all answered.
body = b'{"seq":1,"type":"response","request_seq":7,"command":"runInTerminal","success":true}'
c.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
long_move(c)
numbers = [c.send("threads") for _ in range(200)]
c.ask("pause")
for number in numbers + [c.send("threads") for _ in range(600)]:
    assert c.wait(number)["success"]

# Leaving in the middle of a move.
long_move(c)
c.send("disconnect")
c.adapter.stdin.close()
assert c.adapter.wait() == 0

c = begin()
long_move(c)
c.adapter.stdin.close()
assert c.adapter.wait() == 0

c = begin()
long_move(c)
os.kill(c.adapter.pid, signal.SIGTERM)
assert c.adapter.wait() != 0


# What is no client, or stops in the middle of a word.
def talk(data):
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        out, err = p.communicate(data)
    return p.returncode, out, err.decode()


hello = b'{"seq":1,"type":"request","command":"initialize"}'
framed = b"Content-Length: %d\r\n\r\n" % len(hello) + hello
for data, status, says in [(b"Content-Length: 99999999999999999999\r\n\r\n", 4, "a number"), (b"Content-Length: 1048577\r\n\r\n", 4, "more than"), (b"Content-Length: -1\r\n\r\n", 4, "a number"),
                           (b"x" * 5000, 4, "at most 1024 bytes"), (framed + b"Content-Length: 2\r\n\r\n[]", 4, "with a command"),
                           (b"Content-Length: 3\r\n\r\n{a}", 4, "the client's message:1:"), (framed + framed[:30], 0, ""),
                           (framed + b'Content-Length: 24\r\n\r\n{"seq":2,"type":"event"}', 4, "with a command")]:
    got = talk(data)
    assert got[0] == status and says in got[2], (data[:60], got)
print("hostile: as it should be")
