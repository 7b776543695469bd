#!/bin/bash
# keys.conf and themes of one's own; what is remembered between two starts; what is wrong in a file is said with its place.
. tests/lib.sh
tui=$(dirname "$POLECAT")/polecat-tui
cp -a tests/screens/runs "$WORK/runs"
export INPUTRC=/dev/null XDG_CONFIG_HOME=$WORK/config XDG_STATE_HOME=$WORK/state
mkdir -p "$WORK/config/polecat/themes"
play() {
	printf '%s\n' "${@:2}" >"$WORK/keys"
	expect 0 "$tui" --state --runs "$WORK/runs" --size 200x24 --now 1800000000 --script "$WORK/keys" "$WORK/runs/$1"
}
shows() { says "$1"; }

# Keys: bound, taken away, and seen in the line of keys and in the help.
printf '# mine\nw next-fault\nf none\n' >"$WORK/config/polecat/keys.conf"
play fail 'key g w' 'snap moved' 'key f' 'snap nothing' 'type :help' 'key Enter' 'snap help'
shows 'ev 63/300'
shows 'w/F fault'
shows 'f does nothing here; [?] shows the keys'
shows '^.?.?w +Go to the next fault transition'
printf 'w next-fault\nW fly\n' >"$WORK/config/polecat/keys.conf"
play fail 'snap started'
shows "keys.conf:2:3: there is no action 'fly'"
rm "$WORK/config/polecat/keys.conf"

# Themes: by name from one's own folder; the last one is remembered.
printf 'fail red -\n' >"$WORK/config/polecat/themes/mine.theme"
printf 'fail red -\nfial red -\n' >"$WORK/config/polecat/themes/broken.theme"
play fail 'type :theme broken' 'key Enter' 'snap broken' 'type :theme mine' 'key Enter' 'snap mine'
shows "broken.theme:2:1: 'fial': expected a role"
shows 'theme mine'
grep -qx 'theme mine' "$WORK/state/polecat/ui/session" || fail "the theme is not remembered"

# Folded panes of the debug view.
play fail 'key x' 'key Tab i' 'type :fold-pane timeline' 'key Enter' 'snap folded'
shows 'backtrace.*\[folded\]'
grep -qx 'folded backtrace timeline' "$WORK/state/polecat/ui/session" || fail "folded panes are not remembered"
play fail 'key x' 'snap again'
shows 'backtrace.*\[folded\]'
play fail 'key x' 'type :fold-pane backtrace' 'key Enter' 'snap open'
grep -qx 'folded timeline' "$WORK/state/polecat/ui/session" || fail "unfolded panes are remembered as folded"

# Where one was, bookmarks, the search, the history of the line.
rm -r "$WORK/state"
play fail 'type :goto ev:100' 'key Enter' 'type :bookmark here' 'key Enter' 'type /acked' 'key Enter' 'snap'
play fail 'snap again' "key g ' n" 'snap found' 'key : Up Up Up' 'snap history'
shows 'ev 105/300'
shows "^.:goto ev:100"
[ "$(find "$WORK/state" -type f ! -perm 600 -o -type d ! -perm 700)" = "" ] || fail "others can read what is remembered"
# A run of the same name elsewhere is another run.
mkdir "$WORK/elsewhere" && cp -a "$WORK/runs/fail" "$WORK/elsewhere/fail"
play ../elsewhere/fail 'snap elsewhere'
shows 'ev 293/300'
# Rubbish in what is remembered is said and does no harm.
for f in "$WORK"/state/polecat/ui/fail.*; do echo rubbish >"$f"; done
play fail 'snap rubbish'
shows "what was kept about fail: line 1: expected 'polecat_ui 1'"
