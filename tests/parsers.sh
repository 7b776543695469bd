#!/bin/sh
# parsers.sh ROOT: the list tests/fuzz/parsers is whole. Its first lines say what that means.
cd "$1" || exit 1
list=tests/fuzz/parsers
status=0
complain() {
	echo "parsers: $1" >&2
	status=1
}
rows=$(sed '/^#/d; /^$/d; /^none /d' $list)
excused=$(sed -n 's/^none \([^ ]*\) .*/\1/p' $list)

# One row: does all of it exist?
row() {
	module=$1
	[ -f "$module.h" ] || complain "$list: there is no $module.h"
	for harness in $(echo "$2" | tr , ' '); do
		[ -f "tests/fuzz/fuzz_$harness.c" ] || complain "$list: $module: there is no tests/fuzz/fuzz_$harness.c"
	done
	[ -n "$2" ] && [ -n "$3" ] || complain "$list: $module: expected harnesses and suites"
	for suite in $(echo "$3" | tr , ' '); do
		[ "$suite" = runs ] || [ -f "tests/unit/test_$suite.c" ] || complain "$list: $module: there is no tests/unit/test_$suite.c"
	done
}
while read -r module harnesses suites rest; do
	[ -z "$rest" ] || complain "$list: $module: more than three words"
	row "$module" "$harnesses" "$suites"
done <<END
$rows
END

for file in tests/fuzz/fuzz_*.c; do
	harness=${file#tests/fuzz/fuzz_}
	echo "$rows" | awk -v name="${harness%.c}" '{ n = split($2, list, ","); for (i = 1; i <= n; i++) if (list[i] == name) found = 1 } END { exit !found }' ||
		complain "$file is in no row of $list"
done

known=" $(echo "$rows" | awk '{ printf "%s ", $1 }')$(echo "$excused" | tr '\n' ' ')"
for header in agent/*.h engine/*.h tui/*.h; do
	grep -qE '^[a-z].*[ *][a-z0-9_]+_(parse|decode|feed|load|read|unpack)(_[a-z0-9_]+)?\(' "$header" || continue
	case $known in *" ${header%.h} "*) ;; *) complain "$header looks like a parser: expected a row in $list" ;; esac
done
for module in $excused; do
	[ -f "$module.h" ] || complain "$list: there is no $module.h"
done
exit $status
