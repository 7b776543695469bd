#include "engine/orders.h"

#include <string.h>

#include "agent/wire.h"
#include "engine/event.h"

/* The numbers of the plan's words are those of the wire. */
_Static_assert((int)READY_START == WIRE_READY_START && (int)READY_PORT == WIRE_READY_PORT && (int)READY_LINE == WIRE_READY_LINE,
	"ready");
_Static_assert((int)RESTART_NEVER == WIRE_RESTART_NEVER && (int)RESTART_AFTER_FAULT == WIRE_RESTART_AFTER_FAULT &&
		(int)RESTART_ALWAYS == WIRE_RESTART_ALWAYS,
	"restart");
_Static_assert((int)TRIGGER_AT == WIRE_AT && (int)TRIGGER_LINES == WIRE_LINES && (int)TRIGGER_FAULT == WIRE_AFTER, "trigger");
_Static_assert(
	(int)TRIGGER_STARTED == WIRE_ON_START && (int)TRIGGER_READY == WIRE_ON_READY && (int)TRIGGER_EXITED == WIRE_ON_EXIT,
	"trigger");
_Static_assert((int)FAULT_SELECTED == WIRE_SELECTED && (int)FAULT_APPLIED == WIRE_APPLIED &&
		(int)FAULT_REJECTED == WIRE_REJECTED && (int)FAULT_OBSERVED == WIRE_OBSERVED && (int)FAULT_HEALED == WIRE_HEALED,
	"stage");
_Static_assert(SCENARIO_NODES_MAX <= WIRE_NODES_MAX && SCENARIO_PLANNED_MAX <= WIRE_FAULTS_MAX, "counts");

static struct wire_bytes bytes_of(const void *data, size_t size)
{
	return (struct wire_bytes){data, size};
}

static struct wire_bytes text_of(const char *text)
{
	return bytes_of(text, strlen(text));
}

static bool put_frame(struct buf *out, const struct wire_message *m, struct err *err)
{
	size_t size = wire_size(m);
	if (!size)
		return err_set(err, ERR_INPUT, "the orders of %s do not fit a frame of %d bytes", wire_type_name(m->type),
			WIRE_PAYLOAD_MAX);
	buf_reserve(out, size);
	wire_encode(m, (uint8_t *)out->data + out->size, size);
	out->size += size;
	out->data[out->size] = '\0';
	return true;
}

/* Each word with its NUL. The buffer is the caller's, and cleared first. */
static struct wire_bytes words_of(struct buf *b, const struct scenario_words *words)
{
	buf_clear(b);
	for (size_t i = 0; i < words->count; i++)
		buf_add(b, words->items[i], strlen(words->items[i]) + 1);
	return bytes_of(b->data, b->size);
}

static bool put_node(const struct plan *plan, size_t index, struct buf *out, struct err *err)
{
	const struct plan_node *n = &plan->nodes[index];
	struct buf argv = {0}, env = {0};
	struct wire_message m = {
		.type = WIRE_NODE,
		.node = index,
		.argv = words_of(&argv, &n->argv),
		.env = words_of(&env, &n->env),
		.cwd = text_of(n->cwd),
		.uid = n->uid,
		.gid = n->gid,
		.ready = n->ready,
		.ready_value = n->ready_port,
		.ready_text = text_of(n->ready_text),
		.restart = n->restart,
		.delay_ns = n->delay_ns,
		.wait = n->after,
	};
	bool ok = put_frame(out, &m, err) || err_prefix(err, "node %s", n->name);
	buf_free(&argv);
	buf_free(&env);
	return ok;
}

static bool put_input(const struct plan *plan, size_t index, struct buf *out, struct err *err)
{
	const struct plan_node *n = &plan->nodes[index];
	for (size_t i = 0; i < n->input_count; i++) {
		const struct plan_stdin *in = &n->input[i];
		struct wire_message m = {
			.type = WIRE_STDIN,
			.node = index,
			.invocation = in->invocation,
			.offset = in->offset,
			.code = in->eof,
			.bytes = bytes_of(in->bytes, in->size),
			.delay_ns = in->delay_ns,
		};
		if (!put_frame(out, &m, err))
			return err_prefix(err, "node %s", n->name);
	}
	return true;
}

