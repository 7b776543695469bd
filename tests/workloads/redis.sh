#!/bin/sh
# redis.sh ROOT: makes the root file system of an unmodified redis out of Debian's packages: server, command line and the
# shared libraries they need. Prints nothing. ROOT is replaced only when all went well.
. "$(dirname "$0")/rootfs.sh"

root=$1
work=$(mktemp -d "$(dirname "$root")/.redis.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# The libraries' packages: whatever is reached over dependencies that are libraries themselves.
todo="redis-server redis-tools"
seen=" "
while [ -n "$todo" ]; do
	next=
	for package in $todo; do
		case $seen in *" $package "*) continue ;; esac
		seen="$seen$package "
		file=$(deb "$package")
		dpkg-deb -x "$file" "$work/all"
		depends=$(dpkg-deb -f "$file" Pre-Depends Depends | sed 's/^[A-Za-z-]*://; s/([^)]*)//g; s/|[^,]*//g; s/:any//g; s/,/ /g')
		for name in $depends; do
			case $name in lib* | lua-* | redis-tools) next="$next $name" ;; esac
		done
	done
	todo=$next
done

skeleton "$work/root"
mkdir -p "$work/root/usr/bin" "$work/root/data"
for program in redis-server redis-cli; do
	# redis-server is a link to redis-check-rdb, which is the same program.
	cp -L "$work/all/usr/bin/$program" "$work/root/usr/bin/$program"
done
libraries "$work/all" "$work/root" "$work/root/usr/bin/redis-server" "$work/root/usr/bin/redis-cli"
chmod 755 "$work/root"
rm -rf "$root"
mv "$work/root" "$root"
