#!/bin/bash
# Questions about programs of a recorded run: C++ with and without optimization, static and dynamic, with debug information beside
# them, and a child in a signal handler; and what differs between two moments.
# limit: 600
# takes: 39
. tests/lib.sh
here=tests/runs/questions root=$WORK/cxx
mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu" "$root/tmp" "$WORK/debug/bin" "$WORK/src"
cp "$here"/{shop.cc,shelf.cc,forks.c,own.c,own_library.c} "$WORK/src/"
compile() { # COMPILER NAME SOURCE OPTION...
	"$1" -g -Wall -o "$WORK/$2" "$WORK/src/$3" "${@:4}" || fail "$2 does not compile"
}
compile g++ cxx/dynamic shop.cc -O0 -pie -fPIE
compile g++ optimized shop.cc -O2 -static -no-pie
compile g++ stripped shop.cc -O0 -static -no-pie -Wl,--build-id=none
compile gcc forks forks.c -O0 -static -no-pie
compile g++ cxx/shelf shelf.cc -O0 -pie -fPIE
compile g++ shelves shelf.cc -O2 -static -no-pie
libraries=cxx/lib/x86_64-linux-gnu
compile gcc "$libraries/libown.so" own_library.c -shared -fPIC -DNAME=of_library -DSET=library_set
compile gcc "$libraries/liblate.so" own_library.c -shared -fPIC -DNAME=of_late -DSET=late_set
compile gcc cxx/own own.c -O0 "-L$WORK/$libraries" -lown
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
for library in libstdc++.so.6 libm.so.6 libgcc_s.so.1 libc.so.6; do
	cp -L "/lib/x86_64-linux-gnu/$library" "$root/lib/x86_64-linux-gnu/" || fail "no $library"
done
objcopy --only-keep-debug "$WORK/stripped" "$WORK/debug/stripped.debug" && strip "$WORK/stripped" &&
	(cd "$WORK/debug" && objcopy --add-gnu-debuglink=stripped.debug "$WORK/stripped") || fail objcopy
cat >"$WORK/programs.yaml" <<EOF
polecat: 1
name: programs
nodes:
  dynamic: {workload: {rootfs: cxx}, command: [/dynamic, "20"]}
  optimized: {workload: {binary: optimized}, command: [/optimized, "60"]}
  stripped: {workload: {binary: stripped}, command: [/stripped, "100"]}
  forks: {workload: {binary: forks}, command: [/forks, "140"]}
  shelf: {workload: {rootfs: cxx}, command: [/shelf, "180"]}
  shelves: {workload: {binary: shelves}, command: [/shelves, "220"]}
  own: {workload: {rootfs: cxx}, command: [/own, "260"]}
properties:
  - {id: ends, eventually: {node: forks, exited: 0}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
EOF
expect 0 "$POLECAT" run "$WORK/programs.yaml" --seed 3 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)

ready() { # the count where NODE says that it is ready, and some way into what it does then
	echo $(($(ready_at "$1") + 800000))
}
line=$(grep -n 'it is here' "$here/shop.cc" | cut -d: -f1)
place="shop.cc:($line|$((line - 1)))"
ask() { # NODE OPTION... COMMAND...: commands asked while NODE does what it does
	local at commands=()
	at=$(ready "$1")
	shift
	while [ "${1#--}" != "$1" ]; do
		commands+=("$1" "$2")
		shift 2
	done
	for command in "$@"; do commands+=(-e "$command"); done
	expect 0 "$POLECAT" debug "$run" --at "$at" "${commands[@]}"
}
globals=('print shop::counter' 'print hidden_count' 'print shop::hidden_count' 'print nameless' 'print shop::nameless' 'print shop::Store::made'
	'print Store::made' 'print shop::Shelf<int>::count' 'print shop::wide')
