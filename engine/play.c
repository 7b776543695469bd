#include "engine/play.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/buf.h"
#include "engine/plan.h"

enum { STEP_MS = 20, TICK_EVERY = 5 /* steps */ };

static uint64_t seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

static bool died(struct machine *m, struct err *err)
{
	struct buf why = {0};
	machine_diagnosis(m, &why);
	err_set(err, ERR_QEMU, "QEMU ended by itself: %.1500s", why.data ? why.data : "no reason known");
	buf_free(&why);
	return false;
}

/* One wait. *going turns false when there is nothing left to wait for. */
static bool step(struct play *p, bool *going, bool *dead, struct err *err)
{
	enum machine_state state;
	if (!cancel_check(p->cancel, err) || (p->live && !p->live->wait(p->live->data, p, err)) ||
		!machine_poll(p->machine, p->live ? 0 : STEP_MS, &state, err))
		return false;
	if (!listener_step(p->listener, err))
		return false;
	bool over = state != MACHINE_RUNNING || observer_ended(p->observer);
	if (over && p->live && !p->live->ended(p->live->data, p, err))
		return false;
	switch (state) {
	case MACHINE_RUNNING:
		*going = !observer_ended(p->observer);
		return true;
	case MACHINE_AT_BREAK:
		/* The limit of instructions, or the end of the log: a guest that died leaves one without a last stop. */
		*going = false;
		*dead = listener_icount(p->listener) <= observer_limit(p->observer);
		return *dead || observer_reached(p->observer, observer_limit(p->observer) + 1, err);
	case MACHINE_DIED:
		return died(p->machine, err);
	case MACHINE_GUEST_DIED:
		*dead = true;
		break;
	default:
		break;
	}
	*going = false;
	return true;
}

/* A replay of a run that its limit of instructions cut stops there, whether the guest says something then or not. */
static bool set_limit(const struct play *p, struct err *err)
{
	uint64_t limit = observer_limit(p->observer);
	if (machine_mode(p->machine) != MACHINE_REPLAY || listener_icount(p->listener) <= limit)
		return true;
	/* Counts go on from the parent's where a fork's machine took over. */
	return machine_break(p->machine, machine_start_icount(p->machine) - listener_took_over(p->listener) + limit, err);
}

bool play_run(struct play *p, bool *dead, struct err *err)
{
	uint64_t began = seconds();
	bool going = true;
	*dead = false;
	if (!set_limit(p, err) || !machine_cont(p->machine, err))
		return false;
	for (unsigned i = 0; going; i++) {
		if (!step(p, &going, dead, err))
			return false;
		if (p->tick && i % TICK_EVERY == 0)
			p->tick(p->data);
		if (going && seconds() - began > p->wall_s)
			return err_set(err, ERR_QEMU, "watchdog: the run did not end within %llu s of host time",
				(unsigned long long)p->wall_s);
	}
	return true;
}

void play_last_words(struct machine *m, struct buf *out)
{
	static const char sign[] = "Kernel panic - not syncing: ";
	struct buf console = {0};
	machine_console(m, &console);
	const char *at = console.data ? strstr(console.data, sign) : NULL;
	if (!at)
		buf_str(out, "the guest reset itself");
	for (; at && *at && *at != '\n' && *at != '\r'; at++)
		buf_char(out, *at >= 0x20 && *at < 0x7f ? *at : '?');
	buf_free(&console);
}

const char *play_visitor(const struct plan *plan)
{
	for (size_t i = 0; i < plan->node_count; i++)
		if (!strcmp(plan->nodes[i].name, "visit"))
			return "visitor-of-the-fork";
	return "visit";
}

struct observer_limits play_limits(const struct plan *plan, bool open, const struct listener_past *visited)
{
	const struct scenario_limits *l = &plan->limits;
	struct observer_limits ret = {.events = l->events, .bytes = l->bytes, .icount = l->instructions};
	if (open || visited)
		ret = (struct observer_limits){.events = UINT64_MAX, .bytes = UINT64_MAX, .icount = UINT64_MAX};
	if (!open && visited && visited->icount < UINT64_MAX - l->instructions)
		ret.icount = visited->icount + l->instructions;
	return ret;
}

void play_cast(const struct plan *plan, bool visited, struct observer_cast *ret)
{
	const char **nodes = mem_array(plan->node_count + 1, sizeof *nodes);
	struct observer_fault *faults = mem_array(plan->fault_count, sizeof *faults);
	for (size_t i = 0; i < plan->node_count; i++)
		nodes[i] = plan->nodes[i].name;
	for (size_t i = 0; i < plan->fault_count; i++)
		faults[i] = (struct observer_fault){plan->faults[i].id, plan->faults[i].kind->name};
	if (visited)
		nodes[plan->node_count] = play_visitor(plan);
	*ret = (struct observer_cast){nodes, plan->node_count + visited, faults, plan->fault_count};
}

void play_cast_finish(struct observer_cast *cast)
{
	free((void *)cast->nodes);
	free((void *)cast->faults);
	*cast = (struct observer_cast){0};
}
