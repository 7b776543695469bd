#!/bin/bash
# Seeds give different plans; the corrupt variant fails its safety property with exit 1 and is kept all the same.
. tests/lib.sh
for seed in 42 43; do
	expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed $seed --runs "$WORK/runs"
	says '^pass'
	for what in replay ui debug; do says "^$what +polecat $what "; done
done
set -- "$WORK"/runs/*/plan.json
[ $# = 2 ] || fail "$# runs"
cmp -s "$1" "$2" && fail "seeds 42 and 43 give the same plan"
expect 1 "$POLECAT" run scenarios/echo-corrupt.yaml --seed 43 --runs "$WORK/corrupt"
says '^fail'
expect 0 "$POLECAT" replay last --runs "$WORK/corrupt"
says '^identical'
