#!/bin/bash
# Batch mode: reports, exit codes, shards, fail-fast, what is kept, and Ctrl-C.
# limit: 600
. tests/lib.sh
expect 0 "$POLECAT" check scenarios/echo-restart.yaml --seeds 1..6 -j 2 --runs "$WORK/runs" --junit "$WORK/j.xml"
says '^6 runs: 6 pass'
[ -z "$(ls -A "$WORK/runs" 2>/dev/null)" ] || fail "passed runs are kept"
python3 - "$WORK/j.xml" <<'P' || fail "JUnit is not as it should be"
import sys, xml.etree.ElementTree as E
root = E.parse(sys.argv[1]).getroot()
assert len(list(root.iter("testcase"))) == 6
P
expect 1 "$POLECAT" check scenarios/echo-corrupt.yaml --seeds 1..3 --runs "$WORK/runs" --json
python3 - "$WORK/out" <<'P' || fail "JSON is not as it should be"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["polecat_check"] == 1 and r["status"] == 1 and r["fail"] == 3, r
assert [x["seed"] for x in r["runs"]] == [1, 2, 3]
assert all(x["run"] for x in r["runs"])
P
[ "$(ls -d "$WORK"/runs/2* | wc -l)" = 3 ] || fail "failed runs are not kept"
# The line that reproduces a failure does.
expect 1 "$POLECAT" check scenarios/echo-corrupt.yaml --seeds 2 --keep none
says 'reproduce: polecat run scenarios/echo-corrupt.yaml --seed 2$'
expect 1 "$POLECAT" run scenarios/echo-corrupt.yaml --seed 2 --runs "$WORK/again"
expect 1 "$POLECAT" check scenarios/echo-corrupt.yaml --seeds 1..9 -j 1 --fail-fast --keep none --tap
says '^1\.\.9$'
says '^not ok 1 '
says '^ok 9 .* # SKIP'
expect 0 "$POLECAT" check scenarios/echo-restart.yaml --seeds 1..5 --shard 2/3 --keep none --tap
says '^1\.\.2$'
says 'seed 2$'
expect 4 "$POLECAT" check scenarios/echo-restart.yaml --seeds 5..1
expect 4 "$POLECAT" check scenarios/no-such.yaml --seeds 1
says 'no-such.yaml'
# Ctrl-C: a valid report of what was done, exit 5, nothing running.
"$POLECAT" check scenarios/echo-restart.yaml --seeds 1..500 -j 2 --runs "$WORK/c" --junit "$WORK/c.xml" >"$WORK/out" 2>&1 &
pid=$!
until_true pgrep -P $pid >"$WORK/children" || fail "no machine was started"
kill -INT $pid
wait $pid
[ $? = 5 ] || fail "Ctrl-C: not exit 5"
says 'not run$'
python3 -c "import sys, xml.etree.ElementTree as E; assert len(list(E.parse('$WORK/c.xml').getroot().iter('testcase'))) == 500" || fail "JUnit after Ctrl-C"
ls -A "$WORK/c" 2>/dev/null | grep incomplete && fail "half-written runs stay"
true
