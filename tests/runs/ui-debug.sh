#!/bin/bash
# The debug view of `polecat ui` on a real run: from the failure into the machine, steps forth and back, the source line that
# wrote, playhead and machine together, a fork; then in a terminal: steps in a row, Esc, QEMU killed under it, nothing left.
# limit: 120
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
key Enter !
type echo forked from $((40 + 2))
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

# ---- in a terminal -----------------------------------------------------------------------------------------------
t() { tmux -S "$WORK/tmux" -f /dev/null "$@"; }
trap 't kill-server 2>/dev/null' EXIT
screen() { t capture-pane -p 2>/dev/null; }
until_true() {
	local tries
	for ((tries = 0; tries < 400; tries++)); do
		"$@" && return 0
		read -rt 0.05 <> <(:)
	done
	return 1
}
on_screen() { screen | grep -qE -- "$1"; }
sees() { until_true on_screen "$1" || { screen; fail "never shows: $1"; }; }
qemu() { pgrep -P "$ui" qemu; }
no_qemu() { [ -z "$(qemu)" ]; }
t new-session -d -x 100 -y 30 "exec '$tui' --runs '$WORK/runs' '$run'"
ui=$(t display -p '#{pane_pid}')
sees 'ev 5/9'
t send-keys x
sees '\(ev:5\).* pc 0x'
[ "$(qemu | wc -l)" = 1 ] || fail "not one QEMU: $(qemu)"
# Keys that come faster than moves are done: all of them count.
t send-keys s s s s s s s s
sees '\(ev:5 \+ 8\)'
t send-keys S S S S S S S S
sees '\(ev:5\), t'
# QEMU dies: it is said, and another stands at the same place.
kill -9 "$(qemu)"
sees 'QEMU had ended and was started again'
t send-keys s
sees '\(ev:5 \+ 1\)'
# QEMU hangs: what goes on is said, the screen answers meanwhile, Esc gives it up, and the next move has another QEMU.
kill -STOP "$(qemu)"
t send-keys s
sees 'stepi.* s; Esc stops'
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
