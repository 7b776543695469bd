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
g++ -g -O0 -static -no-pie -o "$WORK/crowd" "$here/crowd.cc" || fail "crowd does not compile"
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

# ---- functions that share a name ------------------------------------------------------------------------------------
cat >"$WORK/crowd.yaml" <<EOF
polecat: 1
name: crowd
nodes:
  crowd: {workload: {binary: crowd}, command: [/crowd]}
properties:
  - {id: ends, eventually: {node: crowd, exited: 0}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
EOF
expect 0 "$POLECAT" run "$WORK/crowd.yaml" --seed 1 --runs "$WORK/crowds"
run=$(echo "$WORK"/crowds/2*)
expect 0 timeout 150 python3 "$here/names.py" "$POLECAT" debug "$run" --dap --source-dir . --
says '^names: as it should be$'
# The debug prompt takes all of a name too, and says where each is.
debugs 0 "$(ready_at crowd)" 'focus crowd' 'break pick' 'break grow<long>' continue continue continue continue continue where
[ "$(grep -cE '^[1-4]: break pick, .*pick\+0x[0-9a-f]+ \(crowd.cc:[0-9]+\)  in process [0-9]+$' "$WORK/out")" = 4 ] ||
	{ cat "$WORK/out"; fail "the functions of one name are not told apart"; }
says '^5: break grow<long>  in process [0-9]+$'
[ "$(grep -oE '^break [0-9]+$' "$WORK/out" | sort -u | wc -l)" = 5 ] || { cat "$WORK/out"; fail "not every break was met"; }
says '^#0 +grow<long> '
exit 0
