#!/bin/bash
# A person with a fresh failing run of redis-memory-only finds the lost write: the failure, the promise, the kill, the choice.
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
export INPUTRC=/dev/null
expect 1 "$POLECAT" run scenarios/redis-memory-only.yaml --seed 2 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/*)
printf '%s\n' 'snap opened' 'key P' 'snap promised' 'key f' 'snap killed' 'key s' 'snap chosen' 'key q q' 'snap left' >"$WORK/keys"
expect 0 "$tui" --runs "$WORK/runs" --size 80x24 --script "$WORK/keys" "$run"
picture() { awk -v name="$1" '/^== / { on = $2 == name } /^roles$/ { on = 0 } on' "$WORK/out"; }
shows() { picture "$1" | grep -qE -- "$2" || { picture "$1"; fail "$1: does not show: $2"; }; }
shows opened 'redis-memory-only +seed 2 +FAIL no-lost-ack'
shows opened '▶[ 0-9.]+ client missing'
shows promised '▶[ 0-9.]+ client acked'
shows killed '▶[ 0-9.]+ server kill#1 applied'
shows chosen 'kill#1.after.lines = [0-9]+ of 20..150'
[ -z "$(picture left)" ] || fail "q does not end it"
