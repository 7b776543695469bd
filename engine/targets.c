#include "engine/targets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

/* A process's program, of this stop or an earlier one. */
struct kept {
	uint32_t pid;
	bool fresh;
	struct program *program;
};

struct kept_frames {
	uint64_t task;
	struct frames frames;
};

struct targets {
	struct session *session;
	struct program_files files;
	uint32_t pid;
	long node;
	struct kept programs[TARGETS_PROGRAMS_MAX];
	size_t count;
	struct kept_frames frames[TARGETS_FRAMES_MAX];
	size_t frames_count;
};

struct targets *targets_create(struct session *session, const char *const *debug_dirs, size_t debug_dir_count)
{
	struct targets *t = mem_alloc(sizeof *t);
	t->session = session;
	t->files = (struct program_files){.debug_dirs = debug_dirs, .debug_dir_count = debug_dir_count};
	t->node = -1;
	return t;
}

static void drop_frames(struct targets *t)
{
	for (size_t i = 0; i < t->frames_count; i++)
		unwind_finish(&t->frames[i].frames);
	t->frames_count = 0;
}

void targets_destroy(struct targets *t)
{
	if (!t)
		return;
	drop_frames(t);
	for (size_t i = 0; i < t->count; i++)
		program_destroy(t->programs[i].program);
	free(t);
}

void targets_choose(struct targets *t, uint32_t pid, long node)
{
	t->pid = pid;
	t->node = node;
}

uint32_t targets_pid(const struct targets *t)
{
	return t->pid;
}

void targets_moved(struct targets *t)
{
	drop_frames(t);
	for (size_t i = 0; i < t->count; i++)
		t->programs[i].fresh = false;
}

/* ---- who they are ------------------------------------------------------------------------------------------------ */

/* The number of a process's node, from 0; -1 when it is of none. */
static long node_of(const struct targets *t, const struct process *p)
{
	long count = (long)timeline_node_count(session_timeline(t->session));
	for (long i = 0; i + 1 < count; i++)
		if (here_is_of_node(p, (size_t)i))
			return i;
	return -1;
}

bool targets_has(const struct targets *t, const struct process *p)
{
	long node = p->mm && (!t->pid || t->pid == p->pid) ? node_of(t, p) : -1;
	return node >= 0 && (t->node < 0 || t->node == node);
}

void targets_name(const struct targets *t, const struct process *p, const struct thread *thread, struct buf *out)
{
	long node = node_of(t, p);
	const char *name = node >= 0 ? timeline_node(session_timeline(t->session), (size_t)node + 1) : "";
	text_put_safe(out, name, strlen(name));
	buf_char(out, '/');
	text_put_safe(out, p->name, strnlen(p->name, sizeof p->name));
	buf_printf(out, "[%u]", p->pid);
	if (thread && thread->id != p->pid) {
		buf_printf(out, " %u ", thread->id);
		text_put_safe(out, thread->name, strnlen(thread->name, sizeof thread->name));
	}
}

const struct process_list *targets_processes(struct targets *t, struct err *err)
{
	return here_processes(session_here(t->session), err);
}

const struct thread *targets_thread(struct targets *t, uint64_t id, const struct process **ret_process, struct err *err)
{
	const struct process_list *list = targets_processes(t, err);
	for (size_t i = 0; list && i < list->count; i++) {
		const struct process *p = &list->list[i];
		for (size_t k = 0; k < p->thread_count && targets_has(t, p); k++)
			if (p->threads[k].id == id) {
				*ret_process = p;
				return &p->threads[k];
			}
	}
	if (list)
		err_set(err, ERR_INPUT, "there is no thread %" PRIu64 " at %" PRIu64, id, session_icount(t->session));
	return NULL;
}

const struct thread *targets_current(struct targets *t, uint32_t before, const struct process **ret_process)
{
	struct err ignored;
	const struct process_list *list = targets_processes(t, &ignored);
	const struct thread *found = NULL;
	for (size_t i = 0; list && i < list->count; i++) {
		const struct process *p = &list->list[i];
		for (size_t k = 0; k < p->thread_count && targets_has(t, p); k++) {
			const struct thread *thread = &p->threads[k];
			bool runs = thread->task == list->current_task;
			if (!runs && found && thread->id != before)
				continue;
			found = thread;
			*ret_process = p;
			if (runs)
				return found;
		}
	}
	return found;
}

/* ---- what they are ----------------------------------------------------------------------------------------------- */

static struct kept *find(struct targets *t, uint32_t pid)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->programs[i].pid == pid)
			return &t->programs[i];
	return NULL;
}

/* Room for one more: that of a program of an earlier stop, if there is none left. */
static struct kept *make_room(struct targets *t)
{
	if (t->count < TARGETS_PROGRAMS_MAX)
		return &t->programs[t->count++];
	for (size_t i = 0; i < t->count; i++)
		if (!t->programs[i].fresh)
			return &t->programs[i];
	return NULL;
}

struct program *targets_program(struct targets *t, const struct process *p, struct err *err)
{
	struct kept *kept = find(t, p->pid);
	const struct guest *guest = here_guest(session_here(t->session), err);
	if (!guest)
		return NULL;
	if (kept && kept->fresh && kept->program)
		return kept->program;
	if (!kept)
		kept = make_room(t);
	if (!kept) {
		err_set(err, ERR_SYSTEM, "the symbols of at most %d processes are kept at once", TARGETS_PROGRAMS_MAX);
		return NULL;
	}
	struct program *previous = kept->program;
	if (kept->pid != p->pid) {
		program_destroy(previous);
		previous = NULL;
	}
	*kept = (struct kept){p->pid, true, program_create(guest, p, &t->files, previous, err)};
	return kept->program;
}

const struct frames *targets_frames(struct targets *t, const struct process *p, const struct thread *thread, struct err *err)
{
	struct program *program = targets_program(t, p, err);
	if (!program)
		return NULL;
	for (size_t i = 0; i < t->frames_count; i++)
		if (t->frames[i].task == thread->task)
			return &t->frames[i].frames;
	if (t->frames_count == TARGETS_FRAMES_MAX)
		drop_frames(t);
	struct kept_frames *kept = &t->frames[t->frames_count++];
	*kept = (struct kept_frames){.task = thread->task};
	program_where(program, thread->task, &kept->frames);
	return &kept->frames;
}
