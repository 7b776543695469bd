#!/bin/bash
# Forks in the list of runs: below the run that they were made from, with the moment and the command; folded and shown again.
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
make=$(dirname "$POLECAT")/make-run
export INPUTRC=/dev/null
run() { "$make" "$WORK/runs/$1" --events 60 --kills 0 --stops 0 "${@:2}" || fail "make-run $1"; }
mkdir "$WORK/runs"
run b-base --seed 3
run a-first --seed 3 --parent b-base --moment 9591449 --command sh
run c-second --seed 3 --parent b-base --moment 12 --command ls
run d-deep --seed 3 --parent a-first --moment 9600000 --command cat
run e-orphan --seed 3 --parent gone --moment 5 --command id
run f-alone --seed 4
play() { # STEP...: pictures at 100x24
	printf '%s\n' "$@" >"$WORK/keys"
	expect 0 "$tui" --runs "$WORK/runs" --now 1800000000 --size 110x24 --script "$WORK/keys"
}
picture() { awk -v name="$1" '/^== / { on = $2 == name } /^roles$/ { on = 0 } on' "$WORK/out"; }
shows() { picture "$1" | grep -qE -- "$2" || { picture "$1"; fail "$1: does not show: $2"; }; }
hides() { ! picture "$1" | grep -qE -- "$2" || { picture "$1"; fail "$1: shows: $2"; }; }
play 'type :sort scenario' 'key Enter' 'snap tree' 'key Home Down Down' 'snap child' 'type i' 'snap folded' 'type i' 'snap shown' \
	'type &deep' 'key Enter' 'snap filtered' 'type &' 'key Enter' 'type i' 'key End' 'type i' 'snap alone'
shows tree '└fork -1 .*at 9 591 449: sh -c exit 0'
shows tree ' └fork .*at 9 600 000: cat -c exit 0'
shows tree '└fork .*at 12: ls'
shows tree '[^└]fork .*at 5: id'
# A fork stands behind what it was made from, whatever the order is.
order=$(picture tree | grep -oE 'at [0-9 ]+: [a-z]+|made -3' | tr -d ' ' | tr '\n' ' ')
case $order in *'made-3 '*'at9591449:sh at9600000:cat '*) ;; *) picture tree; fail "the tree is $order" ;; esac
shows child 'fork of b-base at'
# Folding a fork's run hides all below it; the row that was hidden is not selected any more.
hides folded 'at 9 600 000'
shows shown 'at 9 600 000'
shows filtered 'at 9 600 000'
hides filtered 'at 12'
shows alone 'has no forks'
# A parent that is deleted leaves its forks standing, and that is said.
play 'type :sort scenario' 'key Enter' 'key Home' 'type /b-base' 'key Enter' 'key X' 'snap deleted' 'key u' 'snap back'
shows deleted 'without which its 3 forks cannot be replayed'
shows deleted '[^└]fork -1 .*at 9 591 449: sh'
shows back 'made -3'
# Every size; nothing but the list is needed to use it.
printf '%s\n' 'size 40x12' 'snap small' 'size 20x5' 'snap tiny' 'size 1x1' 'snap least' 'size 300x60' 'snap large' >"$WORK/keys"
expect 0 "$tui" --runs "$WORK/runs" --now 1800000000 --size 80x24 --script "$WORK/keys"
shows small '└fork'
