#!/bin/bash
# A run made with another QEMU or kernel is refused before anything starts, and the field that differs is named.
. tests/lib.sh
expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed 42 --runs "$WORK/runs"
run=$(ls -d "$WORK"/runs/2*)
# The same QEMU as another program file: a wrapper has another digest.
printf '#!/bin/sh\nexec qemu-system-x86_64 "$@"\n' >"$WORK/qemu"
chmod +x "$WORK/qemu"
POLECAT_QEMU=$WORK/qemu expect 4 "$POLECAT" replay "$run"
says 'qemu.* differs'
# An empty cache: no boot snapshot, and the sentence says what to do.
XDG_CACHE_HOME=$WORK/cache expect 4 "$POLECAT" replay "$run"
says 'snapshot'
