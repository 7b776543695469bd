#include "tui/debugpicture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/verbs.h"

#define NODE_WIDTH 8 /* of the column of nodes; a longer name ends in ~ */

/* As the verb prints it. Not by verbs_run, which would say there that QEMU was started again. */
static char *where(struct verbs *v)
{
	struct buf out = {0};
	struct err err = {0};
	struct words words = {.count = 1};
	if (!verb_where(v, &words, &out, &err))
		buf_printf(&out, "%s\n", err.text);
	if (!out.size)
		buf_str(&out, "none\n");
	return buf_take(&out);
}

static char *pc_text(struct verbs *v, const struct stop *stop)
{
	struct buf out = {0};
	struct err ignored = {0};
	const struct process *process = here_current(session_here(v->session), &ignored);
	buf_printf(&out, "pc 0x%016" PRIx64 " ", stop->regs.rip);
	verb_name_pc(v, stop->regs.rip, &out);
	if (process) {
		buf_str(&out, stop->regs.cpl == 3 ? "  in " : "  in the kernel for ");
		process_put_name(process, here_processes(session_here(v->session), &ignored)->current_task, &out);
	} else {
		buf_str(&out, "  in the idle task");
	}
	return buf_take(&out);
}

static void put_line(struct debug_picture *p, struct debug_owner owner, struct buf *out)
{
	ARRAY_PUSH(p->owners, p->owner_count, p->owner_room) = owner;
	buf_char(out, '\n');
}

static void put_marks(const struct debug_picture *p, bool current, bool chosen, struct buf *out)
{
	buf_printf(out, "%c%c", current ? '*' : ' ', p->focus_chosen && chosen ? '>' : ' ');
}

/* Threads are listed where there are several: with one the process says it all. */
static void put_threads(
	const struct process *process, const struct process_list *list, uint64_t focus, struct debug_picture *p, struct buf *out)
{
	for (size_t i = 0; process->thread_count > 1 && i < process->thread_count; i++) {
		const struct thread *t = &process->threads[i];
		put_marks(p, t->task == list->current_task, t->task == focus, out);
		buf_printf(out, "%7" PRIu32 " %c thread ", t->id, t->state);
		text_put_safe(out, t->name, strnlen(t->name, sizeof t->name));
		put_line(p, (struct debug_owner){process->pid, t->id}, out);
	}
}

/* The name of the node that a process belongs to, or NULL. */
static const char *node_of(const struct timeline *t, const struct process *process)
{
	for (size_t i = 1; i < timeline_node_count(t); i++)
		if (here_is_of_node(process, i - 1))
			return timeline_node(t, i);
	return NULL;
}

static void put_process(const struct timeline *t, const struct process *process, struct debug_picture *p, struct buf *out)
{
	const char *node = node_of(t, process);
	bool cut = node && strlen(node) > NODE_WIDTH;
	put_marks(p, process->current, process->pid == p->focus_pid, out);
	buf_printf(out, "%5" PRIu32 " %c %-*.*s%s ", process->pid, process->state, NODE_WIDTH - cut, NODE_WIDTH - cut,
		node ? node : "-", cut ? "~" : "");
	if (process->command_size) {
		process_print_words(process->command, process->command_size, ' ', out);
	} else {
		buf_char(out, '[');
		text_put_safe(out, process->name, strnlen(process->name, sizeof process->name));
		buf_char(out, ']');
	}
	put_line(p, (struct debug_owner){process->pid, 0}, out);
}

/* Programs of nodes, other programs, the kernel's own threads, which are many and rarely asked for. */
static int rank_of(const struct process *process)
{
	return process->mm == 0 ? 2 : !here_is_of_any_node(process);
}

/* Narrower than `ps`. */
static void put_processes(struct verbs *v, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct buf out = {0};
	struct err err = {0}, ignored = {0};
	const struct process_list *list = here_processes(here, &err);
	uint64_t focus = here_thread(here, &ignored);
	buf_str(&out, list ? "    pid s node     command" : err.text);
	put_line(p, (struct debug_owner){0}, &out);
	for (int rank = 0; list && rank < 3; rank++)
		for (size_t i = 0; i < list->count; i++)
			if (rank_of(&list->list[i]) == rank) {
				put_process(session_timeline(v->session), &list->list[i], p, &out);
				put_threads(&list->list[i], list, focus, p, &out);
			}
	p->text[DEBUG_PROCESSES] = buf_take(&out);
}

