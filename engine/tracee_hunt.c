/* Hunts for the nearest of all that a move of a tracee may stop at. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tracee_inside.h"

bool tracee_go(struct tracee *t, uint64_t absolute, struct err *err)
{
	struct walk_trip trip;
	bool ok = walk_to(session_walk(t->session), absolute, &trip, err);
	session_moved(t->session);
	if (ok && trip.reached != absolute)
		return err_set(err, ERR_QEMU, "the guest stopped itself at %" PRIu64, trip.reached - session_zero(t->session));
	return ok;
}

uint64_t tracee_now(const struct tracee *t)
{
	return walk_now(session_walk(t->session));
}

uint64_t tracee_first(const struct tracee *t)
{
	return session_zero(t->session) + session_begin(t->session);
}

uint64_t tracee_last(const struct tracee *t)
{
	return session_zero(t->session) + session_end(t->session);
}

uint64_t tracee_pc(struct tracee *t)
{
	const struct stop *stop = tracee_stop_here(t);
	return stop ? stop->regs.rip : 0;
}

/* ---- finding it ---------------------------------------------------------------------------------------------- */

/* Only what the one instruction before `at` did with memory. */
bool tracee_touched_before(struct tracee *t, struct hunt *h, uint64_t at, struct scan_hits *hits, struct err *err)
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
	bool ok = scan && walk_keep(walk, err) && (!back || tracee_touched_before(t, h, from, hits, err));
	if (ok && !hits->count)
		ok = back ? scan_backward(scan, walk, &h->r, tracee_first(t), from - 1, 1, hits, err)
			  : scan_forward(scan, walk, &h->r, from, h->limit ? h->limit : tracee_last(t), 1, hits, err);
	h->reached = back ? hits->from : hits->to;
	session_moved(t->session);
	return ok;
}

/* To the first instruction of the process (its number) or, 0, of the thread on the processor, from here. */
bool tracee_to_user(struct tracee *t, uint32_t pid, bool *found, struct err *err)
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
	bool ok = scan_forward(scan, session_walk(t->session), &r, tracee_now(t), tracee_last(t), 1, &hits, err);
	session_moved(t->session);
	*found = ok && hits.count;
	ok = ok && (!hits.count || tracee_go(t, hits.list[0].icount, err));
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
	if (!h->move->backward || !h->thread || !th || th->id != h->thread || tracee_pc(t) != h->pc || hit >= tracee_last(t))
		return true;
	uint32_t id = th->id;
	if (!tracee_go(t, hit + 1, err))
		return false;
	if (!tracee_in_user(t, id) && tracee_on_processor(t, NULL) && tracee_to_user(t, 0, &found, err))
		*ret = found && tracee_now(t) == h->origin;
	return *ret || tracee_go(t, hit, err);
}

static bool accept_point(
	struct tracee *t, struct hunt *h, uint32_t number, uint64_t hit, bool *ret, struct tracee_stop *stop, struct err *err)
{
	const struct tracee_point *p = &t->points[number];
	const struct thread *th = tracee_on_processor(t, NULL);
	bool again = false;
	if (p->kind == TRACEE_CODE && !t->machine) {
		/* In a step that is no stop at a point: the instruction was begun anew. */
		if (h->move->step && th && th->id == h->thread && tracee_pc(t) == h->pc) {
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
	/* Going back nobody waits for a child any more: that its end is never told would be waited for by who hears of it. */
	if (h->move->backward && stop->why == TRACEE_VFORK)
		stop->why = TRACEE_FORK;
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
	if (*ret && !tracee_to_user(t, pid, &found, err))
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
bool tracee_hunt(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	uint64_t from = tracee_now(t), end = h->limit ? h->limit : tracee_last(t);
	bool back = h->move->backward;
	*found = false;
	h->hunted = true;
	while (back ? from > tracee_first(t) : from < end) {
		struct scan_hits hits;
		tracee_prepare(t, h);
		if (!nearest(t, h, from, &hits, err))
			return false;
		bool any = hits.count > 0;
		struct scan_hit hit = any ? hits.list[0] : (struct scan_hit){0};
		scan_hits_finish(&hits);
		if (!any)
			return true;
		bool access = h->r.watches[hit.watch].kind & SCAN_ACCESS;
		from = hit.icount;
		if (!tracee_go(t, access && back ? from - 1 : from, err))
			return false;
		if (is_told(t, h, &hit))
			continue;
		if (!accept(t, h, &hit, found, stop, err))
			return false;
		if (*found)
			return true;
		if (tracee_now(t) != from && !tracee_go(t, from, err))
			return false;
	}
	return true;
}
