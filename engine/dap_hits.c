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

#include "engine/dap_server.h"
#include "engine/event.h"
#include "engine/kcode.h"
#include "engine/orc.h"
#include "engine/text.h"

enum {
	WINDOW_FIRST = 1000000,
	WINDOW_MAX = 64000000, /* instructions of one pass */
	WATCH_EXIT = 1,        /* the watch of ends of processes; before it that of begins of programs */
};

struct task {
	uint64_t task;
	uint32_t pid;
	bool ours;
};

struct chase {
	struct dap_server *s;
	struct scan *scan;
	bool backward;
	uint64_t first, last, origin; /* absolute counts */
	uint64_t reached;             /* so far nothing was found */
	uint64_t judged;              /* what is executed from here on is behind a move back */
	bool over;                    /* there is nothing to be found any more */
	struct regs before;           /* where it began, or looked last */
	struct scan_request request;
	uint32_t own; /* watches from here on are of breakpoints */
	struct task *tasks;
	size_t task_count, task_room;
	const struct dap_target *target; /* NULL: what the client's breakpoints say */
	struct dap_stop *stop;
};

enum verdict_of_hit { HIT_PASS, HIT_STOP, HIT_STALE /* look everything up anew */, HIT_FAILED };

/* ---- what a pass looks for --------------------------------------------------------------------------------------- */

static bool watch(struct chase *c, uint32_t kind, uint64_t low, uint64_t size, uint32_t pid)
{
	struct scan_request *r = &c->request;
	for (uint32_t i = c->own; i < r->count; i++)
		if (r->watches[i].kind == kind && r->watches[i].low == low && r->watches[i].high == low + size &&
			r->watches[i].process == pid)
			return true;
	if (r->count == SCAN_WATCHES)
		return false;
	r->watches[r->count++] = (struct scan_watch){.kind = kind, .low = low, .high = low + size, .process = pid};
	return true;
}

/* Code is looked for in everybody, since a child may begin that has it too; data in its process. */
static bool watch_place(struct chase *c, const struct dap_place *place)
{
	const struct dap_point *point = &c->s->points[place->point];
	if (point->kind == DAP_DATA)
		return watch(c, point->access | SCAN_VIRTUAL, place->address, place->size, place->pid);
	return watch(c, SCAN_EXEC, place->address, 1, 0);
}

static bool kernel_watch(struct chase *c, const struct guest *guest, const char *name, struct err *err)
{
	uint64_t address;
	if (!kcode_find(guest, name, &address))
		return err_set(err, ERR_QEMU, "this kernel has no symbol %s", name);
	c->request.watches[c->request.count++] = (struct scan_watch){.kind = SCAN_EXEC, .low = address, .high = address + 1};
	return true;
}

/* Is there a point that this process may come to have code for? */
static bool may_load(const struct dap_server *s, uint32_t pid)
{
	for (size_t i = 0; i < s->point_count; i++) {
		bool found = s->points[i].kind != DAP_LINE && s->points[i].kind != DAP_FUNCTION;
		for (size_t k = 0; k < s->place_count && !found; k++)
			found = s->places[k].point == i && s->places[k].pid == pid;
		if (!found)
			return true;
	}
	return false;
}

/* What dynamic linkers call when they have mapped something, so that debuggers can stop there. */
static void watch_loader(struct chase *c, const struct process *p)
{
	struct err ignored;
	uint64_t address, size;
	struct program *program = may_load(c->s, p->pid) ? targets_program(c->s->targets, p, &ignored) : NULL;
	if (program && c->request.count < SCAN_WATCHES / 4 &&
		symbols_find(program_symbols(program), "_dl_debug_state", &address, &size))
		watch(c, SCAN_EXEC, address, 1, 0);
}

static void note_tasks(struct chase *c, const struct process_list *list)
{
	c->task_count = 0;
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->list[i].thread_count; k++)
			ARRAY_PUSH(c->tasks, c->task_count, c->task_room) = (struct task){
				list->list[i].threads[k].task, list->list[i].pid, targets_has(c->s->targets, &list->list[i])};
}

