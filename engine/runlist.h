/* A runs directory: what is in it, by name; finding one run by a part of its name; sweeping away what a kill left. */
#ifndef ENGINE_RUNLIST_H
#define ENGINE_RUNLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/manifest.h"
#include "engine/rundir.h"

#define RUNLIST_MAX 1000000 /* directories looked at */

enum run_state {
	RUN_WHOLE,
	RUN_RECORDING, /* locked by a living recorder */
	RUN_ABANDONED, /* its recorder was killed */
	RUN_FAILED,    /* a failure bundle */
	RUN_DAMAGED,   /* no manifest, or not a valid one */
};

struct runlist_entry {
	char *name; /* directory name */
	enum run_state state;
	struct manifest manifest; /* WHOLE only */
	uint64_t bytes;           /* on disk */
};

/* Sorted by name, which is by time. A runs directory that does not exist is an empty list. */
bool runlist_read(const char *runs, struct runlist_entry **ret, size_t *count, struct err *err);
void runlist_free(struct runlist_entry *list, size_t count);

/* The path of a run that a person named: a path with a '/', a name in runs, a part of one that only one run has, or "last".
 * Owned by the caller; NULL with ERR_INPUT. */
char *runlist_find(const char *runs, const char *word, struct err *err);

bool runlist_remove(const char *runs, const char *name, struct err *err);

/* Removes every .incomplete- directory that nobody records into. removed may be NULL. */
bool runlist_sweep(const char *runs, size_t *removed, struct err *err);

#endif
