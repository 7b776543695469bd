#include "tests/tools/simulate.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/rng.h"

#define UNREAD_MAX 8 /* values that the client has had acknowledged and not yet read back */

struct machine_node {
	bool running, stopped;
	uint64_t invocation, started, readied, exited; /* counts */
	uint64_t lines, out_bytes, err_bytes;
	uint64_t start_at; /* time of its next start; UINT64_MAX: none is due */
};

struct machine_fault {
	bool selected, applied, observed, over;
	uint64_t due; /* time at which it is to be applied, once its trigger has come */
	uint64_t ends;
};

struct machine {
	const struct plan *plan;
	const struct simulate_options *options;
	struct event_sink sink;
	struct rng rng;    /* who comes next, and when */
	struct rng *texts; /* what each node says: the same in every run, whoever else speaks in between */
	struct machine_node *nodes;
	struct machine_fault *faults;
	uint64_t seq, icount, now, pid;
	uint64_t added, unread[UNREAD_MAX];
	size_t unread_count;
};

static uint64_t dice(struct machine *m, uint64_t low, uint64_t high)
{
	return rng_range(&m->rng, (struct text_range){low, high});
}

static uint64_t text_dice(struct machine *m, size_t node, uint64_t low, uint64_t high)
{
	return rng_range(&m->texts[node], (struct text_range){low, high});
}

static void pass_time(struct machine *m)
{
	uint64_t instructions = dice(m, 2000, 400000);
	m->icount += instructions;
	m->now += instructions + dice(m, 0, 6000000);
	if (m->options->idle_one_in && dice(m, 1, m->options->idle_one_in) == 1)
		m->now += dice(m, 50000000, 900000000);
}

static bool emit(struct machine *m, struct event e, struct err *err)
{
	pass_time(m);
	e.seq = ++m->seq;
	e.icount = m->icount;
	e.vtime_ns = m->now;
	return m->sink.event(m->sink.data, &e, err);
}

static const char *name_of(const struct machine *m, size_t node)
{
	return m->plan->nodes[node].name;
}

/* -- faults -- */

static bool emit_fault(struct machine *m, size_t fault, enum event_kind kind, const char *why, struct err *err)
{
	const struct plan_fault *f = &m->plan->faults[fault];
	return emit(m,
		(struct event){.kind = kind,
			.node = name_of(m, f->node),
			.fault = f->id,
			.type = f->kind->name,
			.why = why,
			.invocation = m->nodes[f->node].invocation},
		err);
}

static bool has_come(const struct machine *m, const struct plan_trigger *t)
{
	switch (t->on) {
	case TRIGGER_AT:
		return m->now >= t->value;
	case TRIGGER_LINES:
		return m->nodes[t->node].lines >= t->value;
	case TRIGGER_STARTED:
		return m->nodes[t->node].started >= t->value;
	case TRIGGER_READY:
		return m->nodes[t->node].readied >= t->value;
	case TRIGGER_EXITED:
		return m->nodes[t->node].exited >= t->value;
	case TRIGGER_FAULT:
		return t->stage == FAULT_HEALED ? m->faults[t->fault].over : m->faults[t->fault].applied;
	}
	return false;
}

static bool exit_node(struct machine *m, size_t node, int signal, struct err *err)
{
	struct machine_node *n = &m->nodes[node];
	static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	n->running = n->stopped = false;
	n->exited++;
	return emit(m,
		       (struct event){.kind = EVENT_NODE_EXITED,
			       .node = name_of(m, node),
			       .invocation = n->invocation,
			       .by_signal = signal != 0,
			       .status = signal,
			       .out_bytes = n->out_bytes,
			       .err_bytes = n->err_bytes,
			       .out_sha256 = empty,
			       .err_sha256 = empty},
		       err) &&
		emit(m, (struct event){.kind = EVENT_NODE_CLEANED, .node = name_of(m, node), .invocation = n->invocation}, err);
}

static bool apply(struct machine *m, size_t fault, struct err *err)
{
	const struct plan_fault *f = &m->plan->faults[fault];
	struct machine_fault *state = &m->faults[fault];
	struct machine_node *n = &m->nodes[f->node];
	state->due = UINT64_MAX;
	if (!n->running || n->stopped) {
		state->over = true;
		return emit_fault(
			m, fault, EVENT_FAULT_REJECTED, n->running ? "the node is stopped" : "the node does not run", err);
	}
	state->applied = true;
	if (!emit_fault(m, fault, EVENT_FAULT_APPLIED, "", err))
		return false;
	if (f->kind->lasts) {
		n->stopped = true;
		state->ends = m->now + f->for_ns;
		return emit_fault(m, fault, EVENT_FAULT_OBSERVED, "", err);
	}
	if (f->node == 0 && m->options->loses)
		m->unread_count = 0;
	if (!exit_node(m, f->node, SIGKILL, err) || !emit_fault(m, fault, EVENT_FAULT_OBSERVED, "", err))
		return false;
	n->start_at = m->now + dice(m, 5000000, 300000000);
	return true;
}

