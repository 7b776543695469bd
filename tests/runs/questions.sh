#!/bin/bash
# What the engine reads out of a stopped machine's memory is what the guest's own kernel says in /proc, and what the stopped
# programs know of their own stacks and variables. One boot, stopped at seven barriers; each is compared.
# With KEEP=DIR in the environment the stops (ram, regs, truth) stay there: tests/runs/questions/ask DIR/STOP where ...
# limit: 300
. tests/lib.sh
here=tests/runs/questions source=tests/runs/questions/prog.c

# ---- tools that ask the engine's library ------------------------------------------------------------------------
libs="$(pkg-config --libs json-c libzstd libfyaml libarchive libcrypto libpcre2-8 libdw capstone libbpf) -liberty"
for tool in ask compare corrupt vmlinux; do
	# shellcheck disable=SC2086
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -g -I. -o "$WORK/$tool" "$here/$tool.c" "build/${MODE:-release}/libengine.a" $libs -lm ||
		fail "$tool.c does not compile"
done
"$WORK/vmlinux" "$XDG_CACHE_HOME/polecat" >"$WORK/kernel" || fail "no kernel"
kernel=$(head -n 1 "$WORK/kernel")

# ---- the guest: one program compiled in every way, the libraries it needs, and an init ---------------------------
root=$WORK/root
mkdir -p "$root/bin" "$root/lib64" "$root/lib/x86_64-linux-gnu"
build() {
	gcc -g -Wall "${@:2}" -o "$root/bin/$1" "$source" -pthread || fail "$1 does not compile"
}
build dyn-O0 -O0 -pie -fPIE
build dyn-O2 -O2 -pie -fPIE
build exec-O0 -O0 -no-pie
build exec-O2 -O2 -no-pie -fomit-frame-pointer
build spie-O0 -O0 -static-pie -fPIE
build static-O2 -O2 -static
gcc -g -O1 -Wall -D_GNU_SOURCE -static -o "$root/init" "$here/init.c" || fail "init.c does not compile"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp -L /lib/x86_64-linux-gnu/libc.so.6 "$root/lib/x86_64-linux-gnu/"
mkdir "$root/modules"
for module in crc16 crc32c_generic mbcache jbd2 ext4 loop overlay; do
	cp "$(grep "/$module.ko\$" "$WORK/kernel")" "$root/modules/" || fail "the kernel has no module $module"
done
truncate -s 6M "$root/modules/disk"
mke2fs -q -t ext4 -b 1024 -J size=1 "$root/modules/disk" || fail "mke2fs"
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) >"$WORK/initrd" || fail "cpio"

