#include "engine/fork.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/wire.h"
#include "engine/buf.h"
#include "engine/event.h"
#include "engine/lineage.h"
#include "engine/orders.h"
#include "engine/plan.h"
#include "engine/play.h"

struct forking {
	const struct fork_options *options;
	struct fork_result *result;
	const char *visitor;
	const struct plan *plan; /* of both seeds; NULL for a command */
	uint64_t since;          /* events up to this count are the parent's */
	bool open;               /* takes input from outside */
	bool ended;
	struct err failed;
};

static bool on_event(void *data, const struct event *e, struct err *err)
{
	struct forking *f = data;
	(void)err;
	if (e->icount <= f->since || strcmp(e->node, f->visitor))
		return true;
	if (e->kind == EVENT_NODE_LAUNCH_FAILED) {
		const char *what = f->plan ? "the plan could not be changed" : "the command could not be started";
		err_set(&f->failed, ERR_INPUT, "%s: %s%s%s", what, e->why, e->status ? ": " : "",
			e->status ? strerror(e->status) : "");
	} else if (f->plan) {
		return true;
	} else if (e->kind == EVENT_IO_LINE && f->options->output) {
		int stream = e->is_stderr ? 2 : 1;
		f->options->output(f->options->data, stream, e->text.data, e->text.size);
		if (!e->cut)
			f->options->output(f->options->data, stream, "\n", 1);
	} else if (e->kind == EVENT_NODE_EXITED) {
		f->result->status = e->by_signal ? 128 + e->status : e->status;
		f->ended = true;
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
	const struct fork_live *live = o->live;
	const struct plan *plan = session_recorded(s)->plan;
	char term[80], prompt[128];
	snprintf(term, sizeof term, "TERM=%s", live ? live->term : "dumb");
	/* Which node it is, for shells that have nothing of their own to say. */
	snprintf(prompt, sizeof prompt, "PS1=%s:$PWD# ", o->node == FORK_MACHINE ? "machine" : plan->nodes[o->node].name);
	const char *const env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", term,
		"LC_ALL=C", live && live->terminal ? prompt : NULL, NULL};
	struct buf argv = {0}, vars = {0};
	struct wire_message m = {.type = WIRE_VISIT,
		.node = o->node == FORK_MACHINE ? plan->node_count : (uint64_t)o->node,
		.argv = join(o->argv, &argv),
		.env = join(env, &vars),
		.code = (uint64_t)(!live                 ? WIRE_VISIT_ALONE
					: live->terminal ? WIRE_VISIT_TERMINAL
							 : WIRE_VISIT_FED) |
			(o->hold ? WIRE_VISIT_HOLD : 0),
		.value = live ? live->rows | (uint64_t)live->columns << 16 : 0};
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

static bool record_it(struct session *s, struct forking *f, const struct lineage *lineage, const struct buf *request,
	struct record_result *result, struct err *err)
{
	const struct fork_options *o = f->options;
	const char *slash = strrchr(o->run, '/');
	struct record_fork fork = {.parent = session_recorded(s),
		.parent_name = timeline_name(session_timeline(s)),
		.lineage = lineage,
		.plan = f->plan,
		.request = request->data,
		.request_size = request->size,
		.live = o->live ? &o->live->play : NULL,
		.also = {on_event, f}};
	char *runs = slash ? mem_strn(o->run, (size_t)(slash - o->run)) : mem_str(".");
	struct record_options options = {
		.runs = runs, .keep = o->keep, .fork = &fork, .cancel = o->cancel, .progress = o->progress};
	bool ok = record_run(&options, result, err);
	if (ok && f->failed.code) {
		*err = f->failed;
		ok = false;
	} else if (ok && !f->plan && !f->ended) {
		ok = err_set(err, ERR_QEMU, "the fork ended (%s) before the command did", result->end);
	}
	free(runs);
	return ok;
}

/* ---- from where --------------------------------------------------------------------------------------------- */

/* The event by which the agent said that it ends the run; TIMELINE_NONE of a run that ended otherwise. */
static size_t ending(const struct session *s)
{
	const struct timeline *t = session_timeline(s);
	size_t i = timeline_count(t);
	while (i-- > 0)
		if (timeline_entries(t)[i].kind == EVENT_RUN_ENDING)
			return i;
	return TIMELINE_NONE;
}

/* A limit of ours ended the run: its machine knows nothing of that. */
static bool is_cut(const struct session *s)
{
	const char *end = session_recorded(s)->manifest.end;
	return !strcmp(end, "instruction_limit") || !strcmp(end, "event_limit") ||
		(!strcmp(end, "byte_limit") && ending(s) == TIMELINE_NONE);
}

/* Whether anything can go on from where the session stands, and where it has to leave the run for that. The agent serves visitors
 * until it has said its last word. */
static bool find_place(struct session *s, bool replan, uint64_t *ret, struct err *err)
{
	const char *end = session_recorded(s)->manifest.end;
	const struct timeline *t = session_timeline(s);
	size_t last = timeline_count(t) - 1, from = ending(s);
	bool ended = session_icount(s) >= session_end(s), cut = is_cut(s);
	bool died = !strcmp(end, "guest_panic") || !strcmp(end, "agent_failed");
	bool is_ending = from != TIMELINE_NONE && session_icount(s) >= timeline_entries(t)[from].icount;
	*ret = session_icount(s);
	if (ended && died)
		return err_set(err, ERR_INPUT, "the machine has died here (%s): nothing goes on (fork before that)", end);
	if (replan && ended && cut)
		return err_set(err, ERR_INPUT, "the run was cut here by its limit (%s), which would cut the fork as well", end);
	if (replan && (is_ending || ended))
		return err_set(err, ERR_INPUT, "the run is ending here (ev:%zu), and no fault happens any more: fork before that",
			(is_ending ? from : last) + 1);
	if (is_ending && !cut && !strcmp(end, "byte_limit"))
		return err_set(err, ERR_INPUT,
			"the run ended because there is no room for more output, and a command's would have none either: fork "
			"before ev:%zu",
			from + 1);
	/* Behind it there is only that the agent says its last word. */
	if (!cut && !died && last && session_icount(s) > timeline_entries(t)[last - 1].icount)
		*ret = timeline_entries(t)[last - 1].icount;
	return true;
}

/* There and back again: the session does not move. */
static bool stand_at(struct session *s, uint64_t icount, struct err *err)
{
	struct walk_trip trip;
	if (icount == session_icount(s))
		return walk_machine(session_walk(s)) || err_set(err, ERR_QEMU, "there is no machine: the last move failed");
	bool ok = walk_to(session_walk(s), session_zero(s) + icount, &trip, err);
	session_moved(s);
	return ok;
}

static bool branch_and_record(
	struct session *s, struct forking *f, const struct buf *request, struct record_result *result, struct err *err)
{
	struct lineage lineage;
	uint64_t here = session_icount(s);
	struct err lost = {0};
	if (!stand_at(s, f->since, err))
		return false;
	bool ok = lineage_branch(&lineage, session_lineage(s), session_recorded(s), walk_machine(session_walk(s)), f->open,
		request->data, request->size, err);
	if (!stand_at(s, here, ok ? err : &lost))
		ok = false;
	ok = ok && record_it(s, f, &lineage, request, result, err);
	lineage_finish(&lineage);
	return ok;
}

bool fork_run(struct session *s, const struct fork_options *o, struct fork_result *ret, struct err *err)
{
	struct forking f = {
		.options = o, .result = ret, .visitor = play_visitor(session_recorded(s)->plan), .open = o->live != NULL};
	struct buf request = {0};
	*ret = (struct fork_result){0};
	if (!find_place(s, false, &f.since, err))
		return false;
	struct record_result *result = mem_alloc(sizeof *result);
	bool ok = make_request(s, o, &request, err) && branch_and_record(s, &f, &request, result, err);
	snprintf(ret->run, sizeof ret->run, "%s", result->run);
	if (f.since != session_icount(s))
		ret->before = timeline_at_icount(session_timeline(s), f.since) + 1;
	free(result);
	buf_free(&request);
	return ok;
}

/* ---- another seed's plan ------------------------------------------------------------------------------------ */

static bool has_happened(const struct session *s, const struct timeline_fault *f, enum fault_stage stage)
{
	size_t event = f->stage[stage];
	return event != TIMELINE_NONE && timeline_entries(session_timeline(s))[event].icount <= session_icount(s);
}

/* The faults of the session's run that have been applied or rejected here. */
static void find_kept(const struct session *s, bool *kept)
{
	const struct plan *plan = session_recorded(s)->plan;
	const struct timeline *t = session_timeline(s);
	for (size_t i = 0; i < plan->fault_count; i++) {
		int at = timeline_fault_find(t, plan->faults[i].id);
		const struct timeline_fault *f = at < 0 ? NULL : timeline_fault(t, (size_t)at);
		kept[i] = f && (has_happened(s, f, FAULT_APPLIED) || has_happened(s, f, FAULT_REJECTED));
	}
}

static struct plan *combine(const struct session *s, uint64_t seed, struct buf *request, struct err *err)
{
	const struct recorded *r = session_recorded(s);
	bool kept[SCENARIO_PLANNED_MAX], given[SCENARIO_PLANNED_MAX];
	find_kept(s, kept);
	struct plan *other = plan_make(r->scenario, seed, err);
	struct plan *plan = other ? plan_combine(r->plan, kept, other, given, err) : NULL;
	bool ok = plan && orders_encode_faults(plan, given, request, err);
	if (ok && request->size > ORIGIN_REQUEST_MAX)
		ok = err_set(err, ERR_INPUT,
			"the faults of seed %" PRIu64 " are too many for a fork: %zu bytes, expected at most %d", seed,
			request->size, ORIGIN_REQUEST_MAX);
	if (!ok) {
		plan_destroy(plan);
		return NULL;
	}
	return plan;
}

bool fork_replan(struct session *s, const struct fork_options *o, uint64_t seed, struct record_result *ret, struct err *err)
{
	struct buf request = {0};
	uint64_t since;
	*ret = (struct record_result){0};
	if (!find_place(s, true, &since, err))
		return false;
	struct plan *plan = combine(s, seed, &request, err);
	struct forking f = {.options = o, .plan = plan, .visitor = play_visitor(session_recorded(s)->plan), .since = since};
	bool ok = plan && branch_and_record(s, &f, &request, ret, err);
	plan_destroy(plan);
	buf_free(&request);
	return ok;
}

int fork_default_node(const struct session *s)
{
	int node = session_node(s);
	return node < 0 ? FORK_MACHINE : node;
}