/* Everything for the moment that the machine stands at. */
static bool look_up(struct chase *c, struct err *err)
{
	struct dap_server *s = c->s;
	struct here *here = session_here(s->verbs->session);
	const struct stop *stop = here_stop(here, err);
	const struct guest *guest = stop ? here_guest(here, err) : NULL;
	const struct process_list *list = guest ? targets_processes(s->targets, err) : NULL;
	if (!list)
		return false;
	c->before = stop->regs;
	note_tasks(c, list);
	session_scan_request(s->verbs->session, &c->request);
	/* Back from its begin a process is what it was before. */
	if (!kernel_watch(c, guest, c->backward ? "begin_new_exec" : "start_thread", err) ||
		!kernel_watch(c, guest, "do_group_exit", err))
		return false;
	c->own = c->request.count;
	if (c->target) {
		watch(c, SCAN_EXEC, c->target->address, 1, 0);
		return true;
	}
	dap_points_resolve(s, true);
	for (size_t i = 0; i < list->count && !c->backward; i++)
		if (targets_has(s->targets, &list->list[i]))
			watch_loader(c, &list->list[i]);
	c->own = c->request.count;
	for (size_t i = 0; i < s->place_count; i++) {
		if (!watch_place(c, &s->places[i]))
			return err_set(err, ERR_USAGE,
				"the breakpoints come to more than %d addresses: fewer can be looked for at once",
				SCAN_WATCHES - (int)c->own);
	}
	return true;
}

/* ---- one hit ----------------------------------------------------------------------------------------------------- */

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
static bool count(struct chase *c, struct dap_point *point, uint64_t at)
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
static void settle(struct chase *c)
{
	uint64_t at = walk_now(session_walk(c->s->verbs->session));
	for (size_t i = 0; i < c->s->point_count; i++) {
		struct dap_point *point = &c->s->points[i];
		point->passed -= point->counted && point->counted_at != at;
		point->counted = false;
	}
}

static bool is_access(const struct chase *c, const struct scan_hit *hit)
{
	return c->request.watches[hit->watch].kind & SCAN_ACCESS;
}

/* Where a hit is looked at: what was written is there going forward, and is not yet going back. */
static uint64_t place_of(const struct chase *c, const struct scan_hit *hit)
{
	return is_access(c, hit) && c->backward ? hit->icount - 1 : hit->icount;
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
			dap_print_value(scope, &value, &out);
		free(expression);
		at = end + 1;
	}
	buf_char(&out, '\n');
	dap_send_output(s, "console", out.data, out.size);
	buf_free(&out);
}

/* A breakpoint that has to be looked at where the machine stands. A condition that cannot be evaluated stops, and says why. */
static bool holds(struct chase *c, struct dap_point *point, uint64_t at)
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
static bool is_same_time(struct chase *c, const struct scan_hit *hit)
{
	struct err ignored;
	const struct stop *stop = here_stop(session_here(c->s->verbs->session), &ignored);
	bool same = stop && hit->pc == c->before.rip && stop->regs.rip == c->before.rip &&
		stop->regs.rflags == c->before.rflags && !memcmp(stop->regs.gpr, c->before.gpr, sizeof stop->regs.gpr);
	if (stop)
		c->before = stop->regs;
	return same;
}

static void stop_at(struct chase *c, const struct dap_point *point)
{
	static const char *const reasons[] = {"breakpoint", "function breakpoint", "instruction breakpoint", "data breakpoint"};
	if (!c->stop->count)
		c->stop->reason = reasons[point->kind];
	if (c->stop->count < DAP_POINTS_MAX)
		c->stop->ids[c->stop->count++] = point->id;
}

/* Is this place the one that was hit? */
static bool is_hit(const struct chase *c, const struct dap_place *place, const struct scan_hit *hit, const struct task *task)
{
	const struct scan_watch *w = &c->request.watches[hit->watch];
	if (c->s->points[place->point].kind == DAP_DATA)
		return w->kind == (c->s->points[place->point].access | SCAN_VIRTUAL) && place->address == w->low &&
			place->size == w->high - w->low && place->pid == w->process;
	return w->kind == SCAN_EXEC && place->address == hit->pc && task && task->pid == place->pid;
}

static enum verdict_of_hit judge_points(struct chase *c, const struct scan_hit *hit, const struct task *task, struct err *err)
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
		if (!is_there && !dap_go(s, place_of(c, hit), err))
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

static void say_signal(struct chase *c, const struct process *p, uint64_t status)
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
static enum verdict_of_hit judge_exit(struct chase *c, const struct scan_hit *hit, const struct task *task, struct err *err)
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

