/* The file system of a node: a fresh writable copy of its image for every invocation, and what outlives an invocation. */
#ifndef AGENT_ROOTFS_H
#define AGENT_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/spec.h"
#include "agent/why.h"

#define ROOTFS_EVENTS "/run/polecat/events" /* in a node: where its processes write lines for us */
#define ROOTFS_DISK   "/data"               /* in a node that has a disk */

/* Before the barrier, in the machine's own root: what outlives invocations. ret_events gets one descriptor per node, a pipe that
 * never ends, to read what its processes write to ROOTFS_EVENTS. */
bool rootfs_boot(const struct spec *spec, int ret_events[WIRE_NODES_MAX], struct why *why);

/* In a process with a mount namespace of its own: goes to a fresh root of the node, for ever. why->text names the step. */
bool rootfs_enter(const struct spec *spec, size_t node, struct why *why);

#endif