check_globals() {
	says '^shop::counter = 7$'
	says '^hidden_count = 9$'
	says '^shop::hidden_count = 9$'
	says '^nameless = 11$'
	says '^shop::nameless = 11$'
	says '^shop::Store::made = 5$'
	says '^Store::made = 5$'
	says '^shop::Shelf<int>::count = 21$'
	says '^shop::wide = -1180591620717411303424$'
}
check_unoptimized() {
	says "^#[0-9]+ +shop::Store::add \(this=0x[0-9a-f]+, by=600000\) at $place\$"
	says '^#[0-9]+ +shop::sell \(store=.*, by=600000\) at shop.cc:[0-9]+$'
	says '^#[0-9]+ +main \(.*\) at shop.cc:[0-9]+$'
	says '^\*this = \{<Place> = \{id = 77\}, stock = \{\{1, 2, 3\}, \{4, 5, 6\}\}\}$'
	says '^stock\[1\]\[2\] = 6$'
	says '^this->stock\[0\] = \{1, 2, 3\}$'
	says '^place = @0x[0-9a-f]+: \{id = 77\}$'
	says '^place.id = 77$'
	says '^id = 77$'
	says '^left = [0-9]+$'
	says '^0x[0-9a-f]+ \([0-9]+ bytes\) shop::Store::add$'
}
members=('where' 'print *this' 'print stock[1][2]' 'print this->stock[0]' 'print place' 'print place.id' 'print id' 'print left'
	'symbol shop::Store::add')

# Position-independent, with shared libraries of its own.
ask dynamic "${members[@]}" "${globals[@]}" source 'source shop::sell 1' maps 'ls dynamic:/lib64' \
	'symbol add' 'symbol Store::add' 'symbol shop::Store::add(long)'
check_unoptimized
check_globals
says "^shop::Store::add, .*/src/shop.cc:($line|$((line - 1)))\$"
says "^=> +($line|$((line - 1)))  "
says "^(=>|  ) +$line +left = left - 1; // it is here for a long time\$"
says ' ld-linux-x86-64.so.2$'
says '/lib/x86_64-linux-gnu/libstdc\+\+.so.6$'
# The name alone, its end, and the name with its types are the same function.
[ "$(grep -c 'bytes) shop::Store::add$' "$WORK/out")" = 4 ] || { cat "$WORK/out"; fail 'three names of one function'; }

