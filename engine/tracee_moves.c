/* How a tracee moves: single steps, and hunts for the nearest of all that a move may stop at. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tracee_inside.h"

enum {
	AGAIN_MAX = 64,   /* times that one instruction is begun anew, by faults or interrupts */
	RANGE_STEPS = 40, /* single steps within a range before it is hunted for its end */
	COMPARED_MAX = 64 /* bytes of a watchpoint that are compared by steps; larger ones are scanned for */
};

/* What a watch of a scan is for. */
enum look { LOOK_POINT, LOOK_FUNCTION, LOOK_STEP, LOOK_VFORK };

struct hunt {
	const struct tracee_move *move;
	struct scan_request r;
	struct {
		enum look look;
		uint32_t number; /* of the point, or the function */
		uint32_t pid;
	} what[SCAN_WATCHES];
	/* Where the move began. */
	uint64_t origin, pc;
	uint32_t thread;  /* that was about to execute its instruction at pc; 0: none */
	uint64_t limit;   /* forward: no further than this; 0: to the end */
	bool hunted;      /* others may have executed something */
	uint64_t reached; /* there is nothing between the origin and this */
};

/* ---- places -------------------------------------------------------------------------------------------------- */

static bool go(struct tracee *t, uint64_t absolute, struct err *err)
{
	struct walk_trip trip;
	bool ok = walk_to(session_walk(t->session), absolute, &trip, err);
	session_moved(t->session);
	if (ok && trip.reached != absolute)
		return err_set(err, ERR_QEMU, "the guest stopped itself at %" PRIu64, trip.reached - session_zero(t->session));
	return ok;
}

static uint64_t now(const struct tracee *t)
{
	return walk_now(session_walk(t->session));
}

static uint64_t first(const struct tracee *t)
{
	return session_zero(t->session) + session_begin(t->session);
}

static uint64_t last(const struct tracee *t)
{
	return session_zero(t->session) + session_end(t->session);
}

static uint64_t pc(struct tracee *t)
{
	const struct stop *stop = tracee_stop_here(t);
	return stop ? stop->regs.rip : 0;
}

/* ---- what is looked for -------------------------------------------------------------------------------------- */

static void look_for(struct hunt *h, const struct scan_watch *watch, enum look look, uint32_t number, uint32_t pid)
{
	if (h->r.count == SCAN_WATCHES)
		return; /* TRACEE_POINTS_MAX leaves room */
	h->what[h->r.count].look = look;
	h->what[h->r.count].number = number;
	h->what[h->r.count].pid = pid;
	h->r.watches[h->r.count++] = *watch;
}

/* The task of a thread that alone is looked at; 0: of all. */
static uint64_t locked_task(struct tracee *t, const struct tracee_move *m)
{
	const struct thread *th = m->locked ? tracee_find_thread(t, m->step ? m->step : m->thread) : NULL;
	return th ? th->task : 0;
}

static void look_for_points(struct tracee *t, struct hunt *h, uint64_t task)
{
	static const uint32_t kinds[] = {[TRACEE_CODE] = SCAN_EXEC,
		[TRACEE_WRITE] = SCAN_WRITE | SCAN_VIRTUAL,
		[TRACEE_READ] = SCAN_READ | SCAN_VIRTUAL,
		[TRACEE_ACCESS] = SCAN_ACCESS | SCAN_VIRTUAL};
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tracee_point *p = &t->points[i];
		struct scan_watch w = {.kind = kinds[p->kind],
			.low = p->address,
			.high = p->address + (p->kind == TRACEE_CODE ? 1 : p->size),
			.task = task,
			.process = p->pid};
		if (!h->move->process || t->machine || p->pid == h->move->process)
			look_for(h, &w, LOOK_POINT, i, p->pid);
	}
}

static void look_for_function(
	struct tracee *t, struct hunt *h, enum tracee_function which, uint32_t pid, uint64_t task, bool wanted)
{
	struct scan_watch w = {
		.kind = SCAN_EXEC, .low = t->functions[which], .high = t->functions[which] + 1, .task = task, .process = pid};
	if (wanted)
		look_for(h, &w, LOOK_FUNCTION, which, pid);
}

