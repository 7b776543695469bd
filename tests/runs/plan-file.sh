#!/bin/bash
# A run obeys a plan that is given: of another run, or edited; one that does not fit the scenario is refused.
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/a"
plan=$(ls "$WORK"/a/*/plan.json)
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --plan "$plan" --runs "$WORK/b"
same "$WORK"/a/*/events.jsonl "$WORK"/b/*/events.jsonl
python3 - "$plan" "$WORK" <<'P'
import json, sys
plan = json.load(open(sys.argv[1]))
fault = plan["faults"][0]
line = fault["trigger"]["line"]
fault["trigger"]["line"] = line + 1 if line < plan["choices"][-1]["high"] else line - 1
for c in plan["choices"]:
    if c["value"] == line and c["name"].endswith("lines"):
        c["value"] = fault["trigger"]["line"]
json.dump(plan, open(sys.argv[2] + "/edited.json", "w"))
fault["trigger"]["line"] = 10**6
json.dump(plan, open(sys.argv[2] + "/beyond.json", "w"))
plan["scenario"] = "another"
json.dump(plan, open(sys.argv[2] + "/other.json", "w"))
P
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --plan "$WORK/edited.json" --runs "$WORK/c"
cmp -s "$WORK"/a/*/events.jsonl "$WORK"/c/*/events.jsonl && fail "an edited plan changes nothing"
expect 0 "$POLECAT" replay last --runs "$WORK/c"
for bad in beyond other; do
	expect 4 "$POLECAT" run scenarios/echo-restart.yaml --plan "$WORK/$bad.json" --runs "$WORK/d"
	says "$bad.json"
done
[ -z "$(ls -A "$WORK/d" 2>/dev/null)" ] || fail "left behind"