# One of the calls, and other threads than the one on the processor: selected for one command, or until it is changed.
ask dynamic up 'print by' 'print -f 0 left' where 'regs rip' disas down 'focus forks' where 'frame 10' 'regs -p dynamic rip' 'where -p 1' 'focus none' focus
says '^#1 +shop::sell \(.*\) at shop.cc:[0-9]+$'
says '^by = 600000$'
says '^left = [0-9]+$'
says '^#1  >shop::sell '
says '^=> 0x[0-9a-f]+ <shop::sell\+0x[0-9a-f]+>'
says '^#0 +shop::Store::add \(this='
says '^forks\[[0-9]+\] \(chosen\)$'
says '^#0 +__schedule\+0x[0-9a-f]+ in kernel$'
says "^#10 +main \\(argc=2, argv=0x[0-9a-f]+\\) at forks.c:$(grep -n 'nanosleep(' "$here/forks.c" | cut -d: -f1)\$"
says '^=> +[0-9]+ .*nanosleep\(&wait, NULL\);$'
says '^#[0-9]+ +do_epoll_wait\+0x[0-9a-f]+ in kernel$'
says '^dynamic\[[0-9]+\]$'
[ "$(grep -c '^rip 0x' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'rip of a frame and of a process'; }
expect 0 "$POLECAT" debug "$run" --json --at "$(ready dynamic)" -e 'focus forks' -e 'frame 3' -e 'stepi' -e 'focus none'
says '"command":"focus forks",.*"focus":"forks"'
says '"command":"frame 3",.*"focus":"forks #3"'
says '"command":"stepi",.*"focus":"forks"'
says '"command":"focus none",.*"focus":null'
expect 4 "$POLECAT" debug "$run" --at "$(ready dynamic)" -e 'frame 99'
says 'there is no frame 99: expected at most [0-9]+ \(`where` lists them\)$'
expect 4 "$POLECAT" debug "$run" --at "$(ready dynamic)" -e 'focus dynamic/1'
says 'process [0-9]+ has no thread 1 here'
expect 4 "$POLECAT" debug "$run" --at "$(ready dynamic)" -e 'focus forks' -e 'goto end' -e where
says 'the node in focus has no process here'

# Optimized.
ask optimized where "${globals[@]}" source
says "^#[0-9]+ +shop::Store::add \(.*\) at $place\$"
says '^#[0-9]+ +main \(.*\) at shop.cc:[0-9]+$'
check_globals
says "^=> +($line|$((line - 1)))  "

# Its debug information is kept apart, and found by name and CRC.
ask stripped --debug-dir "$WORK/debug" "${members[@]}" "${globals[@]}"
check_unoptimized
check_globals
ask stripped where locals
says '^#0 +0x[0-9a-f]+ in /stripped\+0x[0-9a-f]+$'
says '^no locals: the code at 0x[0-9a-f]+ has no debug information '
grep -q shop "$WORK/out" && { cat "$WORK/out"; fail 'names without debug information'; }
cp "$WORK/debug/stripped.debug" "$WORK/whole.debug"
printf x >>"$WORK/debug/stripped.debug"
ask stripped --debug-dir "$WORK/debug" where
grep -q shop "$WORK/out" && { cat "$WORK/out"; fail 'debug information of another program is used'; }
expect 4 "$POLECAT" debug "$run" --at "$(ready stripped)" -e source
says 'has no source line'

# The sources are elsewhere now.
mv "$WORK/src" "$WORK/moved"
expect 4 "$POLECAT" debug "$run" --at "$(ready dynamic)" -e source
says "the source file $WORK/src/shop.cc is not on this host"
ask dynamic --source-dir "$WORK/moved" source
says "^shop::Store::add, $WORK/moved/shop.cc:"

# A child that was forked, executed itself and is in the handler of a signal; the parent waits for it.
ask forks ps
child=$(sed -n 's/^[* ] *\([0-9]*\) .*\/forks child$/\1/p' "$WORK/out")
[ -n "$child" ] || { cat "$WORK/out"; fail 'no child'; }
ask forks "where $child" 'where forks' 'env forks' 'fds forks' 'ls forks:/' 'cat forks:/etc/hosts'
says '^#[0-9]+ +handler \(number=10\) at forks.c:[0-9]+$'
says '^#[0-9]+ +<signal handler called> in /forks$'
says '^#[0-9]+ +.*raise.*'
says '^#[0-9]+ +child \(\) at forks.c:[0-9]+$'
says '^#[0-9]+ +main \(argc=2, argv=0x[0-9a-f]+\) at forks.c:[0-9]+$'
says '^#[0-9]+ +main \(argc=2, argv=0x[0-9a-f]+\) at forks.c:'"$(grep -n 'waitpid(' "$here/forks.c" | cut -d: -f1)\$"
says '^forks\[[0-9]+\]:$'
[ "$(grep -c '^forks\[' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'files of two processes'; }
says '  forks$|^-.* forks$'
says ' forks$'
ask forks "focus $child" rfinish 'sockets forks'
says '^  nobody calls it: the kernel begins it here, for a signal that interrupts 0x[0-9a-f]+ .*kill'
says '^  handler, .*/forks.c:[0-9]+$'
says '^no sockets: none of its open files is one$'
expect 4 "$POLECAT" debug "$run" --at begin -e 'fds nobody'
says "'nobody' is no process: expected its pid, or the name of a node"

ask dynamic ps 'threads dynamic' 'next line-of optimized'
says '^    pid inside parent s threads       KiB cgroup  '
says '^[* ] +[0-9]+ +[0-9]+ +[0-9]+ R +1 +[1-9][0-9]+ /node-0 +/dynamic 20$'
says '^\(and [0-9]+ threads of the kernel: ps all\)$'
says '^[* ] +[0-9]+  R  dynamic  \([0-9]+ inside\)$'
grep -q kthreadd "$WORK/out" && { cat "$WORK/out"; fail 'ps shows the threads of the kernel'; }
says '^  ev:[0-9]+  optimized  io.line  '
ask dynamic 'ps all'
says '^ +2 +- +0 S .*\[kthreadd\]$'

# Containers of C++'s library and operators, and expressions about them.
check_shelf() {
	says '^local = "word!"$'
	says '^sum = \{cents = 430\}$'
	says '^counts = std::vector of 3 \{1, 2, 3\}$'
	says '^shelf = \{label = "top shelf", text = "a text of more than fifteen.* on the heap", view = "text", counts = std::vector of 3 '
	says 'names = std::vector of 2 \{"salt", "pepper"\}, bits = std::vector of 4 \{true, false, true, true\}, prices = std::vector of 2 '
	says 'prices = std::vector of 2 \{\{cents = 150\}, \{cents = 275\}\}, nothing = std::vector of 0 \{\}, by_number = std::map of 3 \{\[1\] = "one", '
	says ', by_name = std::map of 2 \{\["pepper"\] = \{cents = 275\}, \["salt"\] = \{cents = 150\}\}, numbers = std::set of 3 \{5, 6, 7\}, '
	says ', table = std::unordered_map of 1 \{\[1\] = 10\}, chain = std::list of 2 \{4, 5\}, own = 0x[0-9a-f]+, none = 0x0, shared = 0x[0-9a-f]+\}$'
	# Every other container, numbers and texts of all kinds, and what is left of those that something wrote over.
	says '^drawer = \{twins = std::multimap of 2 \{\[1\] = 2, \[1\] = 3\}, words = std::unordered_set of 1 \{"one"\}, found = std::unordered_map of 1 '
	says ', forward = std::forward_list \{4, 5, 6\}, line = std::deque of 3 \{297, 298, 299\}, three = std::array of 3 \{1, 2, 3\}, '
	says ', mixed = std::tuple of 3 \{1, "two", 2.5\}, both = \{first = 1, second = "p"\}, maybe = std::optional \{"inside"\}, never = std::optional \{\}, '
	says ', either = std::variant \{\[1\] = "text"\}, gone = 0x[0-9a-f]+ \(expired\), wait = 1500 ms, call = std::function \{twice\}, wide = "café", '
	says ', point = 1.5 - 2i, deep = std::map of 1 \{\[3\] = std::vector of 2 \{\{cents = 1\}, \{cents = 2\}\}\}, marks = \(OLD \| BENT \| 0x4\), sixteen = "ét", '
	says ', huge = -1267650600228229401496703205376, pointer = 0x[0-9a-f]+ <twice>, bits = \{low = 5, high = -3\}\}$'
	says '^damaged.cycle = std::map of 1152921504606846976 \{\[1\] = 1, \[1\] = 1, <the rest is damaged or not in memory>\}$'
	says '^damaged.wild = std::map of 2 \{<the rest is damaged or not in memory>\}$'
	says '^damaged.ring = std::list of 1152921504606846976 \{1, 2, <the rest is damaged or not in memory>\}$'
	says '^damaged.table = std::unordered_map of 1152921504606846976 \{<the rest is damaged or not in memory>\}$'
	says '^damaged.text = <not in memory>$'
	says '^damaged = @0x[0-9a-f]+: \{cycle = .*, maybe = \{.*, either = \{'
	says '^shelf.by_name\["salt"\].cents = 150$'
	says '^drawer.twins\[#1\].second = 3$'
	says '^drawer.deep\[3\]\[1\].cents = 2$'
	says '^drawer.mixed\[1\] == "two" = true$'
	says '^drawer.bits.high = 0x1d$'
	says '^shelf.counts\[1\] = 2$'
	says '^shelf.names\[1\] = "pepper"$'
	says '^shelf.names\[1\]\[0\] = 112 .p.$'
	says '^shelf.prices\[1\].cents = 275$'
	says '^\*shelf.own = \{cents = 99\}$'
	says '^shelf.own->cents \+ shelf.shared->cents = 176$'
	says '^struct Money$'
	for sign in '\+' '\+=' '\(\)' '\[\]' '<'; do
		says "^0x[0-9a-f]+ \\([0-9]+ bytes\\) Money::operator$sign\$"
	done
	[ "$(grep -c 'bytes) Money::operator+$' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'two names of one operator'; }
	says '^1: break Money::operator\+= if more == 5 '
	says '^2: break Money::operator< '
	says '^break 2$'
	says '^#0 +Money::operator< \(this=0x[0-9a-f]+, other=@?0x.*\) at shelf.cc:[0-9]+$'
	says '^break 1$'
}
for node in shelf shelves; do
	ask $node locals 'print shelf' 'print drawer' 'print damaged' 'print damaged.cycle' 'print damaged.wild' 'print damaged.ring' \
		'print damaged.table' 'print damaged.text' 'print shelf.by_name["salt"].cents' 'print drawer.twins[#1].second' \
		'print drawer.deep[3][1].cents' 'print drawer.mixed[1] == "two"' 'print/x drawer.bits.high' 'print shelf.counts[1]' 'print shelf.names[1]' 'print shelf.names[1][0]' 'print shelf.prices[1].cents' \
		'print *shelf.own' 'print shelf.own->cents + shelf.shared->cents' 'whatis *shelf.own' 'symbol Money::operator+'\
		'symbol "Money::operator+(Money const&) const"' 'symbol Money::operator+=' 'symbol Money::operator()' 'symbol Money::operator[]' \
		'symbol Money::operator<' 'break Money::operator+= if more == 5' 'break Money::operator<' continue where rcontinue
	check_shelf
done
expect 4 "$POLECAT" debug "$run" --at "$(ready shelf)" -e 'print shelf.counts[3]'
says 'shelf.counts\[3\]: column 13: it has no such element$'
expect 4 "$POLECAT" debug "$run" --at "$(ready shelf)" -e 'print shelf.by_name["sugar"]'
says 'column 14: it has no such element$'

# Variables of a thread: the program's, a library's, and those of one that was loaded while it ran. The other thread has not
# touched the last, so it has none.
ask own 'print of_program' 'print of_file' 'print of_library' 'print of_late'
says '^of_program = 1002$'
says '^of_file = 20$'
says '^of_library = 2002$'
says '^of_late = 2002$'
ask own threads
other=$(grep -oE '^\*? +[0-9]+ .*own( .*)?$' "$WORK/out" | grep -v '^\*' | awk 'NR == 1 { print $1 }')
ask own "focus own $other" 'print of_program' 'print of_library' 'print of_late'
says '^of_program = 1000$'
says '^of_library = 2000$'
grep -q '^of_late = [0-9]' "$WORK/out" && { cat "$WORK/out"; fail 'a thread has what it never touched'; }

# What differs: nothing from a moment to itself, in the same run or in another of the same; the loop's variable from one to the next.
at=$(ready dynamic)
expect 0 "$POLECAT" debug "$run" -e "diff-state $at $at" -e "diff-state $at $run $at" -e 'here'
[ "$(grep -c '^registers: 0 differ$' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'the same registers differ'; }
[ "$(grep -cE '^pages: 0 of [0-9]+ differ$' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail 'the same memory differs'; }
says '^at 0 \(before the first event\)|^at 0'
expect 0 "$POLECAT" debug "$run" -e "diff-state $at $((at + 1000))"
says '^registers: [1-9][0-9]* differ$'
says '^  dynamic\[[0-9]+\]: 1 page, [1-8] bytes?$'
says '^    \[stack\]: 1 page, [1-8] bytes?$'
says '^      0x7[0-9a-f]+ [1-8] bytes?$'
child_at=$(ready forks)
expect 0 "$POLECAT" debug "$run" -e "diff-state $child_at $((child_at + 1000))"
says '^    /forks: 1 page, [1-8] bytes?$'
says '^      0x[0-9a-f]+ [1-8] bytes?: left$'
expect 0 "$POLECAT" debug "$run" -e "diff-state begin end"
says '^the kernel|^  the kernel.s code and data: '
says '^  objects of the kernel: '
expect 4 "$POLECAT" debug "$run" -e 'diff-state begin nowhere'
expect 4 "$POLECAT" debug "$run" -e 'diff-state begin no-such-run end'

# Another process gets the processor: forward and back again. Back from there is where it was given to the one before.
expect 0 "$POLECAT" debug "$run" -e "goto $child_at" -e 'next switch' -e 'next switch' -e 'prev switch' -e 'next syscall' -e 'prev syscall'
sed -n 's/^at \([0-9 ]*\)\( (.*\|,.*\|$\)/\1/p' "$WORK/out" | tr -d ' ' >"$WORK/counts"
mapfile -t counts <"$WORK/counts"
{ [ "${#counts[@]}" = 6 ] && [ "${counts[0]}" -lt "${counts[1]}" ] && [ "${counts[1]}" -lt "${counts[2]}" ] &&
	[ "${counts[3]}" = "${counts[1]}" ] && [ "${counts[4]}" -gt "${counts[3]}" ] && [ "${counts[5]}" -lt "${counts[4]}" ]; } ||
	{ cat "$WORK/out"; fail 'switches forward and back'; }
