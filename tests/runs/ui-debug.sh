#!/bin/bash
# The debug view of `polecat ui` on a real run: from the failure into the machine, steps forth and back, the source line that
# wrote, playhead and machine together, a fork; then in a terminal: steps in a row, Esc, QEMU killed under it, nothing left.
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
command -v tmux >/dev/null || fail "tmux is not installed"
export INPUTRC=/dev/null
expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/*)

# ---- without a terminal ------------------------------------------------------------------------------------------
cat >"$WORK/keys" <<'KEYS'
snap opened
key x
snap entered
key s
snap stepped
key S
snap returned
key s s s s s S S S S S
snap walked
key s s Left
snap event
key Left
snap before
key :
type goto ev:5
key Enter
snap typed
key :
type runtil write counter.total
key Enter
snap wrote
key w
snap line
key W
snap unline
key t
snap instructions
key u u u
snap back
key U
snap forward
key U U
key :
type nonsense
key Enter
snap wrong
key :
type goto ev:3
key Enter :
type shell-here echo forked from $((40 + 2))
key Enter
snap forked
size 40x12
snap small
size 80x24
key Tab i
snap folded
key q
snap left
KEYS
expect 0 "$tui" --runs "$WORK/runs" --size 160x45 --times --script "$WORK/keys" "$run"
picture() { awk -v name="$1" '/^== / { on = $2 == name } /^roles$/ { on = 0 } on' "$WORK/out"; }
shows() { picture "$1" | grep -qE -- "$2" || { picture "$1"; fail "$1: does not show: $2"; }; }
hides() { ! picture "$1" | grep -qE -- "$2" || { picture "$1"; fail "$1: shows: $2"; }; }
# The line that says where it stands: "at 9 608 959 (ev:5), t 0.019 s  pc 0x... in init[1]".
place() { picture "$1" | grep -oE '^\| at [0-9].*'; }
for name in entered stepped returned walked; do [ -n "$(place $name)" ] || { picture $name; fail "$name: no place"; }; done
shows entered 'unlocked-counter +seed 1 +FAIL nothing-lost'
shows entered '\(ev:5\).* pc 0x[0-9a-f]{16}'
shows entered 'backtrace'
shows entered '^.{3}.*counter │ lost [0-9]+'
shows entered '^.:last VARIABLE +who wrote it'
shows entered ' [0-9]+ [A-Z] counter +/counter'
[ "$(place stepped)" != "$(place entered)" ] || fail "a step leads nowhere: $(place stepped)"
shows stepped '\(ev:5 \+ 1\)'
shows stepped '\* rip +0x[0-9a-f]{16} \(was 0x'
[ "$(place returned)" = "$(place entered)" ] || fail "a step back leads to $(place returned), not $(place entered)"
[ "$(place walked)" = "$(place entered)" ] || fail "five steps and five back lead to $(place walked), not $(place entered)"
# The keys of the timeline move the machine, and what was printed later is gone.
[ "$(place event)" = "$(place entered)" ] || fail "the event before two steps after it is $(place event)"
shows before '\(ev:4\)'
shows before 'ev 4/9'
hides before '│ lost [0-9]+'
[ "$(place typed)" = "$(place entered)" ] || fail "goto ev:5 leads to $(place typed), not $(place entered)"
shows typed '> goto ev:5'
# A verb moves the playhead; the program's source is on this host.
shows wrote '> runtil write counter.total'
shows wrote 'code tests/workloads/counter\.c:[0-9]+'
shows wrote '=> +[0-9]+ '
shows wrote '#[0-9] +add_(one|all) \('
shows wrote 'c = 0x[0-9a-f]+ <counter>'
shows wrote 'ev 3/9'
[ "$(place line)" != "$(place wrote)" ] || fail "a line on leads nowhere: $(place line)"
shows line 'code tests/workloads/counter\.c:[0-9]+'
shows instructions 'code disassembly'
shows instructions '=> 0x[0-9a-f]{16} <add_(one|all)'
[ "$(place back)" = "$(place entered)" ] || fail "back leads to $(place back), not $(place entered)"
[ "$(place forward)" = "$(place wrote)" ] || fail "forward leads to $(place forward), not $(place wrote)"
shows wrong "there is no command 'nonsense'"
shows forked '> !echo forked from'
shows forked '^\|.*forked from 42'
shows small 'output'
shows folded '\[folded\]'
shows left 'events'
hides left 'backtrace'
# No key waits for the machine (the bound is wide, for hosts that are busy).
worst=$(sed -n 's/.*worst \([0-9]*\)\..*/\1/p' "$WORK/out")
[ "$worst" -lt 200 ] || fail "a key took $worst ms"

