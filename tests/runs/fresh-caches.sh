#!/bin/bash
# The same seed gives the same events on a host that has to boot its own snapshot: three caches, three boots (two of them while
# both processors are busy with something else), one run.
# limit: 600
# takes: 56
. tests/lib.sh
shared=${XDG_CACHE_HOME:?}/polecat
for i in 1 2 3; do
	export XDG_CACHE_HOME=$WORK/cache$i
	mkdir -p "$XDG_CACHE_HOME/polecat"
	cp -a "$shared/kernels" "$XDG_CACHE_HOME/polecat/"
	if [ $i -gt 1 ]; then
		# Bounded: each of these ends by itself.
		for _ in 1 2; do timeout 60 sh -c 'while :; do :; done' & done
		busy=$(jobs -p)
	fi
	expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 5 --runs "$WORK/runs$i"
	[ $i -gt 1 ] && kill $busy && wait 2>/dev/null
	same "$WORK"/runs1/2*/events.jsonl "$WORK/runs$i"/2*/events.jsonl
	# A recording goes with its identity, not with the cache that it was made with.
	[ $i -gt 1 ] && expect 0 "$POLECAT" replay "$WORK"/runs1/2*
done
exit 0
