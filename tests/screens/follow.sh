#!/bin/bash
# `polecat show --events --follow` prints a recording as it grows, whole lines only, and ends when it is whole.
. tests/lib.sh
"build/${MODE:-release}/make-run" "$WORK/made" --events 60 --kills 0 --stops 0 || fail make-run
live=$WORK/.incomplete-live
mkdir "$live"
cp "$WORK/made/plan.json" "$live"
mkfifo "$WORK/pipe"

# lines COUNT: reads so many lines of what is printed; each must come within ten seconds.
lines() {
	local i
	for ((i = 0; i < $1; i++)); do
		IFS= read -r -t 10 -u 3 line || fail "after $i of $1 lines: nothing comes"
		echo "$line" >>"$WORK/got"
	done
}

"$POLECAT" show "$live" --events --follow --json >"$WORK/pipe" 2>"$WORK/err" &
follower=$!
exec 3<"$WORK/pipe"
head -n 10 "$WORK/made/events.jsonl" >"$live/events.jsonl"
lines 10
# Half a line is not printed; its other half makes it whole.
line11=$(sed -n 11p "$WORK/made/events.jsonl")
printf '%s' "${line11:0:30}" >>"$live/events.jsonl"
printf '%s\n' "${line11:30}" >>"$live/events.jsonl"
lines 1
tail -n +12 "$WORK/made/events.jsonl" >>"$live/events.jsonl"
cp "$WORK/made/properties.json" "$live"
mv "$live" "$WORK/live"
lines 49
IFS= read -r -t 10 -u 3 line && fail "more than there is: $line"
wait $follower || { cat "$WORK/err"; fail "exit $?"; }
same "$WORK/got" "$WORK/made/events.jsonl"