static void look_for_happenings(struct tracee *t, struct hunt *h, uint64_t task)
{
	bool forward = !h->move->backward;
	for (size_t i = 0; i < t->pid_count; i++) {
		uint32_t pid = t->pids[i];
		if (h->move->process && pid != h->move->process)
			continue;
		look_for_function(t, h, TRACEE_START, pid, 0, true);
		look_for_function(t, h, TRACEE_EXIT, pid, 0, forward);
		look_for_function(t, h, TRACEE_GET_SIGNAL, pid, task, t->events & TRACEE_TELL_SIGNALS);
		look_for_function(t, h, TRACEE_NEW_TASK, pid, task, forward && t->events & TRACEE_TELL_FORK);
	}
}

/* A thread that is to make a step, or to go on alone, may end instead. */
static void look_for_its_end(struct tracee *t, struct hunt *h)
{
	const struct tracee_move *m = h->move;
	const struct thread *th = tracee_find_thread(t, m->step ? m->step : m->thread);
	if (th && !m->backward && (m->step || m->locked))
		look_for_function(t, h, TRACEE_THREAD_EXIT, 0, th->task, true);
}

static void look_for_step(struct tracee *t, struct hunt *h)
{
	const struct tracee_move *m = h->move;
	const struct thread *th = tracee_find_thread(t, m->step);
	struct scan_watch below = {.kind = SCAN_EXEC, .high = TRACEE_USER_END, .task = th ? th->task : 0}, above = below;
	if (!th)
		return;
	if (m->low != m->high) {
		below.high = m->low;
		above.low = m->high;
		look_for(h, &above, LOOK_STEP, 0, 0);
	}
	look_for(h, &below, LOOK_STEP, 0, 0);
}

static void prepare(struct tracee *t, struct hunt *h)
{
	uint64_t task = locked_task(t, h->move);
	const struct thread *vforked = t->vforked && !h->move->backward ? tracee_find_thread(t, t->vforked) : NULL;
	session_scan_request(t->session, &h->r);
	look_for_points(t, h, task);
	if (t->machine)
		return;
	look_for_happenings(t, h, task);
	look_for_its_end(t, h);
	if (vforked)
		look_for(h, &(struct scan_watch){.kind = SCAN_EXEC, .high = TRACEE_USER_END, .task = vforked->task}, LOOK_VFORK,
			0, 0);
	if (h->move->step)
		look_for_step(t, h);
}

/* ---- finding it ---------------------------------------------------------------------------------------------- */

/* Only what the one instruction before `at` did with memory. */
static bool touched_before(struct tracee *t, struct hunt *h, uint64_t at, struct scan_hits *hits, struct err *err)
{
	struct scan *scan = session_scan(t->session, err);
	struct scan_request accesses = h->r;
	bool any = false;
	*hits = (struct scan_hits){0};
	for (uint32_t i = 0; i < accesses.count; i++) {
		any |= (accesses.watches[i].kind & SCAN_ACCESS) != 0;
		if (!(accesses.watches[i].kind & SCAN_ACCESS)) /* nothing, so that the numbers stay the same */
			accesses.watches[i] = (struct scan_watch){.kind = SCAN_EXEC};
	}
	bool ok = scan && (!any || scan_backward(scan, session_walk(t->session), &accesses, at - 1, at, 1, hits, err));
	session_moved(t->session);
	return ok;
}

/* The nearest hit from a place on. Going back over the last instruction undoes what it did with memory, so that counts, while
 * what is about to be executed here does not. */
static bool nearest(struct tracee *t, struct hunt *h, uint64_t from, struct scan_hits *hits, struct err *err)
{
	struct scan *scan = session_scan(t->session, err);
	struct walk *walk = session_walk(t->session);
	bool back = h->move->backward;
	*hits = (struct scan_hits){.from = from, .to = from};
	bool ok = scan && walk_keep(walk, err) && (!back || touched_before(t, h, from, hits, err));
	if (ok && !hits->count)
		ok = back ? scan_backward(scan, walk, &h->r, first(t), from - 1, 1, hits, err)
			  : scan_forward(scan, walk, &h->r, from, h->limit ? h->limit : last(t), 1, hits, err);
	h->reached = back ? hits->from : hits->to;
	session_moved(t->session);
	return ok;
}