# ---- frames, variables, processes, breaks, names -------------------------------------------------------------------
counted=$run
. tests/runs/questions/shop.sh
shop=$run run=$counted
cat >"$WORK/keys" <<KEYS
type :debug $at
key Enter
type :focus shop
key Enter
snap inner
key S-Tab S-Tab S-Tab S-Tab S-Tab
snap backtrace
key Down
snap outer
key Up
snap again
key Tab Enter
snap opened
key Enter
snap closed
key S-Tab Down Tab
snap store
key Enter
snap parts
key Tab Tab Tab
type :focus none
key Enter
snap nobody
key S-Tab S-Tab
type /counter
key Enter Enter
snap chosen
key Enter
snap unchosen
key S-Tab S-Tab S-Tab S-Tab
type :focus shop
key Enter
type :stepi
key Enter
key S-Tab S-Tab S-Tab S-Tab S-Tab S-Tab Up Up b
snap broken
key b
snap mended
type :break shop::Store::ad
key Tab
snap completed
key Esc
type :goto ev:
key Tab
snap moments
key Esc
type :wher
key Tab
snap verbs
key Esc
type :disas main 200
key Enter
type /ret
key Enter
snap found
type :stepi 5000000
key Enter
snap far
KEYS
expect 0 "$tui" --runs "$WORK/shops" --size 160x60 --script "$WORK/keys" "$shop"
shows inner '=> +[0-9]+ '
shows backtrace '▶backtrace of shop\[[0-9]+\] \(chosen\)'
shows outer 'code .*shop.cc:[0-9]+'
shows outer 'locals of frame [0-9]+ of shop'
shows outer 'registers of frame [0-9]+'
shows outer 'not kept by the calls further in'
shows outer 'store = @0x'
hides again 'store = @0x'
# A variable opens and closes; a reference and a struct have parts.
shows opened '- this = 0x[0-9a-f]+'
shows opened 'stock = \{'
hides closed '- this = '
shows parts '- store = @0x'
shows parts '  \+ stock = '
hides nobody 'backtrace of .*\(chosen\)'
shows chosen 'backtrace of counter\[[0-9]+(/[0-9]+)?\].*\(chosen\)'
hides unchosen 'backtrace of .*\(chosen\)'
# A break on the line under the cursor, and away again.
shows broken '1 break'
shows broken '^.b +[0-9]+ '
hides mended '1 break'
shows completed ':break shop::Store::add'
shows moments 'ev:9'
shows verbs ':where'
shows found '>: ret +│'
hides found '> stepi'
shows far '\(ev:[0-9]+ \+ '
# Without the source the pane says what would help, and with the directory the source is there.
mkdir "$WORK/gone" "$WORK/kept" && cp tests/runs/questions/shop.cc "$WORK/gone/moved.cc"
g++ -g -O0 -static -no-pie -o "$WORK/shop" "$WORK/gone/moved.cc" && mv "$WORK/gone/moved.cc" "$WORK/kept/" || fail "moved.cc does not compile"
"$POLECAT" run "$WORK/shop.yaml" --seed 3 --runs "$WORK/moved" >"$WORK/out" 2>&1 </dev/null
moved=$(echo "$WORK"/moved/2*)
printf '%s\n' "type :debug $at" 'key Enter' 'type :focus shop' 'key Enter' 'type :code source' 'key Enter' 'snap here' >"$WORK/keys"
expect 0 "$tui" --runs "$WORK/moved" --size 160x45 --script "$WORK/keys" "$moved"
picture here | tr -d '\n|│' | grep -q 'the source file .*moved.cc' || { picture here; fail "does not say what is missing"; }
picture here | tr -d '\n|' | grep -q -- '--source-dir' || { picture here; fail "does not say what would help"; }
expect 0 "$tui" --runs "$WORK/moved" --source-dir "$WORK/kept" --debug-dir "$WORK/kept" --size 160x45 --script "$WORK/keys" "$moved"
shows here 'code .*moved.cc:[0-9]+'
shows here '=> +[0-9]+ '
expect 4 "$tui" --source-dir