/* Faults that are to be selected, applied or healed by now. */
static bool step_faults(struct machine *m, struct err *err)
{
	for (size_t i = 0; i < m->plan->fault_count; i++) {
		const struct plan_fault *f = &m->plan->faults[i];
		struct machine_fault *state = &m->faults[i];
		if (state->over)
			continue;
		if (!state->selected && has_come(m, &f->trigger)) {
			state->selected = true;
			state->due = m->now + f->trigger.delay_ns;
			if (!emit_fault(m, i, EVENT_FAULT_SELECTED, "", err))
				return false;
		}
		if (state->selected && !state->applied && state->due <= m->now && !apply(m, i, err))
			return false;
		if (state->applied && !state->over && state->ends <= m->now && f->kind->lasts) {
			state->over = true;
			m->nodes[f->node].stopped = false;
			if (!emit_fault(m, i, EVENT_FAULT_HEALED, "", err))
				return false;
		}
	}
	return true;
}

/* -- nodes -- */

static bool start(struct machine *m, size_t node, struct err *err)
{
	struct machine_node *n = &m->nodes[node];
	const char *name = name_of(m, node);
	*n = (struct machine_node){.running = true,
		.invocation = n->invocation + 1,
		.started = n->started + 1,
		.readied = n->readied,
		.exited = n->exited,
		.lines = n->lines,
		.start_at = UINT64_MAX};
	if (!emit(m, (struct event){.kind = EVENT_NODE_STARTED, .node = name, .invocation = n->invocation, .pid = ++m->pid},
		    err) ||
		!emit(m, (struct event){.kind = EVENT_NODE_READY, .node = name, .invocation = n->invocation}, err))
		return false;
	n->readied++;
	for (size_t i = 0; i < m->plan->fault_count; i++) {
		struct machine_fault *state = &m->faults[i];
		if (m->plan->faults[i].node != node || m->plan->faults[i].kind->lasts || !state->applied || state->over)
			continue;
		state->over = true;
		if (!emit_fault(m, i, EVENT_FAULT_HEALED, "", err))
			return false;
	}
	return true;
}

static bool print(struct machine *m, size_t node, bool is_stderr, const char *text, size_t size, struct err *err)
{
	struct machine_node *n = &m->nodes[node];
	n->lines++;
	*(is_stderr ? &n->err_bytes : &n->out_bytes) += size + 1;
	return emit(m,
		(struct event){.kind = EVENT_IO_LINE,
			.node = name_of(m, node),
			.invocation = n->invocation,
			.line = n->lines,
			.is_stderr = is_stderr,
			.text = {text, size}},
		err);
}

static bool print_value(struct machine *m, size_t node, const char *word, uint64_t value, struct err *err)
{
	char text[64];
	int size = snprintf(text, sizeof text, "%s %" PRIu64, word, value);
	return print(m, node, strcmp(word, "retry") == 0, text, (size_t)size, err);
}

static bool print_hostile(struct machine *m, size_t node, struct err *err)
{
#define LINE(text) \
	{ \
		text, sizeof text - 1 \
	}
	static const struct event_bytes lines[] = {
		LINE("\33[2J\33[31mred\7"),
		LINE("wide \xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81 \xe2\x80\xae"
		     "abc"),
		LINE("not utf-8 \xff\xfe\x80"),
		LINE("tab\tback\\slash \"quote\" nul\0end"),
		LINE(""),
	};
#undef LINE
	size_t which = (size_t)text_dice(m, node, 0, sizeof lines / sizeof *lines);
	if (which < sizeof lines / sizeof *lines)
		return print(m, node, false, lines[which].data, lines[which].size, err);
	char text[3000];
	memset(text, 'x', sizeof text);
	return print(m, node, true, text, sizeof text, err);
}

/* The client writes to the first node and reads back a few values later. */
static bool client_line(struct machine *m, struct err *err)
{
	size_t client = m->plan->node_count - 1;
	bool server = m->nodes[0].running && !m->nodes[0].stopped;
	if (!server)
		return print_value(m, client, "retry", m->added + 1, err);
	if (m->unread_count == UNREAD_MAX || (m->unread_count > 0 && text_dice(m, client, 0, 1) == 1)) {
		uint64_t value = m->unread[0];
		m->unread_count--;
		memmove(m->unread, m->unread + 1, m->unread_count * sizeof *m->unread);
		return print_value(m, client, "read", value, err);
	}
	m->unread[m->unread_count++] = ++m->added;
	return print_value(m, client, "acked", m->added, err);
}

