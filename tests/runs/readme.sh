#!/bin/bash
# What README shows of a recording is what the commands print, but for numbers and names of runs.
. tests/lib.sh
sed -n '/^```console$/,/^```$/p' README.md | grep -v '^```' >"$WORK/shown"
plain() { sed -E 's/[0-9]{8}T[0-9]{6}Z-([a-z-]+)-[0-9]+-[0-9a-f]{6}/RUN-\1/g; s/[0-9]+([ .][0-9]+)*/N/g; s/ +/ /g; s/ (s|ms|us)([,;) ]|$)/ T\2/g'; }
export POLECAT_RUNS=$WORK/runs
while read -r line; do
	case $line in
	'$ polecat '*)
		printf '%s\n' "$line"
		"$POLECAT" ${line#\$ polecat } 2>/dev/null </dev/null
		;;
	esac
done <"$WORK/shown" | sed "s,$WORK/,," >"$WORK/printed"
diff <(plain <"$WORK/shown") <(plain <"$WORK/printed") || fail "README shows something else"
