#!/bin/bash
# The workloads do on this host what scenarios expect of them in the machine. They pick ports nobody uses here.
. tests/lib.sh
w=build/workloads

# A client is started first and the server only when the client has said "retry": both orders are covered, without a sleep.
# until_line FILE PATTERN: waits for a line; the runner's time limit ends a wait that is in vain.
until_line() {
	until grep -q -- "$2" "$1" 2>/dev/null; do read -rt 0.05 <> <(:) || true; done
}
# Below the range that the kernel gives to clients: there, a client that retries could meet itself.
free_port() {
	python3 - <<'P'
import random, socket
while True:
    port = random.randrange(15000, 32000)
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
P
}
trap 'kill $(jobs -p) 2>/dev/null' EXIT

port=$(free_port)
$w/echo-client 127.0.0.1 "$port" 3 >"$WORK/client" &
client=$!
until_line "$WORK/client" '^retry 1$'
$w/echo-server "$port" >"$WORK/server" &
server=$!
wait $client || fail "echo-client exits $?"
grep -v '^retry' "$WORK/client" >"$WORK/echoes"
printf 'sent %d\necho %d\n' 1 1 2 2 3 3 | diff - "$WORK/echoes" || fail "echo-client's lines"
printf 'listening\naccepted 1\n' | diff - "$WORK/server" || fail "echo-server's lines"
expect 0 $w/echo-client localhost "$port" 1 --pause-ms 1
kill $server

port=$(free_port)
$w/echo-server "$port" --corrupt 2 >"$WORK/corrupt" &
until_line "$WORK/corrupt" listening
expect 1 $w/echo-client 127.0.0.1 "$port" 3
says '^mismatch 2 got #sg 2$'
says '^echo 3$'

# The server dies in the middle: the client reconnects, and every message is echoed.
port=$(free_port)
$w/echo-server "$port" >"$WORK/server" &
server=$!
$w/echo-client 127.0.0.1 "$port" 200 --pause-ms 5 >"$WORK/client" &
client=$!
until_line "$WORK/client" '^echo 10$'
kill -9 $server
until_line "$WORK/client" '^retry'
$w/echo-server "$port" >"$WORK/server" &
wait $client || fail "echo-client exits $? after a restart of the server"
[ "$(grep -c ^echo "$WORK/client")" = 200 ] || fail "not every message was echoed"

# An unmodified redis from its own root file system, killed once; what it acknowledged is there afterwards.
root=$PWD/$w/redis
redis() {
	LD_LIBRARY_PATH= "$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/lib/x86_64-linux-gnu" "$root/usr/bin/redis-server" \
		--port "$port" --bind 127.0.0.1 --dir "$WORK" --appendonly yes --appendfsync always
}
port=$(free_port)
redis >"$WORK/redis1" 2>&1 &
server=$!
$w/kvclient 127.0.0.1 "$port" 300 --pause-ms 2 >"$WORK/client" &
client=$!
until_line "$WORK/client" '^acked 20$'
pkill -9 -P $server 2>/dev/null
kill -9 $server
until_line "$WORK/client" '^retry'
redis >"$WORK/redis2" 2>&1 &
server=$!
wait $client || fail "kvclient exits $?"
for word in acked read; do
	seq -f "$word %g" 300 | diff - <(grep "^$word" "$WORK/client") || fail "kvclient: $word"
done
grep -q missing "$WORK/client" && fail "a key is missing"
pkill -TERM -P $server 2>/dev/null
kill $server
wait $server 2>/dev/null
[ "$(du -sm "$root" | cut -f1)" -lt 25 ] || fail "the redis root file system has grown past 25 MB"

port=$(free_port)
$w/httpd/bin/busybox httpd -f -p "127.0.0.1:$port" -h $w/httpd/www &
expect 0 $w/httpget 127.0.0.1 "$port" /numbers.txt 3
says '^ok 3$'
expect 1 $w/httpget 127.0.0.1 "$port" /absent 1
says '^status 1 404$'

[ "$($w/spew 10 | wc -c)" = 10485760 ] || fail "spew 10 is not 10 MiB"
expect 0 $w/burner 20
says '^burned 20$'
says '^result 7abae2d0a1937501$'
expect 2 $w/burner much
says "expected a number from 1 to 1000000, not 'much'"

# Root file systems hold only plain files and folders, and no link that leads out.
for f in $(find $w/redis $w/httpd -type l); do
	case $(readlink "$f") in /* | *..*) fail "$f leads to $(readlink "$f")" ;; esac
done
exit 0
