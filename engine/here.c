#include "engine/here.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/maps.h"

enum { PROGRAMS_KEPT = 8 };

struct kept_program {
	struct program *program; /* NULL: no such */
	uint32_t pid;
	uint64_t used; /* the larger the later */
};

struct here {
	const char *const *debug_dirs;
	size_t debug_dir_count;
	struct machine *machine;
	struct layout *layout; /* the same at every stop of a boot */
	struct stop stop;
	struct regs shown;
	struct guest guest;
	struct process_list processes;
	struct kept_program programs[PROGRAMS_KEPT],
		stale[PROGRAMS_KEPT]; /* stale: of another stop; their symbols may be of use */
	uint64_t program_uses;
	uint64_t frames_task;
	long node;
	struct here_choice choice;
	uint64_t at, frame_at; /* counts: of the machine, and where the frame was selected */
	size_t frame;
	struct frames frames;
	bool has_stop, has_shown, has_guest, has_processes, has_frames;
};

struct here *here_create(const char *const *debug_dirs, size_t debug_dir_count)
{
	struct here *h = mem_alloc(sizeof *h);
	h->debug_dirs = debug_dirs;
	h->debug_dir_count = debug_dir_count;
	h->node = -1;
	h->frame = HERE_FRAME_NONE;
	return h;
}

static void drop_frames(struct here *h)
{
	if (h->has_frames)
		unwind_finish(&h->frames);
	h->frames = (struct frames){0};
	h->has_frames = false;
}

void here_moved(struct here *h, struct machine *m, uint64_t at)
{
	h->machine = m;
	h->at = at;
	drop_frames(h);
	for (size_t i = 0; i < PROGRAMS_KEPT; i++) {
		if (!h->programs[i].program)
			continue;
		program_destroy(h->stale[i].program);
		h->stale[i] = h->programs[i];
		h->programs[i] = (struct kept_program){0};
	}
	if (h->has_processes)
		process_finish(&h->processes);
	h->has_stop = h->has_guest = h->has_processes = false;
}

void here_destroy(struct here *h)
{
	if (!h)
		return;
	here_moved(h, NULL, 0);
	for (size_t i = 0; i < PROGRAMS_KEPT; i++)
		program_destroy(h->stale[i].program);
	layout_destroy(h->layout);
	free(h);
}

const struct stop *here_stop(struct here *h, struct err *err)
{
	if (h->has_stop)
		return &h->stop;
	if (!h->machine) {
		err_set(err, ERR_QEMU, "there is no machine: the last move failed");
		return NULL;
	}
	struct buf text = {0};
	size_t size;
	h->stop = (struct stop){.ram = machine_ram(h->machine, &size)};
	h->stop.ram_size = size;
	h->has_stop = machine_registers(h->machine, &text, err) && regs_parse(&h->stop.regs, text.data, text.size, err);
	buf_free(&text);
	return h->has_stop ? &h->stop : NULL;
}

const struct regs *here_regs_previous(const struct here *h)
{
	return h->has_shown ? &h->shown : NULL;
}

void here_regs_shown(struct here *h)
{
	if (!h->has_stop)
		return;
	h->shown = h->stop.regs;
	h->has_shown = true;
}

const struct guest *here_guest(struct here *h, struct err *err)
{
	if (h->has_guest)
		return &h->guest;
	const struct stop *stop = here_stop(h, err);
	if (!stop || (!h->layout && !(h->layout = layout_create(stop, err))))
		return NULL;
	h->guest = guest_of(h->layout, stop);
	h->has_guest = true;
	return &h->guest;
}

const struct process_list *here_processes(struct here *h, struct err *err)
{
	if (h->has_processes)
		return &h->processes;
	const struct guest *guest = here_guest(h, err);
	if (!guest)
		return NULL;
	h->processes = (struct process_list){0};
	h->has_processes = process_read(guest, &h->processes, err);
	return h->has_processes ? &h->processes : NULL;
}

