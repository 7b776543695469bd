/*
 * Where the next or previous thing of a kind is in a run's timeline: what `next` and `prev` go to, and `until` when it waits for
 * an event. Needs no machine.
 */
#ifndef ENGINE_MOVES_H
#define ENGINE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/timeline.h"

/* Events that pass all of it. A zeroed one lets every event pass. */
struct moves_filter {
	struct timeline_filter events;
	bool nothing;     /* words that exclude each other: no event passes */
	bool properties;  /* only events that decided a property */
	int property;     /* 1 + number of the property; 0: any */
	const char *text; /* borrowed: must be in the event's line; NULL: no matter */
};

/*
 * Words such as "event", "fault", "kill#1", "property", "no-lost-ack", "line", "server", "node.exited", "/text": each narrows
 * it. ERR_USAGE for one that is nothing of the sort, saying what there is.
 */
bool moves_parse(const struct timeline *t, const char *const *words, size_t count, struct moves_filter *ret, struct err *err);

/* The first such event after icount, or the last before it. False with ERR_INPUT when there is none. */
bool moves_find(const struct timeline *t, const struct moves_filter *filter, uint64_t icount, bool backward,
	struct cancel *cancel, size_t *ret, struct err *err);

#endif
