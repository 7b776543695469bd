#!/bin/bash
# A shell in the past at a terminal (tmux is it): a terminal of the node's own, job control, window size, full-screen programs,
# what a guest may not do to it, the ways to leave, and the terminal afterwards as it was before; then from the debug prompt and
# the screen. Waits for what is to be seen, never for time to pass.
# limit: 600
# takes: 28
. tests/lib.sh
command -v tmux >/dev/null || fail "tmux is not installed"
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
t() { tmux -S "$WORK/tmux" "$@"; }
trap 't kill-server 2>/dev/null' EXIT
keys() { t send-keys "$@"; }
screen() { t capture-pane -p; }
shows() { screen | grep -qE -- "$1"; }
sees() { until_true shows "$1" || { screen; fail "never shows: $1"; }; }
pid() { pgrep -f "^$POLECAT (fork|debug) .*$WORK" | head -n 1; }
gone() { [ -z "$(pgrep -f "^$POLECAT (fork|debug) .*$WORK|^polecat-tty")" ]; }
# The terminal is as it was: modes, first screen, cursor; and the shell outside reads from it.
sane() {
	until_true gone || fail "$1: it does not end"
	keys "clear; stty -g >after; echo out''side" Enter
	sees '^outside'
	cmp -s "$WORK/before" "$WORK/after" || fail "$1: the modes of the terminal changed: $(cat "$WORK/before") $(cat "$WORK/after")"
	[ "$(t display -p '#{alternate_on}#{cursor_flag}')" = 01 ] || fail "$1: another screen, or no cursor"
}
enter() {
	keys "clear; $POLECAT fork $run --at ev:40 --node server; echo status=\$?" Enter
	sees '^server:/# *$'
}

cd "$WORK"
printf 'PS1="ready> "\nunset PROMPT_COMMAND\n' >rc
t -f /dev/null new-session -d -x 100 -y 30 "bash --rcfile rc -i"
sees 'ready> *$'
keys 'stty -g >before; clear' Enter
sees '^ready> *$'

# ---- what a terminal is for ----
enter
sees 'Ctrl-\] leaves'
keys 'tty; stty size; echo term=$TERM' Enter
sees '^/dev/pts/[0-9]+$'
sees '^30 100$'
sees '^term=.*[a-z]'
keys 'sleep 1000' Enter
sees '# sleep 1000'
sleeps() { pgrep -f "^$POLECAT fork" >/dev/null && keys C-z && shows 'Stopped +sleep 1000'; }
until_true sleeps || { screen; fail 'Ctrl-Z does not stop a program'; }
keys 'clear; jobs' Enter
sees '^\[1\]\+ +Stopped +sleep 1000'
keys 'fg' Enter
sees '^sleep 1000'
interrupted() { keys C-c && shows '\^C'; }
until_true interrupted
keys 'clear; jobs; echo no jobs=$?' Enter
sees '^no jobs=0'
shows 'Stopped' && fail 'fg and Ctrl-C did not end the job'
t resize-window -x 72 -y 20
keys 'clear; while [ "$(stty size)" != "20 72" ]; do :; done; stty size' Enter
sees '^20 72$'
keys 'vi /etc/hosts' Enter
sees '^127.0.0.1 localhost'
sees '/etc/hosts 1/'
keys ':q' Enter
sees '^server:/# *$'
# A program that writes without end is interrupted at once, and what was typed meanwhile is not lost.
keys 'clear; yes' Enter
sees '^y$'
keys C-c 'clear; echo after it' Enter
sees '^after it$'

# ---- what a guest may not do ----
title=$(t display -p '#{pane_title}')
keys 'clear; printf "\033]2;stolen\007\033]52;c;c3RvbGVu\007\033[6n\033[3J"; printf "\033[31mred\033[0m\n"; echo done=$?' Enter
sees '^red$'
sees '^done=0$'
[ "$(t display -p '#{pane_title}')" = "$title" ] || fail 'a guest changed the title of the terminal'
t list-buffers | grep -q . && fail 'a guest wrote to the clipboard'

# ---- the ways out ----
keys 'exit 7' Enter
sees '^status=7$'
sees '^recorded as '
sane 'exit'
enter
keys 'vi /etc/hosts' Enter
sees '/etc/hosts 1/'
keys C-]
sees '^status=129$'
sane 'Ctrl-]'
for signal in TERM KILL; do
	enter
	keys "printf '\\033[?1049h\\033[?25lother screen'" Enter
	sees '^other screen'
	kill -$signal "$(pid)"
	sane "SIG$signal"
done
enter
pkill -KILL -P "$(pid)" qemu || fail 'there is no QEMU'
sees 'QEMU was killed by signal 9'
sane 'QEMU killed'
# Stopped from outside, and on.
enter
keys 'vi /etc/hosts' Enter
sees '/etc/hosts 1/'
kill -TSTP "$(pid)"
sees 'Stopped'
keys "clear; stty -g >after; echo out''side" Enter
sees '^outside'
cmp -s before after || fail 'stopped: the modes of the terminal are not the old ones'
keys 'clear; fg' Enter
sees '/etc/hosts 1/'
keys ':q' Enter
sees '^server:/# *$'
keys 'exit' Enter
sees '^recorded as '
sane 'stopped and continued'

# ---- from the debug prompt, and from the screen ----
keys "clear; $POLECAT debug $run --at ev:40" Enter
sees '^at .*ev:40'
keys 'fork @client' Enter
sees '^client:/# *$'
keys 'exit' Enter
sees 'recorded as '
keys 'here' Enter
sees '^at .*ev:40'
keys 'quit' Enter
sane 'debug'
keys "clear; XDG_STATE_HOME=$WORK/state $POLECAT ui --runs $WORK/runs $run" Enter
sees 'ev 1/'
keys ':goto ev:40' Enter
sees 'ev 40/'
keys '!'
sees '^server:/# *$'
keys 'hostname; exit' Enter
sees 'recorded as .*echo-restart'
sees 'ev 40/'
keys q
sane screen

# What was made there is recorded like any other.
for fork in $(ls -d "$WORK"/runs/2*-echo-restart-42-*[0-9a-f] | tail -n +2 | head -n 2); do
	expect 0 "$POLECAT" replay "$fork"
	says '^identical'
done
exit 0
