/*
 * Questions about files that the memory of a stopped machine does not answer: what a kernel makes when it is read (/proc, /sys),
 * parts of a disk that it has not cached, what waits in a pipe. A live copy of the machine is asked: a fork (engine/fork.h)
 * whose nodes stand still and of which nothing is kept. The run and the session that stands in it are not changed.
 */
#ifndef ENGINE_LIVECOPY_H
#define ENGINE_LIVECOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/answers.h"
#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/guestdir.h"
#include "engine/prepare.h"
#include "engine/session.h"

#define LIVECOPY_BYTES_MAX (1 << 20) /* of a file, or of a list of names */
#define LIVECOPY_WAIT_S    2         /* of the machine's time, for what never ends */
#define LIVECOPY_SIGTERM   143       /* status of an answer that was cut by that */

enum livecopy_kind { LIVECOPY_CAT, LIVECOPY_LS };

struct livecopy_question {
	enum livecopy_kind kind;
	int node;              /* number in the plan, or FORK_MACHINE */
	const char *path;      /* from the node's root */
	struct cancel *cancel; /* may be NULL */
	struct progress progress;
};

/* Borrowed until the next question. Answers are kept in the session, refusals of the guest (status not 0) too. NULL: there is no
 * live copy (ERR_INPUT: nothing goes on from here), or it did not answer. `out` has at most one byte more than
 * LIVECOPY_BYTES_MAX: then it was cut. */
const struct answer *livecopy_ask(struct session *s, const struct livecopy_question *q, struct err *err);

/*
 * The path to ask a live copy for, which has no such thing as the process that is meant: /proc/self, /proc/thread-self,
 * /proc/mounts and /proc/net become those of pid, as the node sees it (0: nobody is meant). Appends to out; ERR_INPUT with a
 * sentence when somebody has to be named.
 */
bool livecopy_path(const char *path, uint32_t pid, struct buf *out, struct err *err);

/* Names of a directory out of the answer to LIVECOPY_LS: lines of mode in hexadecimal, owner, size, name. In /proc those of the
 * processes that asked are left out. The list is to be finished. */
void livecopy_names(const char *path, const struct answer *answer, struct guestdir_list *list);

#endif
