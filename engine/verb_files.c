/* Debug commands about files of the guest: from its memory, and where that does not hold them, from a live copy of the machine.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/fork.h"
#include "engine/livecopy.h"
#include "engine/text.h"
#include "engine/verb.h"

enum { CAT_MAX = 16 << 20 };

/* What a person asks for, and what memory says about it. */
struct file_question {
	int node;     /* whose tree of files it is in: number in the plan, or FORK_MACHINE */
	uint32_t pid; /* of the process that is meant, as its node sees it; 0: there is none */
	struct buf path;
	struct guestdir_node place;
	struct guestfile file;
	bool found;
	bool open;     /* what memory does not have, a live copy may */
	bool own_root; /* else it might, but for the process's root directory */
};

static int node_of(const struct timeline *t, const struct process *p)
{
	for (size_t i = 1; i < timeline_node_count(t); i++)
		if (here_is_of_node(p, i - 1))
			return (int)i - 1;
	return FORK_MACHINE;
}

/* A live copy is asked from the root of the process's mount namespace: the process has to have that too. */
static bool has_usual_root(const struct guest *g, const struct process *p)
{
	struct buf path = {0};
	struct guest_place root = guestfile_root(g, p->task);
	bool usual = !root.dentry || (guestfile_path(g, root, NULL, &path) && !strcmp(path.data, "/"));
	buf_free(&path);
	return usual;
}

static bool say_own_root(struct err *err)
{
	return err_prefix(err, "the process has a root directory of its own, and only memory is looked at");
}

static void look_up(struct verbs *v, const struct process *p, const char *path, struct file_question *q, struct err *err)
{
	const struct guest *g = here_guest(session_here(v->session), err);
	q->node = node_of(session_timeline(v->session), p);
	q->pid = q->node == FORK_MACHINE ? p->pid : p->inner_pid;
	q->found = g && guestdir_find(g, p->task, path, true, &q->place, &q->file, &q->path, err);
	q->open = g && (q->found || !q->file.in_memory);
	if (q->open && !has_usual_root(g, p)) {
		q->open = false;
		q->own_root = true;
		if (!q->found)
			say_own_root(err);
	}
}

/* A node that has no process here still has its disk; only a live copy can tell what is on it. */
static bool is_empty_node(struct verbs *v, const char *name, const char *path, struct file_question *q)
{
	struct here *here = session_here(v->session);
	struct here_choice choice = here_choice(here);
	struct err ignored;
	if (*path != '/' || !here_processes(here, &ignored))
		return false;
	q->node = verb_node(v, name);
	if (!name && choice.kind == HERE_NODE)
		q->node = (int)choice.node;
	else if (!name && choice.kind == HERE_CURRENT)
		q->node = fork_default_node(v->session);
	buf_str(&q->path, path);
	return q->open = q->node >= 0;
}

/* "PATH" as the process in focus sees it, "PID:PATH" or "NODE:PATH" as that process does. False with the reason when there is
 * nothing to be asked. What is not found yet (but open) has its reason in *err too. */
static bool understand(struct verbs *v, const char *word, struct file_question *q, struct err *err)
{
	size_t size = strcspn(word, ":/");
	bool other = size && word[size] == ':';
	char *name = other ? mem_strn(word, size) : NULL;
	const char *path = word + (other ? size + 1 : 0);
	const struct process *p = verb_process(v, name, err);
	*q = (struct file_question){.node = FORK_MACHINE};
	if (p)
		look_up(v, p, path, q, err);
	bool ok = p ? q->found || q->open : is_empty_node(v, name, path, q);
	free(name);
	return ok;
}

/* Whoever reads `ps` may type its pids, and a node has others. */
static void explain_pid(struct verbs *v, const struct file_question *q, struct err *err)
{
	struct err ignored;
	const struct process_list *list = here_processes(session_here(v->session), &ignored);
	bool in_proc = q->node != FORK_MACHINE && !strncmp(q->path.data, "/proc/", 6);
	unsigned long pid = in_proc ? strtoul(q->path.data + 6, NULL, 10) : 0;
	const struct process *p = list && pid && pid <= UINT32_MAX ? process_find(list, (uint32_t)pid) : NULL;
	char *text = mem_str(err->text);
	if (p && p->inner_pid != pid && here_is_of_node(p, (size_t)q->node))
		err_set(err, err->code, "%.1500s; process %lu is %u in its node: expected /proc/%u, or %lu:/proc/self", text, pid,
			p->inner_pid, p->inner_pid, pid);
	free(text);
}

/* The guest refused: what it said ends with the reason. */
static void refuse(struct verbs *v, const struct answer *answer, const char *path, const struct file_question *q, struct err *err)
{
	const char *text = answer->complaint.data ? answer->complaint.data : "";
	size_t size = strcspn(text, "\n"), start = size;
	struct buf said = {0};
	while (start && strncmp(text + start - 1, ": ", 2))
		start--;
	start += start ? 1 : 0;
	text_put_safe(&said, path, strlen(path));
	buf_str(&said, ": ");
	text_put_safe(&said, text + start, size - start);
	err_set(err, ERR_INPUT, "%.1500s (asked a live copy of the machine)", size ? said.data : "it gave no answer");
	explain_pid(v, q, err);
	buf_free(&said);
	v->asked = true;
}

/* There is no live copy. What memory had to say, if it failed, is in *err. */
static void give_up(const struct err *why, struct err *err)
{
	char *memory = err->code ? mem_str(err->text) : NULL;
	*err = *why;
	if (memory && why->code != ERR_CANCELLED)
		err_set(err, why->code, "%.900s; no live copy of the machine answers: %.900s", memory, why->text);
	free(memory);
}