# ---- one boot, QMP on standard input and output -------------------------------------------------------------------
mem=128
truncate -s ${mem}M "$WORK/ram"
coproc QMP {
	exec timeout 250 qemu-system-x86_64 -M microvm,memory-backend=ram -cpu qemu64 -m $mem -accel tcg -icount shift=1,sleep=off -nodefaults \
		-no-user-config -display none -no-reboot -net none -device pvpanic -action panic=pause -seed 1 -rtc base=2020-01-01,clock=vm \
		-object memory-backend-file,id=ram,size=${mem}M,mem-path="$WORK/ram",share=on \
		-chardev file,id=s,path="$WORK/console" -serial chardev:s \
		-chardev file,id=d,path="$WORK/truth.txt" -device isa-debugcon,chardev=d,iobase=0xe9 \
		-kernel "$kernel" -initrd "$WORK/initrd" -qmp stdio \
		-append "console=ttyS0 quiet panic=-1 random.trust_cpu=off nokaslr mitigations=off nowatchdog cryptomgr.notests"
}
qemu=$QMP_PID
trap 'kill "$qemu" 2>/dev/null; wait "$qemu" 2>/dev/null' EXIT
exec 3<&"${QMP[0]}" 4>&"${QMP[1]}"
line=
answer() { # reads up to the line that holds $1
	while IFS= read -r -t 120 line <&3; do
		case $line in *"$1"*) return 0 ;; esac
	done
	tail -5 "$WORK/console"
	fail "QEMU did not say $1"
}
say() {
	printf '%s\n' "$1" >&4
}
next_stop() { # leaves DIR/$1/{ram,regs}
	answer GUEST_PANICKED
	say '{"execute":"human-monitor-command","arguments":{"command-line":"info registers"}}'
	answer '"return"'
	regs=${line#*\"return\": \"}
	mkdir -p "$WORK/$1"
	printf '%b' "${regs%\"\}*}" | tr -d '\r' >"$WORK/$1/regs"
	ln -sf ../ram "$WORK/$1/ram"
	stop=$1
	[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP/$1" && cp --sparse=always "$WORK/ram" "$WORK/$1/regs" "$KEEP/$1/"; }
}
go_on() {
	say '{"execute":"cont"}'
	answer '"return"'
}

# ---- a program stopped in its innermost function --------------------------------------------------------------------
line_of() { # the line of prog.c that holds a text
	grep -nF -- "$1" "$source" | head -n 1 | cut -d: -f1
}
ask() {
	"$WORK/ask" "$WORK/$stop" "$@" >"$WORK/out" 2>&1 || { cat "$WORK/out"; fail "$stop: ask $*"; }
}
prints() { # EXPRESSION, PATTERN of its value, in what the last `ask` said
	grep -F -- "$1 = " "$WORK/out" | grep -qE -- " = $2\$" || { cat "$WORK/out"; fail "$stop: $1 is not $2"; }
}
check_stack() { # the frames, with their arguments when nothing is optimized
	leaf=$(line_of 'stops the machine */') inlined=$(line_of 'return leaf(') outer=$(line_of 'result = outer(') last=$(line_of 'result = inlined(')
	main=$(line_of 'outer(1) +')
	ask where
	case $stop in
	*-O0)
		says "^#0 +leaf \(depth=4, at=0x[0-9a-f]+, label=0x[0-9a-f]+ \"label\"\) at prog.c:$leaf\$"
		says "^#2 +outer \(depth=3\) at prog.c:$outer\$"
		says "^#4 +outer \(depth=1\) at prog.c:$outer\$"
		says "^#5 +main \(argc=3, argv=0x[0-9a-f]+\) at prog.c:$main\$"
		;;
	*)
		says "^#0 +leaf[a-z0-9.]* \(.*\) at prog.c:$leaf\$"
		says "^#2 +outer \(.*\) at prog.c:$outer\$"
		says "^#4 +outer \(.*\) at prog.c:$outer\$"
		says "^#5 +main \(.*\) at prog.c:$main\$"
		;;
	esac
	says "^#1 +inlined \(depth=(4|<optimized out>), at=(0x[0-9a-f]+|<optimized out>)\) \(inlined\) at prog.c:$inlined\$"
	says "^     outer \(.*\) at prog.c:$last\$"
	says '^#8 +_start\+0x[0-9a-f]+ in /bin/'
	says '^\(the outermost frame\)$'
	[ "$(grep -c '^#' "$WORK/out")" = 9 ] || { cat "$WORK/out"; fail "$stop: not 9 frames"; }
}
check_values() {
	record='\{next = 0x[0-9a-f]+ <global_record>, name = 0x[0-9a-f]+ "first", where = \{x = -3, y = 7\}, flags = 5, kind = 17, color = GREEN, weight = 2.5, tag = "tag"\}'
	ask print 0 global_counter print 0 global_record print 0 '*global_record.next->next' print 0 '(*global_pointer).where.y' print 0 'global_record.color' print 0 'global_pointer->kind' \
		print 0 'global_text' print 0 'file_bytes[3]' print 0 'global_text[4]' print 0 thread_value print 0 local print 0 word \
		print 0 '&global_record.where.y' print 0 table print 0 wide print 0 yes print 0 call
	prints global_counter 41
	prints global_record "$record"
	prints '*global_record.next->next' "$record"
	prints '(*global_pointer).where.y' 7
	prints 'global_record.color' GREEN
	prints 'global_pointer->kind' 17
	prints 'global_text' '0x[0-9a-f]+ "hello"'
	prints 'file_bytes[3]' '255 .*'
	prints 'global_text[4]' "111 'o'"
	prints thread_value 12
	prints local 4014
	prints word '"inside"'
	prints '&global_record.where.y' '0x[0-9a-f]+ <global_record\+20>'
	prints table '\{\{1, 2, 3\}, \{4, 5, 6\}\}'
	prints wide '-12345678901234567'
	prints yes true
	prints call '0x[0-9a-f]+ <main>'
	ask print 0 nobody print 0 'global_record.nope' locals 1 disas '$rip' 2 disas main 1 disas "prog.c:$leaf" 4
	says '^nobody: column 1: there is no variable "nobody" here$'
	says 'struct record has no member nope'
	says '^twice = 8$'
	says '^at = (\{x = 14, y = 20\}|<optimized out>)$'
	says '^=> 0x[0-9a-f]+ <leaf[a-z0-9.]*\+0x[0-9a-f]+>: [a-z]+'
	says '^   0x[0-9a-f]+ <main>: '
	says '^   0x[0-9a-f]+ <leaf[a-z0-9.]*\+0x[0-9a-f]+>: '
	# The two threads that wait, somewhere below waiter_body.
	ask threads
	[ "$(grep -c '^thread ' "$WORK/out")" = 3 ] || fail "$stop: not three threads"
	[ "$(grep -cE '^#[0-9]+ +waiter_body \(.*\) at prog.c:' "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail "$stop: two threads wait"; }
	says '^#[0-9]+ +do_syscall_64\+0x[0-9a-f]+ in kernel$'
}

