/*
 * An interactive shell in the past: the machine of a recorded run goes on live from where a session stands, with a person at a
 * terminal of a node. What the person types is recorded with the rest, so the fork is a run that is replayed, debugged and
 * forked like any other; the run it leaves, and the session, stay as they are.
 *
 * With terminals as descriptors the shell has a terminal too: job control, window size, full-screen programs. Ctrl-] leaves it
 * from outside. Otherwise the lines of in_fd are fed to a plain shell, and its output and errors come out separately.
 */
#ifndef ENGINE_SHELL_H
#define ENGINE_SHELL_H

#include <stdbool.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/fork.h"
#include "engine/prepare.h"
#include "engine/record.h"
#include "engine/session.h"

struct shell_options {
	const char *run; /* path of the session's run: the fork is made beside it */
	int node;        /* number in the plan, or FORK_MACHINE */
	bool hold;       /* the nodes stand still meanwhile */
	/* A terminal is one when in_fd and out_fd both are. It is put into raw mode and given back as it was, whatever happens.
	 * Otherwise err_fd gets the shell's errors. */
	int in_fd, out_fd, err_fd;
	/* A stop from outside (SIGTSTP) gives the terminal back, and SIGCONT takes it again. Only for programs that have no
	 * handlers of their own for these. */
	bool stops;
	enum record_keep keep;
	struct cancel *cancel; /* SIGTERM, SIGHUP: ends it, nothing is kept. Ctrl-C in a terminal goes to the guest */
	struct progress progress;
};

/*
 * From where the session stands, until the shell exits or the person leaves. Called from the thread that opened the session.
 * ret as from fork_run: the run that was made and the shell's exit status. ERR_INPUT when nothing can go on from here (with the
 * reason); ERR_QEMU when the agent does not answer, or QEMU ended.
 */
bool shell_open(struct session *s, const struct shell_options *options, struct fork_result *ret, struct err *err);

#endif
