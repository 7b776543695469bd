/*
 * Listens to one machine: collects the agent's frames from its memory and the instruction count of each from the replay log,
 * and lets an observer tell them. In a recording the counts come from the log as QEMU writes it, in a replay from the log at
 * hand; the rest is the same.
 */
#ifndef ENGINE_LISTENER_H
#define ENGINE_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/machine.h"
#include "engine/observer.h"

struct listener;

/* What the run said before this machine took it over, when the machine is a fork (engine/lineage.h). All zero otherwise. */
struct listener_past {
	size_t first;            /* bytes of frames before the run's own: listener_tail at `ready` */
	const uint64_t *icounts; /* of the frames of the run so far; borrowed until the listener is made */
	size_t count;
	uint64_t icount; /* where the machine took over */
};

/* Bytes in the region for frames. */
bool listener_tail(struct machine *m, uint64_t *tail, struct err *err);

/* The same as listener_create, with a past. */
struct listener *listener_create_after(struct machine *m, struct observer *o, const void *log, size_t log_size,
	const struct listener_past *past, struct err *err);

/* m is stopped at `ready`; both are borrowed. log (REPLAY only) is the run's whole log. */
struct listener *listener_create(struct machine *m, struct observer *o, const void *log, size_t log_size, struct err *err);
void listener_destroy(struct listener *l);

/* Bytes of those frames (listener_frames) that were said before this machine took over. */
size_t listener_before(const struct listener *l);

/* The run's count where this machine took over: 0 but for a fork. */
uint64_t listener_took_over(const struct listener *l);

/* Hands on what is new. */
bool listener_step(struct listener *l, struct err *err);

/* Recording: ends QEMU, takes its log (appended to log) and hands on all that is left. */
bool listener_end(struct listener *l, struct buf *log, struct err *err);

/* Instructions of the log decoded so far (in a replay: of all of it), counted from `ready`. */
uint64_t listener_icount(const struct listener *l);

/* The frames so far, and the count of each that is known. Borrowed until the next step. */
const uint8_t *listener_frames(const struct listener *l, size_t *size);
const uint64_t *listener_icounts(const struct listener *l, size_t *count);

#endif
