#!/bin/bash
# .ci/setup is silent where nothing is missing, asks at most once, and names what it would install. Every Debian tool is a
# stand-in here: nothing is installed by this test.
. tests/lib.sh

mkdir "$WORK/bin"
tool() { # NAME, body on stdin
	{ echo '#!/bin/sh'; cat; } >"$WORK/bin/$1"
	chmod +x "$WORK/bin/$1"
}
tool dpkg-query <<<'for p; do :; done; grep -qx "$p" "$WORK/installed" && printf installed || exit 1'
tool apt-get <<<'echo "apt-get $*" >>"$WORK/calls"; [ ! -e "$WORK/refuse" ]'
tool sudo <<<'exec "$@"'
export WORK PATH=$WORK/bin:$PATH

.ci/setup --list >"$WORK/installed"
expect 0 .ci/setup
[ -s "$WORK/out" ] && fail "nothing is missing, and it says: $(cat "$WORK/out")"
grep -q install "$WORK/calls" 2>/dev/null && fail "nothing is missing, and it installs"

.ci/setup --list | grep -vxE 'cppcheck|tmux' >"$WORK/installed"
expect 0 env YES=1 .ci/setup
grep -qE 'apt-get .*install .*--no-install-recommends cppcheck tmux$' "$WORK/calls" || fail "calls: $(cat "$WORK/calls")"

# On a terminal: one question, and "n" installs nothing.
: >"$WORK/calls"
python3 - >"$WORK/out" <<'P' || fail "declined, it exits with another status than 1"
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ.pop("YES", None)
    os.execv(".ci/setup", [".ci/setup"])
os.write(fd, b"n\n")
said = b""
try:
    while chunk := os.read(fd, 4096):
        said += chunk
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(said.decode())
sys.exit(status != 1 or said.count(b"?") != 1)
P
says 'cppcheck tmux'
says 'nothing was installed'
grep -q install "$WORK/calls" && fail "declined, it installs"

# A failure is tried once more with fresh lists, then reported.
: >"$WORK/calls"
touch "$WORK/refuse"
expect 1 .ci/setup
grep -q 'update' "$WORK/calls" || fail "no apt-get update after a failure"
says 'run this as root: apt-get update && apt-get install --no-install-recommends cppcheck tmux$'

# Somebody who is not root: by sudo; without one, or where it refuses, one sentence has the line to type.
rm "$WORK/refuse"
tool id <<<'echo 1000'
: >"$WORK/calls"
expect 0 .ci/setup
grep -q 'install.* cppcheck tmux$' "$WORK/calls" || fail "not installed by sudo: $(cat "$WORK/calls")"
tool sudo <<<'echo "sudo: you may not" >&2; exit 1'
expect 1 .ci/setup
says '^setup: that did not work; run this as root: apt-get update && apt-get install --no-install-recommends cppcheck tmux$'
rm "$WORK/bin/sudo"
for program in bash sh cat find grep head; do ln -sf "$(command -v $program)" "$WORK/bin/$program"; done
: >"$WORK/calls"
expect 1 env PATH="$WORK/bin" .ci/setup
says '^setup: run this as root: apt-get update && apt-get install --no-install-recommends cppcheck tmux$'
[ "$(wc -l <"$WORK/out")" = 1 ] || fail "more than one sentence: $(cat "$WORK/out")"
[ -s "$WORK/calls" ] && fail "it tried: $(cat "$WORK/calls")"
.ci/setup --list >"$WORK/installed"
expect 0 env PATH="$WORK/bin" .ci/setup # nothing is missing, so no rights are needed
exit 0
