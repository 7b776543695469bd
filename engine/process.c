#include "engine/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/maps.h"
#include "engine/text.h"

#define FLAG_KTHREAD   0x00200000u
#define STATE_REPORTED 0x7fu
#define STATE_IDLE     0x402u
#define CGROUP_DEPTH   64
#define PID_LEVEL_MAX  32

/* As the kernel's task_state_index: the highest bit of those that are reported. */
static char state_letter(uint64_t state, uint64_t exit_state)
{
	static const char letters[] = "RSDTtXZP";
	uint64_t bits = (state | exit_state) & STATE_REPORTED;
	int highest = 0;
	if (state == STATE_IDLE)
		return 'I';
	while (bits >> highest)
		highest++;
	return letters[highest];
}

static char task_state(const struct guest *g, uint64_t task)
{
	return state_letter(
		guest_value(g, LAYOUT_TASK_STATE, task) & 0xffffffff, guest_value(g, LAYOUT_TASK_EXIT_STATE, task) & 0xffffffff);
}

static void task_name(const struct guest *g, uint64_t task, char name[PROCESS_COMM_SIZE])
{
	guest_str(g, task + guest_offset(g, LAYOUT_TASK_COMM), name, PROCESS_COMM_SIZE);
}

uint64_t process_current(const struct guest *g)
{
	uint64_t task = 0;
	return memory_read_some(&g->kernel, g->layout->current_task, &task, sizeof task) == sizeof task ? task : 0;
}

static char *read_cgroup(const struct guest *g, uint64_t task)
{
	char names[CGROUP_DEPTH][64];
	size_t count = 0;
	struct buf path = {0};
	uint64_t node = guest_value(
		g, LAYOUT_CGROUP_NODE, guest_value(g, LAYOUT_CSS_SET_CGROUP, guest_value(g, LAYOUT_TASK_CGROUPS, task)));
	for (; node && count < CGROUP_DEPTH; count++) {
		uint64_t parent = guest_value(g, LAYOUT_KERNFS_PARENT, node);
		if (!parent)
			break;
		guest_str(g, guest_value(g, LAYOUT_KERNFS_NAME, node), names[count], sizeof names[count]);
		node = parent;
	}
	if (!count)
		buf_char(&path, '/');
	while (count)
		buf_printf(&path, "/%s", names[--count]);
	return buf_take(&path);
}

/* What lies between two addresses of a process, at most PROCESS_COMMAND_MAX bytes. */
static void read_words(const struct guest *g, uint64_t mm, uint64_t start, uint64_t end, struct buf *out)
{
	if (end <= start)
		return;
	size_t size = end - start < PROCESS_COMMAND_MAX ? end - start : PROCESS_COMMAND_MAX;
	char bytes[PROCESS_COMMAND_MAX];
	struct space space = maps_space(g, mm);
	buf_add(out, bytes, memory_read_some(&space, start, bytes, size));
}

bool process_environ(const struct guest *g, uint64_t task, struct buf *out)
{
	uint64_t mm = guest_value(g, LAYOUT_TASK_MM, task);
	if (!mm)
		return false;
	read_words(g, mm, guest_value(g, LAYOUT_MM_ENV_START, mm), guest_value(g, LAYOUT_MM_ENV_END, mm), out);
	return true;
}

static uint32_t inner_pid(const struct guest *g, uint64_t task)
{
	uint64_t pid = guest_value(g, LAYOUT_TASK_THREAD_PID, task), level = guest_value(g, LAYOUT_PID_LEVEL, pid);
	if (!pid || level > PID_LEVEL_MAX)
		return 0;
	return (uint32_t)guest_value(g, LAYOUT_UPID_NR, pid + guest_offset(g, LAYOUT_PID_NUMBERS) + level * g->layout->upid_size);
}

