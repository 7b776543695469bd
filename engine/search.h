/*
 * Finding text in the events of a timeline, a step at a time so that nobody waits. The text is looked for in the values of an
 * event (its node, kind, output, fault, reason ...), not in the JSON around them.
 */
#ifndef ENGINE_SEARCH_H
#define ENGINE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "engine/timeline.h"

#define SEARCH_TEXT_MAX 256 /* longest text, in bytes */

struct search; /* opaque */

enum search_result { SEARCH_MORE, SEARCH_FOUND, SEARCH_END, SEARCH_FAILED };

/*
 * Starts after (backward: before) an event, not at it; from TIMELINE_NONE at the first (last) event. Capital letters matter only
 * if the text has one. filter may be NULL. The timeline is borrowed and may be refreshed between steps. NULL with ERR_USAGE if
 * the text is empty or too long.
 */
struct search *search_create(const struct timeline *timeline, const char *text, size_t from, bool backward,
	const struct timeline_filter *filter, struct err *err);
void search_destroy(struct search *search);

/*
 * Looks through about budget_bytes of events (1 MiB takes about a millisecond). SEARCH_FOUND fills *ret, and the next step looks
 * for the next hit; SEARCH_MORE wants another step; SEARCH_FAILED fills *err.
 */
enum search_result search_step(struct search *search, size_t budget_bytes, size_t *ret, struct err *err);

/* Where it stands: the next event it would look at, TIMELINE_NONE at the end. For progress. */
size_t search_position(const struct search *search);

#endif
