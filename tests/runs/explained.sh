#!/bin/bash
# Failures of real programs, each explained from what was seen to what caused it, by questions alone: a use after free, a deadlock, a
# crash in a shared library, a block written beyond its end, a pipe that somebody forgot to close. What is answered is what the program
# says, and what its kernel says to somebody in a fork.
# limit: 600
# takes: 47
. tests/lib.sh
here=tests/runs/explained root=$WORK/fields
mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu"
compile() { # COMPILER NAME SOURCE OPTION...
	"$1" -g -Wall -o "$WORK/$2" "$here/$3" "${@:4}" || fail "$2 does not compile"
}
compile g++ cache cache.cc -O2 -static
compile gcc accounts accounts.c -O2 -static -pthread
compile gcc fields/lib/x86_64-linux-gnu/libfields.so libfields.c -O2 -fPIC -shared
compile gcc fields/fields fields.c -O2 -L"$root/lib/x86_64-linux-gnu" -lfields
compile gcc names names.c -O1 -static
compile gcc pipeline pipeline.c -O1 -static
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp -L /lib/x86_64-linux-gnu/libc.so.6 "$root/lib/x86_64-linux-gnu/"
cat >"$WORK/explained.yaml" <<Y
polecat: 1
name: explained
machine: {memory: 160MiB}
nodes:
  cache: {workload: {binary: cache}, command: [/cache]}
  accounts: {workload: {binary: accounts}, command: [/accounts]}
  fields: {workload: {rootfs: fields}, command: [/fields], env: {HOME: /, PATH: /bin}}
  names: {workload: {binary: names}, command: [/names]}
  pipeline: {workload: {binary: pipeline}, command: [/pipeline]}
properties:
  - {id: intact, never: {node: cache, line: '^corrupt'}}
  - {id: crash, never: {node: fields, exited: SIGSEGV}}
  - {id: ends, eventually: {node: accounts, exited: 0}, within: 2s}
limits: {vtime: 2s, instructions: 4G}
Y
expect 1 "$POLECAT" run "$WORK/explained.yaml" --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
ask() { debugs 0 "$@"; } # MOMENT COMMAND...
event() { # NODE TEXT: the number of the first event of a node that has the text
	grep "\"node\":\"$1\"" "$run/events.jsonl" | grep -m1 -- "$2" | sed 's/^{"seq":\([0-9]*\),.*/ev:\1/'
}
pid() { # NODE: of its main process
	grep "\"node\":\"$1\",\"kind\":\"node.started\"" "$run/events.jsonl" | sed 's/.*"pid":\([0-9]*\).*/\1/'
}
line() { # FILE TEXT: the number of the first line with the text
	grep -n -m1 -- "$2" "$here/$1" | cut -d: -f1
}

# The entry that the program still uses was freed by the cache it came from. What it printed is what is found in its memory, also where
# only registers that two calls further in have saved know it.
corrupt=$(sed -n 's/.*"text":"corrupt id \([-0-9]*\) balance \([-0-9]*\) at \([0-9]*\)".*/\1 \2 \3/p' "$run/events.jsonl")
read -r id balance at <<<"$corrupt"
ask prop:intact where
frame=$(sed -n 's/^#\([0-9]*\) *main .*/\1/p' "$WORK/out")
[ -n "$frame" ] || { cat "$WORK/out"; fail 'main is not among the calls'; }
ask prop:intact "frame $frame" locals 'print first->id' 'print first->balance' 'print i' 'last first->id' 'runtil write first->id' where
says "^first->id = $id\$"
says "^first->balance = $balance\$"
says "^i = $at\$"
says '^[0-9]+  0x1 -> 0x[0-9a-f]+  .*_int_free.* cache\['
says '^#[0-9]+ +_int_free'
says "^ +Cache::get .* at cache.cc:$(line cache.cc 'entries.erase')\$"

# Each thread waits for what the other one holds. Questions without a process are about the node that an event was about last.
ask "$(event accounts '"text":"ready"')" 'until event run.ending' 'threads accounts'
mapfile -t threads < <(sed -n 's/^[* ] *\([0-9]*\)  S  accounts.*/\1/p' "$WORK/out")
[ "${#threads[@]}" = 3 ] || { cat "$WORK/out"; fail 'not three threads that sleep'; }
ask "$(sed -n 's/^{"seq":\([0-9]*\),.*"kind":"run.ending".*/ev:\1/p' "$run/events.jsonl")" "where accounts ${threads[1]}" "where accounts ${threads[2]}"
says "move.*\(from=0x[0-9a-f]+ <alice>, to=0x[0-9a-f]+ <bob>, money=1\) at accounts.c:$(line accounts.c 'lock(&to')\$"
says "move.*\(from=0x[0-9a-f]+ <bob>, to=0x[0-9a-f]+ <alice>, money=1\) at accounts.c:$(line accounts.c 'lock(&to')\$"

