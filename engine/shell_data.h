/* The inside of a shell in the past, for the files that make it up (shell_live, shell_terminal) and no others. */
#ifndef ENGINE_SHELL_DATA_H
#define ENGINE_SHELL_DATA_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/input.h"
#include "engine/buf.h"
#include "engine/rawtty.h"
#include "engine/shell.h"
#include "engine/termfilter.h"

#define SHELL_WRITE_MAX 512 /* bytes given to a terminal at a time, so that one which stands still is noticed */
#define SHELL_TERM_MAX  40

struct shell {
	const struct shell_options *options;
	struct fork_live live;
	char term[SHELL_TERM_MAX];
	uint64_t visitor; /* its node's number in frames */
	size_t used;      /* bytes of frames understood; 0: none yet */
	bool started, over, full;
	struct buf queue; /* for the serial port, encoded */
	uint64_t sent, read_by_agent;
	uint32_t shown, told; /* bytes of output taken, and what the agent knows of that */
	bool input_ended, end_sent, leaving;
	int64_t began_ms, left_ms; /* began_ms: when the live machine did; 0 before */
	struct buf show[2];        /* not written yet: to out_fd, to err_fd */
	struct termfilter filters[2];
	struct rawtty tty;
	int stop_fd; /* SIGTSTP and SIGCONT, or -1 */
	sigset_t mask;
	bool masked;
};

/* Its size, within what the agent takes; 80 by 24 where it does not say. */
void shell_size(int fd, unsigned *rows, unsigned *columns);
/* TERM of this process, if it is a name that terminals have. */
void shell_term(char term[SHELL_TERM_MAX]);
/* A line of ours among what the shell says, or beside it. */
void shell_say(struct shell *s, const char *text);
void shell_put_word(struct shell *s, struct input_word word);
/* Says so to the agent when the size has changed. */
void shell_look_at_size(struct shell *s);
/* We were stopped from outside, or continued. */
void shell_on_stop(struct shell *s);
bool shell_open_terminal(struct shell *s, struct err *err);
/* Shows what is left, and gives the terminal back as it was. */
void shell_close_terminal(struct shell *s);

#endif
