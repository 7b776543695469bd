/* The debug command that lets the machine live on from here, for one command. */
#include <string.h>

#include "engine/fork.h"
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

bool verb_fork(struct verbs *v, const struct words *w, struct buf *out, struct err *err)
{
	size_t first = w->list[1][0] == '@' ? 2 : 1;
	struct fork_result result;
	struct fork_options options = {.run = timeline_path(session_timeline(v->session)),
		.argv = (const char *const *)w->list + first,
		.keep = RECORD_KEEP_ALL,
		.cancel = v->cancel,
		.progress = v->progress,
		.output = take,
		.data = out};
	if (first == w->count)
		return err_set(err, ERR_USAGE, "expected: fork [@NODE] COMMAND...");
	if (!node_of(v, w->list[1], &options.node, err) || !fork_run(v->session, &options, &result, err))
		return false;
	if (result.status)
		buf_printf(out, "(exit status %d)\n", result.status);
	if (result.before)
		buf_printf(out, "(the run ends here: this went on from ev:%zu, its last event before)\n", result.before);
	if (*result.run)
		buf_printf(out, "(recorded as %s)\n", result.run);
	return true;
}
