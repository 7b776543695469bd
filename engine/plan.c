#include "engine/plan.h"

#include <stdlib.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/rng.h"

/* ---- drawing --------------------------------------------------------------------------------------------- */

struct maker {
	const struct scenario *scenario;
	struct plan *plan;
	size_t fault_room, choice_room;
};

/* Notes a value that the seed decided; a range of one value is no choice. Takes over name. */
static void note(struct maker *m, char *name, struct text_range range, uint64_t value, const char *unit, struct text_place place)
{
	struct plan *p = m->plan;
	if (range.low == range.high) {
		free(name);
		return;
	}
	ARRAY_PUSH(p->choices, p->choice_count, m->choice_room) = (struct plan_choice){
		.name = name, .low = range.low, .high = range.high, .value = value, .unit = mem_str(unit), .place = place};
}

/* One value of the stream of this name. Takes over stream. */
static uint64_t draw(struct maker *m, char *stream, struct text_range range)
{
	struct rng rng;
	rng_init(&rng, m->plan->seed, stream);
	free(stream);
	return rng_range(&rng, range);
}

/* count different values of a range that has as many, ascending. (A range of one value gives that value each time.) */
static void draw_ascending(struct maker *m, char *stream, struct text_range range, uint64_t *values, size_t count)
{
	struct rng rng;
	rng_init(&rng, m->plan->seed, stream);
	free(stream);
	for (size_t i = 0; i < count; i++) {
		if (range.low == range.high) {
			values[i] = range.low;
			continue;
		}
		/* The n-th of the values that are still free: pass over each taken one that is not above it. */
		uint64_t value = rng_range(&rng, (struct text_range){range.low, range.high - i});
		size_t at = 0;
		for (; at < i && values[at] <= value; at++)
			value++;
		memmove(values + at + 1, values + at, (i - at) * sizeof *values);
		values[at] = value;
	}
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

static struct scenario_words copy_words(const struct scenario_words *w)
{
	struct scenario_words copy = {mem_array(w->count, sizeof *copy.items), w->count};
	for (size_t i = 0; i < w->count; i++)
		copy.items[i] = mem_str(w->items[i]);
	return copy;
}

/* Delays of a scenario are counted from the entry before; those of a plan from the start of the invocation. */
static void make_input(struct maker *m, const struct scenario_node *from, struct plan_node *to)
{
	to->input = mem_array(from->input_count, sizeof *to->input);
	to->input_count = from->input_count;
	for (size_t i = 0; i < from->input_count; i++) {
		const struct scenario_stdin *in = &from->input[i];
		struct plan_stdin *out = &to->input[i];
		char *question = mem_printf("nodes.%s.stdin[%zu].delay", from->name, i);
		uint64_t delay_ns = draw(m, mem_printf("node %s/stdin/%zu", from->name, i), in->delay_ns);
		note(m, question, in->delay_ns, delay_ns, "ns", in->place);
		*out = (struct plan_stdin){.invocation = in->invocation,
			.delay_ns = delay_ns,
			.bytes = mem_strn(in->text, in->size),
			.size = in->size,
			.eof = in->eof};
		for (const struct plan_stdin *before = out; before-- > to->input;)
			if (before->invocation == in->invocation) {
				out->offset = before->offset + before->size;
				out->delay_ns += before->delay_ns;
				break;
			}
	}
}

static void make_node(struct maker *m, const struct scenario_node *from, struct plan_node *to)
{
	uint64_t delay_ns = draw(m, mem_printf("node %s/restart", from->name), from->restart_delay_ns);
	note(m, mem_printf("nodes.%s.restart.delay", from->name), from->restart_delay_ns, delay_ns, "ns", from->place);
	*to = (struct plan_node){
		.name = mem_str(from->name),
		.argv = copy_words(&from->command),
		.env = copy_words(&from->env),
		.cwd = mem_str(from->cwd),
		.uid = from->uid,
		.gid = from->gid,
		.ready = from->ready,
		.ready_port = from->ready_port,
		.ready_text = mem_str(from->ready_text ? from->ready_text : ""),
		.restart = from->restart,
		.delay_ns = delay_ns,
		.after = from->after,
	};
	make_input(m, from, to);
}

/* ---- faults ---------------------------------------------------------------------------------------------- */

/* What an entry's streams are called: by what it does and not by where it stands, so that another entry changes nothing. */
static char *entry_name(const struct scenario *s, size_t index)
{
	const struct scenario_fault *f = &s->faults[index];
	struct buf name = {0};
	size_t same = 0;

	for (size_t i = 0; i < index; i++)
		same += s->faults[i].kind == f->kind && s->faults[i].target_count == f->target_count &&
			memcmp(s->faults[i].targets, f->targets, f->target_count * sizeof *f->targets) == 0;
	buf_str(&name, f->kind->name);
	for (size_t i = 0; i < f->target_count; i++)
		buf_printf(&name, "%c%s", i ? ',' : ' ', s->nodes[f->targets[i]].name);
	buf_printf(&name, "/%zu", same);
	return buf_take(&name);
}

/* Index in the plan of a fault by kind and ordinal; SCENARIO_NONE if it was not chosen. */
static size_t find_fault(const struct plan *p, const struct fault_kind *kind, uint64_t ordinal)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < p->fault_count; i++)
		if (p->faults[i].kind == kind && ++seen == ordinal)
			return i;
	return SCENARIO_NONE;
}

