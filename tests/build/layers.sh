#!/bin/bash
# tests/layers.sh lets a good tree pass, and each kind of violation fails with the file named.
. tests/lib.sh

export AGENT="wire proc main" PLUGIN="" ENGINE="err json vm" CLI="cmd_run main" TUI="term view main"
tree() {
	rm -rf "$WORK/tree"
	mkdir -p "$WORK"/tree/{agent,engine,tui,tests/unit}
	echo '#include <stdio.h>' >"$WORK/tree/agent/wire.h"
	echo '#include "agent/wire.h"' >"$WORK/tree/agent/proc.c"
	echo '#include <json-c/json.h>' >"$WORK/tree/engine/json.c"
	printf '#include "engine/err.h"\n#include "agent/wire.h"\n#include "engine/vm.h"\n' >"$WORK/tree/engine/vm.c"
	touch "$WORK"/tree/engine/{err.h,vm.h}
	echo '#include <curses.h>' >"$WORK/tree/tui/term.c"
	echo '#include "engine/vm.h"' >"$WORK/tree/tui/view.c"
	echo '#include <CUnit/CUnit.h>' >"$WORK/tree/tests/unit/unit.h"
}

# planted FILE LINE MESSAGE
planted() {
	tree
	printf '%s\n' "$2" >>"$WORK/tree/$1"
	expect 1 tests/layers.sh "$WORK/tree"
	says "^layers: $1 $3"
	[ "$(wc -l <"$WORK/out")" = 1 ] || { cat "$WORK/out"; fail "more than the planted violation was reported"; }
}

tree
expect 0 tests/layers.sh "$WORK/tree"
[ -s "$WORK/out" ] && fail "a good tree is commented on: $(cat "$WORK/out")"
planted engine/err.h '#include "engine/vm.h"' 'includes "engine/vm.h", which is not below engine/err'
planted engine/json.c '#	include "engine/cmd_run.h"' 'includes "engine/cmd_run.h"'
planted engine/vm.c '#include "agent/proc.h"' 'includes "agent/proc.h"'
planted engine/vm.c '#include "tui/view.h"' 'includes "tui/view.h"'
planted engine/vm.c '#include "vm.h"' 'includes "vm.h"'
planted agent/wire.h '#include "engine/err.h"' 'includes "engine/err.h"'
planted agent/wire.h '#include "agent/proc.h"' 'includes "agent/proc.h"'
planted tui/view.c '#include "engine/cmd_run.h"' 'includes "engine/cmd_run.h"'
planted tui/term.c '#include "tui/view.h"' 'includes "tui/view.h"'
planted engine/stray.c '#include <stdio.h>' 'is in none'
planted engine/vm.c '#include <json-c/json.h>' 'includes <json-c/json.h>, which only engine/json'
planted engine/vm.c '#include <zstd.h>' 'includes <zstd.h>'
planted engine/vm.c '#include <libfyaml.h>' 'includes <libfyaml.h>'
planted engine/vm.c '#include <openssl/evp.h>' 'includes <openssl/evp.h>'
planted tui/view.c '#include <ncurses.h>' 'includes <ncurses.h>, which only tui/term'
planted tui/term.c '#include <readline/readline.h>' 'includes <readline/readline.h>'
planted tui/view.c '#include <CUnit/Basic.h>' 'includes <CUnit/Basic.h>, which only tests/unit'
echo "every planted violation was found"
