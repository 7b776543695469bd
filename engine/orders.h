/* Plans and scenarios as frames for the agent (agent/wire.h). */
#ifndef ENGINE_ORDERS_H
#define ENGINE_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/plan.h"
#include "engine/scenario.h"

/* A node's address is 10.77.0.(10 + its number). */
#define ORDERS_ADDRESS(node) (UINT32_C(0x0a4d000a) + (uint32_t)(node))

/* Appends what the agent reads once after the barrier: RUN, NODE for each node, STDIN, TROUBLE for each fault. Fails (ERR_INPUT)
 * if something does not fit a frame. */
bool orders_encode(const struct plan *plan, struct buf *out, struct err *err);
/* Appends what the agent of a fork is asked (agent/replan.h): that the faults with given[i] be those of this plan from now on. */
bool orders_encode_faults(const struct plan *plan, const bool *given, struct buf *out, struct err *err);
/* Appends the file /polecat/spec of the guest image: MACHINE, HOST for each node. images[i] is the number of node i's tree. */
bool orders_spec(const struct scenario *scenario, const unsigned *images, struct buf *out, struct err *err);

#endif
