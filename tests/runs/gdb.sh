#!/bin/bash
# gdb on a recorded process: breakpoints and watchpoints both ways, single steps that undo each other, the ends of history,
# nothing that can be changed, and nothing left behind.
# limit: 480
. tests/lib.sh
expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/*)

here() { # the Nth place that `monitor here` said, as its count and pc
	grep -A2 -E '^at [0-9 ]+\(' "$WORK/out" | awk '/^at/ { at = $0; sub(/ \(.*/, "", at) } /^  pc/ { print at, $2 }' | sed -n "$1p"
}

# ---- steps, breakpoints and their way back -----------------------------------------------------------------------
cat >"$WORK/moves" <<'END'
set pagination off
set confirm off
break add_one
continue
backtrace
monitor here
stepi
stepi
stepi
monitor here
reverse-stepi
reverse-stepi
reverse-stepi
monitor here
continue
continue
monitor here
reverse-continue
reverse-continue
monitor here
info threads
delete
reverse-continue
monitor here
stepi
reverse-stepi
monitor here
reverse-stepi
continue
monitor here
stepi
END
expect 0 "$POLECAT" gdb "$run" -- -nx -batch -x "$WORK/moves"
says 'Breakpoint 1, add_one \(c=0x[0-9a-f]+ <counter>\) at .*tests/workloads/counter.c:26$'
says '^#0  add_one \(c=0x[0-9a-f]+ <counter>\) at '
says '^#1  add_all \(data=0x[0-9a-f]+ <counter>\) at '
says '^  1    Thread 85.85 "counter" \(state S\) .* in __syscall_cp_c'
[ "$(here 1)" != "$(here 2)" ] || fail "stepi went nowhere"
[ -n "$(here 1)" ] && [ "$(here 3)" = "$(here 1)" ] || fail "reverse-stepi does not undo stepi"
[ "$(here 4)" != "$(here 1)" ] || fail "continue went nowhere"
[ "$(here 5)" = "$(here 1)" ] || fail "reverse-continue does not undo continue"
says '^0x[0-9a-f]+ in _start \(\)$'
[ -n "$(here 6)" ] && [ "$(here 7)" = "$(here 6)" ] || fail "the begin is not where it was"
[ "$(grep -c 'No more reverse-execution history' "$WORK/out")" = 4 ] || { cat "$WORK/out"; fail "not four ends of history"; }
grep -A2 -E '^at ' "$WORK/out" | grep -q ' do_group_exit ' || fail "its end is not where it exits"

# ---- watchpoints; what cannot be done ----------------------------------------------------------------------------
cat >"$WORK/watch" <<'END'
set pagination off
set confirm off
break add_one
continue
delete
watch counter.total
continue
continue
reverse-continue
monitor here
reverse-continue
continue
monitor here
print counter.total
python
for bad in ("set var counter.total = 7", "print $rax = 4711", "print main(1, 0)"):
    try:
        gdb.execute(bad)
        print("accepted:", bad)
    except gdb.error as e:
        print("refused:", bad)
end
print counter.total
END
expect 0 "$POLECAT" gdb "$run" -- -nx -batch -x "$WORK/watch"
grep -A1 'Old value' "$WORK/out" | grep -o '[0-9]*$' | tr '\n' ' ' >"$WORK/values"
[ "$(cat "$WORK/values")" = '0 1 1 2 2 1 1 0 0 1 ' ] || { cat "$WORK/out"; fail "values were $(cat "$WORK/values")"; }
[ "$(grep -c '^refused: ' "$WORK/out")" = 3 ] || { cat "$WORK/out"; fail "something could be changed"; }
[ "$(grep -cE '^\$[0-9]+ = 1$' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail "a value was changed"; }

# ---- for a gdb of somebody else ----------------------------------------------------------------------------------
coproc SERVER { exec "$POLECAT" gdb "$run" --listen "$WORK/socket" --at prop:nothing-lost --pid 85 2>"$WORK/server-error"; }
server=$SERVER_PID
read -r -t 60 line <&"${SERVER[0]}" || { cat "$WORK/server-error"; fail "no line to paste"; }
[ "$(stat -c %a "$WORK/socket")" = 600 ] || fail "the socket is for everybody"
expect 0 sh -c "$line -nx -batch -ex 'print counter.total < 2000000'"
says '^\$1 = 1$'
wait "$server" || fail "the server failed: $(cat "$WORK/server-error")"
[ ! -e "$WORK/socket" ] || fail "the socket is still there"

# ---- an interrupt ends what goes on where it has come to -----------------------------------------------------------
cat >"$WORK/interrupt.py" <<'END'
import socket, subprocess, sys
server = subprocess.Popen([sys.argv[1], "gdb", sys.argv[2], "--listen", sys.argv[3]], stdout=subprocess.PIPE)
assert server.stdout.readline()
gdb = socket.socket(socket.AF_UNIX)
gdb.connect(sys.argv[3])
stream = gdb.makefile("rb")

def listen():
    while stream.read(1) != b"$":
        pass
    answer = b""
    while not answer.endswith(b"#"):
        answer += stream.read(1)
    stream.read(2)
    return answer[:-1]

def ask(packet, more=b""):
    gdb.sendall(b"$" + packet + b"#%02x" % (sum(packet) & 255) + more)
    return listen()

def count():
    return int.from_bytes(bytes.fromhex(ask(b"g")[-24:-8].decode()), "little")

def move(packet, more=b""): # the console's text comes before the answer
    answer = ask(packet, more)
    while answer.startswith(b"O") and answer != b"OK":
        said = bytes.fromhex(answer[1:].decode())
        answer = listen()
    return answer

assert ask(b"QStartNoAckMode") == b"OK"
begin = count()
assert move(b"vCont;c", b"\x03").startswith(b"T02thread:")
first = count()
assert b"replaylog:end" in move(b"vCont;c")
end = count()
assert begin <= first < end, (begin, first, end)
assert move(b"bc", b"\x03").startswith(b"T02thread:")
assert begin <= count() <= end
for change in b"M0,1:00", b"P0=0", b"X0,1:0", b"G00":
    assert ask(change).startswith(b"E.this is a recording"), change
assert ask(b"D") == b"OK" and server.wait() == 0
END
expect 0 timeout 60 python3 "$WORK/interrupt.py" "$POLECAT" "$run" "$WORK/socket"

# ---- a position independent program with its libraries -----------------------------------------------------------
expect 1 "$POLECAT" run scenarios/redis-memory-only.yaml --seed 2 --runs "$WORK/redis"
expect 0 "$POLECAT" gdb "$(echo "$WORK"/redis/*)" -- -nx -batch -ex 'break epoll_wait' -ex continue -ex 'info sharedlibrary' \
	-ex 'info symbol epoll_wait' -ex reverse-stepi
says 'Breakpoint 1, .*epoll_wait'
says '/files/lib/x86_64-linux-gnu/libc.so.6$'
says '^epoll_wait in section .text of /.*/files/lib/x86_64-linux-gnu/libc.so.6$'

# ---- mistakes ----------------------------------------------------------------------------------------------------
expect 4 "$POLECAT" gdb "$run" --pid 4000
says 'process 4000 does not live at '
expect 4 "$POLECAT" gdb "$run" --pid 2
says 'process 2 has no memory of its own'
expect 4 "$POLECAT" gdb "$run" --at end
says 'no process of a node lives at '
exit 0