/* ---- registers and variables ---- */

static void put_regs(struct verbs *v, const struct stop *stop, struct debug_past *past, struct debug_picture *p)
{
	struct buf out = {0};
	struct err err = {0};
	const struct regs *before = debug_past_regs(past, &stop->regs);
	if (!verb_frame_is_meant(v))
		regs_print(&stop->regs, before, false, &out);
	else if (!verb_frame_registers(v, NULL, &out, &err))
		buf_printf(&out, "%s\n", err.text);
	p->text[DEBUG_REGS] = buf_take(&out);
}

/* Sets function to the start of the frame's, by which it is the same call as at another stop. */
static bool scope_here(struct verbs *v, struct scope *ret, uint64_t *ret_function, struct err *err)
{
	struct here *here = session_here(v->session);
	const struct frame *frame = here_frame(here, NULL, err);
	struct program *program = frame ? here_program(here, 0, err) : NULL;
	uint64_t offset = 0;
	if (!program)
		return false;
	if (frame->kernel)
		return err_set(err, ERR_INPUT, "the kernel's code has no variables here");
	*ret = program_scope(program, frame);
	*ret_function = symbols_name(program_symbols(program), frame->pc, &offset) ? frame->pc - offset : 0;
	return true;
}

static void put_locals(struct verbs *v, struct debug_past *past, struct debug_picture *p)
{
	struct scope scope;
	struct err err = {0};
	uint64_t function = 0;
	bool ok = scope_here(v, &scope, &function, &err);
	if (ok)
		vartree_read(&scope, debug_past_is_open, past, &p->locals);
	if (!p->locals.count) {
		p->text[DEBUG_LOCALS] = mem_printf("%s\n", ok ? "none" : err.text);
		return;
	}
	uint64_t cfa = scope.frame->has_cfa ? scope.frame->cfa : 0;
	p->was = mem_alloc(p->locals.count * sizeof *p->was);
	for (size_t i = 0; i < p->locals.count; i++)
		p->was[i] = mem_str(debug_past_was(past, cfa, function, &p->locals.rows[i]));
	if (!p->frame_chosen)
		debug_past_locals(past, cfa, function, &p->locals);
}

static void put_focus(struct verbs *v, struct debug_picture *p)
{
	struct here *here = session_here(v->session);
	struct here_choice choice = here_choice(here);
	struct err ignored = {0};
	struct buf name = {0};
	p->focus_chosen = choice.kind != HERE_CURRENT;
	p->focus_thread = p->focus_chosen ? choice.thread : 0;
	p->frame_chosen = here_frame_is_chosen(here);
	const struct process *focus = here_focus(here, &ignored);
	if (!focus)
		return;
	p->on_processor = here_focus_runs(here);
	p->focus_pid = focus->pid;
	here_frame(here, &p->frame, &ignored);
	text_put_safe(&name, focus->name, strnlen(focus->name, sizeof focus->name));
	buf_printf(&name, "[%" PRIu32 "%s%.0" PRIu32 "]", focus->pid, p->focus_thread ? "/" : "", p->focus_thread);
	p->focus = buf_take(&name);
}

struct debug_picture *debug_picture_take(struct verbs *v, struct debug_past *past, struct err *err)
{
	const struct stop *stop = here_stop(session_here(v->session), err);
	struct buf place = {0};
	if (!stop)
		return NULL;
	struct debug_picture *p = mem_alloc(sizeof *p);
	p->icount = session_icount(v->session);
	p->begin = session_begin(v->session);
	p->end = session_end(v->session);
	p->event = session_event(v->session);
	session_print_place(v->session, &place);
	p->place = buf_take(&place);
	p->pc_text = pc_text(v, stop);
	p->in_kernel = stop->regs.cpl != 3;
	put_focus(v, p);
	debug_past_stop(past, p->icount);
	debug_picture_code(v, stop, p);
	p->text[DEBUG_WHERE] = where(v);
	put_regs(v, stop, past, p);
	put_locals(v, past, p);
	put_processes(v, p);
	return p;
}

void debug_picture_destroy(struct debug_picture *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < DEBUG_TEXTS; i++)
		free(p->text[i]);
	free(p->place);
	free(p->pc_text);
	free(p->focus);
	free(p->source_name);
	free(p->source_file);
	free(p->owners);
	for (size_t i = 0; p->was && i < p->locals.count; i++)
		free(p->was[i]);
	free(p->was);
	vartree_finish(&p->locals);
	free(p);
}