# The crash is in the library, for the field that has no value.
ask "$(event fields '"text":"ready"')" "until exit $(pid fields)" here
crash=$(sed -n 's/^at \([0-9 ]*\) (.*/\1/p' "$WORK/out" | tail -1 | tr -d ' ')
# Asked for where it is long over, and before it began.
ask "$(event fields node.exited)" 'goto +2000' 'runtil exit fields' "goto end" "runtil exit $(pid fields)" 'goto begin' 'until exit fields'
[ "$(sed -n 's/^at \([0-9 ]*\) (.*/\1/p' "$WORK/out" | tr -d ' ' | grep -cx "$crash")" = 3 ] || { cat "$WORK/out"; fail "the crash is at $crash"; }
# What kills it is generated at that instruction, a little before the end.
ask "$(event fields node.exited)" 'runtil signal fields' where 'until exit fields' 'runtil signal'
[ "$(sed -n 's/^at \([0-9 ]*\) (.*/\1/p' "$WORK/out" | tr -d ' ' | sed -n 3p)" = "$crash" ] || { cat "$WORK/out"; fail "the signal comes before $crash"; }
says 'pc 0x[0-9a-f]+ do_coredump  in the kernel for fields\['
says "^#[0-9]+ +fields_total \(\) at libfields.c:$(line libfields.c 'strlen(f->value)')\$"
ask "$crash" where locals maps
# strlen has no name in the library as it is shipped; what is in scope is the innermost call that has source lines.
says '^frame [0-9]+, fields_total:$'
says '^#[0-9]+ +asm_exc_page_fault'
says "^#[0-9]+ +fields_total \(\) at libfields.c:$(line libfields.c 'strlen(f->value)')\$"
says "^#[0-9]+ +main \(\) at fields.c:$(line fields.c 'fields_total());')\$"
says ' /lib/x86_64-linux-gnu/libfields.so$'

# Who wrote the size that malloc complains of is rename_it, or what it calls.
ask "$(event names 'malloc(): corrupted')" where
malloc=$(sed -n 's/^#\([0-9]*\) *_int_malloc.*/\1/p' "$WORK/out")
[ -n "$malloc" ] || { cat "$WORK/out"; fail '_int_malloc is not among the calls'; }
says "^ +main \(\) at names.c:|^#[0-9]+ +main \(\) at names.c:|add .*at names.c:"
ask "$(event names 'malloc(): corrupted')" 'print names[11]'
address=$(sed -n 's/^names\[11\] = 0x\([0-9a-f]*\) "L\{40\}"$/\1/p' "$WORK/out")
[ -n "$address" ] || { cat "$WORK/out"; fail 'the name is not there'; }
ask "$(event names 'malloc(): corrupted')" "runtil write 0x$(printf %x $((0x$address + 24)))" where
says "^(#[0-9]+)? +rename_it .*at names.c:$(line names.c 'memcpy(')\$"

# The last of the pipeline reads from a pipe of which its parent has the other end open.
ending=$(sed -n 's/^{"seq":\([0-9]*\),.*"kind":"run.ending".*/ev:\1/p' "$run/events.jsonl")
ask "$ending" 'fds pipeline' ps
says '\[exe\] \(exited with 3\)$'
pipe=$(awk '/^pipeline\[/ { on = 1; next } /^[^ ]/ { on = 0 } on && $2 == "-w" && /pipe:/ { p = $NF } END { print p }' "$WORK/out")
[ "$(grep -c "  0 r-  .* ${pipe//[/\\[}\$" "$WORK/out")" = 1 ] || { cat "$WORK/out"; fail "nobody reads from $pipe"; }
reader=$(sed -n 's/^[* ] *\([0-9]*\) .* pipeline count$/\1/p' "$WORK/out")
ask "$ending" "where $reader"
says '^#[0-9]+ +pipe_read'
# Its kernel says the same.
expect 0 "$POLECAT" fork "$run" --at "$ending" --node pipeline --keep none -- sh -c 'ls -l /proc/[0-9]*/fd; cat /proc/[0-9]*/stat'
[ "$(grep -c -- "-> ${pipe//[/\\[}\$" "$WORK/out")" = 3 ] || { cat "$WORK/out"; fail "$pipe is not open three times"; }
says ' \(exe\) Z '
exit 0
