/* The last steps of a process before it becomes the node's command, and the command itself. */
#ifndef AGENT_COMMAND_H
#define AGENT_COMMAND_H

#include <stdint.h>

#include "agent/mission.h"
#include "agent/why.h"

/* Arguments of clone3, as in <linux/sched.h>, which cannot be had together with <sched.h>. */
#define COMMAND_CLONE_INTO_CGROUP 0x200000000ULL
struct command_clone {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

struct command_ends {
	int in; /* -1: /dev/null */
	int out, err;
};

/* Every signal back to its default, none blocked. */
void command_reset_signals(void);

/* Becomes the command: session, standard descriptors, user, directory, environment exactly as ordered (and the two names of the
 * events file, unless they are ordered themselves). Returns only on failure; why->text names the step. */
void command_execute(const struct mission_node *n, struct command_ends ends, struct why *why);

#endif
