#!/bin/bash
# Every file of a run, changed by one byte, cut, made a link or removed, is refused by name before QEMU starts.
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(ls -d "$WORK"/runs/2*)
export POLECAT_QEMU=$WORK/qemu # would be noticed: it leaves a file
printf '#!/bin/sh\n[ "$1" = --version ] && exec qemu-system-x86_64 "$@"\ntouch "%s/started"\n' "$WORK" >"$WORK/qemu"
chmod +x "$WORK/qemu"
refused() {
	expect 4 "$POLECAT" replay "$WORK/copy"
	says "$1"
	[ ! -e "$WORK/started" ] || fail "$1: QEMU was started"
}
n=0
for file in "$run"/*; do
	name=$(basename "$file")
	for how in byte cut link gone; do
		rm -rf "$WORK/copy"
		cp -a "$run" "$WORK/copy"
		case $how in
		byte)
			at=$(($(stat -c %s "$file") / 2))
			printf '\x5a' | dd of="$WORK/copy/$name" bs=1 seek=$at conv=notrunc status=none
			cmp -s "$file" "$WORK/copy/$name" && printf '\x59' | dd of="$WORK/copy/$name" bs=1 seek=$at conv=notrunc status=none
			[ -s "$file" ] || printf x >"$WORK/copy/$name"
			;;
		cut) [ -s "$file" ] || continue; truncate -s -1 "$WORK/copy/$name" ;;
		link) mv "$WORK/copy/$name" "$WORK/elsewhere"; ln -s "$WORK/elsewhere" "$WORK/copy/$name" ;;
		gone) rm "$WORK/copy/$name" ;;
		esac
		refused "${name//./\\.}"
		n=$((n + 1))
	done
done
[ $n -ge 20 ] || fail "only $n ways to tamper were tried"
