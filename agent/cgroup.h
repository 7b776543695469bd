/* The control group of a node: all processes of its invocations, but not those of the agent that look after them. */
#ifndef AGENT_CGROUP_H
#define AGENT_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/why.h"

struct cgroup {
	int dir;    /* for clone3 */
	int events; /* cgroup.events: polls as urgent when it changes */
	int oom;    /* memory.events: the same */
};

/* Mounts the hierarchy and hands its controllers to the groups below. */
bool cgroup_boot(struct why *why);

bool cgroup_make(size_t node, struct cgroup *ret, struct why *why);
bool cgroup_freeze(const struct cgroup *g, bool frozen, struct why *why);

/* SIGKILL to every process of the group, at once. */
bool cgroup_kill(const struct cgroup *g, struct why *why);

/* Reads the state, and arms the descriptor to poll again. */
bool cgroup_is_frozen(const struct cgroup *g, bool *ret, struct why *why);
bool cgroup_oom_kills(const struct cgroup *g, uint64_t *ret, struct why *why);

#endif
