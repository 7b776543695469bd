/* The network of the machine: a bridge, and for each node a network namespace with a cable into it. */
#ifndef AGENT_NET_H
#define AGENT_NET_H

#include <stdbool.h>

#include "agent/spec.h"
#include "agent/why.h"

/* Makes it all, and fills in one descriptor per node that keeps its namespace alive. Nothing on the wire is left to chance: no
 * IPv6 on the cables, hardware addresses and neighbours are fixed, so that the first packet is already a program's. */
bool net_boot(const struct spec *spec, int ret_netns[WIRE_NODES_MAX], struct why *why);

#endif
