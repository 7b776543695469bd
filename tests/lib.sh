# Sourced by shell tests. They run in the project's root, under tests/runner, which sets $WORK and $POLECAT.
set -u
: "${WORK:?run this with: make $0}" "${POLECAT:?run this with: make $0}"

fail() {
	printf 'FAIL: %s\n' "$*"
	exit 1
}

# expect STATUS COMMAND...: runs it, its output in $WORK/out, and fails unless it exits with STATUS.
expect() {
	local wanted=$1 got
	shift
	"$@" >"$WORK/out" 2>&1 </dev/null
	got=$?
	[ "$got" = "$wanted" ] || { cat "$WORK/out"; fail "exit $got, expected $wanted: $*"; }
}

# says PATTERN: the output of the last `expect` has a line that matches the extended regular expression.
says() {
	grep -qE -- "$1" "$WORK/out" || { cat "$WORK/out"; fail "nothing says: $1"; }
}

# until_true COMMAND...: waits until it is true, at most a minute (a loaded host is slow); false if it never is.
until_true() {
	local tries
	for ((tries = 0; tries < 1200; tries++)); do
		"$@" && return 0
		read -rt 0.05 <> <(:)
	done
	return 1
}

# same FILE FILE: equal to the byte.
same() {
	cmp -- "$1" "$2" || fail "$1 and $2 differ"
}

# debugs STATUS MOMENT COMMAND...: `polecat debug` with these commands, at a moment of the run $run.
debugs() {
	local status=$1 at=$2 commands=() command
	shift 2
	for command in "$@"; do commands+=(-e "$command"); done
	expect "$status" "$POLECAT" debug "$run" --at "$at" "${commands[@]}"
}

# ready_at NODE: the instruction count at which a node of $run wrote "ready".
ready_at() {
	grep "\"node\":\"$1\"" "$run/events.jsonl" | sed -n 's/.*"icount":\([0-9]*\),.*"text":"ready".*/\1/p'
}
