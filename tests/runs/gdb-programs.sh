#!/bin/bash
# gdb over programs of every kind: signals both ways, threads, a child and its new program, watchpoints of reads, many breakpoints,
# what /proc says, a C++ program with libraries, the kernel; gdb from a session, `monitor` commands that move; gdb and QEMU killed.
# limit: 600
# takes: 60
. tests/lib.sh
here=tests/runs/questions root=$WORK/cxx
mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu" "$root/tmp"
gcc -g -O0 -static -pthread -o "$WORK/signals" "$here/signals.c" && g++ -g -O2 -pie -fPIE -o "$root/shop" "$here/shop.cc" ||
	fail "the programs do not compile"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
for library in libstdc++.so.6 libm.so.6 libgcc_s.so.1 libc.so.6; do
	cp -L "/lib/x86_64-linux-gnu/$library" "$root/lib/x86_64-linux-gnu/" || fail "no $library"
done
cat >"$WORK/programs.yaml" <<EOF
polecat: 1
name: programs
nodes:
  signals: {workload: {binary: signals}, command: [/signals]}
  shop: {workload: {rootfs: cxx}, command: [/shop, "3"]}
properties:
  - {id: ends, eventually: {node: signals, exited: 3}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
EOF
expect 0 "$POLECAT" run "$WORK/programs.yaml" --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
started() { # the count where NODE has started
	sed -n 's/.*"icount":\([0-9]*\),.*"node":"'"$1"'","kind":"node.started".*/\1/p' "$run/events.jsonl"
}
debug() { # NODE FILE: gdb over the process of a node
	local pid
	pid=$(sed -n 's/.*"node":"'"$1"'","kind":"node.started".*"pid":\([0-9]*\).*/\1/p' "$run/events.jsonl")
	(echo 'set pagination off'; echo 'set confirm off'; cat) >"$WORK/commands"
	expect 0 "$POLECAT" gdb "$run" --at "$(started "$1")" --pid "$pid" -- -nx -batch -x "$WORK/commands"
}
count() { # PATTERN NUMBER
	[[ "$(grep -cE -- "$1" "$WORK/out")" == $2 ]] || { cat "$WORK/out"; fail "not $2 times: $1"; }
}

# ---- signals, both ways ------------------------------------------------------------------------------------------
debug signals <<'END'
handle SIGALRM stop print pass
break main
continue
delete
continue
continue
continue
print $_siginfo.si_signo
print $_siginfo._sifields._sigfault.si_addr
set $there = $icount
stepi
backtrace
reverse-stepi
print $icount == $there
reverse-continue
reverse-continue
signal 0
continue
continue
continue
info proc mappings
info auxv
END
says '^(Thread 1 "signals"|Program) received signal SIGUSR1, User defined signal 1\.$'
says 'received signal SIGALRM, Alarm clock\.$'
says 'received signal SIGSEGV, Segmentation fault\.$'
says '^main \(argc=1, argv=.*signals\.c:[0-9]+$'
says '^\$1 = 11$'
says '^\$2 = \(void \*\) 0x0$'
says '^#1  <signal handler called>$'
says '^\$3 = 1$'
count 'received signal SIGSEGV' 3 # once on the way, once stepped back to, once after coming back
count 'received signal SIGALRM' 3 # and once more after `signal 0`
says '^The signal is delivered, as it was when this was recorded\.$'
says '^Process [0-9]+ exits with status 3 here\.$'
says '^ +0x[0-9a-f]+ +0x[0-9a-f]+ +0x[0-9a-f]+ +0x0 +r--p +/signals *$'
says '^9 +AT_ENTRY .* 0x[0-9a-f]+$'

# ---- watchpoints of reads, many breakpoints, changes ---------------------------------------------------------------
{
	echo 'handle SIGUSR1 SIGALRM nostop noprint pass'
	printf 'break *main\ncontinue\ndelete\nrwatch limit\nawatch counter\ncontinue\ncontinue\ncontinue\nreverse-continue\nreverse-continue\ndelete\n'
	for i in {1..180}; do echo "break *(main + $i * 0) if $i == 180"; done
	for i in {1..180}; do echo "break *((char *) add + 4096 + $i)"; done
	printf 'break look\ncontinue\ninfo threads\nprint counter\n'
	printf 'python\nfor bad in ("set var counter = 7", "print $rax = 4711", "print add(1)"):\n  try:\n    gdb.execute(bad)\n    print("accepted:", bad)\n'
	printf '  except gdb.error as e:\n    print("refused:", bad)\nend\ndelete\n'
	for i in {1..203}; do echo "break *((char *) add + 4096 + $i)"; done
	echo continue
} | debug signals
count '^Hardware read watchpoint 2: limit$' 2 # where it is made, and where it is read
count '^(Old value = 1|New value = 0)$' 2 # undone going back
says '^Hardware access \(read/write\) watchpoint 3: counter$'
says 'Breakpoint [0-9]+, look \(\) at .*signals.c:[0-9]+$'
says '^\$1 = 65$'
count '^refused: ' 3
says 'this is a recording, and what was recorded cannot be changed'
says '^polecat: there are 200 breakpoints and watchpoints already'

# ---- threads -----------------------------------------------------------------------------------------------------
debug signals <<'END'
handle SIGUSR1 SIGALRM nostop noprint pass
break add if by == 10
continue
thread apply all backtrace 1
continue
continue
continue
continue
continue
reverse-continue
delete
set scheduler-locking on
continue
info threads
END
count 'hit Breakpoint 1, add \(by=10\)' 7 # six, and one on the way back
for thread in 2 3; do count "^Thread $thread \"signals\" hit Breakpoint 1, add \\(by=10\\)" "[34]"; done
says '^Thread 1 \(Thread [0-9]+\.[0-9]+ "signals" \(state S\)\):$'
says '^The other threads run as they were recorded; only stops of this one are told\.$'
says '^Thread [0-9]+ ends here\.$'

# ---- a child, and the program that it becomes ----------------------------------------------------------------------
debug signals <<'END'
handle SIGUSR1 SIGALRM nostop noprint pass
catch fork
catch exec
set follow-fork-mode child
continue
continue
break add
continue
up
print argc
reverse-continue
delete
continue
END
says 'hit Catchpoint 1 \(forked process [0-9]+\)'
says '^process [0-9]+ is executing new program: /signals$'
says "hit Catchpoint 2 \\(exec'd /signals\\), .* in _start \\(\\)\$"
says '^\$1 = 2$'
says '^No more reverse-execution history\.$'
says '^Process [0-9]+ exits with status 7 here\.$'

# ---- C++, optimized, position independent, with libraries ----------------------------------------------------------
debug shop <<'END'
break main
continue
info sharedlibrary
break shop::Store::add
continue
backtrace
reverse-continue
info symbol write
END
says 'Breakpoint 1, main \(.*shop.cc:[0-9]+$'
says 'Yes .*/files/lib/x86_64-linux-gnu/libstdc\+\+\.so\.6$'
says 'hit Breakpoint 2|^Breakpoint 2, '
says '^#[0-9]+ .* main \(.*shop.cc:[0-9]+$'
says '^write in section \.text of /.*/files/lib/x86_64-linux-gnu/libc\.so\.6$'

# ---- the machine with its kernel -----------------------------------------------------------------------------------
cat >"$WORK/kernel" <<'END'
set pagination off
break do_sys_openat2
continue
backtrace
print $icount
stepi
reverse-stepi
print $icount
continue
reverse-continue
print $icount
END
expect 0 "$POLECAT" gdb "$run" --kernel --at "$(started shop)" -- -nx -batch -x "$WORK/kernel"
says '^Breakpoint 1, 0xffffffff[0-9a-f]+ in do_sys_openat2 \(\)$'
says '^#[0-9]+  0xffffffff[0-9a-f]+ in do_syscall_64 \(\)$'
[ "$(grep -oE '^\$[0-9]+ = [0-9]+$' "$WORK/out" | cut -d' ' -f3 | uniq | wc -l)" = 1 ] || { cat "$WORK/out"; fail "not the same place three times"; }

# ---- from a session, and commands of it in gdb ---------------------------------------------------------------------
expect 0 "$POLECAT" debug "$run" --at "$(started signals)" \
	-e "gdb -- -nx -batch -ex 'break look' -ex 'handle all nostop pass' -ex continue -ex 'monitor goto end' -ex 'monitor goto begin' -ex 'monitor gdb'" \
	-e here
says 'look \(\) at .*signals.c:[0-9]+$'
says '^gdb cannot be used from here'
tail -3 "$WORK/out" | grep -q '^at 0 (' || { cat "$WORK/out"; fail "the session is not where gdb left it"; }
expect 4 "$POLECAT" debug "$run" -e 'gdb --wrong'
says "'--wrong': expected --pid P, --kernel, "

# ---- kills -------------------------------------------------------------------------------------------------------
qemu_of() { # the QEMU below a process
	local child
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
		case $(cat "/proc/$child/comm") in qemu*) echo "$child" ;; esac
	done
}
coproc SERVER { exec "$POLECAT" gdb "$run" --listen "$WORK/socket" --at "$(started signals)" 2>"$WORK/server-error"; }
server=$SERVER_PID
read -r -t 120 line <&"${SERVER[0]}" || { cat "$WORK/server-error"; fail "no line to paste"; }
cat >"$WORK/kill" <<END
set confirm off
handle all nostop noprint pass
break look
continue
shell kill -9 $(qemu_of "$server")
reverse-continue
continue
shell kill -9 \$PPID
END
$line -nx -batch -x "$WORK/kill" >"$WORK/out" 2>&1 </dev/null
wait "$server" || fail "the server failed: $(cat "$WORK/server-error")"
count 'Breakpoint 1, look ' 2
grep -q 'QEMU had ended and was started again' "$WORK/server-error" || { cat "$WORK/server-error"; fail "that QEMU was killed was not said"; }
[ ! -e "$WORK/socket" ] || fail "the socket is still there"
exit 0
