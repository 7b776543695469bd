/* Does a plan belong to a scenario? What the seed cannot decide must be equal, what it decides must be within its range. */
#include <stdio.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/plan.h"

static bool differs(struct err *err, const char *where, const char *what)
{
	return err_set(err, ERR_INPUT, "the plan does not fit the scenario: %s: %s", where, what);
}

static bool is_within(struct text_range range, uint64_t value)
{
	return range.low <= value && value <= range.high;
}

static bool outside(
	struct err *err, const char *where, const char *what, enum text_unit unit, struct text_range range, uint64_t value)
{
	struct buf text = {0};
	buf_printf(&text, "%s is ", what);
	text_put(&text, unit, value);
	buf_str(&text, ", the scenario allows ");
	text_put_range(&text, unit, range);
	differs(err, where, text.data);
	buf_free(&text);
	return false;
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

static bool same_words(const struct scenario_words *a, const struct scenario_words *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

/* Delays of a plan are sums of the scenario's: of this entry and those before it of the same invocation. */
static bool check_input(const struct plan_node *n, const struct scenario_node *from, const char *where, struct err *err)
{
	struct text_range sum = {0};
	for (size_t i = 0; i < n->input_count; i++) {
		const struct plan_stdin *in = &n->input[i];
		const struct scenario_stdin *wanted = &from->input[i];
		if (in->invocation != wanted->invocation || in->eof != wanted->eof || in->size != wanted->size ||
			memcmp(in->bytes, wanted->text, in->size) != 0)
			return differs(err, where, "stdin");
		sum = (struct text_range){0};
		uint64_t offset = 0;
		for (size_t k = 0; k <= i; k++)
			if (from->input[k].invocation == in->invocation) {
				sum.low += from->input[k].delay_ns.low;
				sum.high += from->input[k].delay_ns.high;
				offset += k < i ? from->input[k].size : 0;
			}
		if (in->offset != offset)
			return differs(err, where, "offsets of stdin");
		if (!is_within(sum, in->delay_ns))
			return outside(err, where, "a delay of stdin", TEXT_DURATION, sum, in->delay_ns);
	}
	return true;
}

static bool check_node(const struct plan_node *n, const struct scenario_node *from, struct err *err)
{
	const char *where = n->name;
	const char *ready_text = from->ready_text ? from->ready_text : "";

	if (strcmp(n->name, from->name) != 0)
		return differs(err, where, "the scenario has another node in this place");
	if (!same_words(&n->argv, &from->command))
		return differs(err, where, "command");
	if (!same_words(&n->env, &from->env))
		return differs(err, where, "env");
	if (strcmp(n->cwd, from->cwd) != 0 || n->uid != from->uid || n->gid != from->gid)
		return differs(err, where, "cwd or user");
	if (n->ready != from->ready || n->ready_port != from->ready_port || strcmp(n->ready_text, ready_text) != 0)
		return differs(err, where, "ready");
	if (n->restart != from->restart || n->after != from->after || n->input_count != from->input_count)
		return differs(err, where, "restart, after or stdin");
	if (!is_within(from->restart_delay_ns, n->delay_ns))
		return outside(err, where, "the delay of a restart", TEXT_DURATION, from->restart_delay_ns, n->delay_ns);
	return check_input(n, from, where, err);
}

/* ---- faults ---------------------------------------------------------------------------------------------- */

static bool is_target(const struct scenario_fault *f, size_t node)
{
	for (size_t i = 0; i < f->target_count; i++)
		if (f->targets[i] == node)
			return true;
	return false;
}

/* Index of the entry that the fault says it comes from. */
static bool entry_of(const struct scenario *s, const struct plan_fault *f, size_t *ret)
{
	unsigned index;
	char again[32];
	if (sscanf(f->path, "faults[%5u]", &index) != 1 || index >= s->fault_count)
		return false;
	snprintf(again, sizeof again, "faults[%u]", index);
	*ret = index;
	return strcmp(again, f->path) == 0;
}

static uint64_t ordinal_of(const struct plan_fault *f)
{
	uint64_t ordinal;
	fault_parse_id(f->id, &ordinal);
	return ordinal;
}

/* k counts the faults of the entry from 1; in a combined plan they cannot be counted. */
enum { COMBINED = 0 };

static bool check_trigger(
	const struct plan *p, const struct plan_fault *f, const struct scenario_fault *from, uint64_t k, struct err *err)
{
	const struct plan_trigger *t = &f->trigger;
	const struct scenario_trigger *wanted = &from->trigger;
	struct text_range value = wanted->value;

	if (t->on != wanted->kind)
		return differs(err, f->id, "what it waits for");
	if (!is_within(wanted->delay_ns, t->delay_ns))
		return outside(err, f->id, "its delay", TEXT_DURATION, wanted->delay_ns, t->delay_ns);
	if (t->on == TRIGGER_FAULT) {
		const struct plan_fault *before = &p->faults[t->fault];
		uint64_t ordinal = wanted->fault_ordinal ? wanted->fault_ordinal : k;
		bool same = k == COMBINED || ordinal_of(before) == ordinal;
		return (before->kind == wanted->fault && same && t->stage == wanted->stage) ||
			differs(err, f->id, "the fault that it follows");
	}
	if (t->on == TRIGGER_AT)
		return is_within(value, t->value) || outside(err, f->id, "its time", TEXT_DURATION, value, t->value);
	if (t->node != (wanted->node == SCENARIO_NONE ? f->node : wanted->node))
		return differs(err, f->id, "the node that it waits for");
	if (value.high == 0)
		value = k == COMBINED ? (struct text_range){1, SCENARIO_PLANNED_MAX} : (struct text_range){k, k};
	return is_within(value, t->value) || outside(err, f->id, "its trigger", TEXT_NUMBER, value, t->value);
}

static bool check_fault(
	const struct plan *p, const struct plan_fault *f, const struct scenario_fault *from, uint64_t k, struct err *err)
{
	if (f->kind != from->kind || !is_target(from, f->node))
		return differs(err, f->id, "its type or its node");
	for (size_t i = 0; i < from->param_count; i++)
		if (i >= f->param_count || strcmp(f->params[i].value, from->params[i].value) != 0)
			return differs(err, f->id, from->params[i].param->name);
	if (!is_within(from->for_ns, f->for_ns))
		return outside(err, f->id, "how long it lasts", TEXT_DURATION, from->for_ns, f->for_ns);
	return check_trigger(p, f, from, k, err);
}

static bool check_combined(const struct plan *p, const struct scenario *s, struct err *err)
{
	for (size_t i = 0; i < p->fault_count; i++) {
		const struct plan_fault *f = &p->faults[i];
		size_t entry;
		if (!entry_of(s, f, &entry))
			return differs(err, f->id, "the entry that it comes from");
		if (!check_fault(p, f, &s->faults[entry], COMBINED, err))
			return false;
	}
	return true;
}

static bool check_faults(const struct plan *p, const struct scenario *s, struct err *err)
{
	uint64_t of_entry[SCENARIO_FAULTS_MAX] = {0};
	size_t last = 0;

	for (size_t i = 0; i < p->fault_count; i++) {
		const struct plan_fault *f = &p->faults[i];
		uint64_t of_kind = 1;
		size_t entry;
		for (size_t j = 0; j < i; j++)
			of_kind += p->faults[j].kind == f->kind;
		if (!entry_of(s, f, &entry) || entry < last)
			return differs(err, f->id, "the entry that it comes from");
		if (ordinal_of(f) != of_kind)
			return differs(err, f->id, "its ordinal");
		last = entry;
		if (!check_fault(p, f, &s->faults[entry], ++of_entry[entry], err))
			return false;
	}
	for (size_t i = 0; i < s->fault_count; i++) {
		struct text_range times = s->faults[i].times;
		char where[32];
		snprintf(where, sizeof where, "faults[%zu]", i);
		if (s->faults[i].trigger.kind == TRIGGER_FAULT)
			times.low = 0; /* one that follows a fault which was not chosen is not there */
		if (!is_within(times, of_entry[i]))
			return outside(err, where, "the number of its faults", TEXT_NUMBER, times, of_entry[i]);
	}
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static bool same_limits(const struct scenario_limits *a, const struct scenario_limits *b)
{
	return a->vtime_ns == b->vtime_ns && a->instructions == b->instructions && a->events == b->events &&
		a->bytes == b->bytes && a->wall_s == b->wall_s;
}

static bool check_all_but_faults(const struct plan *plan, const struct scenario *scenario, struct err *err)
{
	if (strcmp(plan->scenario, scenario->name) != 0)
		return differs(err, plan->scenario, "the scenario has another name");
	if (strcmp(plan->scenario_sha256, scenario->sha256) != 0)
		return differs(err, plan->scenario, "the scenario file has changed since (its SHA-256 is another)");
	if (!same_limits(&plan->limits, &scenario->limits))
		return differs(err, plan->scenario, "limits");
	if (plan->node_count != scenario->node_count)
		return differs(err, plan->scenario, "the number of nodes");
	for (size_t i = 0; i < plan->node_count; i++)
		if (!check_node(&plan->nodes[i], &scenario->nodes[i], err))
			return false;
	return plan->until == scenario->until || differs(err, plan->scenario, "until");
}

bool plan_validate(const struct plan *plan, const struct scenario *scenario, struct err *err)
{
	return check_all_but_faults(plan, scenario, err) && check_faults(plan, scenario, err);
}

bool plan_validate_combined(const struct plan *plan, const struct scenario *scenario, struct err *err)
{
	return check_all_but_faults(plan, scenario, err) && check_combined(plan, scenario, err);
}
