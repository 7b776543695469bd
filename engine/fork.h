/* A live continuation from a moment of a recorded run, for one command or with another seed's faults; itself recorded as a run.
 * The run it comes from, and the session that stands in it, are not changed. */
#ifndef ENGINE_FORK_H
#define ENGINE_FORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/prepare.h"
#include "engine/record.h"
#include "engine/session.h"

#define FORK_MACHINE (-1) /* no node: the machine below them */

/* Somebody outside who takes part (engine/shell.h). */
struct fork_live {
	bool terminal;          /* else the command reads from a pipe */
	unsigned rows, columns; /* of the terminal */
	const char *term;       /* TERM of the command; never NULL */
	struct play_live play;
};

struct fork_options {
	const char *run;         /* path of the session's run: the fork is made beside it */
	int node;                /* number in the plan, or FORK_MACHINE */
	const char *const *argv; /* at least one; NULL-terminated. A name without '/' is the node's program, else BusyBox's */
	bool hold;               /* the nodes stand still meanwhile, so that what is looked at stays as it is */
	enum record_keep keep;
	struct cancel *cancel;
	struct progress progress;
	/* What the command wrote, as it comes; stream 1 or 2. May be NULL. */
	void (*output)(void *data, int stream, const char *bytes, size_t size);
	void *data;
	const struct fork_live *live; /* NULL: nobody, the command reads from nothing */
};

struct fork_result {
	char run[4096]; /* directory; "" when not kept. Also when the command did not end. */
	int status;     /* exit status, or 128 + signal */
	size_t before;  /* the run ends where the session stands: it was left at this event (from 1) before; 0 otherwise */
};

/* From where the session stands; at the end of a run from its last event before that, when the agent still serves whoever comes.
 * ERR_INPUT when nothing can go on from there, or the command could not be started (with the reason). */
bool fork_run(struct session *s, const struct fork_options *options, struct fork_result *ret, struct err *err);

/*
 * From where the session stands, to the run's own end, with the faults of another seed of its scenario instead of those that have
 * not been applied or rejected yet. node and argv of options are not looked at. ERR_INPUT when the run is about
 * to end there, when the faults are too many for a request, or when one was applied in the very instant.
 */
bool fork_replan(
	struct session *s, const struct fork_options *options, uint64_t seed, struct record_result *ret, struct err *err);

/* The node that an event was about last at the session's position; FORK_MACHINE without one. */
int fork_default_node(const struct session *s);

#endif
