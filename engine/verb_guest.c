/* Debug commands that ask the guest: processes, threads, files, sockets. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/guestdir.h"
#include "engine/maps.h"
#include "engine/openfiles.h"
#include "engine/text.h"
#include "engine/verb.h"

enum { CAT_MAX = 16 << 20 };

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

/* ---- files, from the guest's memory ------------------------------------------------------------------------- */

/* What the guest's memory does not hold, a live copy of the machine may make: files of /proc, for one. */
static void suggest_fork(struct verbs *v, const struct process *p, const char *path, struct err *err)
{
	const struct timeline *t = session_timeline(v->session);
	for (size_t i = 1; i < timeline_node_count(t); i++)
		if (err && here_is_of_node(p, i - 1)) {
			char *text = mem_str(err->text);
			err_set(err, err->code,
				"%.600s (`fork @%s ls %.200s` and `fork @%s cat %.200s` ask a live copy of the machine)", text,
				timeline_node(t, i), path, timeline_node(t, i), path);
			free(text);
		}
}

/* "PATH" as the current process sees it, "PID:PATH" or "NODE:PATH" as that process does. */
static bool find_file(struct verbs *v, const char *word, struct guestdir_node *place, struct guestfile *file, struct err *err)
{
	size_t size = strcspn(word, ":/");
	bool other = size && word[size] == ':';
	char *name = other ? mem_strn(word, size) : NULL;
	const struct process *p = verb_process(v, name, err);
	free(name);
	bool found = p &&
		guestdir_find(here_guest(session_here(v->session), err), p->task, word + (other ? size + 1 : 0), true, place,
			file, err);
	if (p && !found)
		suggest_fork(v, p, word + (other ? size + 1 : 0), err);
	return found;
}

bool verb_cat(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct guestdir_node place;
	struct guestfile file;
	struct buf bytes = {0};
	if (!find_file(v, w->list[1], &place, &file, err))
		return false;
	const struct guest *guest = here_guest(session_here(v->session), err);
	uint64_t size = file.size < CAT_MAX ? file.size : CAT_MAX;
	bool ok = guestfile_read(guest, &file, 0, size, &bytes, err);
	for (size_t at = 0; at < bytes.size;) {
		const char *newline = memchr(bytes.data + at, '\n', bytes.size - at);
		size_t end = newline ? (size_t)(newline - bytes.data) : bytes.size;
		text_put_safe(out, bytes.data + at, end - at);
		buf_char(out, '\n');
		at = end + 1;
	}
	if (file.size > CAT_MAX)
		buf_printf(out, "(cut after %d MiB)\n", CAT_MAX >> 20);
	buf_free(&bytes);
	return ok;
}

bool verb_ls(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct guestdir_node place;
	struct guestfile file;
	struct guestdir_list list = {0};
	if (!find_file(v, w->list[1] ? w->list[1] : "/", &place, &file, err))
		return false;
	bool ok = guestdir_ls(here_guest(session_here(v->session), err), &place, &list, err);
	if (ok)
		guestdir_list_print(&list, out);
	guestdir_list_finish(&list);
	return ok;
}
