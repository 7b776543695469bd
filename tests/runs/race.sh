#!/bin/bash
# A lost update between two threads, explained by a scripted debug file for any seed: the write that makes the total fall, the load of
# the same thread before it, which saw 1 less than that write leaves, and what the other thread wrote meanwhile.
. tests/lib.sh
for seed in 1 2; do
	expect 1 "$POLECAT" run scenarios/unlocked-counter.yaml --seed $seed --runs "$WORK/runs"
	expect 0 "$POLECAT" debug last --runs "$WORK/runs" -x scenarios/unlocked-counter.debug
	python3 - "$WORK/out" <<'P' || { cat "$WORK/out"; fail "seed $seed is not explained"; }
import re, sys
text = open(sys.argv[1]).read()
write = re.compile(r"^(\d+)  0x([0-9a-f]+) -> 0x([0-9a-f]+) .*add_\w+\+\S* \S*counter\.c:(\d+)  (counter\S*)$", re.M)
falls, first = write.findall(text)
(at, old, new, line, thread), (between, before, after, same_line, other) = falls, first
assert int(new, 16) < int(old, 16), falls
source = open("tests/workloads/counter.c").read().splitlines()
assert "c->total = next" in source[int(line) - 1] and same_line == line, (line, same_line)
final, loaded = map(int, re.findall(r"^counter\.total = (\d+)", text, re.M))
assert loaded == int(new, 16) - 1 and final >= int(new, 16), (loaded, new, final)
# The other thread's first store may itself be of a sum that it had begun before; from there on it adds 1 each time.
assert int(before, 16) == loaded and thread != other, (first, thread)
writes = int(re.search(r"^(\d+) writes$", text, re.M)[1])
assert int(after, 16) + writes - 2 == int(old, 16), (writes, falls, first)
places = [int(place.replace(" ", "")) for place in re.findall(r"^at ([\d ]+) \(", text, re.M)]
store, load = places[-2:]
assert store == int(at) and load < int(between) < store, (places, falls, first)
assert re.search(r"^#0 .*add_one.* at \S*counter\.c:", text, re.M), "no frame of the load"
P
done
