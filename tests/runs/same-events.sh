#!/bin/bash
# A scenario recorded twice from scratch gives the same events, and replays give them again; memory and registers too.
# limit: 600
# takes: 78
. tests/lib.sh
for scenario in scenarios/*.yaml; do
	name=$(basename "$scenario" .yaml)
	"$POLECAT" verify "$scenario" --seed 7 --runs "$WORK/$name" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "$name: verify exits $?"; }
	says '^seed-reproducible'
	says 'registers .* memory .* equal'
	# A replay in another process, of the run that verify kept.
	expect 0 "$POLECAT" replay "$(ls -d "$WORK/$name"/2*)" --times 2
	says '^identical .*\(2 of 2\)'
done
