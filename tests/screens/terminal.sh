#!/bin/bash
# The screen in true terminals (tmux hosts them): kinds of terminal, locales, a resize storm, suspend, signals, a crash, and the
# terminal afterwards as it was before. Waits for what is to be seen, never for time to pass.
# limit: 240
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
command -v tmux >/dev/null || fail "tmux is not installed"
passed=0
cp -a tests/screens/runs "$WORK/runs"
cd "$WORK"
mkdir -p state config/polecat/themes
server=0
t() { tmux -S "$WORK/tmux$server" "$@"; }
trap 't kill-server 2>/dev/null' EXIT

# start WIDTHxHEIGHT ENV...: a shell with job control and this environment in a window of its own.
start() {
	local size=$1
	shift
	printf 'PS1="ready> "\nunset PROMPT_COMMAND\n' >rc
	t kill-server 2>/dev/null
	server=$((server + 1)) # a server that is going away must not be asked
	t -f /dev/null new-session -d -x "${size%x*}" -y "${size#*x}" \
		"env -u COLORTERM XDG_STATE_HOME=$WORK/state XDG_CONFIG_HOME=$WORK/config INPUTRC=/dev/null $* bash --rcfile rc -i"
	sees 'ready> *$'
	keys "stty -g >before; clear" Enter
	sees '^ready> *$'
}
keys() { t send-keys "$@"; }
screen() { t capture-pane -p 2>/dev/null; }
shows() { screen | grep -qE -- "$1"; }
sees() { until_true shows "$1" || { screen; fail "$what: never shows: $1"; }; }
run() { keys "$tui --runs runs $*; echo exit=\$?" Enter; }
pid() { pgrep -f -- "$tui --runs runs" | head -n 1; }
gone() { [ -z "$(pid)" ]; }
# The terminal is as it was: modes, cursor, first screen, no mouse.
sane() {
	keys "stty -g >after" Enter
	until_true test -s after || { screen; fail "$what: the shell does not answer"; }
	until_true cmp -s before after || fail "$what: the terminal's modes changed: $(cat before) $(cat after)"
	rm after
	[ "$(t display -p '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')" = 010 ] ||
		fail "$what: alternate screen, cursor, mouse: $(t display -p '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')"
	passed=$((passed + 1))
}

for term in xterm-256color screen-256color vt100 linux no-such-terminal; do
	for lang in C C.UTF-8; do
		what="TERM=$term LANG=$lang"
		start 80x24 TERM=$term LC_ALL=$lang
		run runs/fail
		sees 'FAIL no-lost-ack'
		keys '?'
		sees 'Keys and commands'
		keys q
		sees 'events'
		[ $lang = C.UTF-8 ] || ! screen | grep -qP '[^\x00-\x7f]' || fail "$what: draws with more than ASCII"
		keys q
		sees 'exit=0'
		sane
	done
done

what="TERM=dumb"
start 80x24 TERM=dumb LC_ALL=C.UTF-8
run runs/fail
sees 'cannot place a cursor'
screen | tr -d '\n' | grep -q 'polecat show RUN --timeline' || fail "$what: does not name the way without a screen"
sees 'exit=4'
sane

# A theme's colours reach a terminal of 24 bits as they are, whether TERM says so or COLORTERM does.
printf 'heading #12ab34 -\n' >config/polecat/themes/exact.theme
for env in "TERM=xterm-direct" "TERM=xterm-256color COLORTERM=truecolor"; do
	what="$env"
	start 80x24 "$env" LC_ALL=C.UTF-8
	t set -g default-terminal tmux-direct
	run --theme exact runs/fail
	sees 'FAIL no-lost-ack'
	t capture-pane -pe | grep -qE $'38[;:]2[;:]:?18[;:]171[;:]52' || fail "$what: no heading in #12ab34: $(t capture-pane -pe | head -n 9 | cat -v)"
	keys q
	sees 'exit=0'
	sane
done

what="polecat ui --theme --ascii"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
keys "$POLECAT ui --runs runs --theme high-contrast --ascii fail; echo exit=\$?" Enter
sees 'FAIL no-lost-ack'
screen | grep -qP '[^\x00-\x7f]' && fail "$what: draws with more than ASCII"
grep -qx 'theme high-contrast' state/polecat/ui/session || fail "$what: the theme is not remembered"
keys q
sees 'exit=0'
sane
keys "$POLECAT ui --runs runs --theme nowhere fail; echo exit=\$?" Enter
sees 'there is no theme'
keys q
sees 'exit=0'
sane

