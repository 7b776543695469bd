#!/bin/bash
# docs/ARCHITECTURE.md says what the headers say, and links in the documents lead somewhere.
. tests/lib.sh

make -s docs-new OUT="$WORK/new" || fail "make docs-new"
diff docs/ARCHITECTURE.md "$WORK/new" || fail "docs/ARCHITECTURE.md is behind the headers: make docs"
grep -q '(no comment)' "$WORK/new" && fail "a module has no first comment: $(grep '(no comment)' "$WORK/new")"
for page in README.md docs/*.md; do
	for link in $(grep -oE '\]\([^)#]+' "$page" | cut -c3- | grep -v ://); do
		[ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which is not there"
	done
done
exit 0
