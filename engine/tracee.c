#include "engine/tracee.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kcode.h"
#include "engine/orc.h"

#define USER_END (UINT64_C(1) << 47)

enum { AGAIN_MAX = 64 /* times that one instruction is begun anew, by faults or interrupts */ };

struct point {
	bool write;
	uint64_t address, size, physical;
};

struct tracee {
	struct session *session;
	struct cancel *cancel;
	uint32_t pid, thread;
	uint64_t exec, exit; /* the kernel's functions that begin and end a program */
	struct point points[TRACEE_POINTS_MAX];
	uint32_t count;
};

/* ---- who it is ---------------------------------------------------------------------------------------------- */

static bool of_a_node(const struct process *p)
{
	return p->mm && p->cgroup && strcmp(p->cgroup, "/") != 0;
}

static uint32_t choose(struct session *s, struct err *err)
{
	struct err ignored;
	const struct process_list *list = here_processes(session_here(s), err);
	const struct process *current = list ? here_current(session_here(s), &ignored) : NULL;
	if (current && of_a_node(current))
		return current->pid;
	for (size_t i = 0; list && i < list->count; i++)
		if (of_a_node(&list->list[i]))
			return list->list[i].pid;
	if (list)
		err_set(err, ERR_INPUT, "no process of a node lives at %" PRIu64 ": expected a moment where one does, or a --pid",
			session_icount(s));
	return 0;
}

struct tracee *tracee_create(struct session *session, struct cancel *cancel, uint32_t pid, struct err *err)
{
	pid = pid ? pid : choose(session, err);
	if (!pid)
		return NULL;
	struct tracee *t = mem_alloc(sizeof *t);
	*t = (struct tracee){.session = session, .cancel = cancel, .pid = pid};
	const struct process *p = tracee_process(t, err);
	const struct guest *guest = p ? here_guest(session_here(session), err) : NULL;
	bool ok = guest != NULL;
	if (ok && !p->mm)
		ok = err_set(err, ERR_INPUT,
			"process %u has no memory of its own here: it is a thread of the kernel, or has ended", pid);
	if (ok && (!kcode_find(guest, "start_thread", &t->exec) || !kcode_find(guest, "do_group_exit", &t->exit)))
		ok = err_set(err, ERR_QEMU, "this kernel has no symbols start_thread and do_group_exit");
	if (!ok) {
		free(t);
		return NULL;
	}
	tracee_moved(t);
	return t;
}

void tracee_destroy(struct tracee *t)
{
	free(t);
}

uint32_t tracee_pid(const struct tracee *t)
{
	return t->pid;
}

uint32_t tracee_thread(const struct tracee *t)
{
	return t->thread;
}

const struct process *tracee_process(struct tracee *t, struct err *err)
{
	const struct process_list *list = here_processes(session_here(t->session), err);
	const struct process *p = list ? process_find(list, t->pid) : NULL;
	if (list && !p)
		err_set(err, ERR_INPUT, "process %u does not live at %" PRIu64 " (`ps` lists those that do)", t->pid,
			session_icount(t->session));
	return p;
}

struct program *tracee_program(struct tracee *t, struct err *err)
{
	return here_program(session_here(t->session), t->pid, err);
}

static const struct thread *find_thread(struct tracee *t, uint32_t id)
{
	struct err ignored;
	const struct process *p = tracee_process(t, &ignored);
	for (size_t i = 0; p && i < p->thread_count; i++)
		if (p->threads[i].id == id)
			return &p->threads[i];
	return NULL;
}

/* The thread of the process that is on the processor; NULL when none is. */
static const struct thread *on_processor(struct tracee *t)
{
	struct err ignored;
	const struct process_list *list = here_processes(session_here(t->session), &ignored);
	const struct process *p = list ? process_find(list, t->pid) : NULL;
	for (size_t i = 0; p && i < p->thread_count; i++)
		if (p->threads[i].task == list->current_task)
			return &p->threads[i];
	return NULL;
}

