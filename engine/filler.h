/*
 * Makes the checkpoints of a run that are missing, with a second machine, while nobody waits for the first: that one is never
 * touched. A piece of work takes some ten milliseconds, and between two the second machine runs by itself, behind everybody
 * else on the host.
 */
#ifndef ENGINE_FILLER_H
#define ENGINE_FILLER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/checkpointset.h"
#include "engine/err.h"
#include "engine/machine.h"

#define FILLER_FAILURES_MAX 3 /* machines lost in a row, before it is left alone */

struct filler {
	struct machine_options options; /* of the walk, but for the states */
	struct checkpointset *set;
	struct cancel quick; /* somebody waits now */
	struct machine *machine;
	uint64_t now, target; /* target: of the machine, when it runs */
	unsigned failures;
	bool running, past_end;
	struct err problem; /* the last one; ERR_NONE */
};

/* options and set are borrowed. */
void filler_init(struct filler *f, const struct machine_options *options, struct checkpointset *set);
/* Ends the second machine. */
void filler_finish(struct filler *f);

/* One piece of work on the places in (from, to]. wanted (may be NULL) is asked whether somebody waits: then a QEMU that does not
 * answer is not waited for. Returns true when there is more to do at once; false: when filler_fd is readable, or, if that is -1,
 * never. */
bool filler_step(struct filler *f, uint64_t from, uint64_t to, bool (*wanted)(void *data), void *data);
int filler_fd(const struct filler *f);

#endif
