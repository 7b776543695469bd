#!/bin/bash
# Boots a machine whose processes are known, stops it at its barriers, and compares what the engine reads out of its memory
# with what the guest's own kernel said in /proc. Needs QEMU and a kernel package (KERNEL=vmlinux or vmlinuz).
# KEEP=DIR keeps the stops (ram, regs, truth) there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kernel=${KERNEL:?the path of a kernel (vmlinux or vmlinuz)}
dir=$(mktemp -d) qemu=
finish() {
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

# ---- the guest: one program compiled in every way, the libraries it needs, and an init -----------------------
root=$dir/root
mkdir -p "$root/bin" "$root/lib64" "$root/lib/x86_64-linux-gnu"
build() {
	gcc -g -Wall "${@:2}" -o "$root/bin/$1" "$here/questions/prog.c" -pthread
}
build dyn-O0 -O0 -pie -fPIE
build dyn-O2 -O2 -pie -fPIE
build exec-O0 -O0 -no-pie
build exec-O2 -O2 -no-pie -fomit-frame-pointer
build static-O2 -O2 -static
build spie-O0 -O0 -static-pie -fPIE
gcc -g -O1 -Wall -D_GNU_SOURCE -static -o "$root/init" "$here/questions/init.c"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp -L /lib/x86_64-linux-gnu/libc.so.6 "$root/lib/x86_64-linux-gnu/"
(cd "$root" && find . | sort | cpio -o -H newc --quiet) >"$dir/initrd"

# ---- one boot, QMP on standard input and output ---------------------------------------------------------------
mem=128
truncate -s ${mem}M "$dir/ram"
coproc QMP {
	exec timeout 300 qemu-system-x86_64 -M microvm,memory-backend=ram -cpu qemu64 -m $mem -accel tcg -icount shift=1,sleep=off -nodefaults -no-user-config \
		-display none -no-reboot -net none -device pvpanic -action panic=pause \
		-object memory-backend-file,id=ram,size=${mem}M,mem-path="$dir/ram",share=on \
		-chardev file,id=s,path="$dir/console" -serial chardev:s \
		-chardev file,id=d,path="$dir/truth" -device isa-debugcon,chardev=d,iobase=0xe9 \
		-kernel "$kernel" -initrd "$dir/initrd" -qmp stdio \
		-append "console=ttyS0 quiet panic=-1 nokaslr mitigations=off nowatchdog cryptomgr.notests"
}
qemu=$QMP_PID
exec 3<&"${QMP[0]}" 4>&"${QMP[1]}"
line=
answer() { # reads up to the line that holds $1
	while IFS= read -r -t 120 line <&3; do
		case $line in *"$1"*) return 0 ;; esac
	done
	echo "questions: QEMU did not say $1; its console:" >&2
	tail -5 "$dir/console" >&2
	exit 1
}
say() { printf '%s\n' "$1" >&4; }

answer '"QMP"'
say '{"execute":"qmp_capabilities"}'
answer '"return"'
for stop in dyn-O0 dyn-O2 exec-O0 exec-O2 spie-O0 static-O2 truth; do
	answer GUEST_PANICKED
	say '{"execute":"human-monitor-command","arguments":{"command-line":"info registers"}}'
	answer '"return"'
	regs=${line#*\"return\": \"}
	printf '%b' "${regs%\"\}*}" | tr -d '\r' >"$dir/regs"
	if [ -n "${KEEP:-}" ]; then
		mkdir -p "$KEEP/$stop"
		cp --sparse=always "$dir/ram" "$dir/regs" "$KEEP/$stop/"
	fi
	[ "$stop" = truth ] || say '{"execute":"cont"}'
	[ "$stop" = truth ] || answer '"return"'
done
if [ -n "${KEEP:-}" ]; then
	cp "$dir/truth" "$KEEP/truth/"
	cp -r "$root" "$KEEP/root"
fi
