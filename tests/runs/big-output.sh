#!/bin/bash
# A workload that prints 10 MB: every byte arrives (the digests of both sides agree, or the run would be refused), the limits cut
# where they say, and the replay is the same.
. tests/lib.sh
scenario() { # NAME LIMITS
	cat >"$WORK/$1.yaml" <<Y
polecat: 1
name: $1
nodes: {a: {workload: {binary: $PWD/build/workloads/spew}, command: [/spew, "10"]}}
properties: [{id: ends, eventually: {node: a, exited: 0}}]
limits: {$2}
Y
}
scenario whole 'events: 300000'
expect 0 "$POLECAT" run "$WORK/whole.yaml" --runs "$WORK/runs"
tail -n 5 "$WORK"/runs/2*/events.jsonl | grep -q '"out_bytes":10[0-9]\{6\},' || fail "not 10 MB: $(tail -n 5 "$WORK"/runs/2*/events.jsonl)"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
rm -rf "$WORK/runs"
scenario events 'events: 1000'
expect 2 "$POLECAT" run "$WORK/events.yaml" --runs "$WORK/runs"
[ "$(wc -l <"$(ls "$WORK"/runs/2*/events.jsonl)")" = 1000 ] || fail "not cut at 1000 events"
tail -n 1 "$WORK"/runs/2*/events.jsonl | grep -q event_limit || fail "no event_limit"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
rm -rf "$WORK/runs"
scenario bytes 'bytes: 100KiB'
expect 2 "$POLECAT" run "$WORK/bytes.yaml" --runs "$WORK/runs"
tail -n 1 "$WORK"/runs/2*/events.jsonl | grep -q byte_limit || fail "no byte_limit"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
