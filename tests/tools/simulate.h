/*
 * Plays a plan without a machine: nodes that start, print, are killed or stopped by the plan's faults, and end. The events look
 * like those of a real run and are the same for the same plan and options. For tests of everything that reads runs.
 */
#ifndef TESTS_TOOLS_SIMULATE_H
#define TESTS_TOOLS_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/event.h"
#include "engine/plan.h"

struct simulate_options {
	uint64_t events;      /* how many there are to be in all */
	bool loses;           /* the first node forgets what was not yet read when it is killed */
	bool hostile;         /* some lines hold control characters, long text, bytes that are not UTF-8 */
	uint64_t idle_one_in; /* one event in this many is followed by a long idle time; 0: none is */
};

/* The last of the plan's nodes is the client, whose end ends the run. ERR_USAGE if there are too few events for the plan. */
bool simulate(const struct plan *plan, const struct simulate_options *options, struct event_sink sink, struct err *err);

#endif
