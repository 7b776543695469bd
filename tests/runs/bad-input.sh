#!/bin/bash
# What is wrong in a scenario, a plan or a command line is said with its place, exit 4, and nothing is left behind.
. tests/lib.sh
sed '0,/^ *properties:/s//propertees:/' scenarios/echo-restart.yaml >"$WORK/bad.yaml"
expect 4 "$POLECAT" run "$WORK/bad.yaml" --runs "$WORK/runs"
says 'bad\.yaml:[0-9]+:[0-9]+: .*propertees'
says 'properties'
sed 's/^\( *\)command: .*/\1command: 7/' scenarios/echo-restart.yaml >"$WORK/bad.yaml"
expect 4 "$POLECAT" run "$WORK/bad.yaml" --runs "$WORK/runs"
says 'bad\.yaml:[0-9]+:[0-9]+: '
printf 'polecat: 1\n\tname: x\n' >"$WORK/bad.yaml"
expect 4 "$POLECAT" run "$WORK/bad.yaml" --runs "$WORK/runs"
says 'bad\.yaml:[0-9]+:[0-9]+: '
expect 4 "$POLECAT" run "$WORK/none.yaml"
says 'none.yaml'
expect 4 "$POLECAT" run scenarios/echo-restart.yaml --sead 4
says 'did you mean --seed'
expect 4 "$POLECAT" rum scenarios/echo-restart.yaml
says "did you mean 'run'"
expect 4 "$POLECAT"
expect 4 "$POLECAT" replay no-such-run --runs "$WORK/runs"
says 'no-such-run'
mkdir -p "$WORK/runs/empty"
expect 4 "$POLECAT" replay "$WORK/runs/empty"
says 'manifest.json'
rmdir "$WORK/runs/empty"
[ -z "$(ls -A "$WORK/runs" 2>/dev/null)" ] || fail "left behind: $(ls -A "$WORK/runs")"
