#!/bin/bash
# The machine layer by itself: recordings, replays, exact stops, checkpoints, deaths. Whatever is killed, nothing stays behind.
# limit: 300
# takes: 22
. tests/lib.sh
make -s --no-print-directory MODE="${MODE:-release}" machine-check || fail "machine-check does not build"
"build/${MODE:-release}/machine-check" build/machine-guest | tee "$WORK/out"
exit "${PIPESTATUS[0]}"
