/*
 * The inside of struct debugger, for the two files that make it up: debugger_core.c is called by the screen, debugger_thread.c is
 * the thread that owns the machine.
 */
#ifndef TUI_DEBUGGER_PARTS_H
#define TUI_DEBUGGER_PARTS_H

#include <pthread.h>

#include "engine/verbs.h"
#include "tui/debugger.h"

/* A line that waits. */
struct debug_order {
	char *line;
	bool typed;
	bool toggles; /* it is a variable to open or close */
};

struct debugger {
	pthread_t thread;
	pthread_mutex_t mutex; /* guards all up to `ended` */
	pthread_cond_t wake;
	struct debug_order queue[DEBUGGER_QUEUE_MAX];
	size_t queued;
	char *working;     /* what the thread is at; NULL: nothing */
	uint64_t done, of; /* how far it is, in instructions; of 0: not known */
	char stage[DEBUG_STAGE_MAX];
	bool scans;                     /* ... as a scan says, which knows more than each run that it is made of */
	int64_t since_ms, cancelled_ms; /* cancelled_ms: what it works on shall end since then; 0: it need not */
	int qemu;                       /* a pidfd; -1: not known */
	bool ending, ended;
	bool serving;         /* a gdb has the machine */
	char *const *program; /* wants the terminal, until it was started or not; NULL: none */
	int program_fd;       /* the thread waits for it while program is set; -1: it could not be started */
	struct debug_picture *picture;
	struct debug_names *names; /* that were not taken */
	struct debug_answer *first, *last;
	char *note;
	bool note_is_error;
	int news; /* eventfd */
	/* The thread's own. */
	struct cancel cancel; /* its fd is the reading end of a pipe */
	int cancel_end;       /* the writing end */
	char *path, *runs;
	struct debugger_options options;
	struct verbs verbs;
	struct bookmarks bookmarks;
	struct breaks breaks;
	struct debug_past past;
	struct debug_names *named; /* of whom the last names were: debug_names_key */
	unsigned generation;       /* of the walk */
};

int64_t debugger_clock_ms(void);        /* of CLOCK_MONOTONIC */
void debugger_tell(struct debugger *d); /* there is something to be taken */
/* With the mutex held. Lines that wait go; without typed_too those that a person typed stay. */
void debugger_drop_moves(struct debugger *d, bool typed_too);
void *debugger_thread(void *debugger); /* what the thread executes, from the opening of the run to its end */

#endif
