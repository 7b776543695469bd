#!/bin/sh
# limits.sh FILE...: no C file over 700 lines, no function over 70. A function is what stands between a "{" and a "}" in the
# first column, which is how clang-format leaves it.
status=0
for file in "$@"; do
	awk -v file="$file" -v file_max=700 -v function_max=70 '
		/^{/ { start = NR }
		/^}/ && start { if (NR - start - 1 > function_max) bad(start, "function of " NR - start - 1 " lines, at most " function_max); start = 0 }
		END { if (NR > file_max) bad(NR, "file of " NR " lines, at most " file_max); exit failed }
		function bad(line, what) { print file ":" line ": " what; failed = 1 }
	' "$file" || status=1
done
exit $status
