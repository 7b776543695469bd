#!/bin/bash
# Whole commands under AddressSanitizer and UBSan: a recording, a debug session that runs every command of its table (gdb among
# them), answers as JSON, a fork with a command, and a conversation with an editor. No report, of no process, and no leak.
# limit: 600
# takes: 20
. tests/lib.sh
make -s MODE=asan programs >"$WORK/make" 2>&1 || { cat "$WORK/make"; fail "does not build"; }
POLECAT=$PWD/build/asan/polecat
# Reports go to files: neither a pipe that nobody reads nor a status that was expected anyway can hide one.
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:exitcode=86:log_path=$WORK/report
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$WORK/report
clean() { # WHAT
	local report
	for report in "$WORK"/report*; do
		[ ! -e "$report" ] || { head -n 60 "$report"; fail "$1: a sanitizer has a report"; }
	done
}
# run_clean STATUS COMMAND...: as expect; the report comes first, whatever the status is.
run_clean() {
	"${@:2}" >"$WORK/out" 2>&1 </dev/null
	local got=$?
	clean "${*:2}"
	[ "$got" = "$1" ] || { tail -n 60 "$WORK/out"; fail "exit $got, expected $1: ${*:2}"; }
}

sed -e 's/\(\[.counter,\).*/\1 "2", "2000"]/' -e "s,\.\./build/,$PWD/build/," scenarios/unlocked-counter.yaml >"$WORK/counter.yaml"
run_clean 0 "$POLECAT" run "$WORK/counter.yaml" --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)

# ---- every command of a debug session ----------------------------------------------------------------------------
cat >"$WORK/script" <<'END'
help
help watch
goto begin
here
next line counter
prev
next switch
checkpoints
ps all
digest

focus counter
break counter.c:28 if counter.total == 3
watch counter.total
breaks
disable 2
continue
enable 2
continue
rcontinue
delete 2
until write counter.total
until counter.total == 9
runtil write counter.total
back
forward

frame
where
up
down
locals
source
regs all
print counter
print/x counter.total
whatis counter
ptype struct shared
symbol add_all
mem counter 16
x/4xg $rsp
disas add_all 8

step
rstep
over
rover
stepi 3
rstepi 2
finish
back
rfinish

last counter.total 2
last $rbx
first counter.total 2
count counter.total end
bookmark mark
bookmarks
diff-state mark +5000
unbookmark mark

threads counter
maps counter
fds counter
sockets counter
env counter
ls counter:/
cat counter:/proc/self/status
fork @counter /counter 1 10
gdb -- -nx -batch -ex "break add_one" -ex continue -ex backtrace -ex "info registers rip" -ex stepi -ex reverse-stepi -ex "monitor here" -ex "watch counter.total" -ex reverse-continue -ex "info threads"
quit
END
run_clean 0 "$POLECAT" debug "$run" --runs "$WORK/runs" -x "$WORK/script"
says '^> quit$'
says 'hit Breakpoint 1, add_one '
says '^total 10 of 10$'
missing=$(comm -23 <(sed -n '/^> help$/,/^> help watch$/s/^  \([a-z-]*\) .*/\1/p' "$WORK/out" | sort -u) \
	<(sed -n 's/^\([a-z-]\{1,\}\).*/\1/p' "$WORK/script" | sort -u))
[ -z "$missing" ] || fail "commands of the table that the script does not run: $missing"

# ---- steps over calls in which the program changes, so that what was known of it ends on the way --------------------
gcc -g -O0 -static -no-pie -o "$WORK/deeper" tests/runs/sanitized/deeper.c || fail "deeper.c does not compile"
cat >"$WORK/deeper.yaml" <<END
polecat: 1
name: deeper
nodes:
  deeper: {workload: {binary: deeper}, command: [/deeper]}
properties:
  - {id: ends, eventually: {node: deeper, exited: 0}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
END
run_clean 0 "$POLECAT" run "$WORK/deeper.yaml" --seed 1 --runs "$WORK/deep"
calls=$(grep -n 'got = deeper(n - 1)' tests/runs/sanitized/deeper.c | cut -d: -f1)
run_clean 0 "$POLECAT" debug "$(echo "$WORK"/deep/2*)" -e 'next line /ready' -e 'focus deeper' \
	-e "break deeper.c:$calls if n == 4" -e continue -e over -e 'print got + n' -e rover -e rfinish
says '^got \+ n = 10$'
says "^=> +$((calls + 1)) "
says "^=> +$calls "

# ---- answers as JSON, a fork, an editor ---------------------------------------------------------------------------
printf 'here\nfly\ngoto ev:3\nps\n' | "$POLECAT" debug "$run" --json >"$WORK/out" 2>&1
status=${PIPESTATUS[1]}
clean 'debug --json'
[ "$status" = 4 ] && [ "$(grep -c '"ok":true' "$WORK/out")" = 3 ] || { cat "$WORK/out"; fail "exit $status, or not three answers"; }
run_clean 0 "$POLECAT" fork "$run" --at ev:3 --node counter --runs "$WORK/runs" -- /counter 2 100
says '^total 200 of 200$'

cat >"$WORK/editor.py" <<'END'
import sys
from client import Client, line_of

source = {"path": "tests/workloads/counter.c"}
c = Client(*sys.argv[1:])
c.start(program="counter")
c.ask("setBreakpoints", source=source, breakpoints=[{"line": line_of(source["path"], "next = seen + 1"), "condition": "c->total > 2"}])
c.ask("setFunctionBreakpoints", breakpoints=[{"name": "main"}])
c.configured()
c.move("continue", "function breakpoint")
c.move("continue", "breakpoint")
frame = c.frames()[0]["id"]
for scope in c.ask("scopes", frameId=frame)["scopes"]:
    c.unfold(scope["variablesReference"])
data = c.ask("dataBreakpointInfo", name="counter.total", frameId=frame)["dataId"]
c.ask("setDataBreakpoints", breakpoints=[{"dataId": data}])
c.move("continue", "data breakpoint")
c.move("reverseContinue", "data breakpoint")
c.move("next", "step")
c.move("stepBack", "step")
frame = c.frames()[0]["id"]  # the numbers of another stop are not known any more
pc = c.frames()[0]["instructionPointerReference"]
c.ask("disassemble", memoryReference=pc, instructionCount=4)
c.ask("readMemory", memoryReference=pc, count=16)
assert c.ask("evaluate", expression="counter.total", context="watch", frameId=frame)["result"] == "3"
for question in "threads", "modules", "loadedSources":
    c.ask(question)
c.refused("variables", variablesReference=77)
c.leave()
print("all as it should be")
END
PYTHONPATH=tests/runs/dap run_clean 0 timeout 300 python3 "$WORK/editor.py" "$POLECAT" debug "$run" --dap
says '^all as it should be$'
exit 0
