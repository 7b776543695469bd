"""A client of the Debug Adapter Protocol for tests: asks, waits, and checks the form of everything it is told."""
import json
import os
import re
import subprocess

# Members that each body must have, by the protocol's published schema.
REQUIRED = {
    "stopped": ["reason"], "output": ["output"], "breakpoint": ["reason", "breakpoint"], "progressStart": ["progressId", "title"],
    "progressUpdate": ["progressId"], "progressEnd": ["progressId"], "initialized": [], "terminated": [],
    "threads": ["threads"], "stackTrace": ["stackFrames"], "scopes": ["scopes"], "variables": ["variables"],
    "evaluate": ["result", "variablesReference"], "setBreakpoints": ["breakpoints"], "setFunctionBreakpoints": ["breakpoints"],
    "setInstructionBreakpoints": ["breakpoints"], "setDataBreakpoints": ["breakpoints"], "dataBreakpointInfo": ["dataId", "description"],
    "breakpointLocations": ["breakpoints"], "gotoTargets": ["targets"], "completions": ["targets"], "modules": ["modules"],
    "loadedSources": ["sources"], "source": ["content"], "readMemory": ["address"], "disassemble": ["instructions"],
    "exceptionInfo": ["exceptionId", "breakMode"],
}
ITEMS = {
    "threads": ["id", "name"], "stackFrames": ["id", "name", "line", "column"], "scopes": ["name", "variablesReference", "expensive"],
    "variables": ["name", "value", "variablesReference"], "breakpoints": [], "instructions": ["address", "instruction"],
    "modules": ["id", "name"], "sources": [],
}


class Client:
    def __init__(self, *command, **options):
        self.adapter = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.seq = self.heard = 0
        self.events, self.outputs, self.changed, self.responses = [], [], [], {}

    def write(self, data):
        self.adapter.stdin.write(data)
        self.adapter.stdin.flush()

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.seq

    def receive(self):
        length = 0
        while True:
            line = self.adapter.stdout.readline()
            assert line, "the adapter ended"
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            assert name == b"Content-Length", line
            length = int(value)
        m = json.loads(self.adapter.stdout.read(length))
        self.heard += 1
        assert m["seq"] == self.heard, m
        self.check(m)
        if m["type"] == "event":
            {"output": self.outputs, "breakpoint": self.changed}.get(m["event"], self.events).append(m)
        else:
            self.responses[m["request_seq"]] = m
        return m

    def check(self, m):
        body = m.get("body")
        if m["type"] == "response" and not m["success"]:
            assert m["message"] and body["error"]["format"], m
            return
        for key in REQUIRED.get(m.get("event") or m["command"], []):
            assert key in body, (key, m)
        for key, members in ITEMS.items():
            for item in body.get(key) or [] if isinstance(body, dict) else []:
                assert all(member in item for member in members), (key, item)

    def wait(self, seq):
        while seq not in self.responses:
            self.receive()
        return self.responses.pop(seq)

    def ask(self, command, **arguments):
        m = self.wait(self.send(command, **arguments))
        assert m["success"], m
        return m["body"]

    def refused(self, command, **arguments):
        m = self.wait(self.send(command, **arguments))
        assert not m["success"], m
        return m["message"]

    def event(self, name):
        """The next event of that name; those before it are forgotten."""
        while True:
            while self.events:
                m = self.events.pop(0)
                if m["event"] == name:
                    return m["body"]
            self.receive()

    def start(self, **arguments):
        """To where the client may set its breakpoints."""
        self.ask("initialize", adapterID="polecat", supportsProgressReporting=True)
        self.ask("launch", **arguments)
        self.event("initialized")

    def configured(self):
        self.ask("configurationDone")
        return self.stopped()

    def stopped(self, why=None):
        body = self.event("stopped")
        assert why in (None, body["reason"]), body
        self.thread = body.get("threadId")
        return body

    def move(self, command, why, **arguments):
        self.outputs, self.changed = [], []
        self.ask(command, **{"threadId": self.thread, **arguments})
        return self.stopped(why)

    def frames(self, thread=None):
        return self.ask("stackTrace", threadId=thread or self.thread)["stackFrames"]

    def said(self, category=None):
        return "".join(m["body"]["output"] for m in self.outputs if category in (None, m["body"].get("category")))

    def scope(self, frame, name):
        for s in self.ask("scopes", frameId=frame)["scopes"]:
            if s["name"] == name:
                return self.unfold(s["variablesReference"])
        raise AssertionError("no scope " + name)

    def unfold(self, number, **arguments):
        return {v["name"]: v for v in self.ask("variables", variablesReference=number, **arguments)["variables"]}

    def icount(self):
        return re.search(r"^at ([0-9 ]+) \(", self.ask("evaluate", expression="here", context="repl")["result"], re.M)[1]

    def leave(self):
        self.ask("disconnect")
        assert self.adapter.wait() == 0


def line_of(path, text):
    with open(path, encoding="utf-8") as f:
        return [n for n, line in enumerate(f, 1) if text in line][0]


def here(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
