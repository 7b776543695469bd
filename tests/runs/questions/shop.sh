# Sourced: records a program whose calls are known (main, sell, add) beside one that only counts. $run is its run, $at a moment in
# the middle of the calls.
g++ -g -Wall -O0 -static -no-pie -o "$WORK/shop" tests/runs/questions/shop.cc || fail "shop.cc does not compile"
cat >"$WORK/shop.yaml" <<EOF
polecat: 1
name: shop
nodes:
  shop: {workload: {binary: shop}, command: [/shop, "20"]}
  counter: {workload: {binary: $PWD/build/workloads/counter}, command: [/counter, "2", "2000000"]}
properties:
  - {id: ends, eventually: {node: shop, exited: 0}, within: 10s}
limits: {vtime: 20s, instructions: 4G}
EOF
"$POLECAT" run "$WORK/shop.yaml" --seed 3 --runs "$WORK/shops" >"$WORK/out" 2>&1 </dev/null
run=$(echo "$WORK"/shops/2*)
[ -f "$run/manifest.json" ] || { cat "$WORK/out"; fail "no run of the shop"; }
at=$(($(ready_at shop) + 800000))
