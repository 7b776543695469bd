#!/bin/bash
# A durable redis keeps every acknowledged write for seeds 1 to 20; one that keeps its data in memory loses some for most seeds,
# with the lost key as witness. busybox's httpd serves whole pages whatever happens.
# limit: 600
# takes: 62
. tests/lib.sh
expect 0 "$POLECAT" check scenarios/redis-acked-writes.yaml --seeds 1..20 -j 2 --keep none
says '^20 runs: 20 pass'
expect 1 "$POLECAT" check scenarios/redis-memory-only.yaml --seeds 1..8 -j 2 --runs "$WORK/runs"
failed=$(grep -cE "^fail +redis-memory-only seed .*no-lost-ack: '[0-9]+' was added" "$WORK/out")
[ "$failed" -ge 5 ] || { cat "$WORK/out"; fail "only $failed of 8 seeds lose a write"; }
expect 0 "$POLECAT" check scenarios/busybox-httpd.yaml --seeds 1..8 -j 2 --keep none
says '^8 runs: 8 pass'
expect 1 "$POLECAT" check scenarios/unlocked-counter.yaml --seeds 1..4 -j 2 --keep none
says '^4 runs: 0 pass, 4 fail'
expect 0 "$POLECAT" check scenarios/locked-counter.yaml --seeds 1..4 -j 2 --keep none
says '^4 runs: 4 pass'
