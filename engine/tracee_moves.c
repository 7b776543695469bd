/* Moves of a tracee: a step or a hunt, from its begin to where it leaves the machine. */
#include <stdlib.h>

#include "engine/tracee_inside.h"

/* From where the kernel begins the program, or from the run's begin, to its first instruction. */
static bool to_begin(struct tracee *t, uint32_t pid, uint64_t origin, struct err *err)
{
	bool found = false;
	return (t->machine || tracee_to_user(t, pid, &found, err)) &&
		((found && tracee_now(t) < origin) || t->machine || tracee_go(t, origin, err));
}

static bool exits_here(struct tracee *t, struct tracee_stop *stop)
{
	uint32_t pid;
	if (t->machine || tracee_pc(t) != t->functions[TRACEE_EXIT] || !tracee_on_processor(t, &pid))
		return false;
	return tracee_happening(t, TRACEE_EXIT, pid, stop);
}

/* What others did while a thread stepped alone: back to where that began, and on to where it ended. */
static bool pay(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err)
{
	const struct tracee_move *whole = h->move;
	struct tracee_move others = {.process = whole->process};
	uint64_t to = t->owed.to;
	bool owed = t->owed.thread && !whole->backward && !whole->locked && to == tracee_now(t);
	if (!owed)
		return true;
	t->told.thread = t->owed.thread;
	t->told.until = to;
	h->move = &others;
	h->limit = to;
	bool ok = tracee_go(t, t->owed.from, err) && tracee_hunt(t, h, found, stop, err);
	h->move = whole;
	h->limit = 0;
	if (!ok || *found)
		return ok;
	t->told.thread = 0;
	return tracee_go(t, to, err);
}

static void forget_told(struct tracee *t, const struct tracee_move *m)
{
	if (m->backward || m->step == t->told.thread || tracee_now(t) >= t->told.until)
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
	h->pc = tracee_pc(t);
	if (h->move->step ? !tracee_make_step(t, h, &found, stop, err) : !tracee_hunt(t, h, &found, stop, err))
		return false;
	if (found && stop->why == TRACEE_BEGIN)
		return to_begin(t, t->pid, h->origin, err);
	if (found)
		return true;
	*stop = (struct tracee_stop){.why = back ? TRACEE_BEGIN : TRACEE_END};
	if (h->move->step) /* so that stepping back from there is no surprise */
		return tracee_go(t, h->origin, err);
	if (!tracee_go(t, back ? tracee_first(t) : tracee_last(t), err))
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
	h->origin = h->reached = tracee_now(t);
	if (!move(t, h, ret, err) && !give_up(t, h, ret, err)) {
		free(h);
		return false;
	}
	tracee_moved(t);
	if (m->step && m->locked && !m->backward && h->hunted && !t->machine) {
		t->owed.thread = m->step;
		t->owed.from = h->origin;
		t->owed.to = tracee_now(t);
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
