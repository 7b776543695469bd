/*
 * A visitor: somebody who took a copy of this machine (a fork) and wants one command executed in it. The request lies in the
 * header of the region for frames, where it was put while the machine stood still; a byte on the serial port says so. A machine
 * that nobody forked never gets one, and waiting for it costs nothing.
 *
 * The command is told about like that of a node whose number is one more than the last: STARTED, OUTPUT, EXITED, CLEANED; or
 * LAUNCH_FAILED. Then the run is over.
 */
#ifndef AGENT_VISIT_H
#define AGENT_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/faults.h"
#include "agent/mission.h"
#include "agent/node.h"
#include "agent/outbox.h"
#include "agent/spec.h"
#include "agent/stream.h"
#include "agent/wire.h"

#define VISIT_REQUEST     64 /* in the header of the region: u32le size, then one frame of type VISIT */
#define VISIT_REQUEST_MAX (OUTBOX_HEADER - VISIT_REQUEST - 4)
#define VISIT_STRINGS_MAX 256 /* arguments; entries of the environment */
#define VISIT_BELL        "/dev/ttyS0"

enum visit_state { VISIT_NONE, VISIT_GOING, VISIT_OVER };

/* What epoll says is ready. */
enum visit_source { VISIT_SOURCE_BELL, VISIT_SOURCE_CONTROL, VISIT_SOURCE_OUT, VISIT_SOURCE_ERR, VISIT_SOURCES };

struct visit {
	const struct spec *spec;
	const struct node *nodes; /* spec->count of them, to find processes of a node */
	struct outbox *outbox;
	struct mission *mission; /* both for a request of other faults (agent/replan.h), after which the run goes on */
	struct faults *faults;
	int epoll;
	uint64_t tag; /* of its first source */
	int bell, control, out, err;
	enum visit_state state;
	struct stream streams[2];
	uint64_t sequence;
};

/* Before the barrier. v->spec, nodes, outbox, mission, faults, epoll and tag are set. */
bool visit_prepare(struct visit *v, struct why *why);

/* A request of other faults does not wait until the kernel has handed on the byte: looked for whenever something else woke us,
 * before that is handled. */
void visit_look(struct visit *v);

void visit_serve(struct visit *v, enum visit_source source);

/* A request in the header; false, with why->text, when it is none. argv and env borrow from header, OUTBOX_HEADER bytes. Pure. */
struct visit_request {
	size_t node; /* spec->count: the machine itself */
	const char *argv[VISIT_STRINGS_MAX + 1];
	const char *env[VISIT_STRINGS_MAX + 1];
	char cwd[256];
};
/* The size of the request in the header; false if it cannot be one. */
bool visit_size(const uint8_t *header, size_t *ret, struct why *why);
bool visit_read(const uint8_t *header, size_t node_count, struct visit_request *ret, struct why *why);

#endif
