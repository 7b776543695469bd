/* Debug commands that choose whom questions are about: a process, a thread, one of its calls. */
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
	size_t frame = here_frame(here);
	uint64_t id = 0;
	if (!strcmp(word, "current")) {
		here_choose(here, &(struct here_choice){.kind = HERE_CURRENT});
		return !thread ||
			err_set(err, ERR_USAGE, "the current process has its own thread: '%.40s' is one too many", thread);
	}
	const struct process *p = verb_process(v, word, err);
	if (!p || (thread && !verb_number(thread, "the thread", &id, err)))
		return false;
	int node = verb_node(v, word);
	if (node < 0)
		choice = (struct here_choice){.kind = HERE_PROCESS, .pid = p->pid};
	choice.node = node < 0 ? 0 : (size_t)node;
	choice.thread = (uint32_t)id;
	here_choose(here, &choice);
	if (here_focus_task(here, err))
		return true;
	here_choose(here, &before);
	here_select(here, frame);
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
	size_t frame = here_frame(here);
	if (c.kind == HERE_PROCESS)
		buf_printf(out, "%u", c.pid);
	else if (c.kind == HERE_NODE)
		buf_str(out, timeline_node(session_timeline(v->session), c.node + 1));
	if (c.kind != HERE_CURRENT && c.thread)
		buf_printf(out, "/%u", c.thread);
	if (frame != HERE_NO_FRAME)
		buf_printf(out, "%s#%zu", c.kind == HERE_CURRENT ? "" : " ", frame);
}

bool verb_focus(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	if (w->count > 1 && !verb_choose(v, w->list[1], w->list[2], err))
		return false;
	const struct process *p = here_focus(here, err);
	uint64_t task = p ? here_focus_task(here, err) : 0;
	if (!task)
		return false;
	text_put_safe(out, p->name, strnlen(p->name, sizeof p->name));
	buf_printf(out, "[%u]", p->pid);
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].task == task && p->thread_count > 1)
			buf_printf(out, " thread %u", p->threads[i].id);
	buf_str(out, here_focus_runs(here) ? ", on the processor" : ", waiting");
	buf_str(out, here_choice(here).kind == HERE_CURRENT ? " (current)\n" : "\n");
	return true;
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

static bool select_frame(struct verbs *v, uint64_t number, struct err *err)
{
	struct here *here = session_here(v->session);
	const struct frames *frames = here_frames(here, 0, 0, err);
	if (!frames)
		return false;
	if (number >= frames->count)
		return err_set(err, ERR_INPUT, "there is no frame %" PRIu64 ": the last is %zu (`where` lists them)", number,
			frames->count ? frames->count - 1 : 0);
	here_select(here, (size_t)number);
	return true;
}

bool verb_select(struct verbs *v, const char *number, struct err *err)
{
	uint64_t n;
	return verb_number(number, "the frame", &n, err) && select_frame(v, n, err);
}

/* The frame in scope as `where` has it, and its line. */
static bool say_frame(struct verbs *v, struct buf *out, struct err *err)
{
	struct here *here = session_here(v->session);
	struct err ignored;
	size_t number;
	const struct frame *frame = here_scope_frame(here, &number, err);
	struct program *program = frame ? here_program(here, 0, err) : NULL;
	if (!program)
		return false;
	program_print_frame(program, frame, number, false, out);
	verb_source_of(v, frame, 1, out, &ignored);
	return true;
}

bool verb_frame(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return (w->count < 2 || verb_select(v, w->list[1], err)) && say_frame(v, out, err);
}

static bool move_frame(struct verbs *v, const struct words *w, bool up, struct buf *out, struct err *err)
{
	uint64_t n = 1;
	size_t now;
	if ((w->count > 1 && !verb_number(w->list[1], "how many", &n, err)) ||
		!here_scope_frame(session_here(v->session), &now, err))
		return false;
	if (!up && n > now)
		return err_set(err, ERR_INPUT, now ? "only %zu calls are below this one" : "this is the innermost call", now);
	const struct frames *frames = here_frames(session_here(v->session), 0, 0, err);
	if (!frames)
		return false;
	size_t above = frames->count - 1 - now;
	if (up && n > above)
		return err_set(err, ERR_INPUT, above ? "only %zu calls are above this one" : "this is the outermost call", above);
	return select_frame(v, up ? now + n : now - n, err) && say_frame(v, out, err);
}

bool verb_up(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return move_frame(v, w, true, out, err);
}

bool verb_down(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	return move_frame(v, w, false, out, err);
}
