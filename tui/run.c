#include "tui/run.h"

#include <stdlib.h>
#include <string.h>

struct run *run_create(struct timeline *timeline)
{
	struct run *run = mem_alloc(sizeof *run);
	run->timeline = timeline;
	run->window = lanes_whole(timeline, LANES_VTIME);
	run->whole = true;
	run->playhead = run_start_event(run);
	if (timeline_incomplete(timeline)) {
		run->follow = true;
		size_t count = timeline_count(timeline);
		run->playhead = count ? count - 1 : TIMELINE_NONE;
	}
	return run;
}

void run_destroy(struct run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->bookmark_count; i++)
		free(run->bookmarks[i].name);
	free(run->bookmarks);
	free(run->jumps);
	timeline_close(run->timeline);
	free(run);
}

static void push_jump(struct run *run, size_t event)
{
	if (run->jump_at == RUN_JUMPS_MAX) {
		memmove(run->jumps, run->jumps + 1, (RUN_JUMPS_MAX - 1) * sizeof *run->jumps);
		run->jump_at--;
	}
	run->jump_count = run->jump_at;
	ARRAY_PUSH(run->jumps, run->jump_count, run->jump_room) = event;
	run->jump_at = run->jump_count;
}

static void move_to(struct run *run, size_t event)
{
	size_t count = timeline_count(run->timeline);
	run->playhead = count == 0 || event == TIMELINE_NONE ? TIMELINE_NONE : event >= count ? count - 1 : event;
	if (!run->whole && run->playhead != TIMELINE_NONE)
		run->window = lanes_reveal(run->timeline, run->window, run->playhead);
	run->changed = true;
}

void run_goto(struct run *run, size_t event, bool jump)
{
	if (jump && event != run->playhead)
		push_jump(run, run->playhead);
	run->follow = false;
	move_to(run, event);
}

bool run_jump_back(struct run *run)
{
	if (run->jump_at == 0)
		return false;
	size_t target = run->jumps[--run->jump_at];
	run->jumps[run->jump_at] = run->playhead; /* so that forward comes back here */
	run->follow = false;
	move_to(run, target);
	return true;
}

bool run_jump_forward(struct run *run)
{
	if (run->jump_at >= run->jump_count)
		return false;
	size_t target = run->jumps[run->jump_at];
	run->jumps[run->jump_at++] = run->playhead;
	run->follow = false;
	move_to(run, target);
	return true;
}

void run_grown(struct run *run)
{
	if (run->whole)
		run->window = lanes_whole(run->timeline, run->window.axis);
	size_t count = timeline_count(run->timeline);
	if (run->follow && count)
		move_to(run, count - 1);
}

/* ---- bookmarks ---- */

/* The first bookmark at or after event. */
static size_t bookmark_place(const struct run *run, size_t event)
{
	size_t i = 0;
	while (i < run->bookmark_count && run->bookmarks[i].event < event)
		i++;
	return i;
}

const struct bookmark *run_bookmark_at(const struct run *run, size_t event)
{
	size_t i = bookmark_place(run, event);
	return i < run->bookmark_count && run->bookmarks[i].event == event ? &run->bookmarks[i] : NULL;
}

bool run_bookmark(struct run *run, const char *name, bool *ret_set)
{
	size_t event = run->playhead == TIMELINE_NONE ? 0 : run->playhead;
	size_t i = bookmark_place(run, event);
	bool there = i < run->bookmark_count && run->bookmarks[i].event == event;
	run->changed = true;
	*ret_set = !there || name;
	if (there) {
		free(run->bookmarks[i].name);
		if (name) {
			run->bookmarks[i].name = mem_strn(name, strnlen(name, RUN_NAME_MAX));
			return true;
		}
		memmove(&run->bookmarks[i], &run->bookmarks[i + 1], (run->bookmark_count - i - 1) * sizeof *run->bookmarks);
		run->bookmark_count--;
		return true;
	}
	if (run->bookmark_count == RUN_BOOKMARKS_MAX)
		return false;
	ARRAY_PUSH(run->bookmarks, run->bookmark_count, run->bookmark_room) = (struct bookmark){0};
	memmove(&run->bookmarks[i + 1], &run->bookmarks[i], (run->bookmark_count - 1 - i) * sizeof *run->bookmarks);
	run->bookmarks[i] = (struct bookmark){event, mem_strn(name ? name : "", name ? strnlen(name, RUN_NAME_MAX) : 0)};
	return true;
}

