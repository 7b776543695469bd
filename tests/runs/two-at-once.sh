#!/bin/bash
# Two polecats with an empty cache and one runs directory do not clash: one boots, both record, both runs are equal.
. tests/lib.sh
export XDG_CACHE_HOME=$WORK/cache
mkdir -p "$WORK/cache/polecat"
cp -a "${POLECAT_TEST_CACHE:-$PWD/build/test-cache}/polecat/kernels" "$WORK/cache/polecat/"
pids=
for i in 1 2 3; do
	"$POLECAT" run scenarios/echo-restart.yaml --seed 5 --runs "$WORK/runs" >"$WORK/out$i" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do wait $pid || { cat "$WORK"/out?; fail "one of three exits $?"; }; done
set -- "$WORK"/runs/2*/
[ $# = 3 ] || fail "$# runs instead of 3"
same "$1/events.jsonl" "$2/events.jsonl"
same "$1/events.jsonl" "$3/events.jsonl"
expect 0 "$POLECAT" image ls
says '^1 boot snapshots'
