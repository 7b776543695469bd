"""Processes of two nodes, a library, a child, an end by a signal, and what goes on in all of them."""
import json
import re
import sys

from client import Client, here, line_of

command, moved = sys.argv[1:sys.argv.index("--")], sys.argv[-1]
shapes, box = here("shapes.c"), here("box.c")
c = Client(*command)
c.start(moment="begin", sourceMap={"/build/box": moved}, events="all", kernelFrames=False)

# No program has begun yet. What is set now is found when the programs begin, the library's when it is loaded.
points = c.ask("setBreakpoints", source={"path": moved + "/box.c"}, breakpoints=[{"line": line_of(box, "the box is open")}])["breakpoints"]
child = c.ask("setBreakpoints", source={"path": shapes}, breakpoints=[{"line": line_of(shapes, "in the child")}])["breakpoints"]
assert not points[0]["verified"] and not child[0]["verified"], (points, child)
c.configured()
assert not [t for t in c.ask("threads")["threads"] if "shapes" in t["name"] or "plugged" in t["name"]], c.ask("threads")
seen = []
for _ in range(4):
    c.move("continue", "breakpoint")
    seen += [(c.frames()[0]["name"], m["body"]["breakpoint"]["verified"]) for m in c.changed]
    names = {t["id"]: t["name"] for t in c.ask("threads")["threads"]}
    top = c.frames()[0]
    if top["name"] == "box_open":
        assert names[c.thread].startswith("user/plugged["), names
        assert top["source"]["path"] == moved + "/box.c", top
        opened = c.thread
    else:
        assert top["name"] == "child" and names[c.thread].startswith("drawer/shapes["), (top, names)
        assert len([n for n in names.values() if n.startswith("drawer/")]) == 2, names
        child_thread = c.thread
assert ("box_open", True) in seen, seen

# The same four times, back.
assert [c.move("reverseContinue", "breakpoint")["reason"] for _ in range(3)] == ["breakpoint"] * 3
first = c.icount()
c.move("reverseContinue", "entry")
c.move("continue", "breakpoint")
assert c.icount() == first

# Modules and sources of all processes.
names = [m["name"] for m in c.ask("modules")["modules"]]
assert "shapes" in names and "libbox.so" in names and "libc.so.6" in names, names
assert len(c.ask("modules", startModule=1, moduleCount=1)["modules"]) == 1
paths = [s.get("path") for s in c.ask("loadedSources")["sources"]]
assert moved + "/box.c" in paths and any(p.endswith("dap/shapes.c") for p in paths), paths
content = c.ask("source", source={"path": moved + "/box.c"})["content"]
assert "the box is open" in content
assert "not on this host" in c.refused("source", source={"path": "/no/such/file.c"})
assert "no source of number" in c.refused("source", sourceReference=4000)

# Frames without a source: their instructions instead. Page by page.
c.ask("setBreakpoints", source={"path": moved + "/box.c"}, breakpoints=[])
c.move("continue", "breakpoint")
frames = c.frames()
bare = [f for f in frames if f.get("source", {}).get("sourceReference")]
assert bare and bare[0]["instructionPointerReference"], frames
listing = c.ask("source", sourceReference=bare[0]["source"]["sourceReference"])["content"].splitlines()
assert "call" in listing[bare[0]["line"] - 1], listing
part = c.ask("stackTrace", threadId=c.thread, startFrame=1, levels=1)
assert [f["name"] for f in part["stackFrames"]] == [frames[1]["name"]] and part["totalFrames"] == len(frames), part

# A thread that is not on the processor: its frames, its steps.
others = [t for t in c.ask("threads")["threads"] if t["id"] != c.thread and t["name"].startswith("drawer/")]
assert "main" in [f["name"] for f in c.frames(others[0]["id"])], others
main = c.icount()
c.move("next", "step", threadId=others[0]["id"])
assert "main" in [f["name"] for f in c.frames(others[0]["id"])] and c.icount() != main

