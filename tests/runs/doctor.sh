#!/bin/bash
# doctor tries everything and says what is wrong, with the exit status that fits.
# takes: 18
. tests/lib.sh
expect 0 "$POLECAT" doctor
for check in qemu cache memory busybox kernel boot record repeat replay stop seek; do
	says "^(ok|warning) +$check "
done
says '^polecat works on this host'
says '^ok +plugin .*a replay with it is equal'
expect 0 "$POLECAT" doctor --json
says '"polecat_doctor": 1'
says '"check": "seek"'

# A QEMU that is none, one that is too old, one that is known to be broken.
expect 5 env POLECAT_QEMU=/bin/false "$POLECAT" doctor
says '^bad +qemu '
says '^skipped +boot +needs qemu'
for version in 7.1.0 9.1.2; do
	printf '#!/bin/sh\necho "QEMU emulator version %s"\n' $version >"$WORK/qemu" && chmod +x "$WORK/qemu"
	expect 5 env POLECAT_QEMU="$WORK/qemu" "$POLECAT" doctor
	says "^bad +qemu +QEMU ${version%.*} "
done
# One that says the right version and then does not run.
printf '#!/bin/sh\n[ "$1" = --version ] && echo "QEMU emulator version 7.2.99" && exit\necho "cannot do that" >&2; exit 1\n' >"$WORK/qemu"
expect 5 env POLECAT_QEMU="$WORK/qemu" "$POLECAT" doctor
says '^bad +boot .*cannot do that'
# One that was built without the machine that is needed.
cat >"$WORK/qemu" <<'Q'
#!/bin/bash
[ "$1" = --version ] && exec qemu-system-x86_64 "$@"
exec qemu-system-x86_64 "${@/#microvm,/none-such,}"
Q
expect 5 env POLECAT_QEMU="$WORK/qemu" "$POLECAT" doctor
says '^bad +boot .*built without the machine microvm'
expect 5 env POLECAT_BUSYBOX=/nowhere "$POLECAT" doctor
says '^bad +boot'
