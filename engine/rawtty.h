/*
 * A terminal in raw mode: each key as it is pressed, nothing echoed. It is given back as it was however we end, even by SIGKILL:
 * a small process of ours waits for that and does it then.
 */
#ifndef ENGINE_RAWTTY_H
#define ENGINE_RAWTTY_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "engine/err.h"

struct rawtty {
	int fd; /* borrowed */
	struct termios before;
	bool raw;
	pid_t keeper;
	int keeper_fd; /* it waits for this to be closed */
};

/* fd is a terminal, ours in the foreground. t need not be initialised. reset: what else the keeper shall write to it; borrowed
 * until then. */
bool rawtty_begin(struct rawtty *t, int fd, const char *reset, struct err *err);
/* As it was, and raw again, for as long as we are stopped. */
void rawtty_suspend(struct rawtty *t);
void rawtty_resume(struct rawtty *t);
/* Gives it back. Nothing if it never began (t is zero). */
void rawtty_end(struct rawtty *t);

#endif