/* To the first instruction of the process (its number) or, 0, of the thread on the processor, from here. */
static bool to_user(struct tracee *t, uint32_t pid, bool *found, struct err *err)
{
	struct scan *scan = session_scan(t->session, err);
	struct scan_request r;
	struct scan_hits hits;
	const struct thread *th = pid ? NULL : tracee_on_processor(t, NULL);
	*found = false;
	if (!scan)
		return false;
	session_scan_request(t->session, &r);
	r.watches[r.count++] =
		(struct scan_watch){.kind = SCAN_EXEC, .high = TRACEE_USER_END, .process = pid, .task = th ? th->task : 0};
	bool ok = scan_forward(scan, session_walk(t->session), &r, now(t), last(t), 1, &hits, err);
	session_moved(t->session);
	*found = ok && hits.count;
	ok = ok && (!hits.count || go(t, hits.list[0].icount, err));
	scan_hits_finish(&hits);
	return ok;
}

/* An instruction that a fault or an interrupt kept from ending is begun again: going back from the second attempt, the first one
 * is not another time that it was reached. */
static bool is_first_attempt(struct tracee *t, const struct hunt *h, uint64_t hit, bool *ret, struct err *err)
{
	bool found;
	const struct thread *th = tracee_on_processor(t, NULL);
	*ret = false;
	if (!h->move->backward || !h->thread || !th || th->id != h->thread || pc(t) != h->pc || hit >= last(t))
		return true;
	uint32_t id = th->id;
	if (!go(t, hit + 1, err))
		return false;
	if (!tracee_in_user(t, id) && tracee_on_processor(t, NULL) && to_user(t, 0, &found, err))
		*ret = found && now(t) == h->origin;
	return *ret || go(t, hit, err);
}

static bool accept_point(
	struct tracee *t, struct hunt *h, uint32_t number, uint64_t hit, bool *ret, struct tracee_stop *stop, struct err *err)
{
	const struct tracee_point *p = &t->points[number];
	const struct thread *th = tracee_on_processor(t, NULL);
	bool again = false;
	if (p->kind == TRACEE_CODE && !t->machine) {
		/* In a step that is no stop at a point: the instruction was begun anew. */
		if (h->move->step && th && th->id == h->thread && pc(t) == h->pc) {
			*stop = (struct tracee_stop){.why = TRACEE_STEPPED};
			return *ret = true;
		}
		if (!is_first_attempt(t, h, hit, &again, err))
			return false;
	}
	*ret = !again;
	*stop = (struct tracee_stop){
		.why = p->kind == TRACEE_CODE ? TRACEE_BREAK : TRACEE_WATCH, .kind = p->kind, .address = p->address};
	return true;
}

static bool accept_function(struct tracee *t, struct hunt *h, enum tracee_function which, uint32_t pid, bool *ret,
	struct tracee_stop *stop, struct err *err)
{
	*ret = tracee_happening(t, which, pid, stop);
	if (!*ret || which != TRACEE_START)
		return true;
	if (h->move->backward) {
		stop->why = TRACEE_BEGIN;
		t->pid = pid;
		return true;
	}
	*ret = t->events & TRACEE_TELL_EXEC;
	bool found;
	/* A process that is killed before its new program begins is told by its end. */
	if (*ret && !to_user(t, pid, &found, err))
		return false;
	*ret = *ret && found;
	return true;
}

