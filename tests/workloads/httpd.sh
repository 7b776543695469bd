#!/bin/sh
# httpd.sh ROOT: makes a root file system with BusyBox (static, from its Debian package) and a few pages below /www.
. "$(dirname "$0")/rootfs.sh"

root=$1
work=$(mktemp -d "$(dirname "$root")/.httpd.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

dpkg-deb -x "$(deb busybox-static)" "$work/all"
skeleton "$work/root"
cp -L "$(find "$work/all" -name busybox -type f -path '*/bin/busybox')" "$work/root/bin/busybox"
ln -s busybox "$work/root/bin/sh"
mkdir "$work/root/www"
printf '<!doctype html>\n<title>polecat</title>\n<p>It goes down the hole and brings the bug out.\n' >"$work/root/www/index.html"
seq 1 2000 >"$work/root/www/numbers.txt"
chmod 755 "$work/root"
rm -rf "$root"
mv "$work/root" "$root"
