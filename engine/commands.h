/* The list of commands. Each row lives in its own cmd_*.c; `polecat help`, the manual page and completions follow this order. */
#ifndef ENGINE_COMMANDS_H
#define ENGINE_COMMANDS_H

#include "engine/args.h"

/* X(row): in the order people read them. */
#define COMMANDS(X) \
	X(doctor) \
	X(run) \
	X(replay) \
	X(verify) \
	X(check) \
	X(ls) \
	X(show) \
	X(diff) \
	X(debug) \
	X(gdb) \
	X(fork) \
	X(image) \
	X(gc) \
	X(ui) \
	X(completion) \
	X(manual)

#define COMMAND_DECLARE(row) extern const struct command command_##row;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

extern const struct command *const commands_all[]; /* NULL-terminated */

/* The row of a name, or NULL. */
const struct command *commands_find(const char *name);
/* The nearest name, for "did you mean", or NULL. */
const char *commands_nearest(const char *name);

#endif
