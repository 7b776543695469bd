/* Single steps of a tracee. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tracee_inside.h"

enum {
	AGAIN_MAX = 64,   /* times that one instruction is begun anew, by faults or interrupts */
	RANGE_STEPS = 40, /* single steps within a range before it is hunted for its end */
	COMPARED_MAX = 64 /* bytes of a watchpoint that are compared by steps; larger ones are scanned for */
};

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
	uint64_t here = tracee_now(t);
	struct scan_hits hits;
	tracee_prepare(t, h);
	bool ok = walk_keep(session_walk(t->session), err) && tracee_touched_before(t, h, low + 1, &hits, err);
	if (ok && hits.count) {
		const struct tracee_point *p = &t->points[h->what[hits.list[0].watch].number];
		*stop = (struct tracee_stop){.why = TRACEE_WATCH, .kind = p->kind, .address = p->address};
		*ret = true;
	}
	if (ok)
		scan_hits_finish(&hits);
	return ok && tracee_go(t, here, err);
}

/* One instruction of the machine; *whole: the thread stands before another instruction of its own. */
static bool step_machine(struct tracee *t, struct hunt *h, bool *whole, struct tracee_stop *stop, struct err *err)
{
	uint64_t at = tracee_now(t), to = h->move->backward ? at - 1 : at + 1;
	struct seen *seen = look_at_points(t);
	bool touched;
	*stop = (struct tracee_stop){.why = TRACEE_STEPPED};
	bool ok = tracee_go(t, to, err) && has_touched(t, h, seen, to < at ? to : at, stop, &touched, err);
	free(seen);
	*whole = ok && (touched || t->machine || tracee_in_user(t, h->move->step));
	return ok;
}

static bool at_the_end(struct tracee *t, const struct tracee_move *m)
{
	return m->backward ? tracee_now(t) == tracee_first(t) : tracee_now(t) == tracee_last(t);
}

/* To the thread's next instruction, or to what comes before. */
static bool step_once(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	for (int i = 0; i < AGAIN_MAX; i++) {
		*found = false;
		if (at_the_end(t, h->move))
			return true;
		h->thread = t->machine || tracee_in_user(t, h->move->step) ? h->move->step : 0;
		h->pc = tracee_pc(t);
		if (h->thread && !step_machine(t, h, found, stop, err))
			return false;
		if (*found)
			return true;
		if (!tracee_hunt(t, h, found, stop, err))
			return false;
		/* An instruction that was interrupted before it could end is begun again: go on with it. */
		if (!*found || stop->why != TRACEE_STEPPED || !h->thread || tracee_pc(t) != h->pc)
			return true;
	}
	return true;
}

static bool is_inside(struct tracee *t, const struct tracee_move *m)
{
	return m->low != m->high && tracee_pc(t) >= m->low && tracee_pc(t) < m->high;
}

static bool at_a_point(struct tracee *t, struct tracee_stop *stop)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->points[i].kind != TRACEE_CODE || t->points[i].address != tracee_pc(t))
			continue;
		*stop = (struct tracee_stop){.why = TRACEE_BREAK, .address = tracee_pc(t)};
		return true;
	}
	return false;
}

bool tracee_make_step(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
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
			h->reached = tracee_now(t);
		if (!ok || !*found || stop->why != TRACEE_STEPPED || !is_inside(t, whole) || at_a_point(t, stop))
			return ok;
	}
	h->thread = 0;
	if (!t->machine)
		return tracee_hunt(t, h, found, stop, err);
	*stop = (struct tracee_stop){.why = TRACEE_STEPPED}; /* a step may end early: gdb asks again */
	return true;
}
