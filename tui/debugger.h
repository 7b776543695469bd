/*
 * A debug session (engine/session) in a thread of its own, so that no key waits for a machine. Lines of the debug language go
 * in; pictures of where the machine stands, and what the lines printed, come out. The thread owns the machine from its start to
 * its end: QEMU dies with that thread.
 */
#ifndef TUI_DEBUGGER_H
#define TUI_DEBUGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "tui/debugnames.h"
#include "tui/debugpicture.h"

#define DEBUGGER_PATIENCE_MS 1000
#define DEBUGGER_QUEUE_MAX   64 /* lines that wait; more are refused */

/* One line that was run. */
struct debug_answer {
	char *line;     /* as it was given */
	char *output;   /* what it printed */
	char *problem;  /* NULL: it was done */
	bool typed;     /* by a person: its output is to be shown */
	bool cancelled; /* problem says how far it came */
	bool quit;      /* it asks for the end of the session */
	struct debug_answer *next;
};

#define DEBUG_STAGE_MAX 80

/* What the session works on. */
struct debug_work {
	char *what;                  /* the line, owned by who asked; NULL: nothing, or not yet */
	int64_t since_ms;            /* of CLOCK_MONOTONIC */
	uint64_t done, of;           /* instructions; of is 0 while there is nothing to count */
	char stage[DEBUG_STAGE_MAX]; /* what it says of itself where that is no count, or "" */
};

/* What a session is opened with; copied. */
struct debugger_options {
	const char *path;                                   /* of the run */
	uint64_t icount;                                    /* where to go first */
	const char *runs;                                   /* directory where runs are named; may be NULL */
	const char *const *debug_dirs, *const *source_dirs; /* as `polecat debug` has them; they must outlive the debugger */
	size_t debug_dir_count, source_dir_count;
};

struct debugger;

/* Opens the run at path and goes to icount. Fails only when no thread could be made; what else goes wrong is told by
 * debugger_problem. */
struct debugger *debugger_start(const struct debugger_options *options, struct err *err);
/* Asks for the end. debugger_ended tells when it is there; debugger_destroy waits for it (NULL is fine). */
void debugger_end(struct debugger *d);
bool debugger_ended(struct debugger *d);
void debugger_destroy(struct debugger *d);

/* Readable when something can be taken, or it has ended, since debugger_heard. */
int debugger_fd(const struct debugger *d);
/* Before it is asked for anything: what comes while it is asked makes debugger_fd readable again, and is not missed. */
void debugger_heard(struct debugger *d);
/* Runs a line instead of those that wait and begin with the same word: of choices only the last one counts. */
bool debugger_choose(struct debugger *d, const char *line, struct err *err);
/* Runs a line after those that wait. ERR_USAGE when too many do. */
bool debugger_run(struct debugger *d, const char *line, bool typed, struct err *err);
/* Opens a variable of the picture, or closes it. */
bool debugger_toggle(struct debugger *d, const char *expression, struct err *err);
/* The place `icount`, instead of all moves that wait. */
bool debugger_goto(struct debugger *d, uint64_t icount, struct err *err);
/* Stops the line that runs and drops those that wait. False: nothing ran. */
bool debugger_cancel(struct debugger *d);
/* To be called now and then while it works: a QEMU that has not let go for DEBUGGER_PATIENCE_MS after debugger_cancel is killed.
 */
void debugger_watch(struct debugger *d);
/* False when it works on nothing: then all that it made is there to be taken. */
bool debugger_busy(struct debugger *d, struct debug_work *ret);
/* "runtil write x: 1.2 G of 5.0 G, 24%, 9 s left; Esc stops", "goto end, 0.2 s; Esc stops": what it works on (what is not NULL)
 * after took_ms. Owned by the caller. */
char *debugger_work_text(const struct debug_work *work, int64_t took_ms);
/* False when it works on nothing and all was taken. */
bool debugger_pending(struct debugger *d);

/* The newest picture if there is one that was not taken, else NULL. Owned by the caller. */
struct debug_picture *debugger_take_picture(struct debugger *d);
struct debug_names *debugger_take_names(struct debugger *d);   /* if they are others now, else NULL; owned by the caller */
struct debug_answer *debugger_take_answer(struct debugger *d); /* the oldest; NULL */
/* Something that a person should know (QEMU ended; the session could not be opened), once. Owned by the caller, or NULL. */
char *debugger_take_note(struct debugger *d, bool *ret_is_error);

/* A gdb has the machine: moves of others wait until it leaves. */
bool debugger_serves(struct debugger *d);
/* A program that is to get the terminal, or NULL. Borrowed until debugger_started says that it has it, by a descriptor that tells
 * its end and belongs to the debugger then; -1: it has not. */
char *const *debugger_program(struct debugger *d);
void debugger_started(struct debugger *d, int fd);

void debug_answer_destroy(struct debug_answer *a);

/* The debug language, for completion and help: the verb number i, or NULL after the last. */
const char *debugger_verb(size_t i, const char **ret_operands, const char **ret_about);
/* The line's first word is a verb or its alias; exact: not only a beginning of one. */
bool debugger_knows(const char *line, bool exact);

#endif
