/*
 * The next place to stop at, in either direction: one counted pass over the run that notes every time a breakpoint's address is
 * executed or its memory written, and looks at a moment itself only where a condition has to be evaluated there.
 *
 * A pass knows the processes that live where it begins. Where one begins, ends, loads a library or turns up otherwise, the places
 * are looked up anew.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_chase.h"
#include "engine/kcode.h"
#include "engine/scan_condition.h"

enum {
	WINDOW_FIRST = 1000000,
	WINDOW_MAX = 64000000, /* instructions of one pass */
};

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void say_progress(struct dap_chase *c, uint64_t at)
{
	uint64_t done = at > c->origin ? at - c->origin : c->origin - at;
	dap_progress(c->s, done, c->backward ? c->origin - c->first : c->last - c->origin);
}

/* After a hit that tells of somebody new: the places are looked up there, and the hit is judged once more. */
static enum verdict_of_hit judge_anew(struct dap_chase *c, const struct scan_hit *hit, struct err *err)
{
	struct regs before = c->before;
	uint64_t before_at = c->before_at, pc = hit->pc;
	bool own = hit->watch >= c->own;
	if (!dap_go(c->s, hit->icount, err) || !dap_look_up(c, err))
		return HIT_FAILED;
	c->before = before;
	c->before_at = before_at;
	struct scan_hit again = *hit;
	if (hit->watch == DAP_WATCH_EXIT) {
		enum verdict_of_hit end = dap_judge(c, &again, err);
		return end == HIT_STALE ? HIT_PASS : end;
	}
	if (!own)
		return HIT_PASS;
	enum verdict_of_hit found = HIT_PASS;
	for (again.watch = c->own; again.watch < c->request.count; again.watch++) {
		if (c->request.watches[again.watch].kind != SCAN_EXEC || c->request.watches[again.watch].low != pc)
			continue;
		enum verdict_of_hit verdict = dap_judge(c, &again, err);
		if (verdict == HIT_FAILED)
			return verdict;
		found = verdict == HIT_STOP ? verdict : found;
	}
	return found;
}

/* Looks through the hits of a window in the direction of the move. *ret_at: where the next window begins (ends). */
static enum verdict_of_hit judge_all(struct dap_chase *c, const struct scan_hits *hits, uint64_t *ret_at, struct err *err)
{
	bool stopped = false;
	uint64_t stopped_at = 0;
	for (size_t n = 0; n < hits->count; n++) {
		const struct scan_hit *hit = &hits->list[c->backward ? hits->count - 1 - n : n];
		/* Others at the very same place are told of together. */
		if (stopped && dap_place_of(c, hit) != stopped_at)
			return HIT_STOP;
		/* What is about to be executed where a move back begins comes after it. */
		if (c->backward && c->request.watches[hit->watch].kind == SCAN_EXEC && hit->icount >= c->judged)
			continue;
		if (!cancel_check(c->s->verbs->cancel, err))
			return HIT_FAILED;
		enum verdict_of_hit verdict = dap_judge(c, hit, err);
		if (verdict == HIT_STALE && stopped)
			return HIT_STOP;
		if (verdict == HIT_STALE) {
			*ret_at = c->judged = hit->icount;
			verdict = judge_anew(c, hit, err);
			return verdict == HIT_PASS ? HIT_STALE : verdict;
		}
		if (verdict == HIT_FAILED)
			return verdict;
		stopped |= verdict == HIT_STOP;
		stopped_at = dap_place_of(c, hit);
	}
	return stopped ? HIT_STOP : HIT_PASS;
}

