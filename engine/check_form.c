#include "engine/check_form.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/check_keys.h"
#include "engine/check_match.h"
#include "engine/check_set.h"

/* One property being evaluated. A form uses what it needs. */
struct check_form {
	const struct property *property;
	struct check_result result;
	uint64_t seen[PROPERTY_ORDERED_MAX]; /* counters of the matchers' `nth` */
	uint64_t seen_after;
	/* eventually: the oldest thing that still waits for a match. One match answers all that wait, and the oldest is the
	 * first to be too late, so the others need not be known. */
	bool waits;
	uint64_t since_ns, since_seq;
	/* ordered: the first match of each matcher, and for `each` which matchers have matched, by number of key */
	uint64_t first[PROPERTY_ORDERED_MAX];
	struct check_keys *keys;
	uint32_t *matched;
	size_t matched_room;
	bool one_is_whole;
	struct check_set *set;
};

typedef unsigned long long ull;

enum { SHOWN_MAX = 80 /* bytes of a line in a sentence */ };

/* "ev 16 ('mismatch 4 got x')": an event by its number and what it says, made harmless. */
static char *shown(const struct event *e)
{
	struct buf out = {0};
	buf_printf(&out, "ev %llu", (ull)e->seq);
	if (e->text.size) {
		buf_str(&out, " ('");
		text_put_safe(&out, e->text.data, e->text.size < SHOWN_MAX ? e->text.size : SHOWN_MAX);
		buf_str(&out, e->text.size < SHOWN_MAX ? "')" : "...')");
	}
	return buf_take(&out);
}

static void broken_by(struct check_result *r, const struct event *e, const char *how)
{
	char *event = shown(e);
	check_witness(r, e->seq);
	check_decide(r, VERDICT_FAIL, e->seq, "%s %s", event, how);
	free(event);
}

static void gave_up(struct check_result *r, const struct event *e)
{
	check_decide(r, VERDICT_UNKNOWN, e->seq, "the expression gave up on ev %llu: too much work", (ull)e->seq);
}

/* ---- always, never, sometimes ---------------------------------------------------------------------------- */

/* Matches an event, counts it if it is one to look at, and gives up if that is too much work. */
static enum check_match look_at(struct check_form *s, const struct event *e)
{
	struct pattern_span spans[CHECK_SPANS];
	enum check_match found = check_match(s->property->matchers, e, s->seen, spans);
	if (found == CHECK_MATCH_LIMIT)
		gave_up(&s->result, e);
	s->result.evaluations += found == CHECK_MATCH_CANDIDATE || found == CHECK_MATCH_YES;
	return found;
}

static void always_event(struct check_form *s, const struct event *e)
{
	if (look_at(s, e) == CHECK_MATCH_CANDIDATE)
		broken_by(&s->result, e, "does not match");
}

static void never_event(struct check_form *s, const struct event *e)
{
	if (look_at(s, e) == CHECK_MATCH_YES)
		broken_by(&s->result, e, "matches");
}

/* For always and never: what nobody broke holds, if there was something to look at. */
static void safety_end(struct check_form *s, const struct check_end *end)
{
	struct check_result *r = &s->result;
	if (!end->whole)
		check_cut(r, end);
	else if (r->evaluations == 0)
		check_decide(r, VERDICT_UNEXERCISED, 0, "there was no event to look at");
	else
		check_decide(r, VERDICT_PASS, 0, "%s", "");
}

static void sometimes_event(struct check_form *s, const struct event *e)
{
	if (look_at(s, e) != CHECK_MATCH_YES)
		return;
	check_witness(&s->result, e->seq);
	check_decide(&s->result, VERDICT_PASS, e->seq, "%s", "");
}

static void sometimes_end(struct check_form *s, const struct check_end *end)
{
	if (end->whole)
		check_decide(&s->result, VERDICT_UNEXERCISED, 0, "no event matched");
	else
		check_cut(&s->result, end);
}

/* ---- eventually ------------------------------------------------------------------------------------------ */

static void put_since(struct buf *out, const struct check_form *s)
{
	if (s->since_seq)
		buf_printf(out, "ev %llu", (ull)s->since_seq);
	else
		buf_str(out, "the start of the run");
}

