#!/bin/bash
# Random keys, clicks and sizes (1x1 to 500x200) under AddressSanitizer: no crash, no leak, no undefined behaviour. A few seconds
# here; for longer: SEEDS="1..500" KEYS=5000 make tests/screens/random.sh
# limit: 600
. tests/lib.sh
make -s MODE=asan build/asan/polecat-tui >"$WORK/make" 2>&1 || { cat "$WORK/make"; fail "does not build"; }
cp -a tests/screens/runs "$WORK/runs"
export INPUTRC=/dev/null ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
range=${SEEDS:-1..8}
opened=("fail" "fail other" "hostile" "many" ".incomplete-recording" "" "pass pass" "other")
passed=0
for ((seed = ${range%..*}; seed <= ${range#*..}; seed++)); do
	read -ra open <<<"${opened[seed % ${#opened[@]}]}"
	build/asan/polecat-tui --runs "$WORK/runs" --now 1800000000 --random "$seed:${KEYS:-400}" "${open[@]/#/$WORK/runs/}" >"$WORK/out" 2>&1 </dev/null ||
		{ head -n 60 "$WORK/out"; fail "again: build/asan/polecat-tui --runs tests/screens/runs --random $seed:${KEYS:-400} ${open[*]/#/tests/screens/runs/}"; }
	passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