void tracee_moved(struct tracee *t)
{
	struct err ignored;
	const struct thread *current = on_processor(t);
	const struct process *p = tracee_process(t, &ignored);
	if (current)
		t->thread = current->id;
	else if (!find_thread(t, t->thread))
		t->thread = p && p->thread_count ? p->threads[0].id : t->pid;
}

/* ---- registers and memory ----------------------------------------------------------------------------------- */

bool tracee_registers(struct tracee *t, uint32_t thread, struct frame_registers *ret, const struct regs **live)
{
	struct err ignored;
	struct here *here = session_here(t->session);
	const struct stop *stop = here_stop(here, &ignored);
	const struct guest *guest = here_guest(here, &ignored);
	const struct thread *th = find_thread(t, thread), *current = on_processor(t);
	*live = NULL;
	if (!th || !stop || !guest)
		return false;
	if (th == current && stop->regs.cpl == 3) {
		*live = &stop->regs;
		expr_registers(&stop->regs, ret);
		return true;
	}
	if (!orc_user_registers(guest, th->task, ret))
		return false;
	if (th == current)
		ret->fs_base = stop->regs.segment_base[REGS_FS];
	return true;
}

size_t tracee_read(struct tracee *t, uint64_t address, void *out, size_t size)
{
	struct err ignored;
	struct program *program = tracee_program(t, &ignored);
	return program ? program_read(program, address, out, size) : 0;
}

/* ---- points ------------------------------------------------------------------------------------------------- */

bool tracee_add_point(struct tracee *t, bool write, uint64_t address, uint64_t size, struct err *err)
{
	struct point point = {.write = write, .address = address, .size = size ? size : 1};
	if (t->count == TRACEE_POINTS_MAX)
		return err_set(err, ERR_USAGE, "there are %d breakpoints and watchpoints already", TRACEE_POINTS_MAX);
	if (write) {
		const struct guest *guest = here_guest(session_here(t->session), err);
		const struct process *p = guest ? tracee_process(t, err) : NULL;
		struct memory_page page;
		if (!p)
			return false;
		struct space space = maps_space(guest, p->mm);
		if (!memory_walk(&space, address, &page))
			return err_set(err, ERR_INPUT, "0x%" PRIx64 " is not mapped here", address);
		if (point.size > page.left)
			return err_set(err, ERR_INPUT,
				"%" PRIu64 " bytes from 0x%" PRIx64 " cross a page: expected at most %" PRIu64, point.size,
				address, page.left);
		point.physical = page.physical;
	}
	tracee_remove_point(t, write, address, size);
	t->points[t->count++] = point;
	return true;
}

void tracee_remove_point(struct tracee *t, bool write, uint64_t address, uint64_t size)
{
	size = size ? size : 1;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct point *p = &t->points[i];
		if (p->write != write || p->address != address || (write && p->size != size))
			continue;
		t->count--;
		memmove(&t->points[i], &t->points[i + 1], (t->count - i) * sizeof *t->points);
		return;
	}
}

void tracee_clear_points(struct tracee *t)
{
	t->count = 0;
}

/* ---- moves -------------------------------------------------------------------------------------------------- */

static bool go(struct tracee *t, uint64_t absolute, struct err *err)
{
	struct walk_trip trip;
	bool ok = walk_to(session_walk(t->session), absolute, &trip, err);
	session_moved(t->session);
	if (ok && trip.reached != absolute)
		return err_set(err, ERR_QEMU, "the guest stopped itself at %" PRIu64, trip.reached - session_zero(t->session));
	return ok;
}

