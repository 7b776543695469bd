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

struct plan;
struct play;

/* Somebody outside who takes part in the recording of an open run. `wait` is called again and again instead of waiting for the
 * machine alone: hands over and takes what there is, and waits a little for more. p->listener has the frames up to the last call.
 */
struct play_live {
	bool (*wait)(void *data, struct play *p, struct err *err);
	/* Once, when nothing more will be said. */
	bool (*ended)(void *data, struct play *p, struct err *err);
	void *data;
};

struct play {
	struct machine *machine; /* stopped; all borrowed */
	struct listener *listener;
	struct observer *observer;
	struct cancel *cancel;    /* may be NULL */
	uint64_t wall_s;          /* host seconds; going beyond is ERR_QEMU, never a verdict */
	void (*tick)(void *data); /* some times a second; may be NULL */
	void *data;
	const struct play_live *live; /* may be NULL */
};

/*
 * Runs until the agent ended the run, a limit of the observer cut it, or the guest died (then *dead is set: what it means is the
 * caller's to say). The machine may still be running when a limit cut the run.
 */
bool play_run(struct play *p, bool *dead, struct err *err);

/* Where a run of this plan is cut. An open one goes on as long as its person likes: only its region for frames is finite. A fork
 * for one command (visited, else NULL) has as many instructions as a run, however many its parent had: a limit may have ended it.
 */
struct observer_limits play_limits(const struct plan *plan, bool open, const struct listener_past *visited);

/* The last words of a dead guest's kernel ("Kernel panic - not syncing: ..."), without time stamps. */
void play_last_words(struct machine *m, struct buf *out);

/* The cast of a plan for an observer; visited: a fork's, with one more node for the visitor (play_visitor). Borrows the plan;
 * released by play_cast_finish. */
void play_cast(const struct plan *plan, bool visited, struct observer_cast *ret);
/* What the visitor of a fork is called among the nodes: "visit", unless a node is. */
const char *play_visitor(const struct plan *plan);
void play_cast_finish(struct observer_cast *cast);

#endif
