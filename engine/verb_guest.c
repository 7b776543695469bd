/* Debug commands that ask the guest: processes, threads, open files, sockets. */
#include <inttypes.h>
#include <string.h>

#include "engine/maps.h"
#include "engine/openfiles.h"
#include "engine/text.h"
#include "engine/verb.h"

bool verb_ps(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	const struct process_list *list = here_processes(session_here(v->session), err);
	if (w->list[1] && strcmp(w->list[1], "all"))
		return err_set(err, ERR_USAGE, "'%.60s': expected ps, or ps all", w->list[1]);
	if (list)
		process_print(list, w->list[1] != NULL, out);
	return list != NULL;
}

bool verb_threads(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	const struct process *p = verb_process(v, w->list[1], err);
	if (!p)
		return false;
	const struct process_list *list = here_processes(session_here(v->session), err);
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct thread *t = &p->threads[i];
		buf_printf(out, "%c %7u  %c  ", t->task == list->current_task ? '*' : ' ', t->id, t->state);
		text_put_safe(out, t->name, strnlen(t->name, sizeof t->name));
		/* What the program prints, and the C library keeps in its locks. */
		if (t->inner_id && t->inner_id != t->id)
			buf_printf(out, "  (%u inside)", t->inner_id);
		buf_char(out, '\n');
	}
	return true;
}

/* What the processor does when no process has it. */
static bool where_idle(struct verbs *v, struct buf *out, struct err *err)
{
	const struct guest *guest = here_guest(session_here(v->session), err);
	if (!guest)
		return false;
	const struct ksym *symbol = ksyms_at(guest->layout->ksyms, guest->stop->regs.rip);
	buf_printf(out, "#0  0x%016" PRIx64, guest->stop->regs.rip);
	if (symbol)
		buf_printf(out, " %s+0x%" PRIx64, symbol->name, guest->stop->regs.rip - symbol->address);
	buf_str(out, "  (the idle task: every process waits)\n");
	return true;
}

bool verb_where(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	struct here_choice before = here_choice(here);
	size_t frame = here_chosen_frame(here);
	struct err ignored;
	if (!w->list[1] && before.kind == HERE_CURRENT && here_processes(here, err) && !here_focus(here, &ignored))
		return where_idle(v, out, err);
	bool ok = !w->list[1] || verb_choose(v, w->list[1], w->list[2], err);
	const struct frames *frames = ok ? here_frames(here, 0, 0, err) : NULL;
	struct program *program = frames ? here_program(here, 0, err) : NULL;
	if (program)
		program_print_calls(program, frames, here_chosen_frame(here), out);
	if (w->list[1]) {
		here_set_choice(here, &before);
		here_choose_frame(here, frame);
	}
	return program != NULL;
}

bool verb_maps(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	const struct process *p = verb_process(v, w->list[1], err);
	struct program *program = p ? here_program(session_here(v->session), p->pid, err) : NULL;
	if (!program)
		return false;
	maps_print(program_maps(program), out);
	return true;
}

static void print_files(const struct guest *guest, const struct process *p, bool sockets, struct buf *out)
{
	struct guest_place root = guestfile_root(guest, p->task);
	struct openfiles list = {0};
	size_t before = out->size;
	openfiles_read(guest, p->task, &root, &list);
	if (sockets)
		openfiles_print_sockets(&list, out);
	else
		openfiles_print(&list, out);
	if (out->size == before)
		buf_printf(out, "no %s: %s\n", sockets ? "sockets" : "open files",
			p->state == 'Z'            ? "the process has ended"
				: p->kernel_thread ? "it is a thread of the kernel"
				: list.count       ? "none of its open files is one"
						   : "it has none open");
	openfiles_finish(&list);
}

/* Of a process; of a node: of each of its processes. */
static bool files(struct verbs *v, const struct words *w, bool sockets, struct buf *out, struct err *err)
{
	const struct process *p = verb_process(v, w->list[1], err);
	if (!p)
		return false;
	struct here *here = session_here(v->session);
	const struct guest *guest = here_guest(here, err);
	const struct process_list *list = here_processes(here, err);
	int node = verb_node(v, w->list[1]);
	if (node < 0)
		print_files(guest, p, sockets, out);
	for (size_t i = 0; node >= 0 && i < list->count; i++) {
		const struct process *each = &list->list[i];
		if (!here_is_of_node(each, (size_t)node))
			continue;
		text_put_safe(out, each->name, strnlen(each->name, sizeof each->name));
		buf_printf(out, "[%u]:\n", each->pid);
		print_files(guest, each, sockets, out);
	}
	return true;
}

bool verb_fds(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return files(v, w, false, out, err);
}

bool verb_sockets(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return files(v, w, true, out, err);
}

bool verb_env(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	const struct process *p = verb_process(v, w->list[1], err);
	struct buf bytes = {0};
	if (!p)
		return false;
	bool ok = process_environ(here_guest(session_here(v->session), err), p->task, &bytes) ||
		err_set(err, ERR_INPUT, "process %u has no environment any more", p->pid);
	if (ok && bytes.size) {
		process_print_words(bytes.data, bytes.size, '\n', out);
		buf_char(out, '\n');
	}
	buf_free(&bytes);
	return ok;
}