const struct process *here_current(struct here *h, struct err *err)
{
	const struct process_list *list = here_processes(h, err);
	if (!list)
		return NULL;
	const struct process *p = process_of_task(list, list->current_task);
	if (!p)
		err_set(err, ERR_INPUT, "no process is on the processor here: it is the idle task");
	return p;
}

void here_prefer(struct here *h, long node)
{
	h->node = node;
}

/* The control groups of the agent's own making: agent/cgroup.h. */
#define NODE_GROUP "/node-"

bool here_is_of_node(const struct process *p, size_t node)
{
	char name[32];
	snprintf(name, sizeof name, NODE_GROUP "%zu", node);
	return !strcmp(p->cgroup, name);
}

bool here_is_of_any_node(const struct process *p)
{
	return !strncmp(p->cgroup, NODE_GROUP, sizeof NODE_GROUP - 1);
}

const struct process *here_node(struct here *h, size_t node, struct err *err)
{
	const struct process_list *list = here_processes(h, err);
	for (size_t i = 0; list && i < list->count; i++)
		if (here_is_of_node(&list->list[i], node))
			return &list->list[i]; /* the list is by pid */
	if (list)
		err_set(err, ERR_INPUT, "the node has no process here");
	return NULL;
}

struct here_choice here_choice(const struct here *h)
{
	return h->choice;
}

void here_set_choice(struct here *h, const struct here_choice *choice)
{
	h->choice = *choice;
	h->frame = HERE_FRAME_NONE;
}

void here_choose(struct here *h, uint32_t pid, uint32_t thread)
{
	here_set_choice(h, &(struct here_choice){.kind = pid ? HERE_PROCESS : HERE_CURRENT, .pid = pid, .thread = thread});
}

bool here_is_chosen(struct here *h)
{
	struct err ignored;
	return h->choice.kind != HERE_CURRENT && here_focus(h, &ignored);
}

/* The one on the processor, or of the node that things are about here. */
static const struct process *nobody_chosen(struct here *h, struct err *err)
{
	struct err ignored;
	const struct process *current = here_current(h, &ignored);
	if (current && here_is_of_any_node(current))
		return current;
	const struct process *first = h->node >= 0 ? here_node(h, (size_t)h->node, &ignored) : NULL;
	return first ? first : here_current(h, err);
}

const struct process *here_focus(struct here *h, struct err *err)
{
	const struct process_list *list = here_processes(h, err);
	const struct process *p;
	if (!list)
		return NULL;
	if (h->choice.kind == HERE_CURRENT)
		return nobody_chosen(h, err);
	if (h->choice.kind == HERE_PROCESS) {
		p = process_find(list, h->choice.pid);
		if (!p)
			err_set(err, ERR_INPUT, "process %u, which is in focus, does not exist here (`focus none` ends that)",
				h->choice.pid);
		return p;
	}
	p = here_node(h, h->choice.node, err);
	if (!p)
		err_set(err, ERR_INPUT, "the node in focus has no process here (`focus none` ends that)");
	return p;
}

/* The task of a thread of a process; 0: the one on the processor, if it is of the process, or the first. */
static uint64_t task_of(struct here *h, const struct process *p, uint32_t thread, struct err *err)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (thread ? p->threads[i].id == thread : p->threads[i].task == h->processes.current_task)
			return p->threads[i].task;
	if (!thread)
		return p->task;
	err_set(err, ERR_INPUT, "process %u has no thread %u here (`threads %u` lists them)", p->pid, thread, p->pid);
	return 0;
}

uint64_t here_thread(struct here *h, struct err *err)
{
	const struct process *p = here_focus(h, err);
	return p ? task_of(h, p, h->choice.kind == HERE_CURRENT ? 0 : h->choice.thread, err) : 0;
}

bool here_focus_runs(struct here *h)
{
	struct err ignored;
	uint64_t task = here_thread(h, &ignored);
	return task && task == h->processes.current_task;
}

bool here_space(struct here *h, struct space *ret, struct err *err)
{
	struct err ignored;
	const struct stop *stop = here_stop(h, err);
	if (!stop)
		return false;
	const struct process *p = here_focus(h, &ignored);
	*ret = p && p->mm ? maps_space(&h->guest, p->mm) : memory_current(stop);
	return true;
}

