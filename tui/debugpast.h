/*
 * What the stop before this one showed, so that what changed can be marked; and which variables a person opened. Of the thread
 * that owns the machine.
 */
#ifndef TUI_DEBUGPAST_H
#define TUI_DEBUGPAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/regs.h"
#include "engine/vartree.h"

#define DEBUG_OPENED_MAX 256 /* variables that are open at once */

/* The variables of one call: cfa and function tell whether another stop is in the same one. */
struct debug_call {
	uint64_t cfa, function; /* 0: not known */
	struct vartree tree;
};

struct debug_past {
	bool any;
	uint64_t icount; /* where `now` was seen */
	bool has_regs[2];
	struct regs regs[2];        /* before, now */
	struct debug_call calls[2]; /* before, now */
	char **opened;              /* expressions */
	size_t opened_count, opened_room;
};

void debug_past_finish(struct debug_past *past);

/* To be called before the others: at another place than last time, what was now is before. */
void debug_past_stop(struct debug_past *past, uint64_t icount);
/* Keeps the registers of this stop. Those of the stop before; NULL when there was none. */
const struct regs *debug_past_regs(struct debug_past *past, const struct regs *regs);
/* The value that a variable had at the stop before if that is another one, in the same call; else NULL. Borrowed. */
const char *debug_past_was(const struct debug_past *past, uint64_t cfa, uint64_t function, const struct vartree_row *row);
/* Keeps the variables of this stop: copies them. */
void debug_past_locals(struct debug_past *past, uint64_t cfa, uint64_t function, const struct vartree *tree);

/* Opens a variable, or closes it. */
void debug_past_toggle(struct debug_past *past, const char *expression);
bool debug_past_is_open(void *past, const char *expression);

#endif
