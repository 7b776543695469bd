/*
 * A moment of a replaying machine made into the start of another machine: device state and memory copied out of it, with a
 * request for the agent (agent/visit.h) put into memory and two bytes waiting in the serial port to say so.
 *
 * The replaying machine is as it was afterwards. What the copy does from there depends on nothing but the moment and the request.
 */
#ifndef ENGINE_ORIGIN_H
#define ENGINE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "engine/machine.h"

#define ORIGIN_REQUEST_MAX (4096 - 64 - 4) /* bytes: what the header of the agent's region has room for */

struct origin {
	struct machine_base base; /* for machine_start, until origin_finish */
	int device_fd, ram_fd;    /* owned; base has them */
};

/* m is stopped and started from `of`. open: the machine that goes on is open, as one that comes from an open one always is.
 * request: what the agent reads there. ret need not be initialised. About 0.3 s. */
bool origin_make(struct machine *m, const struct machine_base *of, bool open, const void *request, size_t size,
	struct origin *ret, struct err *err);
void origin_finish(struct origin *o);

#endif
