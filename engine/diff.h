/*
 * Two runs compared: plans choice by choice, events aligned by what they say (not when), fault lives and verdicts side by side,
 * and the first divergence told in words. Works on const timelines only, so it may run in a thread of its own.
 */
#ifndef ENGINE_DIFF_H
#define ENGINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/timeline.h"

/* A stretch of both runs. Hunks cover both runs in order, without holes; common and differing ones alternate. */
struct diff_hunk {
	size_t a, a_count, b, b_count; /* event indexes; either count may be 0 when they differ */
	bool same;
};

/* A choice of the plans that is not the same in both; NULL where a plan has not got it. Borrowed from the timelines. */
struct diff_choice {
	const struct plan_choice *a, *b;
};

/* A fault of either run; -1 where a run has not got it. */
struct diff_fault {
	int a, b;     /* fault numbers */
	bool differs; /* planned otherwise, or went through other stages */
};

/* A property of either run; -1 where a run has not got it. */
struct diff_property {
	int a, b;
	bool differs; /* other verdict */
};

struct diff {
	bool identical; /* same plan, same events to the last byte, same verdicts */
	bool same_scenario, same_seed, same_plan;
	bool same_events; /* what they say; icount and time may differ */
	bool same_bytes;  /* of the events, icount and time included */
	struct diff_hunk *hunks;
	size_t hunk_count;
	bool work_limit; /* a stretch was too different to be aligned in reasonable time and counts as changed whole */
	size_t first; /* first divergence: the same number in both, perhaps one past the end of one; NONE if events are the same
		       */
	size_t first_icount; /* first event that is not at the same instruction count in both (within the common part); NONE */
	struct diff_choice *choices;
	size_t choice_count;
	struct diff_fault *faults;
	size_t fault_count;
	struct diff_property *properties;
	size_t property_count;
	char *headline; /* one line: "identical: ..." or "differ: ..." */
	char *story;    /* lines: what each did there, what came before, which choice differs. "" when identical */
};

/* Borrows the timelines, which must not be refreshed while it lives. cancelled may be NULL; when it returns true: ERR_CANCELLED.
 */
struct diff *diff_create(
	const struct timeline *a, const struct timeline *b, bool (*cancelled)(void *data), void *data, struct err *err);
void diff_destroy(struct diff *diff);

/* The lines that headline and story are made of; diff_create calls these. */
void diff_put_headline(const struct diff *diff, const struct timeline *a, const struct timeline *b, struct buf *out);
void diff_put_story(const struct diff *diff, const struct timeline *a, const struct timeline *b, struct buf *out);

/* The event of the other run that belongs to event of a (of b): its partner; inside a changed stretch, the last before it with
 * a partner; TIMELINE_NONE at the very start. *ret_exact may be NULL. */
size_t diff_to_b(const struct diff *diff, size_t a, bool *ret_exact);
size_t diff_to_a(const struct diff *diff, size_t b, bool *ret_exact);

/* The hunk that holds an event of a (side 0) or b (side 1). The next or previous differing hunk; hunk_count if there is none. */
size_t diff_hunk_of(const struct diff *diff, int side, size_t event);
size_t diff_next(const struct diff *diff, size_t hunk);
size_t diff_prev(const struct diff *diff, size_t hunk);

#endif