/* The hits of the next window. */
static bool look_through(
	struct dap_chase *c, uint64_t stride, uint64_t *from, uint64_t *to, struct scan_hits *hits, struct err *err)
{
	struct walk *walk = session_walk(c->s->verbs->session);
	uint64_t at = c->reached;
	*from = at;
	*to = c->last - at > stride ? at + stride : c->last;
	if (c->backward) {
		*to = at;
		*from = walk_grid_before(walk, at, stride);
		*from = *from < c->first ? c->first : *from;
	}
	bool ok = scan_window(c->scan, walk, &c->request, *from, *to, hits, err);
	if (!ok && c->request.test_count && err->code == ERR_QEMU) {
		c->plain = true;
		ok = dap_go(c->s, at, err) && dap_look_up(c, err) &&
			scan_window(c->scan, walk, &c->request, *from, *to, hits, err);
	}
	/* Going back the end of a window is needed: when it holds too much, a shorter one that ends there. */
	while (ok && c->backward && hits->to < *to) {
		scan_hits_finish(hits);
		*from = *to - (*to - *from + 3) / 4;
		ok = scan_window(c->scan, walk, &c->request, *from, *to, hits, err);
	}
	dap_moved(c->s);
	*to = ok && !c->backward ? hits->to : *to;
	return ok;
}

static void keep_counts(const struct dap_chase *c, int64_t *counts, bool back)
{
	for (size_t i = 0; i < c->s->point_count; i++)
		if (back)
			c->s->points[i].passed = counts[i];
		else
			counts[i] = c->s->points[i].passed;
}

static bool run(struct dap_chase *c, bool *found, struct err *err)
{
	uint64_t stride = WINDOW_FIRST, from, to;
	int64_t counts[DAP_POINTS_MAX];
	*found = false;
	if (!walk_keep(session_walk(c->s->verbs->session), err) || !dap_look_up(c, err))
		return false;
	dap_count_here(c);
	while (!c->over && (c->backward ? c->reached > c->first : c->reached < c->last)) {
		struct scan_hits hits;
		if (!look_through(c, stride, &from, &to, &hits, err))
			return false;
		uint64_t next = c->backward ? to : from;
		keep_counts(c, counts, false);
		enum verdict_of_hit verdict = judge_all(c, &hits, &next, err);
		scan_hits_finish(&hits);
		*found = verdict == HIT_STOP && !c->over;
		if (verdict == HIT_FAILED)
			keep_counts(c, counts, true);
		if (*found || verdict == HIT_FAILED)
			return *found;
		c->reached = verdict == HIT_STALE ? next : c->backward ? from : to;
		stride = verdict == HIT_STALE ? WINDOW_FIRST : stride < WINDOW_MAX ? stride * 4 : stride;
		say_progress(c, c->reached);
	}
	return true;
}

static bool begin(struct dap_chase *c, struct dap_server *s, bool backward, struct dap_stop *stop, struct err *err)
{
	struct session *session = s->verbs->session;
	uint64_t zero = session_zero(session);
	*c = (struct dap_chase){.s = s,
		.scan = session_scan(session, err),
		.backward = backward,
		.first = zero + session_begin(session),
		.last = zero + session_end(session),
		.origin = zero + session_icount(session),
		.stop = stop};
	c->reached = c->judged = c->origin;
	*stop = (struct dap_stop){0};
	return c->scan != NULL;
}

/* The nearest failure of a property in the direction of the move: where it is is known without looking. */
static const char *bound_by_property(struct dap_chase *c)
{
	const struct timeline *t = session_timeline(c->s->verbs->session);
	uint64_t zero = session_zero(c->s->verbs->session);
	const char *found = NULL;
	for (size_t i = 0; c->s->on_properties && i < timeline_property_count(t); i++) {
		const struct timeline_property *property = timeline_property(t, i);
		if (property->fact->verdict != VERDICT_FAIL || property->decided == TIMELINE_NONE)
			continue;
		uint64_t at = zero + timeline_entries(t)[property->decided].icount;
		if (c->backward ? at >= c->origin || at < c->first || (found && at <= c->first) : at <= c->origin || at > c->last)
			continue;
		if (!c->backward && found && at >= c->last)
			continue;
		found = property->fact->id;
		*(c->backward ? &c->first : &c->last) = at;
	}
	return found;
}

