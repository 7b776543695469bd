#!/bin/bash
# A workload that prints 10 MB: every byte arrives (the digests of both sides agree, or the run would be refused), the limits cut
# where they say, and the replay is the same.
# takes: 22
. tests/lib.sh
scenario() { # NAME LIMITS
	cat >"$WORK/$1.yaml" <<Y
polecat: 1
name: $1
nodes: {a: {workload: {binary: $PWD/build/workloads/spew}, command: [/spew, "10"]}}
properties: [{id: ends, eventually: {node: a, exited: 0}}]
limits: {$2}
Y
}
scenario whole 'events: 300000'
expect 0 "$POLECAT" run "$WORK/whole.yaml" --runs "$WORK/runs"
run=$(ls -d "$WORK"/runs/2*)
"$POLECAT" show "$run" --events --json >"$WORK/events" || fail "show"
tail -n 5 "$WORK/events" | grep -q '"out_bytes":10[0-9]\{6\},' || fail "not 10 MB: $(tail -n 5 "$WORK/events")"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
# So many events are stored packed; the manifest has the digest of what they are, which is what any zstd unpacks.
[ -e "$run/events.jsonl.zst" ] && [ ! -e "$run/events.jsonl" ] || fail "not packed: $(ls "$run")"
zstd -qdc "$run/events.jsonl.zst" | cmp - "$WORK/events" || fail "zstd unpacks something else"
sum=$(sha256sum <"$WORK/events")
grep -A 3 '"events.jsonl"' "$run/manifest.json" | grep -q "${sum%% *}" || fail "the manifest has another digest"
# Changed, cut, removed, or with other events beside it, it is refused by name before QEMU starts.
printf '#!/bin/sh\n[ "$1" = --version ] && exec qemu-system-x86_64 "$@"\ntouch "%s/started"\n' "$WORK" >"$WORK/qemu"
chmod +x "$WORK/qemu"
for how in byte cut gone beside; do
	rm -rf "$WORK/copy"
	cp -a "$run" "$WORK/copy"
	packed=$WORK/copy/events.jsonl.zst
	case $how in
	byte) printf 'polecat' | dd of="$packed" bs=1 seek=$(($(stat -c %s "$packed") / 2)) conv=notrunc status=none ;;
	cut) truncate -s -1 "$packed" ;;
	gone) rm "$packed" ;;
	beside) cp "$WORK/events" "$WORK/copy/events.jsonl" ;;
	esac
	POLECAT_QEMU=$WORK/qemu expect 4 "$POLECAT" replay "$WORK/copy"
	says 'events\.jsonl'
	[ ! -e "$WORK/started" ] || fail "$how: QEMU was started"
done
rm -rf "$WORK/runs" "$WORK/copy"
scenario events 'events: 1000'
expect 2 "$POLECAT" run "$WORK/events.yaml" --runs "$WORK/runs"
[ "$(wc -l <"$(ls "$WORK"/runs/2*/events.jsonl)")" = 1000 ] || fail "not cut at 1000 events"
tail -n 1 "$WORK"/runs/2*/events.jsonl | grep -q event_limit || fail "no event_limit"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
rm -rf "$WORK/runs"
scenario bytes 'bytes: 100KiB'
expect 2 "$POLECAT" run "$WORK/bytes.yaml" --runs "$WORK/runs"
tail -n 1 "$WORK"/runs/2*/events.jsonl | grep -q byte_limit || fail "no byte_limit"
expect 0 "$POLECAT" replay last --runs "$WORK/runs"
