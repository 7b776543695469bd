/*
 * The processes of a visitor (agent/visit.h): the command, in the namespaces and on the root of a node, and its keeper, who knows
 * its status whatever pid namespace it is in. The keeper's process is the agent's child and in no node's control group, so a
 * visitor goes on where a node is frozen.
 *
 * A visitor with a terminal has one of the node's own: the command opens it and hands its other end to the agent.
 */
#ifndef AGENT_VISITOR_H
#define AGENT_VISITOR_H

#include <stdbool.h>

#include "agent/node.h"
#include "agent/spec.h"
#include "agent/visit_request.h"
#include "agent/why.h"

enum visitor_word {
	VISITOR_TERMINAL, /* the other end of its terminal comes with it */
	VISITOR_FAILED,   /* step could not be done: errnum */
	VISITOR_ENDED,    /* status, as of waitpid */
};

/* What is said on the control socket (AF_UNIX, SOCK_SEQPACKET). */
struct visitor_news {
	enum visitor_word word;
	int errnum, status;
	char step[WHY_MAX];
};

struct visitor_ends {
	int control;      /* keeper's end */
	int in, out, err; /* pipes; -1: nothing to read, or a terminal instead of all */
};

/* In the child that becomes the keeper. nodes: spec->count of them. */
_Noreturn void visitor_keep(
	const struct spec *spec, const struct node *nodes, const struct visit_request *r, const struct visitor_ends *ends);

/* The agent's side of the socket, not blocking: the next news. *gone: there is none and never will be. The terminal's end is in
 * *ret_fd, close-on-exec and not blocking, else -1. */
bool visitor_hear(int control, struct visitor_news *ret, int *ret_fd, bool *gone);

#endif
