/*
 * One open run as the screen has it: the timeline, where the playhead stands, what was bookmarked, where one came from.
 * The playhead is an event, or TIMELINE_NONE: before the first.
 */
#ifndef TUI_RUN_H
#define TUI_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/lanes.h"
#include "engine/search.h"
#include "engine/timeline.h"

#define RUN_BOOKMARKS_MAX 1000
#define RUN_JUMPS_MAX     200
#define RUN_NAME_MAX      80 /* bytes of a bookmark's name */

struct bookmark {
	size_t event;
	char *name; /* owned; may be "" */
};

struct run {
	struct timeline *timeline;
	size_t playhead;
	bool follow;                /* the playhead stays at the end while the run grows */
	struct bookmark *bookmarks; /* by event */
	size_t bookmark_count, bookmark_room;
	size_t *jumps; /* where one came from; jumps[jump_at - 1] is the last. Beyond jump_at: forward again */
	size_t jump_count, jump_room, jump_at;
	char search[SEARCH_TEXT_MAX + 1];
	struct lanes_window window;
	bool whole; /* the window shows the whole run and grows with it */
	bool keep_gaps;
	bool changed; /* something that is kept (state) is not saved yet */
};

/* Takes the timeline. */
struct run *run_create(struct timeline *timeline);
void run_destroy(struct run *run); /* NULL is fine */

/* Moves the playhead. jump: this is a leap that jump-back undoes, not a step. */
void run_goto(struct run *run, size_t event, bool jump);
bool run_jump_back(struct run *run);
bool run_jump_forward(struct run *run);
/* After timeline_refresh brought events. */
void run_grown(struct run *run);

/* Sets a bookmark at the playhead or, when there is one and name is NULL, takes it away. *ret_set tells which. False: too many.
 */
bool run_bookmark(struct run *run, const char *name, bool *ret_set);
const struct bookmark *run_bookmark_at(const struct run *run, size_t event);
size_t run_bookmark_next(const struct run *run, bool backward); /* TIMELINE_NONE if there is none */

/* The nearest event before or after the playhead that passes; TIMELINE_NONE if there is none. */
size_t run_fault_next(const struct run *run, bool backward);
/* ... that decided or witnesses a failed property; any property when none failed. */
size_t run_failure_next(const struct run *run, bool backward);
size_t run_node_next(const struct run *run, bool backward); /* of the node of the event at the playhead */

/* Where the run opens first: at the event that decided the first failed property, else at the first event. */
size_t run_start_event(const struct run *run);

uint64_t run_icount(const struct run *run); /* at the playhead; 0 before the first event */
uint64_t run_vtime(const struct run *run);
/* "FAIL no-lost-ack, other" */
void run_verdict_text(const struct run *run, struct buf *out);
/* The fault that has the latest transition at or before the playhead, -1 if none; and the property decided last. */
int run_latest_fault(const struct run *run, size_t *ret_event);

#endif
