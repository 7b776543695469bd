"""Breakpoints on names that several functions have, and on lines that are in several places: all of them, both ways."""
import sys

from client import Client, here, line_of

command = sys.argv[1:sys.argv.index("--")]
crowd = here("crowd.cc")
c = Client(*command)
c.start(node="crowd")
c.configured()


def hits(why, both_ways=False):
    """All there are from the begin on; then all of them back."""
    c.ask("restart")
    c.stopped("entry")
    found = []
    while c.move("continue", None)["reason"] == why:
        found.append((c.frames()[0]["name"], c.icount()))
    back = []
    while both_ways and c.move("reverseContinue", None)["reason"] == why:
        back.append((c.frames()[0]["name"], c.icount()))
    assert not both_ways or back[::-1] == found, (found, back)
    return [name for name, _ in found]


for name, expected in [("pick", ["left::pick", "right::pick", "right::Hand::pick", "right::Hand::pick"]), ("left::pick", ["left::pick"]), ("Hand::pick", ["right::Hand::pick"] * 2), ("pick(long)", ["right::Hand::pick"]),
                       ("grow", ["grow<int>", "grow<long>"]), ("fold", ["fold (inlined)"] * 2)]:
    point = c.ask("setFunctionBreakpoints", breakpoints=[{"name": name}])["breakpoints"][0]
    got = hits("function breakpoint", name in ("pick", "fold"))
    assert got == expected, (name, got)
c.ask("setFunctionBreakpoints", breakpoints=[])
source = {"path": crowd}
for text, expected in [("in every instance", ["grow<int>", "grow<long>"]), ("return by * 2", ["fold (inlined)"] * 2)]:
    c.ask("setBreakpoints", source=source, breakpoints=[{"line": line_of(crowd, text)}])
    got = hits("breakpoint")
    assert got == expected, (text, got)
c.ask("setBreakpoints", source=source, breakpoints=[])

# A step stops where others have a breakpoint, in what it calls too; by instruction it passes over a call.
call = line_of(crowd, "sum += hand.pick(argc)")
c.ask("setBreakpoints", source=source, breakpoints=[{"line": call}])
c.ask("restart")
c.stopped("entry")
c.move("continue", "breakpoint")
inside = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "Hand::pick"}])["breakpoints"][0]["id"]
assert c.move("next", "function breakpoint")["hitBreakpointIds"] == [inside] and c.frames()[0]["name"] == "right::Hand::pick"
c.move("stepOut", "step")
assert c.frames()[0]["name"] == "main", c.frames()
assert c.move("stepBack", "function breakpoint")["hitBreakpointIds"] == [inside]
c.ask("setFunctionBreakpoints", breakpoints=[])
c.move("reverseContinue", "breakpoint")
texts = []
while "call" not in (texts or [""])[-1]:
    pc = c.frames()[0]["instructionPointerReference"]
    texts.append(c.ask("disassemble", memoryReference=pc, instructionCount=1)["instructions"][0]["instruction"])
    c.move("next", "step", granularity="instruction")
assert c.frames()[0]["name"] == "main" and 1 < len(texts) < 9, texts
c.move("stepBack", "step", granularity="instruction")
c.move("next", "step", granularity="instruction")
assert c.frames()[0]["name"] == "main", c.frames()

# Numbers of one stop are none at the next.
frame = c.frames()[0]["id"]
scope = c.ask("scopes", frameId=frame)["scopes"][0]["variablesReference"]
assert c.ask("evaluate", expression="sum", context="clipboard", frameId=frame)["result"].isdigit()
natural = c.ask("evaluate", expression="sum", context="watch", frameId=frame)["result"]
assert c.ask("evaluate", expression="sum", context="watch", frameId=frame, format={"hex": True})["result"] == hex(int(natural))
c.move("next", "step")
assert "they are of one stop" in c.refused("variables", variablesReference=scope)
for command_ in ["scopes", "evaluate"]:
    assert "they are of one stop" in c.refused(command_, frameId=frame, expression="sum")
assert "they are of one stop" in c.refused("evaluate", frameId=frame, expression="locals", context="repl")
told = c.ask("completions", text="print su", column=9, frameId=c.frames()[0]["id"])["targets"]
assert [(t["label"], t["start"], t["length"]) for t in told] == [("sum", 7, 2)], told
c.leave()
print("names: as it should be")
