"""Values as trees, expressions, registers, memory and instructions."""
import base64
import sys

from client import Client, here, line_of

command = sys.argv[1:sys.argv.index("--")]
shapes = here("shapes.c")
c = Client(*command)
c.start(node="drawer", program="shapes", __restart=None)
c.ask("setBreakpoints", source={"path": shapes}, breakpoints=[{"line": line_of(shapes, "so far is before")}])
c.configured()
c.move("continue", "breakpoint")
frames = c.frames()
assert [f["name"] for f in frames[:2]] == ["add", "main"], frames
assert frames[0]["source"]["path"].endswith("tests/runs/dap/shapes.c"), frames
add, main = frames[0]["id"], frames[1]["id"]

# Arguments, locals, globals.
arguments = c.scope(add, "Arguments")
assert list(arguments) == ["shape", "by"] and arguments["by"]["value"] == "1", arguments
assert c.scope(add, "Locals")["before"]["value"] == "0"
assert c.scope(main, "Locals")["i"]["value"] == "1"
globals_ = c.scope(add, "Globals")
assert globals_["total"]["value"] == "0" and globals_["total"]["type"] == "long int", globals_

# What a pointer to a struct points to, and what is in it.
shape = c.unfold(arguments["shape"]["variablesReference"])
assert arguments["shape"]["namedVariables"] == len(shape), shape.keys()
assert '"first"' in shape["name"]["value"] and not shape["name"]["variablesReference"], shape["name"]
assert shape["colour"]["value"] == "RED" and shape["layer"]["value"] == "0" and shape["visible"]["value"] == "0", shape
assert shape["size"]["value"] == "0" and "<twice>" in shape["visit"]["value"], shape
assert shape["nobody"]["value"] == "0x0" and not shape["nobody"]["variablesReference"], shape["nobody"]
assert shape["next"]["evaluateName"] == "shape->next", shape["next"]
corner = c.unfold(shape["corner"]["variablesReference"])
assert shape["corner"]["indexedVariables"] == 3 and list(corner) == ["[0]", "[1]", "[2]"], corner
assert {n: v["value"] for n, v in c.unfold(corner["[1]"]["variablesReference"]).items()} == {"x": "3", "y": "4"}
either = c.unfold(shape["either"]["variablesReference"])
assert either["number"]["value"] == "65" and either["bytes"]["value"] == '"A"', either
assert c.unfold(shape["(no name)"]["variablesReference"])["hidden"]["value"] == "-3"
grid = c.unfold(c.unfold(shape["grid"]["variablesReference"])["[1]"]["variablesReference"])
assert [v["value"] for v in grid.values()] == ["4", "5", "6"], grid
assert grid["[2]"]["evaluateName"] == "shape->grid[1][2]", grid
after = c.unfold(shape["next"]["variablesReference"])
assert after["colour"]["value"] == "GREEN" and after["layer"]["value"] == "17" and after["visible"]["value"] == "1", after
assert after["size"]["value"] == "0.25", after

# Page by page.
many = shape["many"]
assert many["indexedVariables"] == 300
page = c.unfold(many["variablesReference"], filter="indexed", start=298, count=10)
assert list(page) == ["[298]", "[299]"], page
assert len(c.unfold(many["variablesReference"], start=10, count=50)) == 50
assert not c.unfold(many["variablesReference"], filter="named")
assert not c.unfold(arguments["shape"]["variablesReference"], filter="indexed")

# Every expression that was given evaluates to what it was given for.
for v in list(shape.values()) + list(after.values()) + list(grid.values()):
    if "evaluateName" in v:
        again = c.ask("evaluate", expression=v["evaluateName"], frameId=add, context="watch")
        assert again["result"] == v["value"], (v, again)


def evaluate(expression, frame=add, context="watch"):
    return c.ask("evaluate", expression=expression, frameId=frame, context=context)["result"]


assert evaluate("shape->corner[by].y + 1") == "5"
assert evaluate("by == 1 && shape->next != 0", context="hover") == "true"
assert evaluate("-by < 0") == "true" and evaluate("i * 2", frame=main) == "2"
assert evaluate("*shape->next", context="repl").startswith("{name = 0x")
assert "no variable \"i\"" in c.refused("evaluate", expression="i", frameId=add, context="watch")
assert "it is no number" in c.refused("evaluate", expression="first + 1", frameId=add, context="watch")
assert "zero" in c.refused("evaluate", expression="1 / (by - 1)", frameId=add, context="watch")
assert "shapes.c" in evaluate("where", context="repl") and evaluate("print i", frame=main, context="repl").endswith("i = 1")

# Registers, of a frame that called as far as they are known.
registers = c.scope(add, "Registers")
assert registers["rip"]["value"] == frames[0]["instructionPointerReference"], registers["rip"]
assert {"rax", "r15", "rflags", "fs_base", "xmm0"} <= set(registers), registers.keys()
assert c.scope(main, "Registers")["rip"]["value"] == frames[1]["instructionPointerReference"]
assert evaluate("$rip") == registers["rip"]["value"]

# Memory.
address = evaluate("&first").split()[0]
data = c.ask("readMemory", memoryReference=arguments["shape"]["value"].split()[0], offset=8, count=8)
assert base64.b64decode(data["data"]) == b"\1\0\0\0\2\0\0\0" and data["unreadableBytes"] == 0, data
nothing = c.ask("readMemory", memoryReference="0x10", count=4)
assert nothing["unreadableBytes"] == 4 and not nothing["data"], nothing
assert "at most" in c.refused("readMemory", memoryReference=address, count=10**9)
assert "nothing can be changed" in c.refused("writeMemory", memoryReference=address, data="AAAA")
assert "nothing can be changed" in c.refused("setVariable", variablesReference=1, name="by", value="3")

# Instructions, also those before.
pc = registers["rip"]["value"]
after = c.ask("disassemble", memoryReference=pc, instructionCount=4, resolveSymbols=True)["instructions"]
assert after[0]["address"] == pc and after[0]["symbol"].startswith("add") and after[0]["line"] == frames[0]["line"], after
around = c.ask("disassemble", memoryReference=pc, instructionOffset=-3, instructionCount=6)["instructions"]
assert [i["address"] for i in around[3:]] == [i["address"] for i in after[:3]], (around, after)
skipped = c.ask("disassemble", memoryReference=pc, instructionOffset=2, instructionCount=1)["instructions"]
assert skipped[0]["address"] == after[2]["address"], skipped
assert [i["presentationHint"] for i in c.ask("disassemble", memoryReference="0x10", instructionCount=2)["instructions"]] == ["invalid"] * 2
assert "at most" in c.refused("disassemble", memoryReference=pc, instructionCount=10**6)

# What a client still has numbers of is gone after a move.
c.move("next", "step")
assert "of one stop" in c.refused("variables", variablesReference=arguments["shape"]["variablesReference"])
assert "of one stop" in c.refused("scopes", frameId=10**6)

# Completions.
labels = [t["label"] for t in c.ask("completions", text="reg", column=4, frameId=c.frames()[0]["id"])["targets"]]
assert labels == ["regs"], labels
labels = [t["label"] for t in c.ask("completions", text="print tot", column=10)["targets"]]
assert labels == ["total"], labels
c.leave()
print("variables: as it should be")
