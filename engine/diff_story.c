/* The first divergence of two runs, told in words. */
#include <inttypes.h>
#include <string.h>

#include "engine/describe.h"
#include "engine/diff.h"
#include "engine/json.h"

#define NEIGHBOURS     2 /* events told before the first difference */
#define CHOICES_TOLD   8
#define IDENTITY_SHOWN 120 /* bytes of a part of a machine's identity */
#define FAULT_REACH    50  /* events after the first difference in which the first fault is taken for its cause */

static void put_seed(const struct timeline *t, struct buf *out)
{
	const struct plan *plan = timeline_facts(t)->plan;
	if (plan)
		buf_printf(out, "seed %" PRIu64, plan->seed);
	else
		buf_str(out, "unknown seed");
}

static size_t count_different(const struct diff *d, int side)
{
	size_t count = 0;
	for (size_t i = 0; i < d->hunk_count; i++)
		if (!d->hunks[i].same)
			count += side == 0 ? d->hunks[i].a_count : d->hunks[i].b_count;
	return count;
}

static const char *names_of_verdicts(const struct timeline *t)
{
	return timeline_facts(t)->has_properties ? verdict_name(timeline_facts(t)->verdict) : "no verdict";
}

void diff_put_headline(const struct diff *d, const struct timeline *a, const struct timeline *b, struct buf *out)
{
	if (d->identical) {
		buf_printf(out, "identical: %zu events, verdict %s, ", timeline_count(a), names_of_verdicts(a));
		put_seed(a, out);
		return;
	}
	if (d->same_events && d->same_plan) {
		buf_printf(out, "differ: the same plan and events, %s",
			d->same_bytes                              ? "but other verdicts"
				: d->first_icount == TIMELINE_NONE ? "at the same instruction counts, but at other times"
								   : "but at other instruction counts");
		return;
	}
	buf_str(out, "differ: ");
	put_seed(a, out);
	buf_str(out, " and ");
	put_seed(b, out);
	if (d->same_events)
		buf_str(out, ": other plans, yet the same events");
	else
		buf_printf(out, ": they diverge at event %zu; A has %zu events that B has not, B has %zu that A has not",
			d->first + 1, count_different(d, 0), count_different(d, 1));
}

/* -- events -- */

static void put_event(const struct timeline *t, size_t index, const char *label, struct buf *out)
{
	struct timeline_event e = {0};
	struct err err = {0};
	buf_printf(out, "  %s  ", label);
	if (index >= timeline_count(t)) {
		buf_str(out, "has no more events\n");
		return;
	}
	if (timeline_event(t, index, &e, &err)) {
		buf_printf(out, "ev %-6zu t ", index + 1);
		describe_time(e.event.vtime_ns, out);
		buf_printf(out, "  %s  %s  ", e.event.node[0] ? e.event.node : "machine", event_kind_name(e.event.kind));
		describe_event(&e.event, out);
	} else {
		buf_str(out, err.text);
	}
	buf_char(out, '\n');
	timeline_event_finish(&e);
}

/* What says the same and still differs does so in a counter. */
static bool only_counters(const struct timeline *a, const struct timeline *b, size_t first)
{
	return first < timeline_count(a) && first < timeline_count(b) &&
		timeline_entries(a)[first].gist == timeline_entries(b)[first].gist;
}

static void put_first(const struct diff *d, const struct timeline *a, const struct timeline *b, struct buf *out)
{
	size_t first = d->first;
	if (first == TIMELINE_NONE)
		return;
	buf_printf(out, "first difference: event %zu\n", first + 1);
	for (size_t i = first > NEIGHBOURS ? first - NEIGHBOURS : 0; i < first; i++)
		put_event(a, i, "both", out);
	put_event(a, first, "A   ", out);
	put_event(b, first, "B   ", out);
	if (only_counters(a, b, first))
		buf_str(out, "  the two say the same, but for a number that counts (process id, line, bytes)\n");
	if (d->first_icount == 0)
		buf_str(out, "  until then the runs say the same, but at other instruction counts from the start\n");
	else if (d->first_icount != TIMELINE_NONE)
		buf_printf(out, "  until then the runs say the same, from event %zu on at other instruction counts\n",
			d->first_icount + 1);
}

