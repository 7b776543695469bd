/* The faults of a run: when each is triggered, and the table of kinds. */
#ifndef AGENT_FAULTS_H
#define AGENT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/node.h"
#include "agent/mission.h"
#include "agent/outbox.h"
#include "agent/trouble.h"

struct faults {
	const struct mission *mission;
	struct outbox *outbox;
	struct node *nodes; /* mission->node_count of them */
	bool closed;        /* the run is ending: nothing is triggered any more */
	struct trouble list[WIRE_FAULTS_MAX];
};

/* Says of each fault that it is selected, and rejects those that cannot be. fs lives at one address from then on. */
void faults_begin(struct faults *fs, const struct mission *mission, struct node *nodes, struct outbox *outbox);

/* Nothing has been done of it yet, so that it can still be another. */
bool faults_is_open(const struct faults *fs, size_t index);

/*
 * The mission's faults have been changed: those in `given` (mission->trouble_count of it) are new, be it in the place of one that
 * was open or behind the others. They are selected, and rejected if what they wait for has been already. Open ones that are not
 * given are rejected; all others live on.
 */
void faults_replace(struct faults *fs, const bool *given);

/* What nodes tell (struct node_watch). Faults that this triggers without a delay are applied before these return. */
void faults_happened(struct faults *fs, struct node *n, enum node_happening what);
void faults_line(struct faults *fs, struct node *n);

/* Applies what is due. */
void faults_tick(struct faults *fs, uint64_t now_ns);
uint64_t faults_due_ns(const struct faults *fs);

/* The run is over: rejects the faults that have not been applied, with the reason. */
void faults_end(struct faults *fs);

#endif
