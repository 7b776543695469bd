/*
 * Turns what the agent says into events: frames and the instruction count of each go in, events come out.
 * Recording and replay use the same observer, so they cannot tell a story differently. Does no I/O.
 */
#ifndef ENGINE_OBSERVER_H
#define ENGINE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/event.h"

#define OBSERVER_LINE_MAX (16 * 1024) /* a longer line of output becomes pieces, all but the last marked as cut */

struct observer_fault {
	const char *id, *type; /* "kill#1", "kill" */
};

/* Who may appear: wire frames name nodes and faults by number. Borrowed for the life of the observer. */
struct observer_cast {
	const char *const *nodes;
	size_t node_count;
	const struct observer_fault *faults;
	size_t fault_count;
};

/* Where a run is cut whatever the guest does; each cut is exact and the same in every run. */
struct observer_limits {
	uint64_t events;
	uint64_t bytes;  /* of output, all nodes and streams together */
	uint64_t icount; /* instructions since the barrier */
};

struct observer;

struct observer *observer_create(const struct observer_cast *cast, const struct observer_limits *limits, struct event_sink sink);
void observer_destroy(struct observer *o);

/*
 * Takes all frames of the run so far (size bytes; those of earlier calls come again) with the instruction count of each of the
 * first counted frames, and hands on the events of the frames that have a count. Broken frames, unknown nodes, gaps in a
 * stream and digests that do not match are ERR_QEMU: the machine said something no agent says.
 */
bool observer_feed(
	struct observer *o, const uint8_t *frames, size_t size, const uint64_t *icounts, size_t counted, struct err *err);

/* Tells the observer that the guest has executed icount instructions, and that no frame before that is still to come: a guest
 * that says nothing reaches its limit too. */
bool observer_reached(struct observer *o, uint64_t icount, struct err *err);

/* Ends a run that did not end itself. reason as in FORMATS.md; why is a sentence of guest facts only. */
bool observer_cut(struct observer *o, const char *reason, const char *why, uint64_t icount, struct err *err);

bool observer_ended(const struct observer *o);         /* run.end was handed on; the observer takes nothing more */
const char *observer_reason(const struct observer *o); /* of run.end; NULL before */
uint64_t observer_limit(const struct observer *o);     /* of instructions */
uint64_t observer_events(const struct observer *o);
uint64_t observer_vtime_ns(const struct observer *o); /* of the newest event */
uint64_t observer_icount(const struct observer *o);
size_t observer_used(const struct observer *o);   /* bytes understood so far */
size_t observer_frames(const struct observer *o); /* frames understood so far */

#endif
