#!/bin/bash
# A lost update between two threads, explained by a scripted debug file: among the writes it shows is one that throws others away,
# by the same instruction of the same function as the write before it.
. tests/lib.sh
expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$WORK/runs"
expect 0 "$POLECAT" debug last --runs "$WORK/runs" -x scenarios/unlocked-counter.debug
python3 - "$WORK/out" <<'P' || fail "no write that loses updates is shown"
import re, sys
writes = re.findall(r"^\d+ +(0x[0-9a-f]+) -> (0x[0-9a-f]+) .*add_\w+\+\S* \S*counter\.c:\d+ +counter", open(sys.argv[1]).read(), re.M)
assert len(writes) >= 7, writes
lost = [(old, new) for old, new in writes if int(new, 16) < int(old, 16)]
print(lost)
assert lost
P
