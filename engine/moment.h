/*
 * A moment: a position in a run, as people write it.
 *
 *	1531021301            instruction count (digits may be grouped with _)
 *	ev:17                 event number 17
 *	fault:kill#1.applied  a stage of a fault; without a stage, when it was applied (or rejected)
 *	prop:no-lost-ack      the event that decided a property; the end when only the end did
 *	t:4.39s               guest time (with a unit): the last event at or before it
 *	begin, end            before the first event; at the last
 *
 * At icount N, every event with icount <= N has happened.
 */
#ifndef ENGINE_MOMENT_H
#define ENGINE_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/timeline.h"

struct moment {
	uint64_t icount;
	size_t event; /* last event that has happened there; TIMELINE_NONE before the first */
};

/* ERR_USAGE with a sentence that says what is there instead: the range, the faults, the properties. */
bool moment_parse(const struct timeline *timeline, const char *text, struct moment *ret, struct err *err);

/* The moment of an event. */
struct moment moment_of_event(const struct timeline *timeline, size_t event);

/* Appends the shortest text that moment_parse reads back as this moment: "begin", "ev:17", "1531021301". */
void moment_write(const struct timeline *timeline, const struct moment *moment, struct buf *out);

/* Calls found with every moment text that starts with prefix, in order, at most 1000: for completion. */
void moment_complete(
	const struct timeline *timeline, const char *prefix, void (*found)(void *data, const char *text), void *data);

#endif
