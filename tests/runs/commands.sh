#!/bin/bash
# ls, show, image, gc, help, manual, completion: what they print, also as JSON, and that a run being recorded can be followed.
. tests/lib.sh
json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$WORK/out" || fail "not JSON: $(head -c 300 "$WORK/out")"; }
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(ls -d "$WORK"/runs/2*)
expect 0 "$POLECAT" ls --runs "$WORK/runs"
says '^pass .*echo-restart-42-'
expect 0 "$POLECAT" ls --runs "$WORK/runs" --json
json
for what in --events --faults --properties --plan --manifest --timeline ''; do
	expect 0 "$POLECAT" show "$run" $what
	[ -s "$WORK/out" ] || fail "show $what prints nothing"
	grep -q $'\033' "$WORK/out" && fail "show $what prints escapes into a file"
done
for what in --events --faults --properties --plan --manifest; do
	expect 0 "$POLECAT" show "$run" $what --json
	[ "$what" = --events ] || json
done
same "$run/events.jsonl" <("$POLECAT" show "$run" --events --json)
expect 0 "$POLECAT" image ls
says 'boot snapshots, [0-9]+ MiB'
expect 0 "$POLECAT" image ls --json
json
expect 0 "$POLECAT" image build scenarios/echo-restart.yaml
says '^[0-9a-f]{64}$'
expect 4 "$POLECAT" image paint
expect 0 "$POLECAT" gc --runs "$WORK/runs" --passed
says '^1 removed'
[ -z "$(ls -A "$WORK/runs")" ] || fail "gc --passed leaves $(ls -A "$WORK/runs")"
# A run being recorded is followed to its end, and what was followed is what it became.
"$POLECAT" run scenarios/redis-acked-writes.yaml --seed 9 --runs "$WORK/live" >"$WORK/rec" 2>&1 &
pid=$!
until ls -d "$WORK"/live/.incomplete-* >/dev/null 2>&1; do kill -0 $pid 2>/dev/null || break; read -rt 0.01 <> <(:); done
live=$(ls -d "$WORK"/live/.incomplete-* "$WORK"/live/2* 2>/dev/null | head -n 1)
timeout 120 "$POLECAT" show "$live" --events --json --follow >"$WORK/followed" 2>"$WORK/err"
wait $pid || fail "the recording exits $?: $(cat "$WORK/rec")"
same "$WORK/followed" "$(ls "$WORK"/live/2*/events.jsonl)"
# Every command has help, and is in the manual page and in each completion.
"$POLECAT" manual >"$WORK/polecat.1"
mandoc -W error -T lint "$WORK/polecat.1" || man -l --warnings "$WORK/polecat.1" >/dev/null || fail "the manual page"
for shell in bash zsh fish; do "$POLECAT" completion $shell >"$WORK/$shell" || fail "completion $shell"; done
bash -n "$WORK/bash" || fail "bash does not take its completion"
for c in $("$POLECAT" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
	expect 0 "$POLECAT" help "$c"
	says "^usage: polecat $c"
	grep -q "polecat $c" "$WORK/polecat.1" || fail "$c is not in the manual page"
	for shell in bash zsh fish; do grep -qw -- "$c" "$WORK/$shell" || fail "$c is not in the completion for $shell"; done
done