/* The threads of a process: a list that starts in its signal_struct. */
static bool read_threads(const struct guest *g, struct process *p)
{
	uint64_t signal = guest_value(g, LAYOUT_TASK_SIGNAL, p->task), link = guest_offset(g, LAYOUT_TASK_THREAD_NODE);
	uint64_t head = signal + guest_offset(g, LAYOUT_SIGNAL_THREADS), entry = guest_value(g, LAYOUT_SIGNAL_THREADS, signal);
	struct guest_round round = {0};
	while (entry && entry != head && p->thread_count < PROCESS_MAX && !guest_round_again(&round, entry)) {
		struct thread thread = {.task = entry - link};
		uint64_t id;
		if (!guest_get(g, LAYOUT_TASK_PID, thread.task, &id))
			return false;
		thread.id = (uint32_t)id;
		thread.inner_id = inner_pid(g, thread.task);
		thread.state = task_state(g, thread.task);
		task_name(g, thread.task, thread.name);
		ARRAY_PUSH(p->threads, p->thread_count, p->thread_room) = thread;
		entry = guest_value(g, LAYOUT_TASK_THREAD_NODE, thread.task);
	}
	return entry == head;
}

static bool read_process(const struct guest *g, uint64_t task, struct process *p)
{
	uint64_t pid, flags;
	*p = (struct process){.task = task};
	if (!guest_get(g, LAYOUT_TASK_TGID, task, &pid) || !guest_get(g, LAYOUT_TASK_FLAGS, task, &flags))
		return false;
	p->pid = (uint32_t)pid;
	p->parent = (uint32_t)guest_value(g, LAYOUT_TASK_TGID, guest_value(g, LAYOUT_TASK_PARENT, task));
	p->inner_pid = inner_pid(g, task);
	p->uid = (uint32_t)guest_value(g, LAYOUT_CRED_UID, guest_value(g, LAYOUT_TASK_CRED, task));
	p->state = task_state(g, task);
	if (guest_value(g, LAYOUT_TASK_EXIT_STATE, task))
		p->exit_code = (uint32_t)guest_value(g, LAYOUT_TASK_EXIT_CODE, task);
	p->kernel_thread = flags & FLAG_KTHREAD;
	p->start_ns = guest_value(g, LAYOUT_TASK_START, task);
	p->user_ns = guest_value(g, LAYOUT_TASK_UTIME, task);
	p->system_ns = guest_value(g, LAYOUT_TASK_STIME, task);
	p->mm = p->kernel_thread ? 0 : guest_value(g, LAYOUT_TASK_MM, task);
	p->pages = guest_value(g, LAYOUT_MM_TOTAL, p->mm);
	task_name(g, task, p->name);
	p->cgroup = read_cgroup(g, task);
	struct buf command = {0};
	if (p->mm)
		read_words(
			g, p->mm, guest_value(g, LAYOUT_MM_ARG_START, p->mm), guest_value(g, LAYOUT_MM_ARG_END, p->mm), &command);
	p->command_size = command.size;
	p->command = buf_take(&command);
	return read_threads(g, p);
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void finish_process(struct process *p)
{
	free(p->cgroup);
	free(p->command);
	free(p->threads);
}

/* Sorts; of tasks that a damaged list went through twice one is kept. */
static void sort(struct process_list *list)
{
	size_t kept = 0;
	if (list->count)
		qsort(list->list, list->count, sizeof *list->list, by_pid);
	for (size_t i = 0; i < list->count; i++)
		if (kept && list->list[kept - 1].task == list->list[i].task)
			finish_process(&list->list[i]);
		else
			list->list[kept++] = list->list[i];
	list->count = kept;
}

bool process_read(const struct guest *g, struct process_list *list, struct err *err)
{
	uint64_t first = g->layout->init_task, link = guest_offset(g, LAYOUT_TASK_TASKS), entry;
	*list = (struct process_list){.current_task = process_current(g)};
	if (!guest_get(g, LAYOUT_TASK_TASKS, first, &entry))
		return err_set(err, ERR_QEMU, "the guest's first task is not in memory at 0x%llx", (unsigned long long)first);
	struct guest_round round = {0};
	while (entry != first + link) {
		if (list->count == PROCESS_MAX || guest_round_again(&round, entry)) {
			list->damaged = true;
			break;
		}
		struct process *p = &ARRAY_PUSH(list->list, list->count, list->room);
		if (!read_process(g, entry - link, p))
			list->damaged = true;
		for (size_t i = 0; i < p->thread_count; i++)
			p->current |= p->threads[i].task == list->current_task;
		if (!guest_get(g, LAYOUT_TASK_TASKS, entry - link, &entry)) {
			list->damaged = true;
			break;
		}
	}
	sort(list);
	return true;
}

void process_finish(struct process_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		finish_process(&list->list[i]);
	free(list->list);
	*list = (struct process_list){0};
}

const struct process *process_find(const struct process_list *list, uint32_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->list[i].pid == pid)
			return &list->list[i];
	return NULL;
}