answer '"QMP"'
say '{"execute":"qmp_capabilities"}'
answer '"return"'
for program in dyn-O0 dyn-O2 exec-O0 exec-O2 spie-O0 static-O2; do
	next_stop $program
	check_stack
	check_values
	go_on
done

# ---- everything at once, against /proc --------------------------------------------------------------------------------
next_stop truth
ln -sf ../truth.txt "$WORK/truth/truth"
[ -z "${KEEP:-}" ] || cp "$WORK/truth.txt" "$KEEP/truth/truth"
for program in dyn-O0 dyn-O2 exec-O0 exec-O2 spie-O0 static-O2; do
	# Through the kernel (ORC tables) into the C library and the program (call frame information).
	ask $program threads
	[ "$(grep -cE "^#[0-9]+ +waiter_body \(.*\) at prog.c:$(line_of '		pause();')\$" "$WORK/out")" = 2 ] || { cat "$WORK/out"; fail "$program: two threads pause"; }
	[ "$(grep -cE '^#[0-9]+ +do_syscall_64\+0x[0-9a-f]+ in kernel$' "$WORK/out")" = 3 ] || { cat "$WORK/out"; fail "$program: three system calls"; }
done
ask 'jbd2/loop0-8' where
says '^#[0-9]+ +kjournald2\+0x[0-9a-f]+ in jbd2$'
says '^#[0-9]+ +ret_from_fork\+0x[0-9a-f]+ in kernel$'
ask 'zombie maker' ps
says '^ +[0-9]+ +([0-9]+|-) +[0-9]+ Z .*\[zombie maker\] \(exited with 42\)$'
expect 0 "$WORK/compare" "$WORK/truth"
tail -n 1 "$WORK/out"
expect 0 "$WORK/corrupt" "$WORK/truth" 20
tail -n 1 "$WORK/out"
say '{"execute":"quit"}'
wait "$qemu"
exit 0
