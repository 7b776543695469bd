#!/bin/bash
# For 50 events of a real run: one instruction before its icount an event has not happened, at it it has.
. tests/lib.sh
make -s --no-print-directory "build/${MODE:-release}/icounts" || fail "icounts does not build"
expect 0 "$POLECAT" run scenarios/redis-acked-writes.yaml --seed 6 --runs "$WORK/runs"
expect 0 "build/${MODE:-release}/icounts" "$(ls -d "$WORK"/runs/2*)"
says '^50 events, each exactly at its count$'