static const struct process *find(struct here *h, uint32_t pid, struct err *err)
{
	if (!pid)
		return here_focus(h, err);
	const struct process_list *list = here_processes(h, err);
	const struct process *p = list ? process_find(list, pid) : NULL;
	if (list && !p)
		err_set(err, ERR_INPUT, "there is no process %u here (`ps` lists them)", pid);
	return p;
}

/* Takes out what is kept of a process at another stop: the program of another process is of no use. */
static struct program *take_stale(struct here *h, uint32_t pid)
{
	for (size_t i = 0; i < PROGRAMS_KEPT; i++) {
		struct program *program = h->stale[i].program;
		if (!program || h->stale[i].pid != pid)
			continue;
		h->stale[i] = (struct kept_program){0};
		return program;
	}
	return NULL;
}

/* Where the program of a process is kept; if it is not yet, an empty place, made by giving up the one that was used longest ago.
 */
static struct kept_program *program_place(struct here *h, uint32_t pid)
{
	struct kept_program *oldest = h->programs;
	for (size_t i = 0; i < PROGRAMS_KEPT; i++) {
		if (h->programs[i].program && h->programs[i].pid == pid)
			return &h->programs[i];
		if (h->programs[i].used < oldest->used)
			oldest = &h->programs[i];
	}
	if (oldest->program)
		drop_frames(h); /* they may be of it */
	program_destroy(oldest->program);
	*oldest = (struct kept_program){.pid = pid};
	return oldest;
}

struct program *here_program(struct here *h, uint32_t pid, struct err *err)
{
	const struct process *p = find(h, pid, err);
	if (!p)
		return NULL;
	struct program_files files = {.debug_dirs = h->debug_dirs, .debug_dir_count = h->debug_dir_count};
	struct kept_program *kept = program_place(h, p->pid);
	kept->used = ++h->program_uses;
	if (!kept->program)
		kept->program = program_create(&h->guest, p, &files, take_stale(h, p->pid), err);
	return kept->program;
}

const struct frames *here_frames(struct here *h, uint32_t pid, uint32_t thread, struct err *err)
{
	const struct process *p = find(h, pid, err);
	struct program *program = p ? here_program(h, p->pid, err) : NULL;
	uint64_t task = !program ? 0 : pid || thread ? task_of(h, p, thread, err) : here_thread(h, err);
	if (!task)
		return NULL;
	if (h->has_frames && h->frames_task == task)
		return &h->frames;
	drop_frames(h);
	program_where(program, task, &h->frames);
	h->has_frames = true;
	h->frames_task = task;
	return &h->frames;
}

size_t here_chosen_frame(const struct here *h)
{
	return h->frame_at == h->at ? h->frame : HERE_FRAME_NONE;
}

bool here_frame_is_chosen(const struct here *h)
{
	return here_chosen_frame(h) != HERE_FRAME_NONE;
}

void here_choose_frame(struct here *h, size_t frame)
{
	h->frame = frame;
	h->frame_at = h->at;
}

/* The innermost frame with source lines, which is the one that somebody asks about who is in a library's code here; without any
 * the innermost of user code; else the innermost. */
static size_t frame_in_scope(const struct program *program, const struct frames *frames)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	size_t user = 0;
	while (user < frames->count && frames->list[user].kernel)
		user++;
	for (size_t i = user; i < frames->count; i++)
		if (program_places(program, &frames->list[i], places) && places[0].file)
			return i;
	return user < frames->count ? user : 0;
}

const struct frame *here_frame(struct here *h, size_t *ret_number, struct err *err)
{
	const struct frames *frames = here_frames(h, 0, 0, err);
	size_t i = here_chosen_frame(h);
	if (!frames)
		return NULL;
	if (i >= frames->count)
		i = frame_in_scope(here_program(h, 0, err), frames);
	if (!frames->count)
		err_set(err, ERR_INPUT, "this thread has no frame here: %s",
			frames->end ? frames->end : "nothing is on its stack");
	if (ret_number)
		*ret_number = i;
	return frames->count ? &frames->list[i] : NULL;
}