/* The machine stands at the hit: is it what the move is about? It may move on from there, to where that begins. */
static bool accept(
	struct tracee *t, struct hunt *h, const struct scan_hit *hit, bool *ret, struct tracee_stop *stop, struct err *err)
{
	uint32_t number = h->what[hit->watch].number;
	*ret = true;
	switch (h->what[hit->watch].look) {
	case LOOK_POINT:
		return accept_point(t, h, number, hit->icount, ret, stop, err);
	case LOOK_FUNCTION:
		return accept_function(t, h, (enum tracee_function)number, h->what[hit->watch].pid, ret, stop, err);
	case LOOK_STEP:
		*stop = (struct tracee_stop){.why = TRACEE_STEPPED};
		return true;
	case LOOK_VFORK:
		*stop = (struct tracee_stop){.why = TRACEE_VFORK_DONE};
		t->vforked = 0;
		return true;
	}
	return true;
}

static bool is_told(struct tracee *t, const struct hunt *h, const struct scan_hit *hit)
{
	const struct thread *th = t->told.thread && !h->move->backward ? tracee_find_thread(t, t->told.thread) : NULL;
	return th && hit->task == th->task && hit->icount <= t->told.until;
}

/* Goes to the nearest thing that the move is about. *found false: there is none, and the position is not defined. */
static bool hunt(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	uint64_t from = now(t), end = h->limit ? h->limit : last(t);
	bool back = h->move->backward;
	*found = false;
	h->hunted = true;
	while (back ? from > first(t) : from < end) {
		struct scan_hits hits;
		prepare(t, h);
		if (!nearest(t, h, from, &hits, err))
			return false;
		bool any = hits.count > 0;
		struct scan_hit hit = any ? hits.list[0] : (struct scan_hit){0};
		scan_hits_finish(&hits);
		if (!any)
			return true;
		bool access = h->r.watches[hit.watch].kind & SCAN_ACCESS;
		from = hit.icount;
		if (!go(t, access && back ? from - 1 : from, err))
			return false;
		if (is_told(t, h, &hit))
			continue;
		if (!accept(t, h, &hit, found, stop, err))
			return false;
		if (*found)
			return true;
		if (now(t) != from && !go(t, from, err))
			return false;
	}
	return true;
}

/* ---- single steps -------------------------------------------------------------------------------------------- */

struct seen {
	unsigned char bytes[COMPARED_MAX];
	size_t size;
};

static bool is_compared(const struct tracee_point *p)
{
	return p->kind == TRACEE_WRITE && p->size <= COMPARED_MAX;
}

/* What the watched memory holds. The result is the caller's; NULL when nothing is watched. */
static struct seen *look_at_points(struct tracee *t)
{
	bool any = false;
	for (uint32_t i = 0; i < t->count; i++)
		any |= t->points[i].kind != TRACEE_CODE;
	struct seen *seen = any ? mem_array(t->count, sizeof *seen) : NULL;
	for (uint32_t i = 0; any && i < t->count; i++)
		if (is_compared(&t->points[i]))
			seen[i].size =
				tracee_read(t, t->points[i].pid, t->points[i].address, seen[i].bytes, (size_t)t->points[i].size);
	return seen;
}

/* Did the one instruction between `low` and the next touch what is watched? The machine stands where it stood. */
static bool has_touched(struct tracee *t, struct hunt *h, const struct seen *seen, uint64_t low, struct tracee_stop *stop,
	bool *ret, struct err *err)
{
	unsigned char bytes[COMPARED_MAX];
	bool scan = false;
	*ret = false;
	for (uint32_t i = 0; seen && i < t->count && !*ret; i++) {
		const struct tracee_point *p = &t->points[i];
		scan |= p->kind != TRACEE_CODE && !is_compared(p);
		if (!is_compared(p))
			continue;
		size_t size = tracee_read(t, p->pid, p->address, bytes, (size_t)p->size);
		*ret = size != seen[i].size || memcmp(bytes, seen[i].bytes, size) != 0;
		if (*ret)
			*stop = (struct tracee_stop){.why = TRACEE_WATCH, .kind = p->kind, .address = p->address};
	}
	if (*ret || !scan)
		return true;
	uint64_t here = now(t);
	struct scan_hits hits;
	prepare(t, h);
	bool ok = walk_keep(session_walk(t->session), err) && touched_before(t, h, low + 1, &hits, err);
	if (ok && hits.count) {
		const struct tracee_point *p = &t->points[h->what[hits.list[0].watch].number];
		*stop = (struct tracee_stop){.why = TRACEE_WATCH, .kind = p->kind, .address = p->address};
		*ret = true;
	}
	if (ok)
		scan_hits_finish(&hits);
	return ok && go(t, here, err);
}

