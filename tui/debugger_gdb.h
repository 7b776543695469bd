/* gdb on the machine of a debug session of the screen: in the terminal that the screen gives it, or in another one. */
#ifndef TUI_DEBUGGER_GDB_H
#define TUI_DEBUGGER_GDB_H

#include "tui/debugger_parts.h"

/* What the thread has to do for it. */
struct debugger_gdb {
	struct debugger *d;
	void (*say)(struct debugger *d, const char *text);                     /* to the person */
	void (*print)(struct debugger *d, const char *line, const char *text); /* as the answer to a line */
	void (*moved)(struct debugger *d);
	struct verb_gdb verb;
};

/* Lets the session's `gdb` work; g stays where it is. */
void debugger_gdb_init(struct debugger_gdb *g, struct debugger *d);

#endif
