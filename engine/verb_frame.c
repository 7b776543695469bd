/* Debug commands that choose what questions are about: a process, a thread of it, a frame of the calls there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/verb.h"

/* ---- processes and threads ---------------------------------------------------------------------------------- */

int verb_node(const struct verbs *v, const char *word)
{
	int number = word && *word && (*word < '0' || *word > '9') ? timeline_node_find(session_timeline(v->session), word) : -1;
	return number > 0 ? number - 1 : -1; /* the machine itself is number 0 */
}

static bool no_process(const char *word, struct err *err)
{
	return err_set(err, ERR_USAGE, "'%.60s' is no process: expected its pid, or the name of a node", word);
}

const struct process *verb_process(struct verbs *v, const char *word, struct err *err)
{
	struct here *here = session_here(v->session);
	uint64_t pid;
	if (!word)
		return here_focus(here, err);
	int node = verb_node(v, word);
	if (node >= 0) {
		const struct process *main_process = here_node(here, (size_t)node, err);
		if (!main_process)
			err_prefix(err, "%s", word);
		return main_process;
	}
	if (*word < '0' || *word > '9') {
		no_process(word, err);
		return NULL;
	}
	if (!verb_number(word, "the process", &pid, err))
		return NULL;
	const struct process_list *list = here_processes(here, err);
	const struct process *p = list && pid <= UINT32_MAX ? process_find(list, (uint32_t)pid) : NULL;
	if (list && !p)
		err_set(err, ERR_INPUT, "there is no process %" PRIu64 " here (`ps` lists them)", pid);
	return p;
}

static bool choose(struct verbs *v, const char *word, const char *thread, struct err *err)
{
	struct here *here = session_here(v->session);
	struct here_choice before = here_choice(here), choice = {.kind = HERE_NODE};
	size_t frame = here_chosen_frame(here);
	uint64_t id = 0;
	if (!strcmp(word, "none")) {
		if (thread)
			return err_set(err, ERR_USAGE, "expected: focus none");
		here_choose(here, 0, 0);
		return true;
	}
	const struct process *p = verb_process(v, word, err);
	if (!p || (thread && !verb_number(thread, "the thread", &id, err)))
		return false;
	int node = verb_node(v, word);
	if (node < 0)
		choice = (struct here_choice){.kind = HERE_PROCESS, .pid = p->pid};
	choice.node = node < 0 ? 0 : (size_t)node;
	choice.thread = (uint32_t)id;
	here_set_choice(here, &choice);
	if (here_thread(here, err))
		return true;
	here_set_choice(here, &before);
	here_choose_frame(here, frame);
	return false;
}

bool verb_choose(struct verbs *v, const char *word, const char *thread, struct err *err)
{
	const char *slash = strchr(word, '/');
	char *name = mem_strn(word, slash ? (size_t)(slash - word) : strlen(word));
	bool ok = thread && slash ? no_process(word, err) : choose(v, name, slash ? slash + 1 : thread, err);
	free(name);
	return ok;
}

void verb_say_choice(struct verbs *v, struct buf *out)
{
	struct here *here = session_here(v->session);
	struct here_choice c = here_choice(here);
	size_t frame = here_chosen_frame(here);
	if (c.kind == HERE_PROCESS)
		buf_printf(out, "%u", c.pid);
	else if (c.kind == HERE_NODE)
		buf_str(out, timeline_node(session_timeline(v->session), c.node + 1));
	if (c.kind != HERE_CURRENT && c.thread)
		buf_printf(out, "/%u", c.thread);
	if (frame != HERE_FRAME_NONE)
		buf_printf(out, "%s#%zu", c.kind == HERE_CURRENT ? "" : " ", frame);
}

bool verb_focus(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	if (w->count > 1 && !verb_choose(v, w->list[1], w->list[2], err))
		return false;
	const struct process *p = here_focus(here, err);
	uint64_t task = p ? here_thread(here, err) : 0;
	if (!task)
		return false;
	text_put_safe(out, p->name, strnlen(p->name, sizeof p->name));
	buf_printf(out, "[%u]", p->pid);
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].task == task && p->threads[i].id != p->pid)
			buf_printf(out, ", thread %u", p->threads[i].id);
	buf_str(out, here_is_chosen(here) ? " (chosen)\n" : "\n");
	return true;
}

