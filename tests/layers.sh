#!/bin/sh
# layers.sh ROOT, with AGENT, PLUGIN, ENGINE, CLI and TUI from the Makefile: fails when a module includes one that does not stand to
# its left, when a file is in no list, or when a foreign library is used outside the one module that may see it.
root=$1
status=0
complain() {
	echo "layers: $1" >&2
	status=1
}

# Foreign headers, and the modules that may include them. Everything else gets at the library through that module.
owner() {
	case $1 in
	json.h | json-c/* | json_*) echo engine/json ;;
	zstd.h) echo engine/zst ;;
	libfyaml.h) echo engine/yaml ;;
	pcre2.h) echo engine/pattern ;;
	archive.h | archive_entry.h) echo engine/archive ;;
	pcre2.h) echo engine/pattern ;;
	openssl/*) echo engine/digest ;;
	# Types and expressions of elfutils' libdw are what these hand each other; nothing else sees them.
	elfutils/* | libelf.h | gelf.h | dwarf.h) echo engine/symbols engine/lines engine/functions engine/expr engine/tls engine/unwind engine/value engine/value_text engine/container engine/container_find engine/value_scalar engine/value_print engine/value_type engine/view engine/value_parts engine/variables \
		tests/unit ;;
	capstone.h | capstone/*) echo engine/disas ;;
	bpf/*) echo engine/types ;;
	libiberty/*) echo engine/demangle ;;
	curses.h | ncurses.h | ncursesw/* | term.h) echo tui/term ;;
	readline/*) echo tui/prompt ;;
	CUnit/*) echo tests/unit ;;
	esac
}

# folder FOLDER "MODULES BELOW" MODULE...: checks the modules' .c and .h against what is to their left.
folder() {
	folder=$1 below=$2
	shift 2
	for module in "$@"; do
		below="$below $folder/$module"
		for file in "$root/$folder/$module.c" "$root/$folder/$module.h"; do
			[ -f "$file" ] || continue
			for name in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)\.h".*/\1/p' "$file"); do
				case " $below " in *" $name "*) ;; *)
					complain "${file#"$root"/} includes \"$name.h\", which is not below $folder/$module in the Makefile"
					;;
				esac
			done
		done
	done
	for file in "$root/$folder"/*.c "$root/$folder"/*.h; do
		[ -f "$file" ] || continue
		module=${file##*/}
		case " $* " in *" ${module%.[ch]} "*) ;; *) complain "$folder/$module is in none of the Makefile's module lists" ;; esac
	done
}

prefix() {
	folder=$1
	shift
	for module in "$@"; do printf '%s ' "$folder/$module"; done
}

folder agent "" $AGENT
# The engine shares the agent's wire format, its input and the plugin's memory and nothing else of them; the command line and the UI stand
# on the engine.
folder engine "agent/wire agent/input" $PLUGIN $ENGINE $CLI
folder tui "agent/wire agent/input engine/scan_hits $(prefix engine $ENGINE)" $TUI

for file in "$root"/agent/*.[ch] "$root"/engine/*.[ch] "$root"/tui/*.[ch] "$root"/tests/unit/*.[ch] "$root"/tests/fuzz/*.[ch]; do
	[ -f "$file" ] || continue
	module=${file#"$root"/}
	case $module in tests/unit/*) module=tests/unit ;; *) module=${module%.[ch]} ;; esac
	for header in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*<\([^>]*\)>.*/\1/p' "$file"); do
		owner=$(owner "$header")
		[ -z "$owner" ] || case " $owner " in *" $module "*) true ;; *) false ;; esac ||
			complain "${file#"$root"/} includes <$header>, which only $owner may see"
	done
done
exit $status
