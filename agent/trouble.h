/* One fault of a plan, from its selection to its end, and what a kind of fault is made of. */
#ifndef AGENT_TROUBLE_H
#define AGENT_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/node.h"
#include "agent/mission.h"
#include "agent/outbox.h"
#include "agent/why.h"

#define TROUBLE_NEVER UINT64_MAX

enum trouble_state {
	TROUBLE_WAITING, /* for its trigger */
	TROUBLE_DUE,     /* triggered: to be applied at due_ns */
	TROUBLE_HELD,    /* due, but its target does not run */
	TROUBLE_ACTIVE,  /* applied */
	TROUBLE_OVER,    /* rejected, or nothing more can come of it */
};

struct trouble;

/* One row of the table of kinds. Functions that are NULL are not needed by the kind. */
struct trouble_kind {
	const char *name;
	/* Reads the parameters; false rejects the fault with the reason. */
	bool (*read)(struct trouble *t, struct why *why);
	/* Does it to the running target; false rejects the fault. */
	bool (*apply)(struct trouble *t, struct why *why);
	/* Something happened to the target of the applied fault. */
	void (*happened)(struct trouble *t, enum node_happening what);
	/* due_ns of the applied fault, if apply has set it, is here. */
	void (*elapsed)(struct trouble *t);
};

struct trouble {
	const struct trouble_kind *kind;
	const struct mission_trouble *mission;
	size_t index;
	struct node *target;
	struct outbox *outbox;
	enum trouble_state state;
	bool observed;
	uint64_t due_ns;
	uint64_t invocation; /* of the target that it hit; 0 before */
	/* Told of every stage, after the frame is sent. */
	void (*staged)(void *data, struct trouble *t, enum wire_stage stage);
	void *data;
	/* The kind's own. */
	int signal;
	uint64_t grace_ns;
	bool waned;
};

/* Sends the frame and tells t->staged. why may be NULL. */
void trouble_stage(struct trouble *t, enum wire_stage stage, const struct why *why);

/* The same with a text. */
void trouble_stage_text(struct trouble *t, enum wire_stage stage, const char *text);

#endif
