#!/bin/bash
# A client of the Debug Adapter Protocol that stops moves, asks what makes no sense, and leaves in the middle.
# limit: 240
. tests/lib.sh
expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$WORK/runs"
expect 0 timeout 200 python3 tests/runs/dap/hostile.py "$POLECAT" debug "$(echo "$WORK"/runs/2*)" --dap
says '^hostile: as it should be$'
exit 0
