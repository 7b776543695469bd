#include "engine/diff.h"

#include <stdlib.h>
#include <string.h>

#include "engine/align.h"
#include "engine/plan.h"

#define COMPARE_BLOCK (1024 * 1024)

/* -- plans -- */

static const struct plan_choice *find_choice(const struct plan *plan, const char *name, size_t likely)
{
	if (!plan)
		return NULL;
	if (likely < plan->choice_count && strcmp(plan->choices[likely].name, name) == 0)
		return &plan->choices[likely];
	for (size_t i = 0; i < plan->choice_count; i++)
		if (strcmp(plan->choices[i].name, name) == 0)
			return &plan->choices[i];
	return NULL;
}

static bool same_choice(const struct plan_choice *a, const struct plan_choice *b)
{
	return a->value == b->value && a->low == b->low && a->high == b->high && strcmp(a->unit, b->unit) == 0;
}

static void compare_choices(struct diff *d, const struct plan *a, const struct plan *b)
{
	size_t room = 0;
	for (size_t i = 0; a && i < a->choice_count; i++) {
		const struct plan_choice *other = find_choice(b, a->choices[i].name, i);
		if (!other || !same_choice(&a->choices[i], other))
			ARRAY_PUSH(d->choices, d->choice_count, room) = (struct diff_choice){&a->choices[i], other};
	}
	for (size_t i = 0; b && i < b->choice_count; i++)
		if (!find_choice(a, b->choices[i].name, i))
			ARRAY_PUSH(d->choices, d->choice_count, room) = (struct diff_choice){NULL, &b->choices[i]};
}

static bool same_plan(const struct plan *a, const struct plan *b)
{
	if (!a || !b)
		return a == b;
	struct buf x = {0}, y = {0};
	plan_write(a, &x);
	plan_write(b, &y);
	bool same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
	buf_free(&x);
	buf_free(&y);
	return same;
}

static void compare_plans(struct diff *d, const struct plan *a, const struct plan *b)
{
	d->same_plan = same_plan(a, b);
	d->same_seed = d->same_plan || (a && b && a->seed == b->seed);
	d->same_scenario = d->same_plan || (a && b && strcmp(a->scenario_sha256, b->scenario_sha256) == 0);
	compare_choices(d, a, b);
}

/* -- faults and properties -- */

static bool same_fault_plan(
	const struct timeline *a, const struct plan_fault *x, const struct timeline *b, const struct plan_fault *y)
{
	if (!x || !y)
		return x == y;
	struct buf one = {0}, other = {0};
	facts_put_trigger(timeline_facts(a)->plan, x, &one);
	facts_put_params(x, &one);
	facts_put_trigger(timeline_facts(b)->plan, y, &other);
	facts_put_params(y, &other);
	bool same = strcmp(one.data, other.data) == 0;
	buf_free(&one);
	buf_free(&other);
	return same;
}

static bool same_fault(const struct timeline *a, size_t x, const struct timeline *b, size_t y)
{
	const struct timeline_fault *f = timeline_fault(a, x), *g = timeline_fault(b, y);
	for (size_t stage = 0; stage < FAULT_STAGES; stage++)
		if ((f->stage[stage] == TIMELINE_NONE) != (g->stage[stage] == TIMELINE_NONE))
			return false;
	return strcmp(timeline_node(a, (size_t)f->node), timeline_node(b, (size_t)g->node)) == 0 &&
		same_fault_plan(a, f->plan, b, g->plan);
}

static void compare_faults(struct diff *d, const struct timeline *a, const struct timeline *b)
{
	size_t room = 0;
	for (size_t i = 0; i < timeline_fault_count(a); i++) {
		int other = timeline_fault_find(b, timeline_fault(a, i)->id);
		bool differs = other < 0 || !same_fault(a, i, b, (size_t)other);
		ARRAY_PUSH(d->faults, d->fault_count, room) = (struct diff_fault){(int)i, other, differs};
	}
	for (size_t i = 0; i < timeline_fault_count(b); i++)
		if (timeline_fault_find(a, timeline_fault(b, i)->id) < 0)
			ARRAY_PUSH(d->faults, d->fault_count, room) = (struct diff_fault){-1, (int)i, true};
}

static void compare_properties(struct diff *d, const struct timeline *a, const struct timeline *b)
{
	size_t room = 0;
	for (size_t i = 0; i < timeline_property_count(a); i++) {
		const struct fact_property *mine = timeline_property(a, i)->fact;
		int other = timeline_property_find(b, mine->id);
		bool differs = other < 0 || timeline_property(b, (size_t)other)->fact->verdict != mine->verdict;
		ARRAY_PUSH(d->properties, d->property_count, room) = (struct diff_property){(int)i, other, differs};
	}
	for (size_t i = 0; i < timeline_property_count(b); i++)
		if (timeline_property_find(a, timeline_property(b, i)->fact->id) < 0)
			ARRAY_PUSH(d->properties, d->property_count, room) = (struct diff_property){-1, (int)i, true};
}

static bool same_verdicts(const struct diff *d)
{
	for (size_t i = 0; i < d->property_count; i++)
		if (d->properties[i].differs)
			return false;
	return true;
}

/* -- events -- */

static uint64_t bytes_of(const struct timeline *t)
{
	return timeline_count(t) ? timeline_event_end(t, timeline_count(t) - 1) : 0;
}

