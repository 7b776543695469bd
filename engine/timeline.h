/*
 * One run directory, read-only: its events by number, time and kind, the lives of its faults, its verdicts. Events are numbered
 * from 0 here (seq is index + 1). A const timeline may be read by several threads at once.
 *
 * Nothing stays mapped: a line is read when it is asked for, so a file that shrinks under us is an error and not a signal.
 */
#ifndef ENGINE_TIMELINE_H
#define ENGINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/event.h"
#include "engine/eventindex.h"
#include "engine/facts.h"
#include "engine/fault.h"

#define TIMELINE_NONE SIZE_MAX /* "no such event" */

struct timeline;

/* Opens a run directory, whole or still being recorded. Errors name the file. Writes events.idx where that helps and may be. */
struct timeline *timeline_open(const char *path, struct err *err);
void timeline_close(struct timeline *timeline); /* NULL is fine */

/*
 * Takes what a recording has written since; a line without its end is left for the next time. *ret_changed tells whether
 * anything is new. Indexes stay valid; pointers from timeline_entries, timeline_fault and the like do not.
 */
bool timeline_refresh(struct timeline *timeline, bool *ret_changed, struct err *err);

/* Still being recorded (or cut short): the directory has not got its final name. */
bool timeline_incomplete(const struct timeline *timeline);
/* ... and will stay so: nobody recorded it any more when it was opened or refreshed. */
bool timeline_abandoned(const struct timeline *timeline);

const char *timeline_path(const struct timeline *timeline); /* as opened */
const char *timeline_name(const struct timeline *timeline); /* last part of the path */
const struct facts *timeline_facts(const struct timeline *timeline);
int timeline_dir(const struct timeline *timeline); /* borrowed descriptor of the directory, for its other files */

/* -- events -- */

size_t timeline_count(const struct timeline *timeline);
const struct entry *timeline_entries(const struct timeline *timeline); /* timeline_count of them */
uint64_t timeline_end_icount(const struct timeline *timeline);         /* of the last event; 0 without events */
uint64_t timeline_end_vtime(const struct timeline *timeline);

/* An event read back. `struct timeline_event e = {0};`; reused by the next read; released by timeline_event_finish. */
struct timeline_event {
	struct event event; /* borrows from the buffers */
	struct buf line;    /* its line without the newline */
	struct buf arena;
};
bool timeline_event(const struct timeline *timeline, size_t index, struct timeline_event *ret, struct err *err);
void timeline_event_finish(struct timeline_event *e);

/* The lines themselves: event index stands at entry.offset up to here, newline included. */
uint64_t timeline_event_end(const struct timeline *timeline, size_t index);
bool timeline_read(const struct timeline *timeline, uint64_t offset, size_t size, char *to, struct err *err);

/* The last event at or before the given place; TIMELINE_NONE if the first is later. */
size_t timeline_at_icount(const struct timeline *timeline, uint64_t icount);
size_t timeline_at_vtime(const struct timeline *timeline, uint64_t vtime_ns);
size_t timeline_at_seq(const struct timeline *timeline, uint64_t seq); /* that very event; NONE if there is none */

/* Which events: a zeroed filter lets every event pass. */
struct timeline_filter {
	uint64_t kinds; /* bits 1 << enum event_kind; 0: all */
	int node;       /* 1 + node number; 0: all */
	int fault;      /* 1 + fault number; 0: all, also events without a fault */
	unsigned flags; /* ENTRY_ bits of which one must be set; 0: all */
};
#define TIMELINE_FAULT_KINDS \
	(1ull << EVENT_FAULT_SELECTED | 1ull << EVENT_FAULT_APPLIED | 1ull << EVENT_FAULT_REJECTED | \
		1ull << EVENT_FAULT_OBSERVED | 1ull << EVENT_FAULT_HEALED)

bool timeline_matches(const struct timeline *timeline, size_t index, const struct timeline_filter *filter);
/* The nearest event after (before) index that passes; NONE if there is none. From TIMELINE_NONE: the first (the last). */
size_t timeline_next(const struct timeline *timeline, size_t index, const struct timeline_filter *filter);
size_t timeline_prev(const struct timeline *timeline, size_t index, const struct timeline_filter *filter);

/* -- nodes -- */

/* Number 0 is the machine, named "". The plan's come next, in its order. */
size_t timeline_node_count(const struct timeline *timeline);
const char *timeline_node(const struct timeline *timeline, size_t node);
int timeline_node_find(const struct timeline *timeline, const char *name); /* -1 */

/* -- faults: those of the plan in its order, then others as they appear -- */

struct timeline_fault {
	const char *id;
	const char *type;              /* "kill"; "" when only its id is known */
	int node;                      /* target; 0 for the machine */
	size_t stage[FAULT_STAGES];    /* first event of each stage, or NONE */
	const struct plan_fault *plan; /* parameters and origin; NULL if the plan has not got it */
};
size_t timeline_fault_count(const struct timeline *timeline);
const struct timeline_fault *timeline_fault(const struct timeline *timeline, size_t fault);
int timeline_fault_find(const struct timeline *timeline, const char *id); /* -1 */
/* First and last event of its life so far; NONE if it was never selected. Not healed: its effect lasts to the end, unless it is
 * of a kind that is over at once. */
void timeline_fault_span(const struct timeline *timeline, size_t fault, size_t *ret_first, size_t *ret_last);

/* -- properties, in the order of properties.json -- */

struct timeline_property {
	const struct fact_property *fact; /* id, verdict, why, margin ... */
	size_t decided;                   /* event that decided; the last event when only the end did; NONE without events */
	const size_t *witnesses;          /* events; fact->witness_count of them */
};
size_t timeline_property_count(const struct timeline *timeline);
const struct timeline_property *timeline_property(const struct timeline *timeline, size_t property);
int timeline_property_find(const struct timeline *timeline, const char *id); /* -1 */

#endif
