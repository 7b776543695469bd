/* What a move of a tracee looks for, as watches of a scan. */
#include "engine/tracee_inside.h"

static void look_for(struct hunt *h, const struct scan_watch *watch, enum tracee_look look, uint32_t number, uint32_t pid)
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
		look_for_function(t, h, TRACEE_NEW_TASK, pid, task, t->events & TRACEE_TELL_FORK);
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

void tracee_prepare(struct tracee *t, struct hunt *h)
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
