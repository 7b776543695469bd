/* Who is looked at: processes, threads, registers, memory, points. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kcode.h"
#include "engine/orc.h"
#include "engine/tracee_inside.h"

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

static bool find_functions(struct tracee *t, struct err *err)
{
	static const char *const names[TRACEE_FUNCTIONS] = {[TRACEE_START] = "start_thread",
		[TRACEE_EXIT] = "do_group_exit",
		[TRACEE_GET_SIGNAL] = "get_signal",
		[TRACEE_NEW_TASK] = "wake_up_new_task",
		[TRACEE_THREAD_EXIT] = "do_exit"};
	const struct guest *guest = here_guest(session_here(t->session), err);
	for (int i = 0; guest && i < TRACEE_FUNCTIONS; i++)
		if (!kcode_find(guest, names[i], &t->functions[i]))
			return err_set(err, ERR_QEMU, "this kernel has no symbol %s", names[i]);
	return guest != NULL;
}

struct tracee *tracee_create(struct session *session, struct cancel *cancel, uint32_t pid, struct err *err)
{
	pid = pid ? pid : choose(session, err);
	if (!pid)
		return NULL;
	struct tracee *t = mem_alloc(sizeof *t);
	*t = (struct tracee){.session = session, .cancel = cancel, .pid = pid};
	if (!tracee_add(t, pid, err) || !find_functions(t, err)) {
		free(t);
		return NULL;
	}
	tracee_moved(t);
	return t;
}

struct tracee *tracee_create_machine(struct session *session, struct cancel *cancel, struct err *err)
{
	if (!here_guest(session_here(session), err))
		return NULL;
	struct tracee *t = mem_alloc(sizeof *t);
	*t = (struct tracee){.session = session, .cancel = cancel, .machine = true, .pid = 1, .thread = TRACEE_PROCESSOR};
	return t;
}

void tracee_destroy(struct tracee *t)
{
	free(t);
}

struct here *tracee_here(struct tracee *t)
{
	return session_here(t->session);
}

bool tracee_is_machine(const struct tracee *t)
{
	return t->machine;
}

uint32_t tracee_pid(const struct tracee *t)
{
	return t->pid;
}

uint32_t tracee_thread(const struct tracee *t)
{
	return t->thread;
}

size_t tracee_count(const struct tracee *t)
{
	return t->pid_count;
}

uint32_t tracee_get(const struct tracee *t, size_t i)
{
	return t->pids[i];
}

static const struct process *find(struct tracee *t, uint32_t pid, struct err *err)
{
	const struct process_list *list = here_processes(session_here(t->session), err);
	const struct process *p = list ? process_find(list, pid) : NULL;
	if (list && !p)
		err_set(err, ERR_INPUT, "process %u does not live at %" PRIu64 " (`ps` lists those that do)", pid,
			session_icount(t->session));
	return p;
}

bool tracee_add(struct tracee *t, uint32_t pid, struct err *err)
{
	const struct process *p = find(t, pid, err);
	if (!p)
		return false;
	if (!p->mm)
		return err_set(err, ERR_INPUT,
			"process %u has no memory of its own here: it is a thread of the kernel, or has ended", pid);
	for (size_t i = 0; i < t->pid_count; i++)
		if (t->pids[i] == pid)
			return true;
	if (t->pid_count == TRACEE_PROCESSES_MAX)
		return err_set(err, ERR_INPUT, "at most %d processes can be looked at together", TRACEE_PROCESSES_MAX);
	t->pids[t->pid_count++] = pid;
	return true;
}

void tracee_remove(struct tracee *t, uint32_t pid)
{
	for (size_t i = 0; i < t->pid_count && t->pid_count > 1; i++) {
		if (t->pids[i] != pid)
			continue;
		t->pid_count--;
		memmove(&t->pids[i], &t->pids[i + 1], (t->pid_count - i) * sizeof *t->pids);
		uint32_t kept = 0;
		for (uint32_t k = 0; k < t->count; k++)
			if (t->points[k].pid != pid)
				t->points[kept++] = t->points[k];
		t->count = kept;
		if (t->pid == pid) {
			t->pid = t->pids[0];
			t->thread = 0;
			tracee_moved(t);
		}
		return;
	}
}

void tracee_tell(struct tracee *t, unsigned events, uint64_t passed)
{
	t->events = events;
	t->passed = passed;
}

const struct process *tracee_process(struct tracee *t, struct err *err)
{
	return find(t, t->pid, err);
}

struct program *tracee_program(struct tracee *t, struct err *err)
{
	return here_program(session_here(t->session), t->pid, err);
}

const struct process *tracee_find_process(struct tracee *t, uint32_t pid)
{
	struct err ignored;
	return find(t, pid, &ignored);
}

static const struct thread *thread_of(const struct process *p, uint32_t id, uint64_t task)
{
	for (size_t i = 0; p && i < p->thread_count; i++)
		if (p->threads[i].id == id || (task && p->threads[i].task == task))
			return &p->threads[i];
	return NULL;
}

const struct thread *tracee_find_thread(struct tracee *t, uint32_t id)
{
	const struct thread *found = NULL;
	for (size_t i = 0; i < t->pid_count && !found; i++)
		found = thread_of(tracee_find_process(t, t->pids[i]), id, 0);
	return found;
}

uint32_t tracee_process_of(struct tracee *t, uint32_t thread)
{
	if (t->machine)
		return thread == TRACEE_PROCESSOR ? t->pid : 0;
	for (size_t i = 0; i < t->pid_count; i++)
		if (thread_of(tracee_find_process(t, t->pids[i]), thread, 0))
			return t->pids[i];
	return 0;
}

const struct thread *tracee_on_processor(struct tracee *t, uint32_t *ret_pid)
{
	struct err ignored;
	const struct process_list *list = here_processes(session_here(t->session), &ignored);
	for (size_t i = 0; list && i < t->pid_count; i++) {
		const struct thread *th = thread_of(process_find(list, t->pids[i]), 0, list->current_task);
		if (th && ret_pid)
			*ret_pid = t->pids[i];
		if (th)
			return th;
	}
	return NULL;
}

const struct stop *tracee_stop_here(struct tracee *t)
{
	struct err ignored;
	return here_stop(session_here(t->session), &ignored);
}

bool tracee_in_user(struct tracee *t, uint32_t thread)
{
	const struct stop *stop = tracee_stop_here(t);
	const struct thread *current = stop && stop->regs.cpl == 3 ? tracee_on_processor(t, NULL) : NULL;
	return current && current->id == thread;
}

void tracee_moved(struct tracee *t)
{
	if (t->machine)
		return;
	uint32_t pid = t->pid;
	const struct thread *current = tracee_on_processor(t, &pid);
	t->pid = pid;
	if (current) {
		t->thread = current->id;
	} else if (!tracee_find_thread(t, t->thread)) {
		const struct process *p = tracee_find_process(t, t->pid);
		t->thread = p && p->thread_count ? p->threads[0].id : t->pid;
	}
}

/* ---- registers and memory ----------------------------------------------------------------------------------- */