/* -- the cause -- */

/* The fault of the first fault event in either run near the first difference: most likely what made it. NULL if there is none. */
static const char *suspect(const struct diff *d, const struct timeline *a, const struct timeline *b)
{
	if (d->first == TIMELINE_NONE)
		return NULL;
	for (size_t i = d->first; i < d->first + FAULT_REACH; i++) {
		const struct timeline *both[] = {a, b};
		for (size_t side = 0; side < 2; side++)
			if (i < timeline_count(both[side]) && timeline_entries(both[side])[i].fault > 0)
				return timeline_fault(both[side], timeline_entries(both[side])[i].fault - 1)->id;
	}
	return NULL;
}

/* A fault's choices are named after it, "kill#1.after.lines"; those of how often after its place, "faults[0].times". */
static bool concerns(const struct plan_choice *choice, const char *fault, const struct plan_fault *planned)
{
	size_t size = strlen(fault);
	if (strncmp(choice->name, fault, size) == 0 && choice->name[size] == '.')
		return true;
	size = planned ? strlen(planned->path) : 0;
	return size > 0 && strncmp(choice->name, planned->path, size) == 0 && choice->name[size] == '.';
}

static void put_value(const struct plan_choice *choice, const char *side, struct buf *out)
{
	buf_printf(out, "%s ", side);
	if (choice)
		facts_put_choice(choice, out);
	else
		buf_str(out, "has no such choice");
}

static void put_choice(const struct diff_choice *c, struct buf *out)
{
	const struct plan_choice *any = c->a ? c->a : c->b;
	buf_printf(out, "  %s: ", any->name);
	put_value(c->a, "A", out);
	put_value(c->b, ", B", out);
	if (any->place.line > 0)
		buf_printf(out, " (scenario.yaml:%u:%u)", any->place.line, any->place.column);
	buf_char(out, '\n');
}

static const struct plan_fault *planned_in(const struct timeline *a, const struct timeline *b, const char *id)
{
	const struct plan_fault *f = facts_fault(timeline_facts(a), id);
	return f ? f : facts_fault(timeline_facts(b), id);
}

static size_t put_choices(
	const struct diff *d, const char *fault, const struct plan_fault *planned, bool wanted, size_t most, struct buf *out)
{
	size_t told = 0;
	for (size_t i = 0; i < d->choice_count && told < most; i++) {
		const struct plan_choice *any = d->choices[i].a ? d->choices[i].a : d->choices[i].b;
		if ((fault && concerns(any, fault, planned)) != wanted)
			continue;
		put_choice(&d->choices[i], out);
		told++;
	}
	return told;
}

/* A fork goes on from its parent with a plan that is the same; that is no surprise. */
static bool put_forks(const struct timeline *a, const struct timeline *b, struct buf *out)
{
	const struct timeline *both[] = {a, b};
	bool any = false;
	for (size_t i = 0; i < 2; i++) {
		const struct manifest *m = &timeline_facts(both[i])->manifest;
		if (!m->parent)
			continue;
		any = true;
		buf_printf(out, "%c is a fork: from instruction ", "AB"[i]);
		describe_count(m->parent_icount, out);
		buf_str(out, " of ");
		text_put_safe(out, m->parent, strlen(m->parent));
		buf_str(out, " on it went its own way\n");
	}
	return any;
}