/* Back to where a move that failed began. Returns false. */
static bool give_up(struct tracee *t, uint64_t origin)
{
	struct err second;
	if (t->cancel)
		t->cancel->requested = false;
	go(t, origin, &second);
	return false;
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

/* Does the processor stand before an instruction of this thread's (0: any thread's) user code? */
static bool in_user(struct tracee *t, uint32_t thread)
{
	struct err ignored;
	const struct stop *stop = here_stop(session_here(t->session), &ignored);
	const struct thread *current = stop && stop->regs.cpl == 3 ? on_processor(t) : NULL;
	return current && (!thread || current->id == thread);
}

static uint64_t pc(struct tracee *t)
{
	struct err ignored;
	const struct stop *stop = here_stop(session_here(t->session), &ignored);
	return stop ? stop->regs.rip : 0;
}

static void prepare(struct tracee *t, struct scan_request *r)
{
	struct err ignored;
	struct memory_page page;
	const struct guest *guest = here_guest(session_here(t->session), &ignored);
	*r = (struct scan_request){0};
	if (guest && memory_walk(&guest->kernel, guest->layout->current_task, &page))
		r->task_at = page.physical;
}

static void look_for(struct scan_request *r, enum scan_kind kind, uint64_t low, uint64_t size)
{
	r->watches[r->count++] = (struct scan_watch){.kind = kind, .low = low, .high = low + size};
}

/* Going back over the last instruction undoes what it wrote, so its writes count, while what is about to be executed here does
 * not. */
static bool written_by_last(
	struct tracee *t, struct scan *scan, const struct scan_request *r, uint64_t at, struct scan_hits *hits, struct err *err)
{
	struct scan_request writes = *r;
	writes.count = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		writes.watches[i] = (struct scan_watch){.kind = SCAN_WRITE}; /* nothing, so that the numbers stay the same */
		if (r->watches[i].kind == SCAN_WRITE) {
			writes.watches[i] = r->watches[i];
			writes.count = r->count;
		}
	}
	return !writes.count || scan_backward(scan, session_walk(t->session), &writes, at - 1, at, 1, hits, err);
}

/* Goes to the nearest hit that is the process's own. *found false: there is none, and the position is not defined. */
static bool seek(
	struct tracee *t, const struct scan_request *r, bool backward, bool *found, struct scan_hit *ret, struct err *err)
{
	struct scan *scan = session_scan(t->session, err);
	struct walk *walk = session_walk(t->session);
	struct scan_hits hits = {0};
	uint64_t from = now(t);
	*found = false;
	if (!scan || !walk_keep(walk, err))
		return false;
	while (backward ? from > first(t) : from < last(t)) {
		bool ok = !backward || written_by_last(t, scan, r, from, &hits, err);
		if (ok && !hits.count)
			ok = backward ? scan_backward(scan, walk, r, first(t), from - 1, 1, &hits, err)
				      : scan_forward(scan, walk, r, from, last(t), 1, &hits, err);
		session_moved(t->session);
		bool any = ok && hits.count > 0;
		if (any)
			*ret = hits.list[0];
		scan_hits_finish(&hits);
		if (!any)
			return ok;
		bool write = r->watches[ret->watch].kind == SCAN_WRITE;
		from = ret->icount;
		if (!go(t, write && backward ? from - 1 : from, err))
			return false;
		/* Who writes there does not matter, who executes there does. */
		*found = write || on_processor(t);
		if (*found)
			return true;
	}
	return true;
}

static const struct thread *require_thread(struct tracee *t, uint32_t id, struct err *err)
{
	const struct thread *thread = find_thread(t, id);
	if (!thread)
		err_set(err, ERR_INPUT, "thread %u of process %u does not live here", id, t->pid);
	return thread;
}

/* To the nearest user instruction of the thread, by a scan. *found false: it ends or begins before that. */
static bool seek_user(struct tracee *t, uint64_t task, bool backward, bool *found, struct err *err)
{
	struct scan_request r;
	struct scan_hit hit;
	prepare(t, &r);
	look_for(&r, SCAN_EXEC, 0, USER_END);
	look_for(&r, SCAN_EXEC, backward ? t->exec : t->exit, 1);
	r.tasks[r.task_count++] = task;
	if (!seek(t, &r, backward, found, &hit, err))
		return false;
	*found = *found && hit.watch == 0;
	return true;
}