/* "identical" is said of bytes, not of hashes. */
static bool compare_bytes(const struct timeline *a, const struct timeline *b, bool *ret_same, struct err *err)
{
	uint64_t size = bytes_of(a);
	*ret_same = size == bytes_of(b);
	char *x = mem_alloc(COMPARE_BLOCK), *y = mem_alloc(COMPARE_BLOCK);
	bool ok = true;
	for (uint64_t at = 0; ok && *ret_same && at < size; at += COMPARE_BLOCK) {
		size_t part = size - at < COMPARE_BLOCK ? (size_t)(size - at) : COMPARE_BLOCK;
		ok = timeline_read(a, at, part, x, err) && timeline_read(b, at, part, y, err);
		*ret_same = ok && memcmp(x, y, part) == 0;
	}
	free(x);
	free(y);
	return ok;
}

static void find_first(struct diff *d, const struct timeline *a, const struct timeline *b)
{
	const struct entry *x = timeline_entries(a), *y = timeline_entries(b);
	size_t n = timeline_count(a), m = timeline_count(b), both = n < m ? n : m, i = 0;
	d->first = d->first_icount = TIMELINE_NONE;
	for (; i < both && x[i].content == y[i].content; i++)
		if (d->first_icount == TIMELINE_NONE && x[i].icount != y[i].icount)
			d->first_icount = i;
	if (i < n || i < m)
		d->first = i;
	d->same_events = i == n && i == m;
}

static void one_hunk(struct diff *d, const struct timeline *a)
{
	if (timeline_count(a) == 0)
		return;
	d->hunks = mem_array(1, sizeof *d->hunks);
	d->hunks[0] = (struct diff_hunk){0, timeline_count(a), 0, timeline_count(a), true};
	d->hunk_count = 1;
}

static struct align_side side_of(const struct timeline *t)
{
	const struct entry *e = timeline_entries(t);
	return (struct align_side){e ? &e->gist : NULL, sizeof *e, timeline_count(t)};
}

static bool align_events(struct diff *d, const struct timeline *a, const struct timeline *b, bool (*cancelled)(void *data),
	void *data, struct err *err)
{
	struct align_side x = side_of(a), y = side_of(b);
	struct align *align = align_create(&x, &y, cancelled, data);
	if (!align)
		return err_set(err, ERR_CANCELLED, "cancelled");
	d->hunks = mem_array(align->count, sizeof *d->hunks);
	d->hunk_count = align->count;
	for (size_t i = 0; i < align->count; i++) {
		const struct align_run *r = &align->runs[i];
		d->hunks[i] = (struct diff_hunk){r->a, r->a_count, r->b, r->b_count, r->same};
	}
	d->work_limit = align->work_limit;
	align_destroy(align);
	return true;
}

static bool compare_events(struct diff *d, const struct timeline *a, const struct timeline *b, bool (*cancelled)(void *data),
	void *data, struct err *err)
{
	if (!compare_bytes(a, b, &d->same_bytes, err))
		return false;
	find_first(d, a, b);
	if (d->same_events) {
		one_hunk(d, a);
		return true;
	}
	return align_events(d, a, b, cancelled, data, err);
}

/* -- the whole -- */

struct diff *diff_create(
	const struct timeline *a, const struct timeline *b, bool (*cancelled)(void *data), void *data, struct err *err)
{
	struct diff *d = mem_alloc(sizeof *d);
	compare_plans(d, timeline_facts(a)->plan, timeline_facts(b)->plan);
	if (!compare_events(d, a, b, cancelled, data, err)) {
		diff_destroy(d);
		return NULL;
	}
	compare_faults(d, a, b);
	compare_properties(d, a, b);
	d->identical = d->same_plan && d->same_bytes && same_verdicts(d);
	struct buf text = {0};
	diff_put_headline(d, a, b, &text);
	d->headline = buf_take(&text);
	if (!d->identical)
		diff_put_story(d, a, b, &text);
	d->story = buf_take(&text);
	return d;
}

void diff_destroy(struct diff *d)
{
	if (!d)
		return;
	free(d->hunks);
	free(d->choices);
	free(d->faults);
	free(d->properties);
	free(d->headline);
	free(d->story);
	free(d);
}

/* -- looking things up -- */

size_t diff_hunk_of(const struct diff *d, int side, size_t event)
{
	size_t low = 0, high = d->hunk_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct diff_hunk *h = &d->hunks[middle];
		if (event >= (side == 0 ? h->a + h->a_count : h->b + h->b_count))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t partner(const struct diff *d, int side, size_t event, bool *ret_exact)
{
	size_t i = diff_hunk_of(d, side, event);
	const struct diff_hunk *h = i < d->hunk_count ? &d->hunks[i] : NULL;
	if (ret_exact)
		*ret_exact = h && h->same;
	if (!h)
		return TIMELINE_NONE;
	size_t mine = side == 0 ? h->a : h->b, theirs = side == 0 ? h->b : h->a;
	if (h->same)
		return theirs + (event - mine);
	return theirs > 0 ? theirs - 1 : TIMELINE_NONE;
}

size_t diff_to_b(const struct diff *d, size_t a, bool *ret_exact)
{
	return partner(d, 0, a, ret_exact);
}

size_t diff_to_a(const struct diff *d, size_t b, bool *ret_exact)
{
	return partner(d, 1, b, ret_exact);
}

size_t diff_next(const struct diff *d, size_t hunk)
{
	for (size_t i = hunk + 1; i < d->hunk_count; i++)
		if (!d->hunks[i].same)
			return i;
	return d->hunk_count;
}

size_t diff_prev(const struct diff *d, size_t hunk)
{
	for (size_t i = hunk < d->hunk_count ? hunk : d->hunk_count; i-- > 0;)
		if (!d->hunks[i].same)
			return i;
	return d->hunk_count;
}
