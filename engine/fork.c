#include "engine/fork.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/event.h"
#include "engine/lineage.h"
#include "engine/play.h"

struct forking {
	const struct fork_options *options;
	struct fork_result *result;
	const char *visitor;
	uint64_t since; /* events before this count are the parent's */
	bool ended;
	struct err failed;
};

static bool on_event(void *data, const struct event *e, struct err *err)
{
	struct forking *f = data;
	(void)err;
	if (e->icount < f->since || strcmp(e->node, f->visitor))
		return true;
	if (e->kind == EVENT_IO_LINE && f->options->output) {
		int stream = e->is_stderr ? 2 : 1;
		f->options->output(f->options->data, stream, e->text.data, e->text.size);
		if (!e->cut)
			f->options->output(f->options->data, stream, "\n", 1);
	} else if (e->kind == EVENT_NODE_EXITED) {
		f->result->status = e->by_signal ? 128 + e->status : e->status;
		f->ended = true;
	} else if (e->kind == EVENT_NODE_LAUNCH_FAILED) {
		err_set(&f->failed, ERR_INPUT, "the command could not be started: %s%s%s", e->why, e->status ? ": " : "",
			e->status ? strerror(e->status) : "");
	}
	return true;
}

/* Strings that each end with a NUL byte. */
static struct wire_bytes join(const char *const *list, struct buf *out)
{
	for (; *list; list++)
		buf_add(out, *list, strlen(*list) + 1);
	return (struct wire_bytes){(const uint8_t *)out->data, out->size};
}

static bool make_request(const struct session *s, const struct fork_options *o, struct buf *out, struct err *err)
{
	static const char *const env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "TERM=dumb", "LC_ALL=C", NULL};
	size_t nodes = session_recorded(s)->plan->node_count;
	struct buf argv = {0}, vars = {0};
	struct wire_message m = {.type = WIRE_VISIT,
		.node = o->node == FORK_MACHINE ? nodes : (uint64_t)o->node,
		.argv = join(o->argv, &argv),
		.env = join(env, &vars)};
	size_t size = wire_size(&m);
	bool ok = size && size <= LINEAGE_REQUEST_MAX;
	if (ok) {
		buf_reserve(out, size);
		out->size = wire_encode(&m, (uint8_t *)out->data, size);
	} else {
		err_set(err, ERR_USAGE, "the command is too long: expected fewer than %d bytes", LINEAGE_REQUEST_MAX);
	}
	buf_free(&argv);
	buf_free(&vars);
	return ok;
}

static bool record_it(
	struct session *s, struct forking *f, const struct lineage *lineage, const struct buf *request, struct err *err)
{
	const struct fork_options *o = f->options;
	const char *slash = strrchr(o->run, '/');
	struct record_fork fork = {.parent = session_recorded(s),
		.parent_name = timeline_name(session_timeline(s)),
		.lineage = lineage,
		.request = request->data,
		.request_size = request->size,
		.also = {on_event, f}};
	char *runs = slash ? mem_strn(o->run, (size_t)(slash - o->run)) : mem_str(".");
	struct record_options options = {
		.runs = runs, .keep = o->keep, .fork = &fork, .cancel = o->cancel, .progress = o->progress};
	struct record_result *result = mem_alloc(sizeof *result);
	bool ok = record_run(&options, result, err);
	snprintf(f->result->run, sizeof f->result->run, "%s", result->run);
	if (ok && f->failed.code) {
		*err = f->failed;
		ok = false;
	} else if (ok && !f->ended) {
		ok = err_set(err, ERR_QEMU, "the fork ended (%s) before the command did", result->end);
	}
	free(result);
	free(runs);
	return ok;
}

bool fork_run(struct session *s, const struct fork_options *o, struct fork_result *ret, struct err *err)
{
	struct forking f = {
		.options = o, .result = ret, .visitor = play_visitor(session_recorded(s)->plan), .since = session_icount(s)};
	struct machine *m = walk_machine(session_walk(s));
	struct buf request = {0};
	struct lineage lineage;
	*ret = (struct fork_result){0};
	if (session_icount(s) >= session_end(s))
		return err_set(err, ERR_INPUT,
			"the run has ended here, and its machine stands still: there is nobody to execute a command (fork one "
			"event earlier)");
	if (!m)
		return err_set(err, ERR_QEMU, "there is no machine: the last move failed");
	bool ok = make_request(s, o, &request, err);
	if (ok && lineage_branch(&lineage, session_lineage(s), session_recorded(s), m, request.data, request.size, err)) {
		ok = record_it(s, &f, &lineage, &request, err);
		lineage_finish(&lineage);
	} else {
		ok = false;
	}
	buf_free(&request);
	return ok;
}

int fork_default_node(const struct session *s)
{
	size_t event = session_event(s);
	if (event == TIMELINE_NONE)
		return FORK_MACHINE;
	/* Number 0 of the timeline is the machine; those after the plan's are visitors of earlier forks. */
	size_t node = timeline_entries(session_timeline(s))[event].node;
	return node && node <= session_recorded(s)->plan->node_count ? (int)node - 1 : FORK_MACHINE;
}
