#!/bin/bash
# A client of the Debug Adapter Protocol and programs of every kind: values that unfold, processes of two nodes, a library, a child,
# a fatal signal; breakpoints with conditions, counts and messages, of data and of instructions, all of them both ways.
# limit: 400
# takes: 46
. tests/lib.sh
here=tests/runs/dap root=$WORK/plugged
mkdir -p "$root/lib64" "$root/lib" "$WORK/moved"
gcc -g -O0 -static -no-pie -o "$WORK/shapes" "$here/shapes.c" || fail "shapes does not compile"
gcc -g -O0 -fPIC -shared -I"$here" -ffile-prefix-map="$here"=/build/box -o "$root/lib/libbox.so" "$here/box.c" || fail "box does not compile"
gcc -g -O0 -pie -fPIE -I"$here" -o "$root/plugged" "$here/plugged.c" -L"$root/lib" -lbox -Wl,-rpath,/lib || fail "plugged does not compile"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp -L /lib/x86_64-linux-gnu/libc.so.6 "$root/lib/"
cp "$here/box.c" "$WORK/moved/"
cat >"$WORK/dap.yaml" <<EOF
polecat: 1
name: dap
nodes:
  drawer: {workload: {binary: shapes}, command: [/shapes]}
  user: {workload: {rootfs: plugged}, command: [/plugged]}
properties:
  - {id: ends, eventually: {node: user, exited: 0}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
EOF
expect 0 "$POLECAT" run "$WORK/dap.yaml" --seed 1 --runs "$WORK/runs"
run=$(echo "$WORK"/runs/2*)
for script in variables breakpoints places; do
	expect 0 timeout 150 python3 "$here/$script.py" "$POLECAT" debug "$run" --dap --source-dir . -- "$WORK/moved"
	says "^$script: as it should be\$"
done
