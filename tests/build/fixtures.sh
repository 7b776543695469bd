#!/bin/bash
# The stored runs are what today's code would write: formats, plans and verdicts have not moved away from them.
. tests/lib.sh
MAKE_RUN=build/${MODE:-release}/make-run tests/screens/runs/make "$WORK" || fail "make-run"
for run in "$WORK"/* "$WORK"/.incomplete-*; do
	diff -r "tests/screens/runs/${run##*/}" "$run" >"$WORK/out" || {
		head -n 20 "$WORK/out"
		fail "tests/screens/runs/${run##*/} is not what make-run writes now; \`make fixtures\` replaces it"
	}
done
