/* The inside of the panes of the debug view, for the two files that make them up: view_debug_text.c says what they hold,
 * view_debug.c is their cursor, their keys and how they are drawn. */
#ifndef TUI_VIEW_DEBUG_PARTS_H
#define TUI_VIEW_DEBUG_PARTS_H

#include "tui/view.h"

enum pane { PANE_CODE, PANE_WHERE, PANE_LOCALS, PANE_REGS, PANE_PROCESSES, PANE_OUTPUT };

struct view_debug {
	struct doc_view text; /* first: is the view; the tag of a line is its row */
	enum pane pane;
	uint64_t seen;   /* model.debug.shown that the doc was made from */
	uint64_t icount; /* of the picture that it was made from */
	uint64_t place;  /* of what is shown: when it changes, the cursor goes to what is current */
	size_t rows;
	size_t cursor;  /* row */
	size_t current; /* row that the cursor goes to when the machine has moved; DOC_NO_TAG: none */
	bool reveal;    /* that row, or the last command, is to be brought into sight */
	int height;     /* that it was brought into sight for */
	char *request;
};

/* Writes the doc anew from the model: its lines, how many rows they are about, and the current one. */
void view_debug_write(struct view_debug *v, const struct model *m);
/* The text that a pane of code or of output is made from; "" where there is none. Borrowed from the model. */
const char *view_debug_text(const struct view_debug *v, const struct model_debug *m);
/* The break at a line of that text, or NULL. */
const struct debug_break *view_debug_break_of(const struct model_debug *m, const char *line, size_t size);

#endif