static uint64_t count_kind(const struct plan *p, const struct fault_kind *kind)
{
	uint64_t count = 0;
	for (size_t i = 0; i < p->fault_count; i++)
		count += p->faults[i].kind == kind;
	return count;
}

/* What differs between the faults of an entry. */
struct occurrence {
	size_t entry;     /* of the scenario */
	size_t k;         /* from 0 */
	const char *name; /* of the entry's streams */
	const char *id;   /* kill#2 */
	uint64_t value;   /* of the trigger, 0 where it has none */
};

static const char *const value_keys[] = {[TRIGGER_AT] = "at",
	[TRIGGER_LINES] = "after.lines",
	[TRIGGER_FAULT] = "",
	[TRIGGER_STARTED] = "after.nth",
	[TRIGGER_READY] = "after.nth",
	[TRIGGER_EXITED] = "after.nth"};

static struct plan_trigger make_trigger(
	struct maker *m, const struct scenario_fault *f, const struct occurrence *o, size_t target)
{
	const struct scenario_trigger *t = &f->trigger;
	struct plan_trigger out = {.on = t->kind, .value = o->value, .stage = t->stage};

	note(m, mem_printf("%s.%s", o->id, value_keys[t->kind]), t->value, o->value, t->kind == TRIGGER_AT ? "ns" : "",
		t->value_place);
	if (t->kind == TRIGGER_FAULT)
		out.fault = find_fault(m->plan, t->fault, t->fault_ordinal ? t->fault_ordinal : o->k + 1);
	else if (t->kind != TRIGGER_AT)
		out.node = t->node == SCENARIO_NONE ? target : t->node;
	if (t->value.high == 0 && t->kind != TRIGGER_AT && t->kind != TRIGGER_FAULT)
		out.value = o->k + 1;
	out.delay_ns = draw(m, mem_printf("%s/delay/%zu", o->name, o->k), t->delay_ns);
	note(m, mem_printf("%s.delay", o->id), t->delay_ns, out.delay_ns, "ns", t->delay_place);
	return out;
}

static void make_fault(struct maker *m, const struct scenario_fault *f, const struct occurrence *o)
{
	struct plan *p = m->plan;
	struct text_range targets = {0, f->target_count - 1};
	uint64_t which = draw(m, mem_printf("%s/target/%zu", o->name, o->k), targets);
	struct plan_fault out = {.id = mem_str(o->id), .kind = f->kind, .node = f->targets[which], .place = f->place};

	note(m, mem_printf("%s.target", o->id), targets, which, "", f->place);
	for (size_t i = 0; i < f->param_count; i++)
		out.params[out.param_count++] =
			(struct plan_param){mem_str(f->params[i].param->name), mem_str(f->params[i].value)};
	out.trigger = make_trigger(m, f, o, out.node);
	out.for_ns = draw(m, mem_printf("%s/for/%zu", o->name, o->k), f->for_ns);
	note(m, mem_printf("%s.for", o->id), f->for_ns, out.for_ns, "ns", f->for_place);
	out.path = mem_printf("faults[%zu]", o->entry);
	ARRAY_PUSH(p->faults, p->fault_count, m->fault_room) = out;
}

