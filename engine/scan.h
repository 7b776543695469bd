/*
 * Who executed, wrote or read something, and when: found by executing a part of a run once more with a plugin in QEMU that notes
 * it (engine/scan_plugin.c). Hits are counted, not stopped at, so a million of them cost little more than one.
 *
 * Stores that the processor itself makes are not seen: exception frames, accessed and dirty bits of page tables.
 */
#ifndef ENGINE_SCAN_H
#define ENGINE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/machine.h"
#include "engine/walk.h"
#include "engine/scan_hits.h"

struct scan;

/* Shared memory for one machine, and the way to hand it to QEMU. NULL if there is no plugin beside polecat. */
struct scan *scan_create(struct err *err);
/* After the machine. NULL allowed. */
void scan_destroy(struct scan *s);
/* For machine_options.plugins; borrowed. */
const char *const *scan_plugins(const struct scan *s);

/* What is looked for, and in whose time. Counts are absolute. */
struct scan_request {
	struct scan_watch watches[SCAN_WATCHES];
	uint32_t count;
	uint64_t task_at;           /* physical; 0: hits have no task */
	uint64_t tasks[SCAN_TASKS]; /* if task_count: hits of these only */
	uint32_t task_count;
	uint64_t direct_map;              /* for watches with a process: where the kernel has physical 0 */
	uint32_t process_offset;          /* ... and where in a task the number of its process is */
	struct scan_op tests[SCAN_TESTS]; /* of the watches */
	uint32_t test_count;
	void (*progress)(void *data, uint64_t done, uint64_t of); /* instructions; may be NULL */
	void *data;
};

/* Hits in the order they happened; the list is owned by the caller (scan_hits_finish). */
struct scan_hits {
	struct scan_hit *list;
	size_t count, room;
	uint64_t total; /* how many there were in what was looked at, also those that are not in the list */
	uint64_t from;  /* that is (from, to]; also after a scan that failed or was cancelled */
	uint64_t to;
};
void scan_hits_finish(struct scan_hits *h);

/* Each leaves the machine somewhere: the caller moves it back (walk_keep before makes that cheap). False also when cancelled. */

/* The first `most` hits in (from, to]; looks no further once it has them. */
bool scan_forward(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, size_t most,
	struct scan_hits *ret, struct err *err);
/* The last `most` (at most SCAN_LAST) hits in (from, to]. */
bool scan_backward(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, size_t most,
	struct scan_hits *ret, struct err *err);

/* All hits in (from, ret->to]: where there are more than fit, ret->to is less than to. */
bool scan_window(struct scan *s, struct walk *w, const struct scan_request *r, uint64_t from, uint64_t to, struct scan_hits *ret,
	struct err *err);

#endif
