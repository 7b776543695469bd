"""Breakpoints of every kind, forward and back."""
import sys

from client import Client, here, line_of

command = sys.argv[1:sys.argv.index("--")]
shapes = here("shapes.c")
source = {"path": "/somewhere/else/dap/shapes.c"}
line = line_of(shapes, "so far is before")
c = Client(*command)
c.start(node="drawer")


def set_lines(*breakpoints):
    return c.ask("setBreakpoints", source=source, breakpoints=list(breakpoints))["breakpoints"]


def value(expression):
    return c.ask("evaluate", expression=expression, frameId=c.frames()[0]["id"], context="watch")["result"]


# A line without code moves to the next one, and is said to.
points = set_lines({"line": line}, {"line": line - 3}, {"line": 4000})
c.configured()
c.move("continue", "breakpoint")
# Which of the two programs has begun where the session does depends on where they were compiled: the drawer has now.
places = c.ask("breakpointLocations", source=source, line=line - 3, endLine=line + 1)["breakpoints"]
assert line in [p["line"] for p in places] and line - 3 not in [p["line"] for p in places], places
moved = [m["body"]["breakpoint"] for m in c.changed] + points
assert any(p["verified"] and p["line"] == line for p in moved), moved
assert any(p["verified"] and p["id"] == points[1]["id"] and p["line"] > line - 3 for p in moved), moved
assert not any(p["verified"] for p in moved if p["id"] == points[2]["id"]) and "looked for again" in points[2]["message"], points

# A condition, both ways: the same place from both sides.
set_lines({"line": line, "condition": "by == 12"})
c.move("continue", "breakpoint")
assert value("by") == "12"
twelfth = c.icount()
set_lines({"line": line, "condition": "by == 17 || by == 3"})
c.move("continue", "breakpoint")
assert value("by") == "17"
c.move("reverseContinue", "breakpoint")
assert value("by") == "3"
set_lines({"line": line, "condition": "by > 11"})
c.move("continue", "breakpoint")
assert c.icount() == twelfth

# One that cannot be evaluated stops and says why.
set_lines({"line": line, "condition": "nobody == 1"})
c.move("continue", "breakpoint")
assert value("by") == "13" and "there is no variable" in c.said("important"), c.outputs

# Counts go up forward and down back, so that a number means one moment.
set_lines({"line": line, "condition": "by == 3"})
c.move("reverseContinue", "breakpoint")
set_lines({"line": line, "hitCondition": "5"})
c.move("continue", "breakpoint")
assert value("by") == "8"
fifth = c.icount()
set_lines({"line": line, "hitCondition": "5"}, {"line": line, "condition": "by == 15"})
c.move("continue", "breakpoint")
assert value("by") == "15"
c.move("reverseContinue", "breakpoint")
assert c.icount() == fifth
set_lines({"line": line, "hitCondition": "% 4"})
c.move("continue", "breakpoint")
assert value("by") == "12"
wrong = set_lines({"line": line, "hitCondition": "often"})[0]
assert not wrong["verified"] and "hit condition" in wrong["message"], wrong

# Messages instead of stops, in the order of the move.
set_lines({"line": line, "logMessage": "by {by}, \\{before\\} {before}", "condition": "by > 17"}, {"line": line, "condition": "by == 20"})
c.move("continue", "breakpoint")
assert c.said("console") == "by 18, {before} 306\nby 19, {before} 342\nby 20, {before} 380\n", c.outputs
set_lines({"line": line, "logMessage": "{by} {nobody}", "condition": "by > 17"}, {"line": line, "condition": "by == 17"})
c.move("reverseContinue", "breakpoint")
assert [text.split()[0] for text in c.said("console").splitlines()] == ["19", "18"], c.outputs
assert "there is no variable" in c.said("console")
set_lines()

# Functions: where the arguments are in place.
functions = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "twice", "condition": "by == 19"}, {"name": "xyzzy"}])["breakpoints"]
assert [f["verified"] for f in functions] == [True, False], functions
assert c.move("continue", "function breakpoint")["hitBreakpointIds"] == [functions[0]["id"]]
assert c.frames()[0]["name"] == "twice" and value("by") == "19"
c.ask("setFunctionBreakpoints", breakpoints=[])

# Data: who writes it, before and after.
info = c.ask("dataBreakpointInfo", name="total")
assert info["accessTypes"][0] == "write" and "8 bytes" in info["description"], info
c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
c.move("continue", "data breakpoint")
assert value("total") == str(19 * 20), value("total")
c.move("reverseContinue", "data breakpoint")
assert value("total") == str(18 * 19), value("total")
c.move("reverseContinue", "data breakpoint")
assert value("total") == str(17 * 18), value("total")
c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "read"}])
c.move("continue", "data breakpoint")
assert c.frames()[0]["line"] in (line_of(shapes, "long before = total"), line), c.frames()
c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "readWrite"}])
c.move("reverseContinue", "data breakpoint")
c.move("continue", "data breakpoint")
wrong = c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "execute"}])["breakpoints"][0]
assert not wrong["verified"] and "expected read" in wrong["message"], wrong
member = c.ask("dataBreakpointInfo", name="hidden", variablesReference=c.ask("evaluate", expression="first", context="watch")["variablesReference"])
assert member["dataId"] is None and "no part" in member["description"], member
shape = c.ask("evaluate", expression="first", context="watch")["variablesReference"]
member = c.ask("dataBreakpointInfo", name="size", variablesReference=shape)
assert "8 bytes" in member["description"], member
gone = c.ask("dataBreakpointInfo", name="$rax")
assert gone["dataId"] is None and "not in memory" in gone["description"], gone
many = c.ask("dataBreakpointInfo", name="first.many[20]")
c.ask("setDataBreakpoints", breakpoints=[{"dataId": many["dataId"], "accessType": "write"}])
c.move("continue", "data breakpoint")
assert value("by") == "20" and value("shape->many[20]") == "20"
# A child's own copy is another one: the last write is the parent's.
c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
c.move("continue", "data breakpoint")
assert value("total") == str(20 * 21), value("total")
last = c.icount()
c.move("continue", "exit")
c.move("reverseContinue", "data breakpoint")
assert value("total") == str(19 * 20), value("total")
c.move("continue", "data breakpoint")
assert c.icount() == last
wrong = c.ask("setDataBreakpoints", breakpoints=[{"dataId": "nonsense"}])["breakpoints"][0]
assert not wrong["verified"] and "dataBreakpointInfo" in wrong["message"], wrong
c.ask("setDataBreakpoints", breakpoints=[])

# Instructions.
pc = c.frames()[0]["instructionPointerReference"]
next_ = c.ask("disassemble", memoryReference=pc, instructionCount=3)["instructions"][2]["address"]
point = c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": next_}])["breakpoints"][0]
assert c.move("continue", "instruction breakpoint")["hitBreakpointIds"] == [point["id"]]
assert c.frames()[0]["instructionPointerReference"] == next_
assert "such as" in c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": "x"}])["breakpoints"][0]["message"]
c.ask("setInstructionBreakpoints", breakpoints=[])

# Too many, and what is no request.
assert "too many" in c.refused("setBreakpoints", source=source, breakpoints=[{"line": n} for n in range(1, 400)])
assert "expected a source" in c.refused("setBreakpoints", breakpoints=[])
assert "expected signal" in c.refused("setExceptionBreakpoints", filters=["all"])
c.leave()
print("breakpoints: as it should be")