/* A fault that follows one which was not chosen is not chosen either. */
static bool is_chosen(const struct plan *p, const struct scenario_trigger *t, size_t k)
{
	return t->kind != TRIGGER_FAULT || find_fault(p, t->fault, t->fault_ordinal ? t->fault_ordinal : k + 1) != SCENARIO_NONE;
}

static void make_entry(struct maker *m, size_t index)
{
	const struct scenario_fault *f = &m->scenario->faults[index];
	uint64_t values[SCENARIO_TIMES_MAX];
	struct occurrence o = {.entry = index};
	char *name = entry_name(m->scenario, index);

	o.name = name;
	uint64_t times = draw(m, mem_printf("%s/times", name), f->times);
	note(m, mem_printf("faults[%zu].times", index), f->times, times, "", f->times_place);
	draw_ascending(m, mem_printf("%s/when", name), f->trigger.value, values, (size_t)times);
	for (; o.k < times && is_chosen(m->plan, &f->trigger, o.k); o.k++) {
		char *id = mem_printf("%s#%llu", f->kind->name, (unsigned long long)count_kind(m->plan, f->kind) + 1);
		o.id = id;
		o.value = values[o.k];
		make_fault(m, f, &o);
		free(id);
	}
	free(name);
}

/* ---- plans ----------------------------------------------------------------------------------------------- */

struct plan *plan_make(const struct scenario *scenario, uint64_t seed, struct err *err)
{
	struct plan *p = mem_alloc(sizeof *p);
	struct maker m = {.scenario = scenario, .plan = p};
	struct rng rng;

	p->scenario = mem_str(scenario->name);
	memcpy(p->scenario_sha256, scenario->sha256, sizeof p->scenario_sha256);
	p->seed = seed;
	rng_init(&rng, seed, "entropy");
	rng_bytes(&rng, p->entropy, sizeof p->entropy);
	p->limits = scenario->limits;
	p->until = scenario->until;
	p->nodes = mem_array(scenario->node_count, sizeof *p->nodes);
	for (; p->node_count < scenario->node_count; p->node_count++)
		make_node(&m, &scenario->nodes[p->node_count], &p->nodes[p->node_count]);
	for (size_t i = 0; i < scenario->fault_count; i++)
		make_entry(&m, i);
	if (p->choice_count <= PLAN_CHOICES_MAX)
		return p;
	err_set(err, ERR_INPUT, "%s: the seed decides %zu values; at most %d", scenario->file, p->choice_count, PLAN_CHOICES_MAX);
	plan_destroy(p);
	return NULL;
}

static void words_finish(struct scenario_words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->items[i]);
	free(w->items);
}

static void node_finish(struct plan_node *n)
{
	free(n->name);
	words_finish(&n->argv);
	words_finish(&n->env);
	free(n->cwd);
	free(n->ready_text);
	for (size_t i = 0; i < n->input_count; i++)
		free(n->input[i].bytes);
	free(n->input);
}

void plan_fault_finish(struct plan_fault *f)
{
	for (size_t i = 0; i < f->param_count; i++) {
		free(f->params[i].name);
		free(f->params[i].value);
	}
	free(f->id);
	free(f->path);
}

void plan_destroy(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->node_count; i++)
		node_finish(&p->nodes[i]);
	for (size_t i = 0; i < p->fault_count; i++)
		plan_fault_finish(&p->faults[i]);
	for (size_t i = 0; i < p->choice_count; i++) {
		free(p->choices[i].name);
		free(p->choices[i].unit);
	}
	free(p->nodes);
	free(p->faults);
	free(p->choices);
	free(p->scenario);
	free(p);
}

void plan_digest(const struct plan *plan, uint8_t digest[32])
{
	struct buf text = {0};
	plan_write(plan, &text);
	digest_sha256(text.data, text.size, digest);
	buf_free(&text);
}
