/* The debug command that lets the machine live on from here, for a shell or one command. */
#include <string.h>
#include <unistd.h>

#include "engine/fork.h"
#include "engine/shell.h"
#include "engine/text.h"
#include "engine/verb.h"

static void take(void *data, int stream, const char *bytes, size_t size)
{
	struct buf *out = data;
	(void)stream;
	if (size == 1 && bytes[0] == '\n')
		buf_char(out, '\n');
	else
		text_put_safe(out, bytes, size);
}

/* "@server" names the node, "@machine" the machine below them; without either it is that of the newest event. */
static bool node_of(struct verbs *v, const char *word, int *ret, struct err *err)
{
	const struct plan *plan = session_recorded(v->session)->plan;
	*ret = fork_default_node(v->session);
	if (word[0] != '@')
		return true;
	*ret = FORK_MACHINE;
	if (!strcmp(word, "@machine"))
		return true;
	for (size_t i = 0; i < plan->node_count; i++)
		if (!strcmp(plan->nodes[i].name, word + 1))
			*ret = (int)i;
	return *ret != FORK_MACHINE || err_set(err, ERR_USAGE, "there is no node '%.60s'", word + 1);
}

static void say_run(const struct fork_result *result, struct buf *out)
{
	if (result->status)
		buf_printf(out, "(exit status %d)\n", result->status);
	if (result->before)
		buf_printf(out, "(the run ends here: this went on from ev:%zu, its last event before)\n", result->before);
	if (*result->run)
		buf_printf(out, "(recorded as %s)\n", result->run);
}

static bool open_shell(struct verbs *v, int node, struct buf *out, struct err *err)
{
	struct fork_result result;
	struct shell_options options = {.run = timeline_path(session_timeline(v->session)),
		.node = node,
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
		.err_fd = STDERR_FILENO,
		.stops = true,
		.keep = RECORD_KEEP_ALL,
		.cancel = v->cancel};
	if (!v->terminal)
		return err_set(err, ERR_USAGE,
			"there is no terminal here to open a shell on: expected fork [@NODE] COMMAND... (in the screen ! opens "
			"one)");
	if (!shell_open(v->session, &options, &result, err))
		return false;
	say_run(&result, out);
	return true;
}

bool verb_fork(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	bool named = w->count > 1 && w->list[1][0] == '@';
	size_t first = named ? 2 : 1;
	struct fork_result result;
	struct fork_options options = {.run = timeline_path(session_timeline(v->session)),
		.argv = (const char *const *)w->list + first,
		.keep = RECORD_KEEP_ALL,
		.cancel = v->cancel,
		.progress = v->progress,
		.output = take,
		.data = out};
	if (!node_of(v, named ? w->list[1] : "", &options.node, err))
		return false;
	if (first >= w->count)
		return open_shell(v, options.node, out, err);
	if (!fork_run(v->session, &options, &result, err))
		return false;
	say_run(&result, out);
	return true;
}