what="resize storm"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
run runs/fail
sees 'FAIL no-lost-ack'
keys g
sees 'ev 1/300'
picture() { t capture-pane -p; }
first=$(picture)
for size in 20x5 200x60 1x1 80x24 2x40 300x2 40x12 1x50 120x40 10x10 80x24; do
	t resize-window -x ${size%x*} -y ${size#*x}
	keys Left
done
keys ':'
t resize-window -x 3 -y 2
t resize-window -x 80 -y 24
keys Escape
sees 'help +q quit' # Esc and a key at once would be Alt and that key
keys g
as_at_first() { [ "$(picture)" = "$first" ]; }
until_true as_at_first || { picture; fail "$what: what was there before is still on the screen"; }
keys '?'
t resize-window -x 1 -y 1
t resize-window -x 80 -y 24
sees 'Keys and commands'
keys q q
sees 'exit=0'
sane

what="the clipboard"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
t set -g set-clipboard on
rm -rf state && mkdir state
run runs/fail
sees 'ev 293/300'
keys y
sees 'clipboard'
copied() { t show-buffer 2>/dev/null | cmp -s - <(sed -n 293p runs/fail/events.jsonl | tr -d '\n'); }
until_true copied || fail "$what: holds something else: $(t show-buffer)"
keys q
sees 'exit=0'
sane

what="the mouse"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
run runs/fail
sees 'ev 293/300'
keys m
sees 'mouse on'
mouse() { keys -l $'\e['"<$1"; } # as a terminal reports it: button;column;row, M pressed or moved, m released
mouse '0;40;3M' # on the timeline
until_true eval '! shows "ev 293/300"' || fail "$what: a click does not move the playhead"
pressed=$(screen | grep -o 'ev [0-9]*/300' | head -n 1)
for column in 36 30 24 18; do mouse "32;$column;3M"; done
mouse '32;16;20M' # down among the events, with the button held: still a drag of the playhead
mouse '0;16;20m'
sees 'ev [0-9]{1,2}/300'
screen | grep -q "$pressed" && fail "$what: dragging does not move the playhead"
mouse '65;10;15M' # the wheel
keys m
sees 'mouse off'
keys q
sees 'exit=0'
sane

what="NO_COLOR"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8 NO_COLOR=1
run runs/fail
sees 'FAIL no-lost-ack'
t capture-pane -pe | grep -qE $'\033\\[[0-9;]*(3[0-7]|38|4[0-7]|48)[;m]' && fail "$what: there are colours"
keys q
sees 'exit=0'
sane

what="suspend and continue"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
run runs/fail
sees 'FAIL no-lost-ack'
keys m
sees 'mouse on'
keys C-z
sees 'Stopped'
keys "clear" Enter
sane
keys fg Enter
sees 'FAIL no-lost-ack'
kill -TSTP "$(pid)"
sees 'Stopped'
sane
keys fg Enter
sees 'FAIL no-lost-ack'
kill -STOP "$(pid)" # cannot be caught: the terminal stays as it is, and must be right again afterwards
sees 'Stopped'
keys fg Enter
sees 'FAIL no-lost-ack'
keys '?'
sees 'Keys and commands'
keys Q
until_true gone || fail "$what: does not end"
sane

for signal in SEGV ABRT BUS TERM INT QUIT HUP; do
	what="SIG$signal"
	start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
	keys "ulimit -c 0" Enter
	run runs/fail
	sees 'FAIL no-lost-ack'
	keys m
	sees 'mouse on'
	kill -$signal "$(pid)"
	sees 'exit=[0-9]+'
	sane
done

what="kill -9 loses nothing that was set"
start 80x24 TERM=xterm-256color LC_ALL=C.UTF-8
run runs/fail
sees 'FAIL no-lost-ack'
keys :
keys -l 'goto ev:100'
keys Enter
sees 'ev 100/300'
keys :
keys -l 'bookmark before the end'
keys Enter
sees 'bookmark set'
keys Left
sees 'ev 99/300 '
kill -9 "$(pid)"
until_true gone
keys "reset; stty -g >before; clear" Enter # nothing can give a terminal back after this; it is not what is tested here
sees '^ready> *$'
run runs/fail
sees 'ev 99/300 '
keys "'"
sees 'bookmark: before the end'
[ -z "$(find state -type f ! -perm 600)" ] || fail "$what: state that others can read: $(find state -type f ! -perm 600)"
keys q
sees 'exit=0'
sane

what="kill -9, and all is open again"
start 100x30 TERM=xterm-256color LC_ALL=C.UTF-8
run
sees 'runs [0-9]+, by'
keys g S Space # sorted by age, the first one marked
sees 'by age'
marked=$(screen | grep -m 1 '●' | tr -s ' ')
[ -n "$marked" ] || { screen; fail "$what: nothing is marked"; }
keys ':'
keys -l 'open fail'
keys Enter
sees 'FAIL no-lost-ack'
keys @
keys -l 'ev:100'
keys Enter
sees 'ev 100/300'
keys '&'
keys -l 'node:client'
keys Enter
sees 'events node:client'
keys c
sees 'console all nodes'
t kill-server # the terminal goes away, and the program with it
until_true gone || kill -9 "$(pid)"
start 100x30 TERM=xterm-256color LC_ALL=C.UTF-8
run
sees 'is open again'
sees 'ev 100/300'
sees 'console all nodes'
keys v
sees 'events node:client'
keys o
sees 'by age'
[ "$(screen | grep -m 1 '●' | tr -s ' ')" = "$marked" ] || { screen; fail "$what: another mark than $marked"; }
keys Q
sees 'exit=0'
sane
run
sees 'runs [0-9]+, by verdict' # ended as it was told to: nothing is opened
keys q
sees 'exit=0'
sane

what="a run that grows"
start 100x30 TERM=xterm-256color LC_ALL=C.UTF-8
events=runs/.incomplete-recording/events.jsonl
head -n 200 "$events" >all
head -n 120 all >"$events"
exec {lock}<runs/.incomplete-recording # as a recorder holds it
flock -n "$lock" || fail "$what: no lock"
run runs/.incomplete-recording
sees 'recording +icount'
sees 'ev 120/120 .*following'
head -n 150 all | tail -n 30 >>"$events"
head -n 151 all | tail -n 1 | head -c 40 >>"$events" # half a line is no event yet
sees 'ev 150/150 .*following'
keys g
sees 'ev 1/150 '
head -n 151 all | tail -n 1 | tail -c +41 >>"$events"
tail -n +152 all >>"$events"
sees 'ev 1/200 '
exec {lock}<&-
sees 'abandoned +icount'
keys q
sees 'exit=0'
sane

echo "$passed passed, 0 failed"
