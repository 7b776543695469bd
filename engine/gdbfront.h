/* gdb for the commands of a terminal: it gets the terminal that polecat has, and lines are printed. */
#ifndef ENGINE_GDBFRONT_H
#define ENGINE_GDBFRONT_H

#include "engine/child.h"
#include "engine/verb.h"

struct gdbfront {
	struct verb_gdb verb;
	struct child child;
	bool failed; /* the last gdb ended with an error */
};

/* Lets verbs use gdb; both must stay where they are. */
void gdbfront_init(struct gdbfront *f, struct verbs *verbs);

#endif