bool tracee_registers(struct tracee *t, uint32_t thread, struct tracee_registers *ret)
{
	struct err ignored;
	const struct stop *stop = tracee_stop_here(t);
	const struct guest *guest = here_guest(session_here(t->session), &ignored);
	const struct thread *th = t->machine ? NULL : tracee_find_thread(t, thread), *current = tracee_on_processor(t, NULL);
	*ret = (struct tracee_registers){0};
	if (!stop || !guest || (!th && !t->machine))
		return false;
	if (t->machine || (th == current && stop->regs.cpl == 3)) {
		ret->live = &stop->regs;
		ret->has_fpu = stop->regs.has_xmm;
		fpu_of_registers(&stop->regs, &ret->fpu);
		expr_registers(&stop->regs, &ret->general);
		return true;
	}
	if (!orc_user_registers(guest, th->task, &ret->general))
		return false;
	ret->has_entry = orc_user_entry(guest, th->task, &ret->entry);
	ret->has_fpu = fpu_of_task(guest, th->task, &ret->fpu);
	if (th == current)
		ret->general.fs_base = stop->regs.segment_base[REGS_FS];
	return true;
}

size_t tracee_read(struct tracee *t, uint32_t pid, uint64_t address, void *out, size_t size)
{
	struct err ignored;
	if (t->machine) {
		const struct guest *guest = here_guest(session_here(t->session), &ignored);
		struct space space = guest ? memory_current(guest->stop) : (struct space){0};
		return guest ? memory_read_some(address >> 63 ? &guest->kernel : &space, address, out, size) : 0;
	}
	struct program *program = here_program(session_here(t->session), pid, &ignored);
	return program ? program_read(program, address, out, size) : 0;
}

/* ---- points ------------------------------------------------------------------------------------------------- */

bool tracee_add_point_of(struct tracee *t, uint32_t pid, enum tracee_kind kind, uint64_t address, uint64_t size, struct err *err)
{
	struct tracee_point point = {.pid = t->machine ? 0 : pid, .kind = kind, .address = address, .size = size ? size : 1};
	tracee_remove_point(t, pid, kind, address, size);
	if (t->count == TRACEE_POINTS_MAX)
		return err_set(err, ERR_USAGE, "there are %d breakpoints and watchpoints already: more are not looked for",
			TRACEE_POINTS_MAX);
	if (address + point.size < address)
		return err_set(err, ERR_INPUT, "0x%" PRIx64 ": %" PRIu64 " bytes from there go round the end of memory", address,
			point.size);
	t->points[t->count++] = point;
	return true;
}

bool tracee_add_point(struct tracee *t, enum tracee_kind kind, uint64_t address, uint64_t size, struct err *err)
{
	return tracee_add_point_of(t, t->pid, kind, address, size, err);
}

void tracee_remove_point(struct tracee *t, uint32_t pid, enum tracee_kind kind, uint64_t address, uint64_t size)
{
	size = size ? size : 1;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tracee_point *p = &t->points[i];
		if (p->kind != kind || p->address != address || (!t->machine && p->pid != pid) ||
			(kind != TRACEE_CODE && p->size != size))
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
