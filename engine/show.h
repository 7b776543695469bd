/* A run printed for people: its events, faults, verdicts, plan and lanes, as `polecat show` and `polecat diff` print them. */
#ifndef ENGINE_SHOW_H
#define ENGINE_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"
#include "engine/lanes.h"
#include "engine/timeline.h"

/* Which events are printed: first .. end - 1, of those that pass the filter and hold the text (NULL: any). */
struct show_events {
	size_t first, end;
	struct timeline_filter filter;
	const char *text;
};

bool show_events(const struct timeline *timeline, const struct show_events *which, bool json, struct err *err);
/* One event on one line; mark is put before it. */
bool show_event(const struct timeline *timeline, size_t index, const char *mark, struct err *err);

void show_summary(const struct timeline *timeline);
void show_faults(const struct timeline *timeline, bool json);
void show_properties(const struct timeline *timeline);
void show_plan(const struct timeline *timeline);
void show_lanes(const struct timeline *timeline, const struct lanes_options *options, bool json);

/* A place in scenario.yaml as " (scenario.yaml:21:5)", nothing for line 0. */
void show_put_place(struct buf *out, struct text_place place);

#endif