bool verb_frame_is_meant(struct verbs *v)
{
	struct here *here = session_here(v->session);
	size_t frame = here_chosen_frame(here);
	return (here_choice(here).kind != HERE_CURRENT && !here_focus_runs(here)) || (frame && frame != HERE_FRAME_NONE);
}

/* ---- registers of a frame ------------------------------------------------------------------------------------ */

/* In the order that `regs` has, with the numbers of DWARF. */
static const struct {
	const char *name;
	unsigned number;
} registers[] = {{"rax", 0}, {"rcx", 2}, {"rdx", 1}, {"rbx", 3}, {"rsp", FRAME_RSP}, {"rbp", FRAME_RBP}, {"rsi", 4}, {"rdi", 5},
	{"r8", 8}, {"r9", 9}, {"r10", 10}, {"r11", 11}, {"r12", 12}, {"r13", 13}, {"r14", 14}, {"r15", 15}, {"rip", FRAME_PC}};

enum { REGISTERS = sizeof registers / sizeof registers[0] };

bool verb_frame_registers(struct verbs *v, const char *name, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	bool all = !name || !strcmp(name, "all"), any = false, chosen = here_frame_is_chosen(here);
	/* A thread's registers are those of its innermost frame. */
	if (!chosen)
		here_choose_frame(here, 0);
	const struct frame *frame = here_frame(here, NULL, err);
	if (!chosen)
		here_choose_frame(here, HERE_FRAME_NONE);
	if (!frame)
		return false;
	for (size_t i = 0; i < REGISTERS; i++) {
		unsigned n = registers[i].number;
		if (!all && strcmp(registers[i].name, name + (*name == '$')) != 0)
			continue;
		any = true;
		buf_printf(out, all ? "  %-9s " : "%s ", registers[i].name);
		if (n == FRAME_PC)
			buf_printf(out, "0x%016" PRIx64 "\n", frame->pc);
		else if (frame->registers.known >> n & 1)
			buf_printf(out, "0x%016" PRIx64 "\n", frame->registers.value[n]);
		else
			buf_str(out, "not kept by the calls further in\n");
	}
	return any || err_set(err, ERR_USAGE, "there is no register '%.60s' in a frame: expected rax to r15, rip", name);
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

static bool choose_frame(struct verbs *v, uint64_t number, struct err *err)
{
	struct here *here = session_here(v->session);
	const struct frames *frames = here_frames(here, 0, 0, err);
	if (!frames)
		return false;
	if (number >= frames->count)
		return err_set(err, ERR_INPUT, "there is no frame %" PRIu64 ": expected at most %zu (`where` lists them)", number,
			frames->count ? frames->count - 1 : 0);
	here_choose_frame(here, (size_t)number);
	return true;
}

bool verb_choose_frame(struct verbs *v, const char *number, struct err *err)
{
	uint64_t n;
	return verb_number(number, "the frame", &n, err) && choose_frame(v, n, err);
}

/* The frame in scope as `where` has it, and its line. */
static bool say_frame(struct verbs *v, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	size_t number;
	const struct frame *frame = here_frame(here, &number, err);
	struct program *program = frame ? here_program(here, 0, err) : NULL;
	if (!program)
		return false;
	program_print_frame(program, frame, number, out);
	verb_source_of(v, frame, 1, out, &ignored);
	return true;
}

bool verb_frame(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return (w->count < 2 || verb_choose_frame(v, w->list[1], err)) && say_frame(v, out, err);
}

static bool move_frame(struct verbs *v, const struct words *w, bool up, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	uint64_t n = 1;
	size_t now;
	if (w->count > 1 && !verb_number(w->list[1], "the number of frames", &n, err))
		return false;
	const struct frame *frame = here_frame(here, &now, err);
	const struct frames *frames = frame ? here_frames(here, 0, 0, err) : NULL;
	if (!frames)
		return false;
	size_t left = up ? frames->count - 1 - now : now;
	if (!left)
		return err_set(err, ERR_INPUT, up ? "this is the outermost frame" : "this is the innermost frame");
	n = n < left ? n : left;
	return choose_frame(v, up ? now + n : now - n, err) && say_frame(v, out, err);
}

bool verb_up(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return move_frame(v, w, true, out, err);
}

bool verb_down(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return move_frame(v, w, false, out, err);
}
