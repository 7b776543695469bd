/* One time that something happened which a move looks for: is it a place to stop at? Conditions, counts, messages, exceptions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dap_chase.h"
#include "engine/event.h"

static bool matches(enum dap_times times, uint64_t number, int64_t passed)
{
	int64_t n = (int64_t)number;
	switch (times) {
	case TIMES_EQUAL:
		return passed == n;
	case TIMES_LESS:
		return passed > 0 && passed < n;
	case TIMES_AT_MOST:
		return passed > 0 && passed <= n;
	case TIMES_MORE:
		return passed > n;
	case TIMES_AT_LEAST:
		return passed >= n;
	case TIMES_EVERY:
		return passed > 0 && passed % n == 0;
	default:
		return true;
	}
}

/* One time of a point, at an absolute count. Going back, what was executed is gone only beyond its place: another point may stop
 * there; what was written is gone at it. */
static bool count(struct dap_chase *c, struct dap_point *point, uint64_t at)
{
	if (!c->backward)
		return matches(point->times, point->number, ++point->passed);
	if (point->kind == DAP_DATA)
		return matches(point->times, point->number, point->passed--);
	point->passed -= point->counted;
	point->counted = true;
	point->counted_at = at;
	return matches(point->times, point->number, point->passed);
}

/* The counts as they are at the place that a move came to. */
void dap_settle(struct dap_chase *c)
{
	uint64_t at = walk_now(session_walk(c->s->verbs->session));
	for (size_t i = 0; i < c->s->point_count; i++) {
		struct dap_point *point = &c->s->points[i];
		point->passed -= point->counted && point->counted_at != at;
		point->counted = false;
	}
}

bool dap_is_access(const struct dap_chase *c, const struct scan_hit *hit)
{
	return c->request.watches[hit->watch].kind & SCAN_ACCESS;
}

/* Where a hit is looked at: what was written is there going forward, and is not yet going back. */
uint64_t dap_place_of(const struct dap_chase *c, const struct scan_hit *hit)
{
	return dap_is_access(c, hit) && c->backward ? hit->icount - 1 : hit->icount;
}

static bool scope_here(struct dap_server *s, struct scope *ret, struct err *err)
{
	const struct process *p;
	const struct thread *thread = targets_current(s->targets, s->thread, &p);
	const struct frames *frames = thread ? targets_frames(s->targets, p, thread, err) : NULL;
	size_t i = 0;
	if (!frames)
		return thread != NULL || err_set(err, ERR_INPUT, "no process of a node lives here");
	while (i < frames->count && frames->list[i].kernel)
		i++;
	*ret = program_scope(targets_program(s->targets, p, err), i < frames->count ? &frames->list[i] : NULL);
	return true;
}

/* "counter is {counter.total}": what is in braces is evaluated; "\{" is a brace. */
static void tell_message(struct dap_server *s, const char *text, const struct scope *scope)
{
	struct buf out = {0};
	for (const char *at = text; *at;) {
		const char *end = *at == '{' ? strchr(at, '}') : NULL;
		if (at[0] == '\\' && (at[1] == '{' || at[1] == '}'))
			at++;
		if (!end) {
			buf_char(&out, *at++);
			continue;
		}
		char *expression = mem_strn(at + 1, (size_t)(end - at - 1));
		struct value value;
		struct err err = {0};
		if (!dap_evaluate_value(scope, expression, &value, &err))
			buf_printf(&out, "<%s>", err.text);
		else
			dap_print_value(s, scope, &value, &out);
		free(expression);
		at = end + 1;
	}
	buf_char(&out, '\n');
	dap_send_output(s, "console", out.data, out.size);
	buf_free(&out);
}

