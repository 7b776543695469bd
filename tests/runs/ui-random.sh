#!/bin/bash
# Random keys, clicks and sizes on a real run with its machine, under AddressSanitizer: no crash, no leak, and all that a key begins
# comes to an end. For longer: SEEDS="1..50" KEYS=1000 make tests/runs/ui-random.sh
# limit: 600
. tests/lib.sh
make -s MODE=asan build/asan/polecat-tui build/asan/polecat-scan.so >"$WORK/make" 2>&1 || { cat "$WORK/make"; fail "does not build"; }
export INPUTRC=/dev/null ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
[ -d "$run" ] || fail "no run"
range=${SEEDS:-1..3}
passed=0
for ((seed = ${range%..*}; seed <= ${range#*..}; seed++)); do
	build/asan/polecat-tui --runs "$WORK/runs" --now 1800000000 --random "$seed:${KEYS:-150}" "$run" >"$WORK/out" 2>&1 </dev/null ||
		{ head -n 60 "$WORK/out"; fail "again, on a run of unlocked-counter: build/asan/polecat-tui --random $seed:${KEYS:-150} RUN"; }
	passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