# Ends: the child's status, the parent's signal.
c.ask("setBreakpoints", source={"path": shapes}, breakpoints=[])
c.ask("restart")
c.stopped("entry")
c.ask("setExceptionBreakpoints", filters=["signal", "failure"])
body = c.move("continue", "exception")
info = c.ask("exceptionInfo", threadId=c.thread)
assert info["exceptionId"] == "exit 3" and "status 3" in body["text"], info
body = c.move("continue", "exception")
info = c.ask("exceptionInfo", threadId=c.thread)
assert info["exceptionId"] == "SIGSEGV" and "drawer/shapes" in info["description"], info
assert c.frames()[0]["line"] == line_of(shapes, "here it ends"), c.frames()
assert "total 420" in c.said("stdout"), c.outputs
c.ask("setExceptionBreakpoints", filters=[])

# Its last line, the next time and the last time.
targets = c.ask("gotoTargets", source={"path": shapes}, line=line_of(shapes, "so far is before"))["targets"]
assert [t["label"].split(",")[1].split()[1] for t in targets] == ["next", "last"], targets
c.move("goto", "goto", targetId=targets[1]["id"])
assert c.ask("evaluate", expression="by", context="watch")["result"] == "20"
assert "no such target" in c.refused("goto", targetId=4711)

# The end is a place, and there is a way back.
c.move("continue", "exit")
assert "run.end" in c.said("console"), c.outputs
assert [t["name"] for t in c.ask("threads")["threads"]] == ["no process of a node lives here"] and not c.frames()
assert "no thread" in c.refused("next", threadId=c.thread)
c.move("reverseContinue", "entry")
assert "executed again" in c.refused("restartFrame", frameId=1)
c.ask("terminate")
c.event("terminated")
c.leave()

# Arguments: what is wrong is said, what is not known is nothing.
c = Client(*command)
assert "initialize first" in c.refused("launch")
c.ask("initialize", linesStartAt1=False)
for arguments, says in [({"node": "nobody"}, "no node"), ({"pid": 4711}, "no process of a node"), ({"moment": "ev:xyz"}, "ev:xyz"),
                        ({"sourceDirs": 3}, "sourceDirs"), ({"sourceMap": []}, "sourceMap"), ({"events": "some"}, "events"),
                        ({"kernelFrames": "yes"}, "kernelFrames"), ({"debugDirs": [1]}, "debugDirs")]:
    assert says in c.refused("attach", **arguments), arguments
c.ask("attach", pid=opened, sourceMap={"/build/box/": moved}, moment=int(first.replace(" ", "")), stopOnEntry=False, unknown={"a": [1]})
c.event("initialized")
points = c.ask("setBreakpoints", source={"path": moved + "/box.c"}, breakpoints=[{"line": line_of(box, "the box is open") - 1}])["breakpoints"]
assert points[0]["verified"] and points[0]["line"] == line_of(box, "the box is open") - 1, points
c.configured()
assert c.thread == opened and c.frames()[0]["line"] == points[0]["line"], c.frames()
assert [t["name"].split("[")[0] for t in c.ask("threads")["threads"]] == ["user/plugged"], c.ask("threads")
c.ask("setBreakpoints", source={"path": moved + "/box.c"}, breakpoints=[])
c.move("continue", "exit")
c.move("reverseContinue", "entry")
assert c.thread == opened
c.leave()
# What the documents say is valid.
for name in ["docs/EDITORS.md", "docs/TUTORIAL.md"]:
    with open(name, encoding="utf-8") as f:
        blocks = re.findall(r"^```json (\w+)\n(.*?)^```", f.read(), re.M | re.S)
    for kind, text in blocks:
        told = json.loads(text)
        for configuration in told["configurations"] if kind == "launch" else []:
            assert configuration["type"] == "polecat" and configuration["run"] == "last", configuration
            c = Client(*command)
            c.ask("initialize")
            c.ask(configuration["request"], **configuration)
            c.event("initialized")
            assert "the end" in c.configured()["description"]
            c.leave()
    assert "launch" in [kind for kind, _ in blocks], name
print("places: as it should be")