/* A breakpoint that has to be looked at where the machine stands. A condition that cannot be evaluated stops, and says why. */
static bool holds(struct dap_chase *c, struct dap_point *point, uint64_t at)
{
	struct scope scope = {0};
	struct err err = {0};
	uint64_t value = 1;
	bool ok = scope_here(c->s, &scope, &err);
	if (ok && point->condition)
		ok = dap_evaluate_number(&scope, point->condition, &value, &err);
	if (!ok) {
		char *text = mem_printf(
			"the condition '%s' cannot be evaluated here: %s\n", point->condition ? point->condition : "", err.text);
		dap_send_output(c->s, "important", text, strlen(text));
		free(text);
		return true;
	}
	if (!value || !count(c, point, at))
		return false;
	if (!point->message)
		return true;
	if (!c->backward)
		dap_tell_events(c->s, session_icount(c->s->verbs->session));
	tell_message(c->s, point->message, &scope);
	return false;
}

/* An instruction that was interrupted before it had any effect is begun again: that is the same time. */
static bool is_same_time(struct dap_chase *c, const struct scan_hit *hit)
{
	struct err ignored;
	const struct stop *stop = here_stop(session_here(c->s->verbs->session), &ignored);
	bool same = stop && hit->icount != c->before_at && hit->pc == c->before.rip && stop->regs.rip == c->before.rip &&
		stop->regs.rflags == c->before.rflags && !memcmp(stop->regs.gpr, c->before.gpr, sizeof stop->regs.gpr);
	if (stop) {
		c->before = stop->regs;
		c->before_at = hit->icount;
	}
	return same;
}

static void stop_at(struct dap_chase *c, const struct dap_point *point)
{
	static const char *const reasons[] = {"breakpoint", "function breakpoint", "instruction breakpoint", "data breakpoint"};
	if (!c->stop->count)
		c->stop->reason = reasons[point->kind];
	if (c->stop->count < DAP_POINTS_MAX)
		c->stop->ids[c->stop->count++] = point->id;
}

/* Is this place the one that was hit? */
static bool is_hit(
	const struct dap_chase *c, const struct dap_place *place, const struct scan_hit *hit, const struct dap_task *task)
{
	const struct scan_watch *w = &c->request.watches[hit->watch];
	if (c->s->points[place->point].kind == DAP_DATA)
		return w->kind == (c->s->points[place->point].access | SCAN_VIRTUAL) && place->address == w->low &&
			place->size == w->high - w->low && place->pid == w->process;
	if (c->point_of[hit->watch] && c->point_of[hit->watch] != place->point + 1)
		return false;
	/* What has a watch of its own is not hit by another one's. */
	for (uint32_t i = c->own; !c->point_of[hit->watch] && i < c->request.count; i++)
		if (c->point_of[i] == place->point + 1 && c->request.watches[i].low == hit->pc)
			return false;
	return w->kind == SCAN_EXEC && place->address == hit->pc && task && task->pid == place->pid;
}

static enum verdict_of_hit judge_points(
	struct dap_chase *c, const struct scan_hit *hit, const struct dap_task *task, struct err *err)
{
	struct dap_server *s = c->s;
	bool is_there = false, stops = false;
	size_t last = DAP_POINTS_MAX;
	for (size_t i = 0; i < s->place_count; i++) {
		struct dap_point *point = &s->points[s->places[i].point];
		if (!is_hit(c, &s->places[i], hit, task) || s->places[i].point == last)
			continue;
		last = s->places[i].point;
		bool looks = point->condition || point->message;
		/* One that only counts needs no look. */
		if (!looks && point->times && !count(c, point, hit->icount))
			continue;
		if (!is_there && !dap_go(s, dap_place_of(c, hit), err))
			return HIT_FAILED;
		if (!is_there && is_same_time(c, hit))
			return HIT_PASS;
		is_there = true;
		if (looks && !holds(c, point, hit->icount))
			continue;
		stop_at(c, point);
		stops = true;
	}
	return stops ? HIT_STOP : HIT_PASS;
}

static void say_signal(struct dap_chase *c, const struct process *p, uint64_t status)
{
	struct dap_exception *e = &c->s->exception;
	char name[16];
	struct buf who = {0};
	targets_name(c->s->targets, p, NULL, &who);
	*e = (struct dap_exception){.is_one = true};
	if (status & 0x7f) {
		snprintf(e->id, sizeof e->id, "%s", event_signal_name((int)(status & 0x7f), name));
		snprintf(e->description, sizeof e->description, "%s ends by %s", who.data, e->id);
	} else {
		snprintf(e->id, sizeof e->id, "exit %d", (int)(status >> 8 & 0xff));
		snprintf(e->description, sizeof e->description, "%s ends with status %d", who.data, (int)(status >> 8 & 0xff));
	}
	c->stop->reason = "exception";
	snprintf(c->stop->text, sizeof c->stop->text, "%s", e->description);
	buf_free(&who);
}