# ---- in a terminal -----------------------------------------------------------------------------------------------
t() { tmux -S "$WORK/tmux" -f /dev/null "$@"; }
trap 't kill-server 2>/dev/null' EXIT
screen() { t capture-pane -p 2>/dev/null; }
on_screen() { screen | grep -qE -- "$1"; }
sees() { until_true on_screen "$1" || { screen; fail "never shows: $1"; }; }
# The session's own: there may be a second one, for checkpoints, that others go before.
qemu() { ps -o ni=,pid=,comm= --ppid "$ui" | awk '/qemu/ && (!pid || $1 < low) { low = $1; pid = $2 } END { if (pid) print pid }'; }
no_qemu() { [ -z "$(pgrep -P "$ui" qemu)" ]; }
t new-session -d -x 100 -y 30 "exec '$tui' --runs '$WORK/runs' '$run'"
ui=$(t display -p '#{pane_pid}')
sees 'ev 5/9'
t send-keys x
sees '\(ev:5\).* pc 0x'
[ "$(pgrep -P "$ui" qemu | wc -l)" -le 2 ] || fail "more than two QEMUs: $(pgrep -P "$ui" qemu)"
# Keys that come faster than moves are done: all of them count.
t send-keys s s s s s s s s
sees '\(ev:5 \+ 8\)'
t send-keys S S S S S S S S
sees '\(ev:5\), t'
# Esc that comes when the move is done already closes nothing.
too_late() { t send-keys Escape && on_screen 'nothing is going on; q closes this view'; }
until_true too_late || { screen; fail "Esc does something where nothing is going on"; }
# QEMU dies: it is said, and another stands at the same place.
kill -9 "$(qemu)"
sees 'QEMU had ended and was started again'
t send-keys s
sees '\(ev:5 \+ 1\)'
# QEMU hangs: what goes on is said, the screen answers meanwhile, Esc gives it up, and the next move has another QEMU.
kill -STOP "$(qemu)"
t send-keys s
sees 'stepi.*; Esc stops'
t send-keys Tab
sees '▶backtrace'
t send-keys Escape
sees 'QEMU had ended and was started again'
t send-keys s
sees '\(ev:5 \+ 2\)'
# Leaving the view ends QEMU; entering it again starts another; ending the program leaves none.
t send-keys q
sees 'properties 1 of 2 fail'
until_true no_qemu || fail "QEMU lives on after the view"
t send-keys x
sees '\(ev:5.* pc 0x'
left=$(qemu)
t send-keys Q
gone() { ! kill -0 "$1" 2>/dev/null; }
until_true gone "$ui" || fail "the program does not end"
until_true gone "$left" || fail "QEMU lives on after the program"
# Asked to end while gdb has the terminal, which is killed then: the terminal's modes are those of before, not gdb's.
t() { tmux -S "$WORK/tmux2" -f /dev/null "$@"; }
t new-session -d -x 100 -y 30 "stty -g >'$WORK/before'; '$tui' --runs '$WORK/runs' '$run'; stty -g >'$WORK/after.new'; mv '$WORK/after.new' '$WORK/after'; cat"
sees 'ev 5/9'
ui=$(pgrep -P "$(t display -p '#{pane_pid}')")
t send-keys x
sees '\(ev:5.* pc 0x'
t send-keys ':gdb' Enter
sees '^\(gdb\)'
left=$(pgrep -P "$ui")
kill "$ui"
until_true test -e "$WORK/after" || { screen; fail "does not end while gdb has the terminal"; }
same "$WORK/before" "$WORK/after"
for process in $left; do until_true gone "$process" || fail "lives on after the program: $process"; done
