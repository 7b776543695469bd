/*
 * What the whole screen remembers between two starts: one small text file below $XDG_STATE_HOME/polecat/ui, lines of a name and
 * a value, written as things change. A line `ended 1` says that the program ended as it was told to; without it there was a
 * crash, and what was open is opened again.
 */
#ifndef TUI_SESSION_H
#define TUI_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"

#define SESSION_FILE_MAX   (256 * 1024)
#define SESSION_LINE_MAX   8192
#define SESSION_VALUES_MAX 2 /* of one name */

/* X(ID, name in the file): open and mark may be there twice. */
#define SESSION_FIELDS(X) \
	X(THEME, "theme")   /* name or path */ \
	X(RUN, "run")       /* selected in the list of runs */ \
	X(RUNS, "runs")     /* the directory of runs, from / */ \
	X(OPEN, "open")     /* path of an open run, from / */ \
	X(SIDE, "side")     /* which one the keys move in: 0 or 1 */ \
	X(PAGE, "page")     /* runs, run or diff */ \
	X(PANE, "pane")     /* lists, detail, console or plan */ \
	X(FOCUS, "focus")   /* events, faults or properties */ \
	X(MARK, "mark")     /* name of a marked run */ \
	X(SORT, "sort")     /* order of the list of runs */ \
	X(FILTER, "filter") /* of the list of runs */ \
	X(WORDS, "words")   /* filter of the events */ \
	X(FOLDED, "folded") /* panes of the debug view, with blanks between */ \
	X(ENDED, "ended")

enum session_field {
#define SESSION_ENUM(id, name) SESSION_##id,
	SESSION_FIELDS(SESSION_ENUM)
#undef SESSION_ENUM
		SESSION_FIELD_COUNT
};

struct session {
	char *values[SESSION_FIELD_COUNT][SESSION_VALUES_MAX]; /* owned; NULL where there is none */
};

void session_finish(struct session *s);

/* The first value, or "". */
const char *session_value(const struct session *s, enum session_field field);
/* Adds a value, copied; NULL, "" and what has a line end in it are left out, and so is what is one too many. */
void session_add(struct session *s, enum session_field field, const char *value);

void session_write(const struct session *s, struct buf *out);
/* Fills an empty s. Errors: ERR_INPUT "line L: what was expected"; what came before that line holds. */
bool session_parse(struct session *s, const char *bytes, size_t size, struct err *err);

#endif