/* One instruction of the machine; *whole: the thread stands before another instruction of its own. */
static bool step_machine(struct tracee *t, struct hunt *h, bool *whole, struct tracee_stop *stop, struct err *err)
{
	uint64_t at = now(t), to = h->move->backward ? at - 1 : at + 1;
	struct seen *seen = look_at_points(t);
	bool touched;
	*stop = (struct tracee_stop){.why = TRACEE_STEPPED};
	bool ok = go(t, to, err) && has_touched(t, h, seen, to < at ? to : at, stop, &touched, err);
	free(seen);
	*whole = ok && (touched || t->machine || tracee_in_user(t, h->move->step));
	return ok;
}

static bool at_the_end(struct tracee *t, const struct tracee_move *m)
{
	return m->backward ? now(t) == first(t) : now(t) == last(t);
}

/* To the thread's next instruction, or to what comes before. */
static bool step_once(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	for (int i = 0; i < AGAIN_MAX; i++) {
		*found = false;
		if (at_the_end(t, h->move))
			return true;
		h->thread = t->machine || tracee_in_user(t, h->move->step) ? h->move->step : 0;
		h->pc = pc(t);
		if (h->thread && !step_machine(t, h, found, stop, err))
			return false;
		if (*found)
			return true;
		if (!hunt(t, h, found, stop, err))
			return false;
		/* An instruction that was interrupted before it could end is begun again: go on with it. */
		if (!*found || stop->why != TRACEE_STEPPED || !h->thread || pc(t) != h->pc)
			return true;
	}
	return true;
}

static bool is_inside(struct tracee *t, const struct tracee_move *m)
{
	return m->low != m->high && pc(t) >= m->low && pc(t) < m->high;
}

static bool at_a_point(struct tracee *t, struct tracee_stop *stop)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->points[i].kind != TRACEE_CODE || t->points[i].address != pc(t))
			continue;
		*stop = (struct tracee_stop){.why = TRACEE_BREAK, .address = pc(t)};
		return true;
	}
	return false;
}

static bool step(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	struct tracee_move single = *h->move;
	const struct tracee_move *whole = h->move;
	single.low = single.high = 0;
	if (!t->machine && !tracee_find_thread(t, whole->step))
		return err_set(err, ERR_INPUT, "thread %u does not live here", whole->step);
	for (int i = 0; i < RANGE_STEPS; i++) {
		h->move = &single;
		bool ok = step_once(t, h, found, stop, err) && cancel_check(t->cancel, err);
		h->move = whole;
		if (!ok)
			h->reached = now(t);
		if (!ok || !*found || stop->why != TRACEE_STEPPED || !is_inside(t, whole) || at_a_point(t, stop))
			return ok;
	}
	h->thread = 0;
	if (!t->machine)
		return hunt(t, h, found, stop, err);
	*stop = (struct tracee_stop){.why = TRACEE_STEPPED}; /* a step may end early: gdb asks again */
	return true;
}

/* ---- moves --------------------------------------------------------------------------------------------------- */

/* From where the kernel begins the program, or from the run's begin, to its first instruction. */
static bool to_begin(struct tracee *t, uint32_t pid, uint64_t origin, struct err *err)
{
	bool found = false;
	return (t->machine || to_user(t, pid, &found, err)) && ((found && now(t) < origin) || t->machine || go(t, origin, err));
}

static bool exits_here(struct tracee *t, struct tracee_stop *stop)
{
	uint32_t pid;
	if (t->machine || pc(t) != t->functions[TRACEE_EXIT] || !tracee_on_processor(t, &pid))
		return false;
	return tracee_happening(t, TRACEE_EXIT, pid, stop);
}

