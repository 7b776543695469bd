#include "engine/gdbthreads.h"

#include <string.h>

#include "engine/gdbpacket.h"

uint32_t gdbthreads_meant(struct gdbserver *g)
{
	return g->general ? g->general : tracee_thread(g->tracee);
}

uint32_t gdbthreads_process(struct gdbserver *g)
{
	uint32_t pid = tracee_process_of(g->tracee, gdbthreads_meant(g));
	return pid ? pid : tracee_pid(g->tracee);
}

void gdbthreads_put(const struct gdbserver *g, uint32_t pid, uint32_t thread, struct buf *out)
{
	if (g->multiprocess)
		buf_printf(out, "p%x.", pid);
	buf_printf(out, "%x", thread);
}

bool gdbthreads_lives(struct gdbserver *g, int64_t id)
{
	struct err ignored;
	if (id <= 0 || id > UINT32_MAX)
		return false;
	/* Where no process lives, gdb shall still have one thread to ask about. */
	return tracee_process_of(g->tracee, (uint32_t)id) ||
		(!tracee_is_machine(g->tracee) && !tracee_process(g->tracee, &ignored) && id == tracee_thread(g->tracee));
}

size_t gdbthreads_count(struct gdbserver *g)
{
	size_t count = 0;
	struct err ignored;
	const struct process_list *list = here_processes(tracee_here(g->tracee), &ignored);
	for (size_t i = 0; list && i < tracee_count(g->tracee); i++) {
		const struct process *p = process_find(list, tracee_get(g->tracee, i));
		count += p ? p->thread_count : 0;
	}
	return count;
}

void gdbthreads_choose(struct gdbserver *g, const char *at, const char *end, struct buf *out)
{
	struct gdb_thread thread;
	char what = at < end ? *at++ : 0;
	if (!gdb_parse_thread(&at, end, &thread) || at != end || (thread.tid > 0 && !gdbthreads_lives(g, thread.tid))) {
		gdb_refuse(out, "there is no such thread here");
		return;
	}
	uint32_t id = thread.tid > 0 ? (uint32_t)thread.tid : 0;
	/* Any thread of a process is meant by the process alone. */
	if (!id && thread.pid > 0 && thread.tid == -1)
		id = (uint32_t)thread.pid;
	if (what == 'g')
		g->general = id;
	else if (what == 'c')
		g->chosen = id;
	buf_str(out, "OK");
}

static void put_escaped(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size && text[i]; i++)
		if (text[i] < ' ' || text[i] > '~' || strchr("<>&\"'", text[i]))
			buf_char(out, '?');
		else
			buf_char(out, text[i]);
}

static void put_thread(const struct gdbserver *g, uint32_t pid, const struct thread *t, struct buf *out)
{
	buf_str(out, "<thread id=\"");
	gdbthreads_put(g, pid, t->id, out);
	buf_str(out, "\" name=\"");
	put_escaped(out, t->name, sizeof t->name);
	buf_printf(out, "\">state %c</thread>", t->state);
}

void gdbthreads_put_texts(struct gdbserver *g, struct buf *out)
{
	struct thread only = {.id = tracee_thread(g->tracee), .state = '?', .name = "?"};
	bool any = false;
	buf_str(out, "<?xml version=\"1.0\"?><threads>");
	struct err ignored;
	const struct process_list *list = here_processes(tracee_here(g->tracee), &ignored);
	for (size_t i = 0; i < tracee_count(g->tracee); i++) {
		const struct process *p = list ? process_find(list, tracee_get(g->tracee, i)) : NULL;
		for (size_t k = 0; p && k < p->thread_count; k++)
			put_thread(g, p->pid, &p->threads[k], out);
		any |= p && p->thread_count;
	}
	if (tracee_is_machine(g->tracee)) {
		const struct process *p = here_current(tracee_here(g->tracee), &ignored);
		only.state = 'R';
		memcpy(only.name, p ? p->name : "idle", p ? sizeof only.name : sizeof "idle");
	}
	if (!any)
		put_thread(g, tracee_pid(g->tracee), &only, out);
	buf_str(out, "</threads>");
}

void gdbthreads_put_list(struct gdbserver *g, struct buf *out)
{
	bool any = false;
	struct err ignored;
	const struct process_list *list = here_processes(tracee_here(g->tracee), &ignored);
	for (size_t i = 0; i < tracee_count(g->tracee); i++) {
		const struct process *p = list ? process_find(list, tracee_get(g->tracee, i)) : NULL;
		for (size_t k = 0; p && k < p->thread_count && out->size < GDB_PACKET_MAX - 32; k++, any = true) {
			buf_char(out, any ? ',' : 'm');
			gdbthreads_put(g, p->pid, p->threads[k].id, out);
		}
	}
	if (any)
		return;
	buf_char(out, 'm');
	gdbthreads_put(g, tracee_pid(g->tracee), tracee_thread(g->tracee), out);
}