static void too_late(struct check_form *s, uint64_t seq, uint64_t waited_ns)
{
	struct buf since = {0}, within = {0};
	struct check_result *r = &s->result;

	put_since(&since, s);
	text_put(&within, TEXT_DURATION, s->property->within_ns);
	if (s->since_seq)
		check_witness(r, s->since_seq);
	check_witness(r, seq);
	if (r->margin_used < waited_ns)
		r->margin_used = waited_ns;
	check_decide(r, VERDICT_FAIL, seq, "no match came within %s of %s", within.data, since.data);
	buf_free(&since);
	buf_free(&within);
}

static void answer(struct check_form *s, const struct event *e)
{
	struct check_result *r = &s->result;
	uint64_t waited_ns = e->vtime_ns - s->since_ns;

	s->waits = false;
	if (r->margin_used < waited_ns)
		r->margin_used = waited_ns;
	if (s->property->after)
		return; /* another trigger may come */
	check_witness(r, e->seq);
	check_decide(r, VERDICT_PASS, e->seq, "%s", "");
}

static void eventually_event(struct check_form *s, const struct event *e)
{
	struct pattern_span spans[CHECK_SPANS];
	const struct property *p = s->property;
	struct check_result *r = &s->result;
	uint64_t waited_ns = s->waits && e->vtime_ns > s->since_ns ? e->vtime_ns - s->since_ns : 0;

	if (s->waits && p->within_ns && waited_ns > p->within_ns) {
		too_late(s, e->seq, waited_ns);
		return;
	}
	enum check_match found = check_match(p->matchers, e, s->seen, spans);
	if (found == CHECK_MATCH_LIMIT)
		gave_up(r, e);
	else if (found == CHECK_MATCH_YES && s->waits)
		answer(s, e);
	if (!p->after || r->decided)
		return;
	found = check_match(p->after, e, &s->seen_after, spans);
	if (found == CHECK_MATCH_LIMIT)
		gave_up(r, e);
	if (found != CHECK_MATCH_YES)
		return;
	r->evaluations++;
	if (s->waits)
		return;
	s->waits = true;
	s->since_ns = e->vtime_ns;
	s->since_seq = e->seq;
}

static void eventually_end(struct check_form *s, const struct check_end *end)
{
	struct buf since = {0};
	struct check_result *r = &s->result;

	if (!end->whole)
		check_cut(r, end);
	else if (s->waits) {
		put_since(&since, s);
		if (s->since_seq && !r->decided)
			check_witness(r, s->since_seq);
		if (end->seq && !r->decided)
			check_witness(r, end->seq);
		check_decide(r, VERDICT_FAIL, 0, "no match came after %s", since.data);
		buf_free(&since);
	} else if (r->evaluations == 0)
		check_decide(r, VERDICT_UNEXERCISED, 0, "nothing matched `after`");
	else
		check_decide(r, VERDICT_PASS, 0, "%s", "");
}

/* ---- ordered --------------------------------------------------------------------------------------------- */

/* Which matchers have matched before: of the run, or with `each` of the value that the event has. NULL after a limit. */
static uint32_t *matched_of(
	struct check_form *s, const struct matcher *m, const struct pattern_span *spans, const struct event *e)
{
	size_t number = 0;
	if (s->property->each) {
		struct pattern_span value = spans[pattern_capture_named(m->pattern, s->property->each)];
		number = check_keys_add(s->keys, value.data ? value.data : "", value.size);
	}
	if (number == CHECK_KEYS_NONE) {
		check_decide(&s->result, VERDICT_UNKNOWN, e->seq, "more than %d different values, or one of more than %d bytes",
			CHECK_VALUES_MAX, CHECK_VALUE_MAX);
		return NULL;
	}
	while (number >= s->matched_room) {
		size_t room = s->matched_room ? 2 * s->matched_room : 16;
		s->matched = mem_grow(s->matched, room, sizeof *s->matched);
		memset(s->matched + s->matched_room, 0, (room - s->matched_room) * sizeof *s->matched);
		s->matched_room = room;
	}
	return &s->matched[number];
}