static const struct answer *ask(struct verbs *v, enum livecopy_kind kind, const struct file_question *q, struct err *err)
{
	struct buf path = {0};
	struct err why = {0};
	struct livecopy_question question = {.kind = kind, .node = q->node, .cancel = v->cancel, .progress = v->progress};
	const struct answer *answer = NULL;
	if (livecopy_path(q->path.data, q->pid, &path, &why)) {
		question.path = path.data;
		answer = livecopy_ask(v->session, &question, &why);
	}
	if (!answer) {
		give_up(&why, err);
	} else if (answer->status && answer->status != LIVECOPY_SIGTERM && !answer->out.size) {
		refuse(v, answer, path.data, q, err);
		answer = NULL;
	}
	buf_free(&path);
	return answer;
}

static void say_asked(struct verbs *v, const struct answer *answer, struct buf *out)
{
	v->asked = true;
	buf_str(out, "(asked a live copy of the machine");
	if (answer->before)
		buf_printf(out, " from ev:%zu on: the run ends here", answer->before);
	buf_str(out, ")\n");
}

static void print_bytes(const struct buf *bytes, size_t size, struct buf *out)
{
	for (size_t at = 0; at < size;) {
		const char *newline = memchr(bytes->data + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - bytes->data) : size;
		text_put_safe(out, bytes->data + at, end - at);
		buf_char(out, '\n');
		at = end + 1;
	}
}

static bool cat_live(struct verbs *v, const struct file_question *q, struct buf *out, struct err *err)
{
	const struct answer *answer = ask(v, LIVECOPY_CAT, q, err);
	if (!answer)
		return false;
	bool cut = answer->out.size > LIVECOPY_BYTES_MAX;
	print_bytes(&answer->out, cut ? LIVECOPY_BYTES_MAX : answer->out.size, out);
	if (cut)
		buf_printf(out, "(cut after %d MiB)\n", LIVECOPY_BYTES_MAX >> 20);
	else if (answer->status == LIVECOPY_SIGTERM)
		buf_printf(out, "(it did not end within %d s of the machine's time: that is what came until then)\n",
			LIVECOPY_WAIT_S);
	say_asked(v, answer, out);
	return true;
}

static bool is_asked_for_contents(const struct guestfile *file)
{
	return file->is_made || file->kind == GUESTFILE_PIPE || file->kind == GUESTFILE_DEVICE;
}

static bool cat(struct verbs *v, const struct file_question *q, struct buf *out, struct err *err)
{
	struct buf bytes = {0};
	if (!q->found)
		return cat_live(v, q, out, err);
	const struct guest *guest = here_guest(session_here(v->session), err);
	uint64_t size = q->file.size < CAT_MAX ? q->file.size : CAT_MAX;
	bool ok = guest && guestfile_read(guest, &q->file, 0, size, &bytes, err);
	bool missing = q->file.kind == GUESTFILE_FILE || is_asked_for_contents(&q->file);
	if (!ok && guest && q->open && missing && cat_live(v, q, out, err))
		ok = true;
	else if (!v->asked)
		print_bytes(&bytes, bytes.size, out);
	if (!ok && missing && q->own_root)
		say_own_root(err);
	if (!v->asked && q->file.size > CAT_MAX)
		buf_printf(out, "(cut after %d MiB)\n", CAT_MAX >> 20);
	buf_free(&bytes);
	return ok;
}

bool verb_cat(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct file_question q;
	struct err why = {0};
	bool ok = understand(v, w->list[1], &q, &why) && cat(v, &q, out, &why);
	if (!ok && err)
		*err = why;
	buf_free(&q.path);
	return ok;
}

/* ---- directories -------------------------------------------------------------------------------------------- */

static bool ls_live(struct verbs *v, const struct file_question *q, struct buf *out, struct err *err)
{
	struct guestdir_list list;
	const struct answer *answer = ask(v, LIVECOPY_LS, q, err);
	if (!answer)
		return false;
	livecopy_names(q->path.data, answer, &list);
	bool complete = list.complete;
	list.complete = true;
	guestdir_list_print(&list, out);
	if (!complete)
		buf_printf(out, "(cut after %d MiB)\n", LIVECOPY_BYTES_MAX >> 20);
	guestdir_list_finish(&list);
	say_asked(v, answer, out);
	return true;
}

/* What the kernel has cached is better than nothing when there is no live copy. */
static bool ls(struct verbs *v, const struct file_question *q, struct buf *out, struct err *err)
{
	struct guestdir_list list = {0};
	if (!q->found)
		return ls_live(v, q, out, err);
	const struct guest *guest = here_guest(session_here(v->session), err);
	bool ok = guest && guestdir_ls(guest, &q->place, &list, err);
	bool asked = ok && !list.complete && q->open && ls_live(v, q, out, err);
	if (ok && !asked && err->code == ERR_CANCELLED)
		ok = false;
	else if (ok && !asked)
		guestdir_list_print(&list, out);
	if (ok && !asked && err->code)
		buf_printf(out, "(no live copy of the machine tells the others: %s)\n", err->text);
	guestdir_list_finish(&list);
	return ok;
}

bool verb_ls(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	struct file_question q;
	struct err why = {0};
	bool ok = understand(v, w->list[1] ? w->list[1] : "/", &q, &why) && ls(v, &q, out, &why);
	if (!ok && err)
		*err = why;
	buf_free(&q.path);
	return ok;
}
