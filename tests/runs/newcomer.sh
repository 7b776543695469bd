#!/bin/bash
# README's commands, read out of README, in a fresh clone with an empty cache: they must work as written.
# limit: 900
# takes: 110
. tests/lib.sh

# That programs made with -O2 do the same is what all other tests are about; without it half of the time goes.
export YES=1 XDG_CACHE_HOME=$WORK/cache CFLAGS=-O0
unset POLECAT_RUNS
git -c safe.directory='*' clone -q . "$WORK/clone" 2>"$WORK/err" || fail "clone: $(cat "$WORK/err")"
cd "$WORK/clone" || fail "no clone"
sed -n '/^```sh$/,/^```$/{/^```/d;p}' README.md | grep -v '^#' >"$WORK/commands"
[ "$(wc -l <"$WORK/commands")" = 2 ] || fail "README's start is not two commands: $(cat "$WORK/commands")"

first=$(sed -n 1p "$WORK/commands")
second=$(sed -n 2p "$WORK/commands")
expect 0 sh -c "$first"
says 'no-lost-ack'
says 'identical'
[ "$(ls runs | grep -c redis-memory-only)" = 1 ] || fail "no recording of redis-memory-only in runs/"
# Nothing but ignored folders has changed in the clone.
[ -z "$(git -c safe.directory='*' status --porcelain)" ] || fail "the clone is dirty: $(git status --porcelain)"

# The second command needs a terminal: a private tmux gives it one. The list of recordings comes first, Enter opens one.
tmux() { command tmux -S "$WORK/tmux" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null' EXIT
shows() {
	for _ in $(seq 600); do
		tmux capture-pane -p >"$WORK/screen" 2>/dev/null
		grep -q -- "$1" "$WORK/screen" && return
		read -rt 0.1 <> <(:)
	done
	fail "the screen does not show $1: $(cat "$WORK/screen")"
}
tmux new-session -d -x 80 -y 24 "$second; echo status \$? >'$WORK/status'"
shows 'redis-memory'
tmux send-keys Enter
shows 'redis-memory-only'
shows 'no-lost-ack'
tmux send-keys q
shows 'redis-acked'
tmux send-keys q
for _ in $(seq 600); do
	[ -s "$WORK/status" ] && break
	read -rt 0.1 <> <(:) || true
done
[ "$(cat "$WORK/status" 2>/dev/null)" = "status 0" ] || fail "ui did not end well: $(cat "$WORK/status" 2>/dev/null)"
