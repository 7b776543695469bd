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
#include "engine/scan_hits.h"
#include "tui/debugpast.h"

enum debug_pane { DEBUG_SOURCE, DEBUG_DISASSEMBLY, DEBUG_WHERE, DEBUG_REGS, DEBUG_LOCALS, DEBUG_PROCESSES, DEBUG_TEXTS };

/* A place where `continue` stops. */
struct debug_break {
	unsigned number;  /* that `delete` takes */
	uint64_t address; /* of the instruction; 0: a watch */
	int line;         /* of the source that the picture shows; 0: it is not in there */
	bool disabled;
};

/* Whose line it is, in the text of processes. pid 0: nobody's. thread 0: the process itself. */
struct debug_owner {
	uint32_t pid, thread;
};

/* Where the machine stands. Text is for people, safe for a terminal; "=>" begins the current line of source and disassembly, "*"
 * a register that changed. */
struct debug_picture {
	uint64_t icount, begin, end;
	size_t event;  /* the last that has happened; TIMELINE_NONE before the first */
	uint64_t pc;   /* of the code that is shown */
	char *place;   /* "at 1 234 567 (ev:20 + 33), t 0.103 s" */
	char *pc_text; /* "0x000000000040113a main+0x4  in counter[71]" */
	char *focus;   /* "counter[71]": whose calls and variables these are; NULL: nobody's */
	uint32_t focus_pid;
	uint32_t focus_thread; /* of it the one that was chosen; 0: none */
	bool focus_chosen;     /* by a person, for as long as it exists */
	bool on_processor;     /* it is the one on the processor */
	size_t frame;          /* that source, variables and registers are about */
	bool frame_chosen;
	char *source_name; /* "counter.c:34", NULL when no source can be read */
	char *source_file; /* as the debug information calls it; NULL */
	bool in_kernel;    /* the processor executes the kernel */
	bool in_source;    /* the program counter itself is in it, or that of the chosen frame; not only a caller's */
	char *text[DEBUG_TEXTS];
	struct vartree locals;      /* text[DEBUG_LOCALS] says why there are none */
	char **was;                 /* for each row the value before, or NULL */
	struct debug_owner *owners; /* for each line of the text of processes */
	size_t owner_count, owner_room;
	struct debug_break breaks[SCAN_WATCHES];
	size_t break_count;
};

struct verbs;

/* NULL when the machine cannot be asked (ERR_QEMU: it may have died). A pane that has nothing says why. */
struct debug_picture *debug_picture_take(struct verbs *v, struct debug_past *past, struct err *err);
void debug_picture_destroy(struct debug_picture *p); /* NULL is fine */

/* debugcode.c: the panes of code, and what marks their lines. */
struct stop;
void debug_picture_code(struct verbs *v, const struct stop *stop, struct debug_picture *p);

#endif
