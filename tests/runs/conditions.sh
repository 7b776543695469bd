#!/bin/bash
# Conditions over variables of programs, at places that are passed a million times: found in one counted pass, both ways, with -O0
# and -O2, in threads that begin later and not in another process with the same code at the same address; and what is wrong is said.
# limit: 400
# takes: 48
. tests/lib.sh
source=tests/runs/questions/million.c
gcc -g -O0 -Wall -static -no-pie -pthread -o "$WORK/plain" "$source" || fail "million.c does not compile"
gcc -g -O2 -Wall -static -no-pie -pthread -o "$WORK/optimized" "$source" || fail "million.c does not compile"
cat >"$WORK/million.yaml" <<END
polecat: 1
name: million
nodes:
  plain: {workload: {binary: plain}, command: [/plain]}
  twin: {workload: {binary: plain}, command: [/plain]}
  optimized: {workload: {binary: optimized}, command: [/optimized]}
properties:
  - {id: ends, eventually: {node: plain, exited: 0}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
END
expect 0 "$POLECAT" run "$WORK/million.yaml" --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
ask() { debugs 0 "$(ready_at "$1")" "focus $1" "${@:2}"; } # NODE COMMAND...
wrong() { # SENTENCE COMMAND...
	debugs 4 "$(ready_at plain)" 'focus plain' "${@:2}"
	says "$1"
}
line_of() { grep -nF -- "$1" "$source" | cut -d: -f1; }
million=$(line_of 'a million times') later=$(line_of 'thread that began later')

# A local variable on the stack, at a line.
ask plain "break million.c:$million if i == 700000" continue 'print i' 'print counter' breaks 'disable 1' 'break count if times == 1000000' \
	rcontinue 'print counter' 'where' 'enable 1' continue 'print i' "break million.c:$million if i == 500000 && step == 1" rcontinue 'print i'
[ "$(grep -c '^i = 700000$' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'i is not 700000 twice'; }
says '^counter = 700000$'
says '^i = 500000$'
says '^counter = 0$'
says '^#0 +count \(times=1000000, step=1\) at million.c:[0-9]+$'
says "^1: break million.c:$million if i == 700000  in process [0-9]+\$"
says "^1: break million.c:$million if i == 700000  in process [0-9]+  \\(disabled\\)\$"
says '^break 3$'
# The very last of a million, and one that there is not.
ask plain "break million.c:$million if i == 999999" continue 'print counter' 'here'
says '^counter = 999999$'
wrong 'that does not happen after here' "break million.c:$million if i == 1000000" continue
# Variables in registers.
ask optimized 'break count if step == 1 && times > 999999' continue 'print times' 'delete 1' 'until counter == 123456' 'print counter' 'runtil counter == 55' 'print counter'
says '^times = 1000000$'
says '^counter = 123456$'
says '^counter = 55$'
# Memory, with what is written; parts of a struct, signs, bits; and how often.
ask plain 'until counter == 640000' 'print counter' 'runtil counter % 1000 == 999 && counter < 500000' 'print counter' 'until tally.low == 200' 'print tally.low' \
	'until tally.signed_part < -250' 'print tally.signed_part' 'runtil tally.bits == 17 && tally.low > 5' 'print tally.bits' 'print tally.low' \
	'until tally.self->signed_part == -299' 'print tally.signed_part' 'until tally.low == (unsigned char)257 || thread_sum == 3' 'print thread_sum' \
	"break million.c:$later if i == 500" continue 'print i' 'print thread_sum'
says '^counter = 640000$'
says '^counter = 499999$'
says "^tally.low = 200 '.*'\$"
says '^tally.signed_part = -251$'
says '^tally.bits = 17$'
says "^tally.low = 242 '.*'\$"
says '^tally.signed_part = -299$'
says '^thread_sum = 3$'
says '^i = 500$'
says '^thread_sum = 124750$'
ask plain 'count counter' 'first counter' 'watch counter if counter > 999990' continue 'print counter' 'last counter' 'until counter == 999999' 'count counter'
says '^1000000 writes$'
says '^1 write$'
says '0x0 -> 0x1  '
says '^counter = 999991$'
says '0xf4236 -> 0xf4237  '
# It is the process in focus that is meant: its twin runs the same code elsewhere in time.
ask twin "break million.c:$million if i == 10" continue here
says '  pc 0x[0-9a-f]+ count\+0x[0-9a-f]+  in plain\[[0-9]+\]$'
pid=$(sed -n 's/.*  in plain\[\([0-9]*\)\]$/\1/p' "$WORK/out" | tail -n 1)
ask twin ps
grep -qE "^[* ] +$pid .* /node-1 " "$WORK/out" || { cat "$WORK/out"; fail "process $pid is not the twin's"; }

# What a write found and left, in the type of what is watched: signs, bits, parts.
ask plain 'count counter if $new != $old + 1' 'count counter if $old % 2 == 0' 'first counter if $new % 100000 == 0' 'first counter if $new < $old' \
	'count tally.signed_part if $new < $old' 'count tally.bits if $new != $old + 1' 'until write tally.low if $old == 255 && $new == 0' 'print tally.signed_part' \
	'watch tally.low if $new == 40 && tally.signed_part < -280' continue 'print tally.signed_part' \
	'runtil write tally.bits by thread if $new < $old' 'print tally.signed_part' 'runtil read counter' where
[ "$(grep -E '^[0-9]+ writes?$' "$WORK/out" | tr '\n' ' ')" = '0 writes 500000 writes 299 writes 10 writes ' ] || { cat "$WORK/out"; fail 'other writes'; }
says '0x1869f -> 0x186a0  '
says '^no such write after here$'
[ "$(grep '^tally.signed' "$WORK/out" | tr '\n' ' ')" = 'tally.signed_part = -255 tally.signed_part = -295 tally.signed_part = -288 ' ] ||
	{ cat "$WORK/out"; fail 'other places'; }
says '^#0 +count \(.*\) at million.c:[0-9]+$'
wrong '\$old and \$new are numbers that conditions of writes compare, such as' 'print $new'
wrong '\$old and \$new are numbers' 'break main if $new > 5'
wrong '\$old and \$new are numbers' 'until counter > $old'
wrong '\$old and \$new are numbers' 'until read counter if $old == 1'
wrong 'column 1: it is no number' 'watch tally if $new == 1'
wrong 'conditions are for writes to memory' 'last $rax 2 if $new == 1'

wrong "'counter' is no condition: expected pc, .*, or a comparison such as counter == 5" 'until counter'
wrong 'nobody == 1: column 1: there is no variable "nobody" here' 'until nobody == 1'
wrong 'nothing in it is in memory, so it never changes' 'until 1 == 1'
wrong "'when': expected .if. and an expression, such as: break main if count > 5" 'break main when x'
wrong 'conditions are about whole numbers' 'break main if 1.5 > 1'
wrong 'nothing can be assigned: it is the past' 'until counter = 5'
wrong 'there is no break 3 \(.breaks. lists them\)' 'disable 3'
wrong 'there are no breaks to stop at' 'break main' 'disable 1' continue
wrong '/z is no format' 'print/z counter'
wrong 'locals has no formats: only print and x have' 'locals/x'

# A long look says how far it is, and can be cancelled.
for _ in {1..200}; do echo 'count counter'; done >"$WORK/looks"
"$POLECAT" debug "$run" --at "$(ready_at plain)" -x "$WORK/looks" >"$WORK/out" 2>&1 &
pid=$!
until grep -q '^looking' "$WORK/out"; do
	kill -0 "$pid" 2>/dev/null || { cat "$WORK/out"; fail 'it ended without a word'; }
	read -rt 0.05 <> <(:)
done
kill -TERM "$pid"
wait "$pid"
status=$?
[ "$status" = 5 ] || { cat "$WORK/out"; fail "exit $status, expected 5"; }
says 'stopped on request'
exit 0