/* The agent gets numbers: it has no table of names and units. kind is the row of the fault table. */
static void put_param(struct buf *out, const struct fault_param *kind, const struct plan_param *p)
{
	uint64_t number;
	if (kind->type == FAULT_SIGNAL)
		buf_printf(out, "%s=%d", p->name, event_signal_number(p->value));
	else if (kind->type == FAULT_PARAM_DURATION && text_parse(p->value, TEXT_DURATION, &number))
		buf_printf(out, "%s_ns=%llu", p->name, (unsigned long long)number);
	else if (kind->type == FAULT_PARAM_SIZE && text_parse(p->value, TEXT_SIZE, &number))
		buf_printf(out, "%s=%llu", p->name, (unsigned long long)number);
	else
		buf_printf(out, "%s=%s", p->name, p->value);
	buf_char(out, '\0');
}

static bool put_fault(const struct plan *plan, size_t index, struct buf *out, struct err *err)
{
	const struct plan_fault *f = &plan->faults[index];
	const struct plan_trigger *t = &f->trigger;
	struct buf params = {0};
	bool counts = t->on == TRIGGER_STARTED || t->on == TRIGGER_READY || t->on == TRIGGER_EXITED;

	for (size_t i = 0; i < f->param_count; i++)
		put_param(&params, &f->kind->params[i], &f->params[i]);
	struct wire_message m = {
		.type = WIRE_TROUBLE,
		.fault = index,
		.bytes = text_of(f->kind->name),
		.node = f->node,
		.params = bytes_of(params.data, params.size),
		.for_ns = f->for_ns,
		.trigger = t->on,
		.trigger_value = t->on == TRIGGER_FAULT ? t->stage
			: counts                        ? 0
							: t->value,
		.trigger_of = t->on == TRIGGER_FAULT ? t->fault
			: t->on == TRIGGER_AT        ? 0
						     : t->node,
		.trigger_nth = counts ? t->value : 0,
		.delay_ns = t->delay_ns,
	};
	bool ok = put_frame(out, &m, err) || err_prefix(err, "fault %s", f->id);
	buf_free(&params);
	return ok;
}

bool orders_encode(const struct plan *plan, struct buf *out, struct err *err)
{
	uint8_t digest[WIRE_DIGEST_SIZE];
	plan_digest(plan, digest);
	struct wire_message run = {
		.type = WIRE_RUN,
		.value = WIRE_VERSION,
		.bytes = bytes_of(digest, sizeof digest),
		.entropy = bytes_of(plan->entropy, sizeof plan->entropy),
		.limit_ns = plan->limits.vtime_ns,
		.wait = plan->until,
	};
	if (!put_frame(out, &run, err))
		return false;
	for (size_t i = 0; i < plan->node_count; i++)
		if (!put_node(plan, i, out, err))
			return false;
	for (size_t i = 0; i < plan->node_count; i++)
		if (!put_input(plan, i, out, err))
			return false;
	for (size_t i = 0; i < plan->fault_count; i++)
		if (!put_fault(plan, i, out, err))
			return false;
	return true;
}

bool orders_encode_faults(const struct plan *plan, const bool *given, struct buf *out, struct err *err)
{
	struct wire_message run = {.type = WIRE_RUN, .value = WIRE_VERSION};
	if (!put_frame(out, &run, err))
		return false;
	for (size_t i = 0; i < plan->fault_count; i++)
		if (given[i] && !put_fault(plan, i, out, err))
			return false;
	return true;
}

bool orders_spec(const struct scenario *scenario, const unsigned *images, struct buf *out, struct err *err)
{
	struct wire_message machine = {.type = WIRE_MACHINE, .value = WIRE_VERSION, .bytes = text_of("polecat")};
	if (!put_frame(out, &machine, err))
		return false;
	for (size_t i = 0; i < scenario->node_count; i++) {
		const struct scenario_node *n = &scenario->nodes[i];
		struct wire_message host = {
			.type = WIRE_HOST,
			.node = i,
			.bytes = text_of(n->name),
			.address = ORDERS_ADDRESS(i),
			.value = n->disk_bytes,
			.image = images[i],
		};
		if (!put_frame(out, &host, err))
			return err_prefix(err, "node %s", n->name);
	}
	return true;
}