/* From where the kernel begins the program of the chosen process to its own first instruction. */
static bool to_first_instruction(struct dap_chase *c, struct err *err)
{
	const struct process *p;
	const struct thread *thread = targets_current(c->s->targets, c->s->thread, &p);
	struct scan_request r = {.task_at = verb_task_at(c->s->verbs), .task_count = 1, .count = 1};
	struct scan_hits hits;
	if (!thread)
		return true;
	r.tasks[0] = thread->task;
	r.watches[0] = (struct scan_watch){.kind = SCAN_EXEC, .low = 0, .high = UINT64_C(1) << 47};
	bool ok = scan_forward(c->scan, session_walk(c->s->verbs->session), &r, c->first, c->origin, 1, &hits, err);
	dap_moved(c->s);
	uint64_t at = ok && hits.count ? hits.list[0].icount : c->first;
	if (ok)
		scan_hits_finish(&hits);
	return ok && dap_go(c->s, at, err);
}

static void stop_at_bound(struct dap_chase *c, const char *property)
{
	struct dap_exception *e = &c->s->exception;
	c->stop->reason = c->backward ? "entry" : "exit";
	if (!property)
		return;
	*e = (struct dap_exception){.is_one = true};
	snprintf(e->id, sizeof e->id, "%s", property);
	snprintf(e->description, sizeof e->description, "the property %s has failed", property);
	c->stop->reason = "exception";
	snprintf(c->stop->text, sizeof c->stop->text, "%s", e->description);
}

/* After a move that was stopped on request or failed: to where nothing was found up to, when somebody asks for what is there.
 * Returns false. */
static bool give_up(struct dap_chase *c)
{
	struct cancel *cancel = c->s->verbs->cancel;
	c->s->interrupted |= cancel && cancel->requested && !c->s->work.asked;
	if (cancel)
		cancel->requested = false;
	c->s->work.stopped = false;
	walk_put_off(session_walk(c->s->verbs->session), c->reached);
	dap_moved(c->s);
	return false;
}

bool dap_hits_wanted(const struct dap_server *s)
{
	return s->point_count || s->on_signals || s->on_failures;
}

bool dap_hits_between(struct dap_server *s, uint64_t origin, struct dap_stop *stop, struct err *err)
{
	struct session *session = s->verbs->session;
	uint64_t zero = session_zero(session), end = zero + session_icount(session);
	struct dap_chase c;
	bool found = false, backward = end < zero + origin;
	if (end == zero + origin)
		return true;
	if (!dap_go(s, zero + origin, err) || !begin(&c, s, backward, stop, err))
		return false;
	*(backward ? &c.first : &c.last) = end;
	bool ok = run(&c, &found, err);
	/* Where the step ends it is a step that ends there. */
	if (ok && (!found || session_icount(session) + zero == end)) {
		stop->reason = NULL;
		ok = dap_go(s, end, err);
	}
	free(c.tasks);
	ok = ok || give_up(&c);
	dap_settle(&c);
	return ok;
}

bool dap_hits_pursue(struct dap_server *s, bool backward, struct dap_stop *stop, struct err *err)
{
	struct dap_chase c;
	bool found = false, ok = begin(&c, s, backward, stop, err);
	if (!ok)
		return false;
	const char *property = bound_by_property(&c);
	if (dap_hits_wanted(s) || targets_pid(s->targets))
		ok = run(&c, &found, err);
	if (ok && !found) {
		ok = dap_go(s, backward ? c.first : c.last, err) && (!c.over || to_first_instruction(&c, err));
		stop_at_bound(&c, property);
	}
	free(c.tasks);
	ok = ok || give_up(&c);
	dap_settle(&c);
	return ok;
}

bool dap_hits_find(struct dap_server *s, const struct dap_target *target, bool *found, struct err *err)
{
	struct dap_chase c;
	struct dap_stop stop;
	*found = false;
	bool ok = begin(&c, s, target->backward, &stop, err);
	c.target = target;
	ok = ok && run(&c, found, err);
	if (ok && !*found)
		ok = dap_go(s, c.origin, err);
	free(c.tasks);
	c.reached = c.origin;
	return ok || (c.scan && give_up(&c));
}
