/* Lets a machine run to the end of its story, with watchdogs; recordings and replays both go through here. */
#ifndef ENGINE_PLAY_H
#define ENGINE_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/listener.h"
#include "engine/machine.h"
#include "engine/observer.h"

struct play {
	struct machine *machine; /* stopped; all borrowed */
	struct listener *listener;
	struct observer *observer;
	struct cancel *cancel;    /* may be NULL */
	uint64_t wall_s;          /* host seconds; going beyond is ERR_QEMU, never a verdict */
	void (*tick)(void *data); /* some times a second; may be NULL */
	void *data;
};

/*
 * Runs until the agent ended the run, a limit of the observer cut it, or the guest died (then *dead is set: what it means is the
 * caller's to say). The machine may still be running when a limit cut the run.
 */
bool play_run(struct play *p, bool *dead, struct err *err);

/* The last words of a dead guest's kernel ("Kernel panic - not syncing: ..."), without time stamps. */
void play_last_words(struct machine *m, struct buf *out);

/* The cast of a plan for an observer; visited: a fork's, with one more node for the visitor (play_visitor). Borrows the plan;
 * released by play_cast_finish. */
struct plan;
void play_cast(const struct plan *plan, bool visited, struct observer_cast *ret);
/* What the visitor of a fork is called among the nodes: "visit", unless a node is. */
const char *play_visitor(const struct plan *plan);
void play_cast_finish(struct observer_cast *cast);

#endif