/* What others did while a thread stepped alone: back to where that began, and on to where it ended. */
static bool pay(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	const struct tracee_move *whole = h->move;
	struct tracee_move others = {.process = whole->process};
	uint64_t to = t->owed.to;
	bool owed = t->owed.thread && !whole->backward && !whole->locked && to == now(t);
	if (!owed)
		return true;
	t->told.thread = t->owed.thread;
	t->told.until = to;
	h->move = &others;
	h->limit = to;
	bool ok = go(t, t->owed.from, err) && hunt(t, h, found, stop, err);
	h->move = whole;
	h->limit = 0;
	if (!ok || *found)
		return ok;
	t->told.thread = 0;
	return go(t, to, err);
}

static void forget_told(struct tracee *t, const struct tracee_move *m)
{
	if (m->backward || m->step == t->told.thread || now(t) >= t->told.until)
		t->told.thread = 0;
}

static bool move(struct tracee *t, struct hunt *h, struct tracee_stop *stop, struct err *err)
{
	bool back = h->move->backward, found = false;
	uint32_t pid = h->move->process ? h->move->process : t->pid;
	forget_told(t, h->move);
	bool paid = pay(t, h, &found, stop, err);
	t->owed.thread = 0;
	if (!paid || found)
		return paid;
	h->hunted = false;
	if (back)
		t->vforked = 0;
	if (!back && exits_here(t, stop))
		return true;
	h->thread = !t->machine && tracee_in_user(t, t->thread) ? t->thread : 0;
	h->pc = pc(t);
	if (h->move->step ? !step(t, h, &found, stop, err) : !hunt(t, h, &found, stop, err))
		return false;
	if (found && stop->why == TRACEE_BEGIN)
		return to_begin(t, t->pid, h->origin, err);
	if (found)
		return true;
	*stop = (struct tracee_stop){.why = back ? TRACEE_BEGIN : TRACEE_END};
	if (h->move->step) /* so that stepping back from there is no surprise */
		return go(t, h->origin, err);
	if (!go(t, back ? first(t) : last(t), err))
		return false;
	return !back || to_begin(t, pid, h->origin, err);
}

/* A move that failed, or was cancelled. */
static bool give_up(struct tracee *t, const struct hunt *h, struct tracee_stop *stop, struct err *err)
{
	struct err second;
	struct walk *walk = session_walk(t->session);
	bool stay = err->code == ERR_CANCELLED && h->move->stay;
	uint64_t reached = h->move->backward ? (h->reached < h->origin ? h->reached : h->origin)
					     : (h->reached > h->origin ? h->reached : h->origin);
	if (t->cancel)
		t->cancel->requested = false;
	uint64_t to = stay ? reached : h->origin;
	/* What was stopped may have cost the machine: another one comes there then. Who does not stay there can wait for it. */
	walk_put_off(walk, to);
	session_moved(t->session);
	if (!stay || !session_ensure(t->session, &second))
		return false;
	*stop = (struct tracee_stop){.why = TRACEE_INTERRUPTED};
	return true;
}

bool tracee_move(struct tracee *t, const struct tracee_move *m, struct tracee_stop *ret, struct err *err)
{
	struct hunt *h = mem_alloc(sizeof *h);
	h->move = m;
	h->origin = h->reached = now(t);
	if (!move(t, h, ret, err) && !give_up(t, h, ret, err)) {
		free(h);
		return false;
	}
	tracee_moved(t);
	if (m->step && m->locked && !m->backward && h->hunted && !t->machine) {
		t->owed.thread = m->step;
		t->owed.from = h->origin;
		t->owed.to = now(t);
	}
	free(h);
	if (ret->why == TRACEE_STEPPED || (m->step && ret->why == TRACEE_WATCH))
		t->thread = m->step;
	if (ret->why == TRACEE_VFORK)
		t->vforked = t->thread;
	return true;
}

bool tracee_step(struct tracee *t, uint32_t thread, bool backward, struct tracee_stop *ret, struct err *err)
{
	struct tracee_move m = {.backward = backward, .step = thread, .locked = true};
	return tracee_move(t, &m, ret, err);
}

bool tracee_continue(struct tracee *t, bool backward, struct tracee_stop *ret, struct err *err)
{
	return tracee_move(t, &(struct tracee_move){.backward = backward}, ret, err);
}
