/*
 * A visitor: somebody who took a copy of this machine (a fork) and wants a command executed in it, or a shell to type into. The
 * request lies in the header of the region for frames, where it was put while the machine stood still; two bytes on the serial
 * port say so. A machine that nobody forked never gets one, and waiting for it costs nothing.
 *
 * The command is told about like that of a node whose number is one more than the last: STARTED, OUTPUT, EXITED, CLEANED; or
 * LAUNCH_FAILED. What is typed comes through the serial port (agent/input.h); an INPUT frame says so and how much was read. Then
 * the run is over.
 */
#ifndef AGENT_VISIT_H
#define AGENT_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/faults.h"
#include "agent/input.h"
#include "agent/mission.h"
#include "agent/node.h"
#include "agent/outbox.h"
#include "agent/spec.h"
#include "agent/stream.h"
#include "agent/visit_request.h"
#include "agent/wire.h"

#define VISIT_BELL        "/dev/ttyS0"
#define VISIT_WINDOW      16384 /* bytes of output that may be on their way to a person who has not taken them */
#define VISIT_PENDING_MAX 4096  /* bytes typed that the command has no room for */

enum visit_state { VISIT_NONE, VISIT_GOING, VISIT_OVER };

/* What epoll says is ready. */
enum visit_source { VISIT_SOURCE_BELL, VISIT_SOURCE_CONTROL, VISIT_SOURCE_IN, VISIT_SOURCE_OUT, VISIT_SOURCE_ERR, VISIT_SOURCES };

struct visit {
	const struct spec *spec;
	struct node *nodes; /* spec->count of them, to find processes of a node, and to hold them */
	struct outbox *outbox;
	struct mission *mission; /* both for a request of other faults (agent/replan.h), after which the run goes on */
	struct faults *faults;
	int epoll;
	uint64_t tag;           /* of its first source */
	int fds[VISIT_SOURCES]; /* -1: closed */
	uint32_t watched[VISIT_SOURCES];
	enum visit_state state;
	bool closed;         /* nobody is let in now */
	bool holds;          /* the nodes stand still because of it */
	struct node *host;   /* it is among this node's processes; NULL: among none */
	pid_t init;          /* the first of those, which stands still so that their namespace outlives them */
	bool rung;           /* what rings for a request that has not begun has come */
	uint64_t invocation; /* one for each request: a fork may be forked again while its visitor is there */
	struct stream streams[2];
	uint64_t sequence;
	enum wire_visit reads;
	/* What is typed, unless it reads from nothing. */
	struct input input;
	uint64_t heard; /* bytes of the port since the start */
	uint8_t before; /* the last byte of the port that was not typed for a visitor who is there */
	uint32_t taken; /* bytes of output, as the person has said */
	bool no_more;   /* nothing will be typed any more */
	uint16_t rows, columns;
	uint8_t pending[VISIT_PENDING_MAX];
	size_t pending_size;
};

/* Before the barrier. v->spec, nodes, outbox, mission, faults, epoll and tag are set. */
bool visit_prepare(struct visit *v, struct why *why);

/* Is there a request that has not begun? */
bool visit_is_asked(const struct visit *v);
/* Begins what is asked for, if anything is. A command and other faults do not wait until the kernel has handed on the byte, which
 * takes a processor that a program may have for milliseconds: looked for whenever something else woke us, before that is handled,
 * and before the end. */
void visit_look(struct visit *v);

void visit_serve(struct visit *v, enum visit_source source);

/* Its node's invocation ends without the end of its first process, which would be the visitor's. To be called after each wait. */
void visit_outlive(struct visit *v);

/* Nothing more of it can be told: it is over as if its command had been killed by this signal. */
void visit_leave(struct visit *v, int signal);

#endif