const struct process *process_of_task(const struct process_list *list, uint64_t task)
{
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->list[i].thread_count; k++)
			if (list->list[i].threads[k].task == task)
				return &list->list[i];
	return NULL;
}

void process_print_words(const char *bytes, size_t size, char between, struct buf *out)
{
	for (size_t at = 0; at < size;) {
		size_t length = strnlen(bytes + at, size - at);
		bool quote = !length || strpbrk(bytes + at, " \t\n'\"$`\\*?;&|<>(){}#~");
		if (at)
			buf_char(out, between);
		if (quote)
			buf_char(out, '\'');
		text_put_safe(out, bytes + at, length);
		if (quote)
			buf_char(out, '\'');
		at += length + 1;
	}
}

void process_put_name(const struct process *process, uint64_t task, struct buf *out)
{
	text_put_safe(out, process->name, strnlen(process->name, sizeof process->name));
	buf_printf(out, "[%u", process->pid);
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i].task == task && process->threads[i].id != process->pid)
			buf_printf(out, "/%u", process->threads[i].id);
	buf_char(out, ']');
}

static void print_command(const struct process *p, struct buf *out)
{
	if (p->command_size)
		process_print_words(p->command, p->command_size, ' ', out);
	else {
		buf_char(out, '[');
		text_put_safe(out, p->name, strlen(p->name));
		buf_char(out, ']');
	}
	if (p->state == 'Z' && p->exit_code & 0x7f)
		buf_printf(out, " (killed by signal %u)", p->exit_code & 0x7f);
	else if (p->state == 'Z')
		buf_printf(out, " (exited with %u)", p->exit_code >> 8 & 0xff);
}

void process_print(const struct process_list *list, bool all, struct buf *out)
{
	size_t hidden = 0;
	buf_str(out, "    pid inside parent s threads       KiB cgroup                command\n");
	for (size_t i = 0; i < list->count; i++) {
		const struct process *p = &list->list[i];
		size_t start = out->size;
		char inside[16] = "-";
		if (p->kernel_thread && !all && !p->current) {
			hidden++;
			continue;
		}
		if (p->inner_pid && p->inner_pid != p->pid)
			snprintf(inside, sizeof inside, "%u", p->inner_pid);
		buf_printf(out, "%c%6u %6s %6u %c %7zu %9" PRIu64 " ", p->current ? '*' : ' ', p->pid, inside, p->parent,
			p->state, p->thread_count, p->pages * (MEMORY_PAGE / 1024));
		text_put_safe(out, p->cgroup, strlen(p->cgroup));
		while (out->size - start < 65)
			buf_char(out, ' ');
		buf_char(out, ' ');
		print_command(p, out);
		buf_char(out, '\n');
	}
	if (hidden)
		buf_printf(out, "(and %zu threads of the kernel: ps all)\n", hidden);
	if (list->damaged)
		buf_str(out, "(the kernel's list was being changed or is damaged: some may be missing)\n");
}
