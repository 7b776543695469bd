/*
 * Where the machine of a debug session stands, as the debug view shows it: texts for its panes. Made by the thread that owns the
 * machine.
 */
#ifndef TUI_DEBUGPICTURE_H
#define TUI_DEBUGPICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

enum debug_pane { DEBUG_SOURCE, DEBUG_DISASSEMBLY, DEBUG_WHERE, DEBUG_REGS, DEBUG_LOCALS, DEBUG_PROCESSES, DEBUG_TEXTS };

/* Where the machine stands. Text is for people, safe for a terminal; "=>" begins the current line of source and disassembly, "*"
 * a register that changed. */
struct debug_picture {
	uint64_t icount, begin, end;
	size_t event; /* the last that has happened; TIMELINE_NONE before the first */
	uint64_t pc;
	char *place;       /* "at 1 234 567 (ev:20 + 33), t 0.103 s" */
	char *pc_text;     /* "0x000000000040113a main+0x4  in counter[71]" */
	char *focus;       /* "counter[71]": whose calls and variables these are; NULL: nobody's */
	bool on_processor; /* ... and it is the one on the processor */
	char *source_name; /* "counter.c:34", NULL when no source can be read */
	bool in_source;    /* the program counter itself is in it, not only a caller's */
	char *text[DEBUG_TEXTS];
};

struct verbs;

/* NULL when the machine cannot be asked (ERR_QEMU: it may have died). A pane that has nothing says why. */
struct debug_picture *debug_picture_take(struct verbs *v, struct err *err);
void debug_picture_destroy(struct debug_picture *p); /* NULL is fine */

#endif