static bool line_of(struct machine *m, size_t node, struct err *err)
{
	if (m->options->hostile && text_dice(m, node, 1, 3) == 1)
		return print_hostile(m, node, err);
	if (node == m->plan->node_count - 1)
		return client_line(m, err);
	if (text_dice(m, node, 1, 40) == 1)
		return print(m, node, true, "warning: slow disk", 18, err);
	return print_value(m, node, text_dice(m, node, 0, 2) ? "set key" : "sync", text_dice(m, node, 1, 500), err);
}

/* A node that can print, or node_count when none can. */
static size_t some_node(struct machine *m)
{
	size_t count = m->plan->node_count, from = (size_t)dice(m, 0, count - 1);
	for (size_t i = 0; i < count; i++) {
		const struct machine_node *n = &m->nodes[(from + i) % count];
		if (n->running && !n->stopped)
			return (from + i) % count;
	}
	return count;
}

static bool start_due(struct machine *m, struct err *err)
{
	for (size_t i = 0; i < m->plan->node_count; i++)
		if (m->nodes[i].start_at <= m->now && !start(m, i, err))
			return false;
	return true;
}

static bool step(struct machine *m, bool with_faults, struct err *err)
{
	if ((with_faults && !step_faults(m, err)) || !start_due(m, err))
		return false;
	size_t node = some_node(m);
	if (node == m->plan->node_count) {
		m->now += 1000000;
		return true;
	}
	return line_of(m, node, err);
}

/* -- the run -- */

static bool begin(struct machine *m, struct err *err)
{
	uint8_t digest[DIGEST_SIZE];
	char hex[2 * DIGEST_SIZE + 1];
	plan_digest(m->plan, digest);
	digest_hex(digest, sizeof digest, hex);
	bool ok = emit(m, (struct event){.kind = EVENT_RUN_START, .node = "", .plan = hex}, err);
	for (size_t i = 0; ok && i < m->plan->node_count; i++)
		ok = start(m, i, err);
	return ok;
}

/* What lasts is over, and who is down comes back. */
static bool settle(struct machine *m, struct err *err)
{
	bool ok = true;
	for (size_t i = 0; ok && i < m->plan->fault_count; i++)
		if (m->faults[i].applied && !m->faults[i].over && m->plan->faults[i].kind->lasts) {
			m->nodes[m->plan->faults[i].node].stopped = false;
			m->faults[i].over = true;
			ok = emit_fault(m, i, EVENT_FAULT_HEALED, "", err);
		}
	for (size_t i = 0; ok && i < m->plan->node_count; i++)
		if (!m->nodes[i].running)
			ok = start(m, i, err);
	return ok;
}

/* How many events end() will make. */
static uint64_t rest(const struct machine *m)
{
	return m->unread_count + 2 * m->plan->node_count + 1;
}

static bool end(struct machine *m, struct err *err)
{
	size_t client = m->plan->node_count - 1;
	bool ok = true;
	for (size_t i = 0; ok && i < m->unread_count; i++)
		ok = print_value(m, client, "read", m->unread[i], err);
	ok = ok && exit_node(m, client, 0, err);
	for (size_t i = 0; ok && i < client; i++)
		ok = exit_node(m, i, SIGTERM, err);
	return ok && emit(m, (struct event){.kind = EVENT_RUN_END, .node = "", .reason = "done", .why = ""}, err);
}

static bool play(struct machine *m, struct err *err)
{
	uint64_t total = m->options->events, reserve = 20 + 6 * (m->plan->node_count + m->plan->fault_count);
	bool ok = begin(m, err);
	while (ok && m->seq + reserve < total)
		ok = step(m, true, err);
	ok = ok && settle(m, err);
	/* A value that is acknowledged will be read as well: two events. */
	while (ok && m->seq + rest(m) + 2 <= total)
		ok = step(m, false, err);
	if (ok && m->seq + rest(m) < total)
		ok = print_value(m, 0, "sync", text_dice(m, 0, 1, 500), err);
	if (ok && m->seq + rest(m) != total)
		return err_set(err, ERR_USAGE, "%" PRIu64 " events are too few for this plan: it takes %" PRIu64, total,
			m->seq + rest(m));
	return ok && end(m, err);
}

bool simulate(const struct plan *plan, const struct simulate_options *options, struct event_sink sink, struct err *err)
{
	struct machine m = {.plan = plan, .options = options, .sink = sink, .pid = 100};
	m.nodes = mem_array(plan->node_count, sizeof *m.nodes);
	m.faults = mem_array(plan->fault_count, sizeof *m.faults);
	m.texts = mem_array(plan->node_count, sizeof *m.texts);
	/* Not the plan's seed: two runs of one scenario are to be alike until a fault makes them differ. */
	rng_init(&m.rng, 0, "simulate");
	for (size_t i = 0; i < plan->node_count; i++)
		rng_init(&m.texts[i], i, "simulate/text");
	bool ok = play(&m, err);
	free(m.nodes);
	free(m.faults);
	free(m.texts);
	return ok;
}