static enum verdict_of_hit judge(struct chase *c, const struct scan_hit *hit, struct err *err)
{
	const struct task *task = NULL;
	for (size_t i = 0; i < c->task_count && !task; i++)
		if (c->tasks[i].task == hit->task)
			task = &c->tasks[i];
	if (hit->watch == WATCH_EXIT)
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
	bool data = is_access(c, hit);
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

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void say_progress(struct chase *c, uint64_t at)
{
	uint64_t done = at > c->origin ? at - c->origin : c->origin - at;
	dap_progress(c->s, done, c->backward ? c->origin - c->first : c->last - c->origin);
}

/* After a hit that tells of somebody new: the places are looked up there, and the hit is judged once more. */
static enum verdict_of_hit judge_anew(struct chase *c, const struct scan_hit *hit, struct err *err)
{
	struct regs before = c->before;
	uint64_t pc = hit->pc;
	bool own = hit->watch >= c->own;
	if (!dap_go(c->s, hit->icount, err) || !look_up(c, err))
		return HIT_FAILED;
	c->before = before;
	struct scan_hit again = *hit;
	if (hit->watch == WATCH_EXIT) {
		enum verdict_of_hit end = judge(c, &again, err);
		return end == HIT_STALE ? HIT_PASS : end;
	}
	if (!own)
		return HIT_PASS;
	for (again.watch = c->own; again.watch < c->request.count; again.watch++)
		if (c->request.watches[again.watch].kind == SCAN_EXEC && c->request.watches[again.watch].low == pc)
			break;
	enum verdict_of_hit verdict = again.watch < c->request.count ? judge(c, &again, err) : HIT_PASS;
	return verdict == HIT_STALE ? HIT_PASS : verdict;
}

/* Looks through the hits of a window in the direction of the move. *ret_at: where the next window begins (ends). */
static enum verdict_of_hit judge_all(struct chase *c, const struct scan_hits *hits, uint64_t *ret_at, struct err *err)
{
	bool stopped = false;
	uint64_t stopped_at = 0;
	for (size_t n = 0; n < hits->count; n++) {
		const struct scan_hit *hit = &hits->list[c->backward ? hits->count - 1 - n : n];
		/* Others at the very same place are told of together. */
		if (stopped && place_of(c, hit) != stopped_at)
			return HIT_STOP;
		/* What is about to be executed where a move back begins comes after it. */
		if (c->backward && c->request.watches[hit->watch].kind == SCAN_EXEC && hit->icount >= c->judged)
			continue;
		if (!cancel_check(c->s->verbs->cancel, err))
			return HIT_FAILED;
		enum verdict_of_hit verdict = judge(c, hit, err);
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
		stopped_at = place_of(c, hit);
	}
	return stopped ? HIT_STOP : HIT_PASS;
}

/* The hits of the next window. */
static bool look_through(struct chase *c, uint64_t stride, uint64_t *from, uint64_t *to, struct scan_hits *hits, struct err *err)
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

/* Where a move back begins, a point may be about to be executed: that time was counted, and is gone beyond this place. */
static void count_here(struct chase *c)
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

static void keep_counts(const struct chase *c, int64_t *counts, bool back)
{
	for (size_t i = 0; i < c->s->point_count; i++)
		if (back)
			c->s->points[i].passed = counts[i];
		else
			counts[i] = c->s->points[i].passed;
}

static bool run(struct chase *c, bool *found, struct err *err)
{
	uint64_t stride = WINDOW_FIRST, from, to;
	int64_t counts[DAP_POINTS_MAX];
	*found = false;
	if (!walk_keep(session_walk(c->s->verbs->session), err) || !look_up(c, err))
		return false;
	count_here(c);
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

static bool begin(struct chase *c, struct dap_server *s, bool backward, struct dap_stop *stop, struct err *err)
{
	struct session *session = s->verbs->session;
	uint64_t zero = session_zero(session);
	*c = (struct chase){.s = s,
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
static const char *bound_by_property(struct chase *c)
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
static bool to_first_instruction(struct chase *c, struct err *err)
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

static void stop_at_bound(struct chase *c, const char *property)
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

/* After a move that was stopped on request or failed: to where nothing was found up to. Returns false. */
static bool give_up(struct chase *c)
{
	struct err second = {0};
	struct cancel *cancel = c->s->verbs->cancel;
	c->s->interrupted |= cancel && cancel->requested && !c->s->work.asked;
	if (cancel)
		cancel->requested = false;
	c->s->work.stopped = false;
	dap_go(c->s, c->reached, &second);
	return false;
}

bool dap_hits_pursue(struct dap_server *s, bool backward, struct dap_stop *stop, struct err *err)
{
	struct chase c;
	bool found = false, ok = begin(&c, s, backward, stop, err);
	if (!ok)
		return false;
	const char *property = bound_by_property(&c);
	if (s->point_count || s->on_signals || s->on_failures || targets_pid(s->targets))
		ok = run(&c, &found, err);
	if (ok && !found) {
		ok = dap_go(s, backward ? c.first : c.last, err) && (!c.over || to_first_instruction(&c, err));
		stop_at_bound(&c, property);
	}
	free(c.tasks);
	ok = ok || give_up(&c);
	settle(&c);
	return ok;
}

bool dap_hits_find(struct dap_server *s, const struct dap_target *target, bool *found, struct err *err)
{
	struct chase c;
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
