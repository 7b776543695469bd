/* A run: the loop that lets nodes and faults go their way from the barrier to the end. */
#ifndef AGENT_RUN_H
#define AGENT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/faults.h"
#include "agent/node.h"
#include "agent/mission.h"
#include "agent/outbox.h"
#include "agent/spec.h"
#include "agent/visit.h"

struct run {
	const struct spec *spec;
	struct mission *mission; /* in memory shared with the children; filled in after the barrier */
	struct outbox *outbox;
	int epoll, timer, signals;
	uint64_t armed_ns; /* what the timer is set to */
	enum wire_end end;
	struct node nodes[WIRE_NODES_MAX];
	struct faults faults;
	struct visit visit;
};

/* Before the barrier: makes the nodes' control groups and first invocations, and waits until these wait. The descriptors are
 * those of net_boot and rootfs_boot. Fails by outbox_fatal, as everything here. run and all it borrows stay at their addresses.
 */
void run_prepare(struct run *run, const struct spec *spec, struct mission *mission, struct outbox *outbox, const int *netns,
	const int *events);

/* After it, with the orders read: from the first BEGIN to the last END. */
void run_do(struct run *run);

#endif