/* An event is taken for the first matcher that it matches and that has not matched yet. */
static void ordered_event(struct check_form *s, const struct event *e)
{
	struct pattern_span spans[CHECK_SPANS];
	const struct property *p = s->property;
	struct check_result *r = &s->result;

	for (size_t i = 0; i < p->matcher_count && !r->decided; i++) {
		enum check_match found = check_match(&p->matchers[i], e, &s->seen[i], spans);
		if (found == CHECK_MATCH_LIMIT)
			gave_up(r, e);
		uint32_t *matched = found == CHECK_MATCH_YES ? matched_of(s, &p->matchers[i], spans, e) : NULL;
		if (!matched || *matched >> i & 1)
			continue;
		r->evaluations++;
		if (i > 0 && !(*matched >> (i - 1) & 1)) {
			check_witness(r, e->seq);
			check_decide(r, VERDICT_FAIL, e->seq,
				"ev %llu matches the matcher number %zu, but the one before it has not matched yet", (ull)e->seq,
				i + 1);
			return;
		}
		*matched |= UINT32_C(1) << i;
		if (!s->first[i])
			s->first[i] = e->seq;
		if (i + 1 < p->matcher_count)
			return;
		s->one_is_whole = true;
		for (size_t k = 0; k < p->matcher_count && !p->each; k++)
			check_witness(r, s->first[k]);
		if (!p->each)
			check_decide(r, VERDICT_PASS, e->seq, "%s", "");
		return;
	}
}

static void ordered_end(struct check_form *s, const struct check_end *end)
{
	struct check_result *r = &s->result;
	size_t next = 0;

	while (next < s->property->matcher_count && s->first[next])
		next++;
	if (!end->whole)
		check_cut(r, end);
	else if (!s->one_is_whole)
		check_decide(r, VERDICT_UNEXERCISED, 0, "the matcher number %zu never matched", next + 1);
	else
		check_decide(r, VERDICT_PASS, 0, "%s", "");
}

/* ---- checkers -------------------------------------------------------------------------------------------- */

static void set_event(struct check_form *s, const struct event *e)
{
	check_set_event(s->set, e, &s->result);
}

static void set_end(struct check_form *s, const struct check_end *end)
{
	check_set_finish(s->set, end, &s->result);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static const struct form {
	void (*event)(struct check_form *s, const struct event *e);
	void (*end)(struct check_form *s, const struct check_end *end);
} forms[PROPERTY_FORMS] = {
	[PROPERTY_ALWAYS] = {always_event, safety_end},
	[PROPERTY_NEVER] = {never_event, safety_end},
	[PROPERTY_SOMETIMES] = {sometimes_event, sometimes_end},
	[PROPERTY_EVENTUALLY] = {eventually_event, eventually_end},
	[PROPERTY_ORDERED] = {ordered_event, ordered_end},
	[PROPERTY_SET] = {set_event, set_end},
};

struct check_form *check_form_create(const struct property *p)
{
	struct check_form *s = mem_alloc(sizeof *s);
	s->property = p;
	check_result_init(&s->result, p->id, property_form_name(p->form), p->place);
	if (p->form == PROPERTY_EVENTUALLY && !p->after) {
		s->waits = true; /* since the start of the run */
		s->result.evaluations = 1;
	}
	if (p->form == PROPERTY_EVENTUALLY && p->within_ns) {
		s->result.margin_unit = "ns";
		s->result.margin_of = p->within_ns;
	}
	if (p->form == PROPERTY_ORDERED)
		s->keys = check_keys_create();
	if (p->form == PROPERTY_SET)
		s->set = check_set_create(p);
	return s;
}

void check_form_destroy(struct check_form *s)
{
	if (!s)
		return;
	check_result_finish(&s->result);
	check_keys_destroy(s->keys);
	check_set_destroy(s->set);
	free(s->matched);
	free(s);
}

void check_form_event(struct check_form *s, const struct event *e)
{
	if (!s->result.decided)
		forms[s->property->form].event(s, e);
}

void check_form_end(struct check_form *s, const struct check_end *end)
{
	if (!s->result.decided)
		forms[s->property->form].end(s, end);
}

const struct check_result *check_form_result(const struct check_form *s)
{
	return &s->result;
}
