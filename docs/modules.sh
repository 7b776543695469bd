#!/bin/sh
# docs/modules.sh < docs/ARCHITECTURE.md: prints it with the module tables written anew. The order comes from the Makefile's
# lists (make passes AGENT, PLUGIN, ENGINE, CLI and TUI), the paragraphs are the first comments of the headers, so neither can go stale.
set -eu
cd "$(dirname "$0")/.."

# The first comment of a module's header, or of its .c when it has none, as one line of Markdown without what follows a blank line.
about() {
	file=$1.h
	[ -f "$file" ] || file=$1.c
	awk '
		# Only a comment before all code speaks of the whole file.
		!on && /^#include|^[a-z]/ { exit }
		/^\/\*/ { on = 1 }
		on {
			end = /\*\//
			gsub(/^\/\*+ ?|^ \* ?| ?\*\/.*$/, "")
			if ($0 == "" && text != "") exit
			if ($0 != "") text = text (text == "" ? "" : " ") $0
			if (end) exit
		}
		END { gsub(/\|/, "\\|", text); gsub(/</, "\\&lt;", text); print text == "" ? "(no comment)" : text }
	' "$file"
}

table() {
	folder=$1
	shift
	printf '| module | what it is |\n|---|---|\n'
	for module in "$@"; do
		[ -f "$folder/$module.h" ] || [ -f "$folder/$module.c" ] || continue
		printf '| `%s/%s` | %s |\n' "$folder" "$module" "$(about "$folder/$module")"
	done
}

while IFS= read -r line; do
	case $line in
	'<!-- modules '*)
		printf '%s\n' "$line"
		case $line in
		*' agent '*) table agent $AGENT ;;
		*' engine '*) table engine $PLUGIN $ENGINE ;;
		*' cli '*) table engine $CLI ;;
		*' tui '*) table tui $TUI ;;
		esac
		skip=1
		;;
	'<!-- end -->') skip= && printf '%s\n' "$line" ;;
	*) [ -n "${skip-}" ] || printf '%s\n' "$line" ;;
	esac
done
