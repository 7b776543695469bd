/* Gives the terminal back on every way out, and turns signals into something to poll. No curses here: in a signal handler only
 * write and tcsetattr may be used. There is one terminal per process, and handlers take no argument, so this module is the one
 * that keeps static state. */
#ifndef TUI_GUARD_H
#define TUI_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"

#define GUARD_RESTORE_MAX 256 /* bytes that undo what drawing did to the terminal */

/* Remembers the terminal's modes (descriptor 0) and catches signals: crashes and a second request to stop give the terminal
 * back at once; others are noted for guard_take. restore is written to descriptor 1 then; the rest of it is cut. */
bool guard_start(struct err *err);
void guard_restore_bytes(const char *bytes, size_t size);
/* The terminal is in use from here: guard_give_back undoes it (also at exit). */
void guard_taken(void);
void guard_give_back(void);
/* Gives back and puts the old signal actions back. */
void guard_stop(void);

/* Becomes readable when a signal came. */
int guard_fd(void);

struct guard_news {
	bool end;       /* asked to stop */
	bool suspend;   /* SIGTSTP from outside */
	bool continued; /* SIGCONT after a stop that was not ours */
	bool resized;
};
struct guard_news guard_take(void); /* what came since the last call */
void guard_note_resize(void);       /* as if SIGWINCH had come */

/* Gives the terminal back and stops the whole job as Ctrl-Z does; returns when it continues, with the modes remembered anew. */
void guard_suspend(void);
/* Gives the terminal back for another program of this job, which has its keys for signals too; and takes them back. */
void guard_lend(void);
void guard_reclaim(void);

#endif
