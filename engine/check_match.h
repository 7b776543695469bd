/* Does an event pass a matcher? (engine/property.h explains tests, levels and candidates.) */
#ifndef ENGINE_CHECK_MATCH_H
#define ENGINE_CHECK_MATCH_H

#include <stdint.h>

#include "engine/event.h"
#include "engine/pattern.h"
#include "engine/property.h"

enum check_match {
	CHECK_MATCH_NONE,      /* not even a candidate */
	CHECK_MATCH_CANDIDATE, /* fails only the innermost test */
	CHECK_MATCH_YES,
	CHECK_MATCH_LIMIT, /* nobody knows: the expression gave up */
};

#define CHECK_SPANS (PATTERN_CAPTURES_MAX + 1)

/* seen counts, over a run, the events that pass all tests but `nth`: one counter for each matcher, at first 0. spans
 * (CHECK_SPANS of them) gets the groups of the expression, borrowed from the event. */
enum check_match check_match(const struct matcher *m, const struct event *e, uint64_t *seen, struct pattern_span *spans);

#endif
