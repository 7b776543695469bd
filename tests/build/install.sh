#!/bin/bash
# `make install` below DESTDIR gives a program that runs from there; `make uninstall` takes all of it away.
. tests/lib.sh

expect 0 make install DESTDIR="$WORK/root" PREFIX=/opt/polecat
(cd "$WORK/root/opt/polecat" && find . -type f | sort) >"$WORK/files"
for file in ./bin/polecat ./bin/polecat-tui ./lib/polecat/polecat-agent ./share/bash-completion/completions/polecat \
	./share/polecat/themes/default.theme ./share/polecat/scenarios/echo-restart.yaml ./share/man/man1/polecat.1 ./share/man/man1/polecat-ui.1 ./share/polecat/workloads/echo-server \
	./share/polecat/workloads/redis/usr/bin/redis-server; do
	grep -qx -- "$file" "$WORK/files" || fail "not installed: $file"
done
expect 0 "$WORK/root/opt/polecat/bin/polecat" --version
bash -n "$WORK/root/opt/polecat/share/bash-completion/completions/polecat" || fail "completions have a syntax error"
for path in $(grep -hoE '\.\./[^ }]*' "$WORK"/root/opt/polecat/share/polecat/scenarios/*.yaml); do
	[ -e "$WORK/root/opt/polecat/share/polecat/scenarios/$path" ] || fail "an installed scenario names $path, which is not installed"
done
expect 0 make uninstall DESTDIR="$WORK/root" PREFIX=/opt/polecat
left=$(find "$WORK/root" -type f)
[ -z "$left" ] || fail "uninstall leaves $left"