/* The parts of the two machines that are not the same, by name. False if all are. */
static bool put_machines(const char *a, const char *b, struct buf *out)
{
	struct json *x = json_parse(a, strlen(a), "identity", NULL), *y = json_parse(b, strlen(b), "identity", NULL);
	struct buf mine = {0}, other = {0};
	bool any = false;
	for (size_t i = 0; i < json_count(x); i++) {
		const char *name;
		const struct json *value = json_member_at(x, i, &name), *theirs = json_member(y, name);
		buf_clear(&mine);
		buf_clear(&other);
		json_write_canonical(value, &mine);
		if (theirs)
			json_write_canonical(theirs, &other);
		if (mine.size == other.size && memcmp(mine.data, other.data, mine.size) == 0)
			continue;
		any = true;
		buf_printf(out, "  %s: A ", name);
		text_put_safe(out, mine.data, mine.size < IDENTITY_SHOWN ? mine.size : IDENTITY_SHOWN);
		buf_str(out, ", B ");
		text_put_safe(out, theirs ? other.data : "none",
			theirs ? (other.size < IDENTITY_SHOWN ? other.size : IDENTITY_SHOWN) : 4);
		buf_char(out, '\n');
	}
	any |= json_count(x) != json_count(y);
	buf_free(&mine);
	buf_free(&other);
	json_destroy(x);
	json_destroy(y);
	return any;
}

/* The same plan and other events: what is not the same around the plan? */
static void put_surprise(const struct timeline *a, const struct timeline *b, struct buf *out)
{
	const struct facts *x = timeline_facts(a), *y = timeline_facts(b);
	struct buf machines = {0};
	buf_str(out, "plan: the same in both (");
	put_seed(a, out);
	if (!x->has_manifest || !y->has_manifest)
		buf_str(out, "), but a run is not whole\n");
	else if (put_machines(x->manifest.identity, y->manifest.identity, &machines))
		buf_printf(out, "), but not the machine:\n%s", machines.data ? machines.data : "");
	else
		buf_str(out,
			"), and the same machine: these runs should have been identical; something outside the plan got in\n");
	buf_free(&machines);
}

static void put_cause(const struct diff *d, const struct timeline *a, const struct timeline *b, struct buf *out)
{
	const struct plan *x = timeline_facts(a)->plan, *y = timeline_facts(b)->plan;
	if (!x || !y) {
		buf_printf(out, "plan: %s, so nothing can be said of the cause\n",
			x           ? "B has none"
				: y ? "A has none"
				    : "neither has one");
		return;
	}
	if (d->same_plan) {
		if (!put_forks(a, b, out))
			put_surprise(a, b, out);
		return;
	}
	if (!d->same_scenario)
		buf_str(out, "scenario: its file is not the same in both\n");
	buf_str(out, "plan: A has ");
	put_seed(a, out);
	buf_str(out, ", B has ");
	put_seed(b, out);
	buf_printf(out, "; %zu choice%s differ%s\n", d->choice_count, d->choice_count == 1 ? "" : "s",
		d->choice_count == 1 ? "s" : "");
	const char *fault = suspect(d, a, b);
	const struct plan_fault *planned = fault ? planned_in(a, b, fault) : NULL;
	struct buf likely = {0}, other = {0};
	size_t told = fault ? put_choices(d, fault, planned, true, CHOICES_TOLD, &likely) : 0;
	size_t others = put_choices(d, fault, planned, false, CHOICES_TOLD - told, &other);
	if (told > 0)
		buf_printf(out, "most likely because of %s:\n%s%s", fault, likely.data, others > 0 ? "also:\n" : "");
	if (others > 0)
		buf_str(out, other.data);
	buf_free(&likely);
	buf_free(&other);
	if (told + others < d->choice_count)
		buf_printf(out, "  and %zu more\n", d->choice_count - told - others);
}

void diff_put_story(const struct diff *d, const struct timeline *a, const struct timeline *b, struct buf *out)
{
	put_first(d, a, b, out);
	put_cause(d, a, b, out);
	if (d->work_limit)
		buf_str(out, "some stretches are so different that their best alignment was not looked for\n");
}
