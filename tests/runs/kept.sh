#!/bin/bash
# Checkpoints that a debug session leaves for the next one: they are used, nobody else can read them, and a file that is damaged,
# cut short, of another run, or a link is said once and made anew. Two sessions at once; what a killed writer left; room for all.
# limit: 600
# takes: 18
. tests/lib.sh
# A folder of checkpoints of its own; the rest of the cache is the common one.
export XDG_CACHE_HOME=$WORK/cache
store=$WORK/cache/polecat/checkpoints
mkdir -p "$WORK/cache/polecat"
for part in "${POLECAT_TEST_CACHE:-$PWD/build/test-cache}"/polecat/*; do
	[ "${part##*/}" = checkpoints ] || ln -s "$part" "$WORK/cache/polecat/"
done
for seed in 42 43; do expect 0 "$POLECAT" run scenarios/echo-restart.yaml --seed $seed --runs "$WORK/runs$seed"; done
run=$(echo "$WORK"/runs42/2*)
other=$(echo "$WORK"/runs43/2*)

digest() { sed -n 's/^memory *//p' "$WORK/out"; }

# The first session makes them, the second has them: it does not execute the run from its start.
expect 0 "$POLECAT" debug "$run" -e 'goto end' -e 'goto ev:60' -e digest
wanted=$(digest)
[ "$(ls "$store" | wc -l)" = 1 ] || fail "not one file: $(ls -A "$store")"
file=$store/$(ls "$store")
[ "$(stat -c %a "$file" "$store" | paste -s)" = $'600\t700' ] || fail "others can reach it: $(stat -c '%a %n' "$file" "$store")"
expect 0 "$POLECAT" debug "$run" -e checkpoints -e 'goto ev:60' -e digest
says '[1-9][0-9]* kept on disk'
says 'from the checkpoint at'
[ "$(digest)" = "$wanted" ] || fail 'a checkpoint of another session is not what it was'
cp "$file" "$WORK/good"

# What cannot be trusted is said by one session, which does without; the next has new ones.
expect 0 "$POLECAT" debug "$other" -e 'goto end'
foreign=$store/$(ls "$store" | grep -v "${file##*/}")
secret=$WORK/secret
spoil() {
	case $1 in
	header) printf x | dd of="$file" bs=1 seek=70 conv=notrunc status=none ;;
	pages) dd if=/dev/urandom of="$file" bs=4096 seek=100 count=$(($(stat -c %s "$file") / 4096 - 100)) conv=notrunc status=none ;;
	cut) truncate -s 5000 "$file" ;;
	foreign) cp "$foreign" "$file" ;;
	link) mv "$file" "$secret" && ln -s "$secret" "$file" ;;
	esac
}
for how in header pages cut foreign link; do
	cp "$WORK/good" "$file"
	chmod 600 "$file"
	spoil $how
	[ $how = link ] && before=$(sha256sum <"$secret")
	printf 'goto end\ngoto ev:60\ndigest\n' >"$WORK/moves"
	expect 0 "$POLECAT" debug "$run" -x "$WORK/moves"
	[ "$(grep -c 'stored checkpoints' "$WORK/out")" = 1 ] || { cat "$WORK/out"; fail "$how is not said once"; }
	[ "$(digest)" = "$wanted" ] || fail "$how: memory is another"
	expect 0 "$POLECAT" debug "$run" -e checkpoints -e 'goto ev:60' -e digest
	grep -q 'stored checkpoints' "$WORK/out" && { cat "$WORK/out"; fail "$how is said by the next session"; }
	says '[1-9][0-9]* kept on disk'
	[ "$(digest)" = "$wanted" ] || fail "$how: memory is another afterwards"
done
[ "$(sha256sum <"$secret")" = "$before" ] || fail 'what a link pointed to was changed'
[ ! -L "$file" ] || fail 'the link is still there'

# Two sessions of one run at once, and what a writer that was killed left.
head -c 10000 "$WORK/good" >"$store/.${file##*/}.1.0"
rm "$file"
for i in 1 2; do
	"$POLECAT" debug "$run" -x "$WORK/moves" >"$WORK/session$i" 2>&1 &
	sessions[i]=$!
done
for i in 1 2; do
	wait "${sessions[i]}" || { cat "$WORK/session$i"; fail 'one of two sessions fails'; }
	[ "$(sed -n 's/^memory *//p' "$WORK/session$i")" = "$wanted" ] || fail 'one of two sessions finds another memory'
done
[ -z "$(ls -A "$store" | grep '^\.' | grep -vx .lock)" ] || fail "left behind: $(ls -A "$store")"
expect 0 "$POLECAT" debug "$run" -e checkpoints -e 'goto ev:60' -e digest
grep -q 'stored checkpoints' "$WORK/out" && { cat "$WORK/out"; fail 'two sessions spoil the file'; }
[ "$(digest)" = "$wanted" ] || fail 'two sessions: memory is another'

# They are listed, and swept; those that there is no room for are not kept, and nothing is when it is not wanted.
expect 0 "$POLECAT" image ls
says '^checkpoints of 2 runs, [0-9]+ MiB$'
touch "$store/.left.1.0"
expect 0 "$POLECAT" image gc
says '^checkpoints of 0 runs removed'
[ ! -e "$store/.left.1.0" ] || fail 'gc does not sweep'
rm "$file"
expect 0 "$POLECAT" debug "$run" --keep 0 -e 'goto end'
[ ! -e "$file" ] || fail 'kept with --keep 0'
expect 0 "$POLECAT" debug "$run" --keep 5 -e 'goto end'
[ "$(du -s --block-size=1M "$store" | cut -f1)" -le 5 ] || fail "more than 5 MiB: $(du -s "$store")"
exit 0
