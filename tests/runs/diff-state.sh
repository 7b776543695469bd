#!/bin/bash
# What differs between two moments: of one run, and of two runs of other seeds.
# takes: 38
. tests/lib.sh
record() { # SCENARIO SEED: its run in $run
	"$POLECAT" run "scenarios/$1.yaml" --seed "$2" --runs "$WORK/runs" >"$WORK/out" 2>&1 </dev/null
	[ $? -le 2 ] || { cat "$WORK/out"; fail "$1 $2 was not recorded"; }
	run=$(echo "$WORK"/runs/2*-"$1-$2"-*)
}
record unlocked-counter 1
counter=$run
record unlocked-counter 2
other=$run
record redis-memory-only 1
redis=$run
record redis-memory-only 2
other_redis=$run
event() { # RUN PATTERN [N]: the number of the Nth event that has it
	grep -E -- "$2" "$1/events.jsonl" | sed -n "${3:-1}s/.*\"seq\":\([0-9]*\).*/ev:\1/p"
}
# section LINE: what stands below a line, further in.
section() {
	awk -v wanted="$1" 'inside && match($0, /^ */) && RLENGTH <= depth { inside = 0 }
		inside { print } $0 ~ wanted { match($0, /^ */); depth = RLENGTH; inside = 1 }' "$WORK/out"
}
# falling: do the numbers come largest first?
falling() {
	sort -s -n -r "$WORK/numbers" | cmp -s - "$WORK/numbers" && [ -s "$WORK/numbers" ] ||
		{ cat "$WORK/out"; fail "not the largest first: $1"; }
}

# A run with itself, and with its twin.
expect 0 "$POLECAT" debug "$counter" -e "diff-state end end" -e "diff-state end $counter end" -e here
[ "$(grep -cx 'the two are equal: the same registers, the same memory' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'equal'; }
says '^at 0'
mv "$counter" "$WORK/first"
record unlocked-counter 1
expect 0 "$POLECAT" debug "$WORK/first" -e "diff-state end $run end"
says '^the two are equal: the same registers, the same memory$'
same "$WORK/first/events.jsonl" "$run/events.jsonl"

# The other way round as many pages differ, and of what is no process's as many bytes, whoever had them last.
line=$(event "$run" '"kind":"io.line"')
sums() {
	expect 0 "$POLECAT" debug "$run" -e "diff-state $1 $2"
	grep '^pages: ' "$WORK/out"
	sed -n 's/^  [a-z][^[]*, \([0-9]*\) bytes*$/\1/p' "$WORK/out" | awk '{ sum += $1 } END { print sum }'
}
sums begin "$line" >"$WORK/there"
says '^registers: [1-9][0-9]* differ$'
says '^  counter\[[0-9]+\]: '
sums "$line" begin >"$WORK/back"
same "$WORK/there" "$WORK/back"
[ "$(tail -n 1 "$WORK/there")" -gt 1000 ] || fail 'the kernel did next to nothing'

# While both threads count, a hundred thousand instructions change the counter; the page and the name say so.
at=$(($(grep '"kind":"node.started"' "$run/events.jsonl" | sed -n 's/.*"icount":\([0-9]*\),.*/\1/p') + 2000000))
expect 0 "$POLECAT" debug "$run" -e "diff-state $at $((at + 100000))"
section '^  counter\[[0-9]+\]: ' | grep -qE '^    /counter: 1 page, [1-9] bytes?$' || { cat "$WORK/out"; fail 'the program'; }
says '^      0x[0-9a-f]+ [1-9] bytes?: counter$'
expect 0 "$POLECAT" debug "$run" --json -e "diff-state $at $((at + 100000))"
says '^\{"polecat_debug":1,"command":"diff-state [0-9 ]*","ok":true,.*"output":"registers: [0-9]+ differ\\n.*: counter\\n.*"error":null\}$'
expect 4 "$POLECAT" debug "$run" --json -e "diff-state $at nowhere"
says '"ok":false,.*"output":"","error":".*nowhere'

# From one event of a server to another: its memory, its client's, and the kernel's objects; the largest of each kind first.
ack=$(event "$redis" '"text":"acked ' 10)
next=$(event "$redis" '"text":"acked ' 11)
expect 0 "$POLECAT" debug "$redis" -e "diff-state $ack $next"
says '^  redis-server\[[0-9]+\]: [0-9]+ pages, [0-9]+ bytes'
says '^  kvclient\[[0-9]+\]: [0-9]+ pages?, [0-9]+ bytes?'
says '^    /usr/bin/redis-server: [0-9]+ pages?, [0-9]+ bytes?$'
says '^      0x[0-9a-f]+ [0-9]+ bytes?: server\+0x[0-9a-f]+$'
section '^  stacks of processes in the kernel: ' | grep -qE '^    redis-server\[[0-9]+\]: ' || { cat "$WORK/out"; fail stacks; }
section '^  objects of the kernel: ' | grep -qE '^    (task_struct|TCP): ' || { cat "$WORK/out"; fail objects; }
grep -E '^  [^ ]*\[[0-9]+\]: .* bytes?$' "$WORK/out" | sed 's/.*, \([0-9]*\) bytes*/\1/' >"$WORK/numbers"
falling processes
section '^  objects of the kernel: ' | sed -n 's/.*, \([0-9]*\) bytes*$/\1/p' >"$WORK/numbers"
falling objects
section '^    \(anonymous\): ' | sed -n 's/^ *0x[0-9a-f]* \([0-9]*\) bytes*.*/\1/p' >"$WORK/numbers"
[ "$(wc -l <"$WORK/numbers")" -ge 2 ] || { cat "$WORK/out"; fail 'pages of redis'; }

# Another seed: the server lies elsewhere in its address space. Its data is compared all the same, and the libraries' pages, which
# hold nothing but pointers to themselves, are no difference. What is shown has bounds.
expect 0 "$POLECAT" debug "$redis" -e "diff-state $ack $other_redis $(event "$other_redis" '"text":"acked ' 10)"
says '^  redis-server\[[0-9]+\]: [0-9]+ pages, [0-9]+ bytes; '
says '^    /usr/bin/redis-server: '
says '^      0x[0-9a-f]+ -> 0x[0-9a-f]+ [0-9]+ bytes?: server\+0x[0-9a-f]+$'
says '^      \([0-9]+ more\)$'
says '^  the kernel.s code and data: '
says '^    0xffffffff[0-9a-f]+ [0-9]+ bytes: (input_pool|base_crng)'
says '^  \([0-9]{3,} pointers to what has moved, at the same place of it, are not counted\)$'
[ "$(section '^  redis-server' | grep -c '^      0x.* libcrypto')" = 0 ] || fail libcrypto
pages=$(sed -n 's/^    .*libcrypto.so.3: \([0-9]*\) page.*/\1/p' "$WORK/out")
[ "${pages:-0}" -le 5 ] || { cat "$WORK/out"; fail "$pages pages of a library differ"; }
[ "$(wc -l <"$WORK/out")" -lt 300 ] || fail "$(wc -l <"$WORK/out") lines"

# Two machines of other sizes, runs and moments that are none.
expect 4 "$POLECAT" debug "$run" -e "diff-state end $redis end"
says 'memory'
expect 4 "$POLECAT" debug "$run" -e "diff-state end no-such-run end"
says 'no-such-run'
expect 4 "$POLECAT" debug "$run" -e "diff-state end $other ev:99999"
says '99999'