size_t run_bookmark_next(const struct run *run, bool backward)
{
	size_t here = run->playhead == TIMELINE_NONE ? 0 : run->playhead, found = TIMELINE_NONE;
	for (size_t i = 0; i < run->bookmark_count; i++) {
		size_t event = run->bookmarks[i].event;
		if (backward && event < here)
			found = event;
		if (!backward && event > here && found == TIMELINE_NONE)
			found = event;
	}
	return found;
}

/* ---- places to go ---- */

size_t run_fault_next(const struct run *run, bool backward)
{
	struct timeline_filter filter = {.kinds = TIMELINE_FAULT_KINDS};
	if (backward && run->playhead == TIMELINE_NONE)
		return TIMELINE_NONE;
	return backward ? timeline_prev(run->timeline, run->playhead, &filter)
			: timeline_next(run->timeline, run->playhead, &filter);
}

size_t run_node_next(const struct run *run, bool backward)
{
	struct timeline_filter any = {0};
	if (run->playhead == TIMELINE_NONE)
		return backward ? TIMELINE_NONE : timeline_next(run->timeline, TIMELINE_NONE, &any);
	struct timeline_filter filter = {.node = 1 + timeline_entries(run->timeline)[run->playhead].node};
	return backward ? timeline_prev(run->timeline, run->playhead, &filter)
			: timeline_next(run->timeline, run->playhead, &filter);
}

/* Keeps in *best the event nearest to here in the direction. before/after: TIMELINE_NONE counts as before the first event. */
static void consider(size_t event, size_t here, bool backward, size_t *best)
{
	if (event == TIMELINE_NONE)
		return;
	bool passes = backward ? here != TIMELINE_NONE && event < here : here == TIMELINE_NONE || event > here;
	if (passes && (*best == TIMELINE_NONE || (backward ? event > *best : event < *best)))
		*best = event;
}

static bool any_failed(const struct run *run)
{
	for (size_t i = 0; i < timeline_property_count(run->timeline); i++)
		if (timeline_property(run->timeline, i)->fact->verdict == VERDICT_FAIL)
			return true;
	return false;
}

size_t run_failure_next(const struct run *run, bool backward)
{
	size_t best = TIMELINE_NONE;
	bool failed_only = any_failed(run);
	for (size_t i = 0; i < timeline_property_count(run->timeline); i++) {
		const struct timeline_property *p = timeline_property(run->timeline, i);
		if (failed_only && p->fact->verdict != VERDICT_FAIL)
			continue;
		consider(p->decided, run->playhead, backward, &best);
		for (size_t w = 0; w < p->fact->witness_count; w++)
			consider(p->witnesses[w], run->playhead, backward, &best);
	}
	return best;
}

size_t run_start_event(const struct run *run)
{
	for (size_t i = 0; i < timeline_property_count(run->timeline); i++) {
		const struct timeline_property *p = timeline_property(run->timeline, i);
		if (p->fact->verdict == VERDICT_FAIL && p->decided != TIMELINE_NONE)
			return p->decided;
	}
	return timeline_count(run->timeline) ? 0 : TIMELINE_NONE;
}

uint64_t run_icount(const struct run *run)
{
	return run->playhead == TIMELINE_NONE ? 0 : timeline_entries(run->timeline)[run->playhead].icount;
}

uint64_t run_vtime(const struct run *run)
{
	return run->playhead == TIMELINE_NONE ? 0 : timeline_entries(run->timeline)[run->playhead].vtime_ns;
}

void run_verdict_text(const struct run *run, struct buf *out)
{
	const struct facts *facts = timeline_facts(run->timeline);
	if (!facts->has_properties) {
		buf_str(out,
			timeline_abandoned(run->timeline)            ? "abandoned"
				: timeline_incomplete(run->timeline) ? "recording"
								     : "no verdict");
		return;
	}
	static const char *const words[VERDICT_COUNT] = {"PASS", "FAIL", "UNEXERCISED", "UNKNOWN"};
	buf_str(out, words[facts->verdict]);
	int named = 0;
	for (size_t i = 0; i < facts->property_count && facts->verdict != VERDICT_PASS; i++)
		if (facts->properties[i].verdict == facts->verdict)
			buf_printf(out, "%s%s", named++ ? ", " : " ", facts->properties[i].id);
}

int run_latest_fault(const struct run *run, size_t *ret_event)
{
	struct timeline_filter filter = {.kinds = TIMELINE_FAULT_KINDS};
	*ret_event = TIMELINE_NONE;
	if (run->playhead == TIMELINE_NONE)
		return -1;
	size_t event = timeline_matches(run->timeline, run->playhead, &filter)
		? run->playhead
		: timeline_prev(run->timeline, run->playhead, &filter);
	if (event == TIMELINE_NONE)
		return -1;
	*ret_event = event;
	return (int)timeline_entries(run->timeline)[event].fault - 1;
}