/* The kernel stands before do_group_exit(status). */
static enum verdict_of_hit judge_exit(
	struct dap_chase *c, const struct scan_hit *hit, const struct dap_task *task, struct err *err)
{
	struct dap_server *s = c->s;
	if (c->target)
		return HIT_PASS;
	if (!task || !task->ours) /* going back a process turns up here that ended later on */
		return c->backward || !task ? HIT_STALE : HIT_PASS;
	bool chosen = targets_pid(s->targets) == task->pid;
	if (!chosen && !s->on_signals && !s->on_failures)
		return c->backward ? HIT_STALE : HIT_PASS;
	if (!dap_go(s, hit->icount, err))
		return HIT_FAILED;
	const struct process_list *list = targets_processes(s->targets, err);
	const struct process *p = list ? process_find(list, task->pid) : NULL;
	const struct stop *stop = p ? here_stop(session_here(s->verbs->session), err) : NULL;
	if (!stop)
		return HIT_FAILED;
	uint64_t status = stop->regs.gpr[REGS_RDI];
	if (status & 0x7f ? s->on_signals : status && s->on_failures) {
		say_signal(c, p, status);
		return HIT_STOP;
	}
	if (chosen && !c->backward) {
		c->stop->reason = "exit";
		return HIT_STOP;
	}
	return HIT_STALE;
}

enum verdict_of_hit dap_judge(struct dap_chase *c, const struct scan_hit *hit, struct err *err)
{
	const struct dap_task *task = NULL;
	for (size_t i = 0; i < c->task_count && !task; i++)
		if (c->tasks[i].task == hit->task)
			task = &c->tasks[i];
	if (hit->watch == DAP_WATCH_EXIT)
		return judge_exit(c, hit, task, err);
	if (hit->watch < c->own && c->target) {
		c->over = c->over || (task && task->pid == c->target->pid); /* it is another program beyond this */
		return c->over ? HIT_STOP : HIT_PASS;
	}
	if (hit->watch < c->own && c->backward && task && task->pid == targets_pid(c->s->targets)) {
		c->over = true;
		c->first = hit->icount;
		return HIT_STOP;
	}
	if (hit->watch < c->own)
		return HIT_STALE;
	bool data = dap_is_access(c, hit);
	if (!data && !task && !c->target)
		return HIT_STALE; /* somebody who did not live where the pass began */
	if (c->target) {
		if (!task || task->pid != c->target->pid)
			return HIT_PASS;
		c->stop->reason = "goto";
		return dap_go(c->s, hit->icount, err) ? HIT_STOP : HIT_FAILED;
	}
	return judge_points(c, hit, task, err);
}

/* Where a move back begins, a point may be about to be executed: that time was counted, and is gone beyond this place. */
void dap_count_here(struct dap_chase *c)
{
	struct dap_server *s = c->s;
	struct err ignored;
	const struct process *p;
	const struct process_list *list = targets_processes(s->targets, &ignored);
	const struct thread *thread = targets_current(s->targets, 0, &p);
	bool live = thread && list && thread->task == list->current_task && c->before.cpl == 3;
	struct scope scope = {0};
	for (size_t i = 0; live && c->backward && i < s->place_count; i++) {
		struct dap_point *point = &s->points[s->places[i].point];
		uint64_t value = 1;
		if (point->kind == DAP_DATA || !point->times || s->places[i].pid != p->pid ||
			s->places[i].address != c->before.rip)
			continue;
		if (point->condition &&
			(!scope_here(s, &scope, &ignored) || !dap_evaluate_number(&scope, point->condition, &value, &ignored)))
			continue;
		point->counted = value != 0;
		point->counted_at = c->origin;
	}
}
