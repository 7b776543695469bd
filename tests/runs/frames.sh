#!/bin/bash
# What questions are about: a frame of the calls here, a process or thread that was chosen; until the machine moves, or it is gone.
# limit: 120
. tests/lib.sh
. tests/runs/questions/shop.sh
ask() { debugs 0 "$at" "$@"; } # COMMAND...
wrong() { # SENTENCE COMMAND...
	debugs 4 "$at" "${@:2}"
	says "$1"
}
# after COMMAND: what it printed.
after() { awk -v line="> $1" 'on && /^> / { exit } on; $0 == line { on = 1 }' "$WORK/out"; }

# ---- moments ------------------------------------------------------------------------------------------------------
ask 'goto 100' 'goto -200' here 'goto t:1ns' 'goto +300' 'bookmark small'
[ "$(after 'goto -200' | head -1)" = 'that is before the begin of the run; this is the begin' ] || fail 'beyond the begin'
after 'goto t:1ns' | grep -qE '^no event is at t:1ns: this is the (begin, before the first one|last one before, ev:[0-9]+ at t:)' ||
	fail 'a time between two events leads to one'

expect 0 "$POLECAT" fork "$run" --at small --node machine --keep none -- true
expect 4 "$POLECAT" fork "$run" --at smaller --node machine --keep none -- true
says "'smaller' is not a moment"
ask 'unbookmark small'
# A program that reads the answers goes on after a failure, and is told of it at the end; without one to read them that is the end.
printf 'goto small\nhere\nps kernel\nhere\n' >"$WORK/commands"
"$POLECAT" debug "$run" --json <"$WORK/commands" >"$WORK/out" 2>&1
[ $? = 4 ] && [ "$(grep -c '"ok":true' "$WORK/out")" = 2 ] && [ "$(grep -c '"ok":false' "$WORK/out")" = 2 ] ||
	{ cat "$WORK/out"; fail 'a failure ends the answers'; }
"$POLECAT" debug "$run" <"$WORK/commands" >"$WORK/out" 2>&1
[ $? = 4 ] && [ "$(grep -c '^> ' "$WORK/out")" = 1 ] || { cat "$WORK/out"; fail 'a failure ends nothing'; }

# ---- frames ------------------------------------------------------------------------------------------------------
ask 'focus shop' where
from=$(sed -n 's/^#\([0-9]*\) .*sell (.*/\1/p' "$WORK/out")
[ -n "$from" ] || { cat "$WORK/out"; fail "sell is not among the calls"; }
inner=$((from - 1))
ask 'focus shop' 'locals' "frame $from" 'locals' 'source' 'print store.id' 'regs rip' 'disas' 'up' 'down' "frame $inner" 'locals'
after 'focus shop' | grep -qE '^shop\[[0-9]+\] \(chosen\)$' || fail "the process that was chosen is not named"
after "frame $from" | grep -qE "^#$from +shop::sell \(" || fail "the frame that was chosen is not shown"
after source | grep -qE '^shop::sell, .*shop.cc:[0-9]+$' || fail "the source is not that of the frame"
after source | grep -qE '^=> ' || fail "the source has no current line"
address=$(after 'regs rip' | sed 's/^rip 0x0*//')
after disas | grep -qE "0x0*$address" || fail "the instructions are not those of the frame: $address"
after up | grep -qE "^#$((from + 1)) +main \(" || fail "up does not lead to main"
after down | grep -qE "^#$from +shop::sell \(" || fail "down does not lead back"
[ "$(grep -c '^store = @' "$WORK/out")" = 1 ] || fail "the locals of sell are not there once"
[ "$(grep -c '^left = ' "$WORK/out")" = 2 ] || fail "the locals of the inner frame are not there twice"
wrong 'there is no frame 99: expected at most [0-9]+ \(`where` lists them\)' 'focus shop' 'frame 99'
wrong 'this is the innermost frame' 'focus shop' 'frame 0' down
wrong 'this is the outermost frame' 'focus shop' 'frame 0' 'up 999' up
wrong 'there is no register' 'focus shop' "frame $from" 'regs xmm77'
# Out of main the way back leads to code without lines: that is said, not passed over.
wrong 'this call was at no other line before' 'focus shop' 'break main' rcontinue rfinish rover
wrong 'this thread was at no other line since the run began' 'focus shop' 'break main' rcontinue rfinish rstep
# What the kernel is in has no variables, which is said too.
ask 'focus shop' 'until syscall' 'frame 0' locals
says "^no locals: entry_SYSCALL_64 is the kernel's, whose variables are not known\$"
# A move ends it.
ask 'focus shop' "frame $from" stepi rstepi frame
after frame | grep -qE "^#$from " && fail "the frame is still chosen after a move"

# ---- processes and threads ----------------------------------------------------------------------------------------
ask 'focus' 'focus counter' 'where' 'stepi 1000' 'focus' 'threads' 'focus none'
after 'focus counter' | grep -qE '^counter\[[0-9]+\] \(chosen\)$' || fail "counter was not chosen"
after 'where' | grep -qE '^#[0-9]+ +' || fail "no calls of counter"
# Its C library has no frame information: the calls are guessed, down to main, and said to be.
after 'where' | grep -qE '^#[0-9]+ +\?[a-z_]+\+0x[0-9a-f]+ in /counter$' || fail "no frame is a guess"
after 'where' | grep -qE '^#[0-9]+ +\?main \(.*\) at counter.c:[0-9]+$' || fail "main is not found"
after 'where' | grep -qE '^\(\? is a guess: the code further in has no frame information\)$' || fail "guesses are not explained"
after 'where' | grep -qE '^\(the outermost frame\)$' || fail "main is not the last"
[ "$(grep -c 'counter\[[0-9]*\] (chosen)' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail "a move forgets the process"; }
after 'focus none' | grep -q chosen && fail "nobody is chosen any more"
pid=$(after 'focus counter' | sed 's/.*\[\([0-9]*\)\].*/\1/')
wrong "process $pid has no thread 1 " "focus counter 1"
wrong 'there is no process 9999 here' 'focus 9999'
wrong 'expected: focus none' 'focus none 3'
exit 0