static bool step(struct tracee *t, uint32_t id, bool backward, bool *found, struct err *err)
{
	bool was_user = in_user(t, id);
	uint64_t before = pc(t);
	for (int i = 0; i < AGAIN_MAX; i++) {
		const struct thread *thread = require_thread(t, id, err);
		uint64_t task = thread ? thread->task : 0, at = now(t);
		*found = false;
		if (!thread)
			return false;
		if (backward ? at == first(t) : at == last(t))
			return true;
		if (was_user && !go(t, backward ? at - 1 : at + 1, err))
			return false;
		if (was_user && in_user(t, id)) {
			*found = true;
			return true;
		}
		if (!seek_user(t, task, backward, found, err))
			return false;
		if (!*found)
			return true;
		/* An instruction that was interrupted before it could end is begun again: go on with it. */
		if (!was_user || pc(t) != before)
			return true;
	}
	return true;
}

bool tracee_step(struct tracee *t, uint32_t thread, bool backward, struct tracee_stop *ret, struct err *err)
{
	uint64_t origin = now(t);
	bool found;
	*ret = (struct tracee_stop){.why = TRACEE_STEPPED};
	if (!step(t, thread, backward, &found, err))
		return give_up(t, origin);
	if (!found) {
		ret->why = backward ? TRACEE_BEGIN : TRACEE_END;
		if (!go(t, origin, err))
			return false;
	}
	t->thread = thread;
	return true;
}

/* From where the kernel begins the program, or from the run's begin, to its first instruction. */
static bool to_begin(struct tracee *t, const uint64_t *tasks, uint32_t count, uint64_t origin, struct err *err)
{
	struct scan_request r;
	struct scan_hit hit;
	bool found;
	prepare(t, &r);
	look_for(&r, SCAN_EXEC, 0, USER_END);
	memcpy(r.tasks, tasks, count * sizeof *tasks);
	r.task_count = count;
	if (!seek(t, &r, false, &found, &hit, err))
		return false;
	return (found && now(t) < origin) || go(t, origin, err);
}

static bool resume(struct tracee *t, bool backward, struct tracee_stop *ret, uint64_t origin, struct err *err)
{
	struct scan_request r;
	struct scan_hit hit;
	bool found;
	uint64_t tasks[SCAN_TASKS];
	uint32_t task_count = 0;
	const struct process *p = tracee_process(t, err);
	if (!p)
		return false;
	for (size_t i = 0; i < p->thread_count && task_count < SCAN_TASKS; i++)
		tasks[task_count++] = p->threads[i].task;
	*ret = (struct tracee_stop){.why = backward ? TRACEE_BEGIN : TRACEE_END};
	if (!backward && on_processor(t) && pc(t) == t->exit)
		return true;
	prepare(t, &r);
	look_for(&r, SCAN_EXEC, backward ? t->exec : t->exit, 1);
	for (uint32_t i = 0; i < t->count; i++)
		look_for(&r, t->points[i].write ? SCAN_WRITE : SCAN_EXEC,
			t->points[i].write ? t->points[i].physical : t->points[i].address,
			t->points[i].write ? t->points[i].size : 1);
	if (!seek(t, &r, backward, &found, &hit, err))
		return false;
	if (found && hit.watch) {
		const struct point *point = &t->points[hit.watch - 1];
		*ret = (struct tracee_stop){point->write ? TRACEE_WATCH : TRACEE_BREAK, point->address};
		return true;
	}
	if (found)
		return !backward || to_begin(t, tasks, task_count, origin, err);
	if (!go(t, backward ? first(t) : last(t), err))
		return false;
	return !backward || to_begin(t, tasks, task_count, origin, err);
}

bool tracee_continue(struct tracee *t, bool backward, struct tracee_stop *ret, struct err *err)
{
	uint64_t origin = now(t);
	if (!resume(t, backward, ret, origin, err))
		return give_up(t, origin);
	tracee_moved(t);
	return true;
}
