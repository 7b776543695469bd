#include "engine/check_set.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/check_keys.h"
#include "engine/check_match.h"

enum { SHOWN_MAX = 40 /* bytes of a value in a sentence */ };

/* Event numbers; 0 is never. */
struct value {
	uint64_t added, read, attempted;
	bool was_read; /* at all: also before it was added, or without */
};

struct check_set {
	const struct property *property;
	struct check_keys *keys;
	struct value *values; /* by number of key */
	size_t room;
	uint64_t seen[PROPERTY_SET_MATCHERS];
	uint64_t last_read;
	size_t added_count;
};

struct check_set *check_set_create(const struct property *p)
{
	struct check_set *s = mem_alloc(sizeof *s);
	s->property = p;
	s->keys = check_keys_create();
	return s;
}

void check_set_destroy(struct check_set *s)
{
	if (!s)
		return;
	check_keys_destroy(s->keys);
	free(s->values);
	free(s);
}

/* The value of the first group, made harmless and cut. */
static void shown(const struct check_set *s, size_t number, struct buf *out)
{
	size_t size;
	const char *text = check_keys_text(s->keys, number, &size);
	buf_char(out, '\'');
	text_put_safe(out, text, size < SHOWN_MAX ? size : SHOWN_MAX);
	buf_str(out, size < SHOWN_MAX ? "'" : "...'");
}

/* The value that an event is about, NULL after a limit. */
static struct value *value_of(
	struct check_set *s, struct pattern_span text, const struct event *e, struct check_result *r, size_t *ret_number)
{
	size_t before = check_keys_count(s->keys);
	*ret_number = check_keys_add(s->keys, text.data ? text.data : "", text.size);
	if (*ret_number == CHECK_KEYS_NONE) {
		check_decide(r, VERDICT_UNKNOWN, e->seq, "more than %d different values, or one of more than %d bytes",
			CHECK_VALUES_MAX, CHECK_VALUE_MAX);
		return NULL;
	}
	if (check_keys_count(s->keys) > s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->values = mem_grow(s->values, s->room, sizeof *s->values);
	}
	if (check_keys_count(s->keys) > before)
		s->values[*ret_number] = (struct value){0};
	return &s->values[*ret_number];
}

static void was_read(struct check_set *s, struct value *v, size_t number, const struct event *e, struct check_result *r)
{
	struct buf text = {0};
	v->was_read = true;
	s->last_read = e->seq;
	if (v->added) {
		v->read = e->seq;
		return;
	}
	if (!s->property->matchers[PROPERTY_SET_ATTEMPTED].pattern || v->attempted)
		return;
	shown(s, number, &text);
	check_witness(r, e->seq);
	check_decide(r, VERDICT_FAIL, e->seq, "%s was read (ev %llu), but nobody had tried to add it", text.data,
		(unsigned long long)e->seq);
	buf_free(&text);
}

static void was_lost(struct check_set *s, const struct value *v, size_t number, const struct event *e, struct check_result *r)
{
	struct buf text = {0};
	if (!v->added)
		return;
	shown(s, number, &text);
	check_witness(r, v->added);
	check_witness(r, e->seq);
	check_decide(r, VERDICT_FAIL, e->seq, "%s was added (ev %llu) and was not there (ev %llu)", text.data,
		(unsigned long long)v->added, (unsigned long long)e->seq);
	buf_free(&text);
}

static void take(struct check_set *s, int what, struct pattern_span text, const struct event *e, struct check_result *r)
{
	size_t number;
	struct value *v = value_of(s, text, e, r, &number);
	if (!v)
		return;
	switch (what) {
	case PROPERTY_SET_ADDED:
		r->evaluations++;
		if (!v->added) {
			s->added_count++;
			v->added = e->seq;
		}
		break;
	case PROPERTY_SET_READ:
		r->evaluations++;
		was_read(s, v, number, e, r);
		break;
	case PROPERTY_SET_LOST:
		r->evaluations++;
		was_lost(s, v, number, e, r);
		break;
	case PROPERTY_SET_ATTEMPTED:
		v->attempted = e->seq;
		break;
	}
}

void check_set_event(struct check_set *s, const struct event *e, struct check_result *r)
{
	struct pattern_span spans[CHECK_SPANS];
	/* An event may be two things at once: trying comes before adding, adding before reading. */
	static const int order[] = {PROPERTY_SET_ATTEMPTED, PROPERTY_SET_ADDED, PROPERTY_SET_READ, PROPERTY_SET_LOST};

	for (size_t i = 0; i < sizeof order / sizeof *order && !r->decided; i++) {
		const struct matcher *m = &s->property->matchers[order[i]];
		if (!m->pattern)
			continue;
		enum check_match found = check_match(m, e, &s->seen[order[i]], spans);
		if (found == CHECK_MATCH_LIMIT)
			check_decide(r, VERDICT_UNKNOWN, e->seq, "an expression gave up on ev %llu: too much work",
				(unsigned long long)e->seq);
		else if (found == CHECK_MATCH_YES)
			take(s, order[i], spans[1], e, r);
	}
}

/* ---- the end --------------------------------------------------------------------------------------------- */

static void unread(const struct check_set *s, size_t first, size_t count, const struct check_end *end, struct check_result *r)
{
	struct buf text = {0};
	uint64_t added = s->values[first].added;
	/* The last chance it had: a read after it was added, or the end of the run. */
	uint64_t at = s->last_read > added ? s->last_read : end->seq;

	shown(s, first, &text);
	check_witness(r, added);
	if (at)
		check_witness(r, at);
	check_decide(r, VERDICT_FAIL, at, "%s was added (ev %llu) and never read; %zu of %zu values are missing", text.data,
		(unsigned long long)added, count, s->added_count);
	buf_free(&text);
}

void check_set_finish(struct check_set *s, const struct check_end *end, struct check_result *r)
{
	size_t missing = 0, first = 0, unexpected = 0, count = check_keys_count(s->keys);

	if (r->decided)
		return;
	if (!end->whole) {
		check_cut(r, end);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct value *v = &s->values[i];
		if (v->added && !v->read && missing++ == 0)
			first = i;
		unexpected += v->was_read && !v->added;
	}
	if (s->added_count == 0)
		check_decide(r, VERDICT_UNEXERCISED, 0, "no value was added");
	else if (!s->last_read)
		check_decide(r, VERDICT_UNKNOWN, 0, "%zu values were added, but nothing was ever read", s->added_count);
	else if (missing)
		unread(s, first, missing, end, r);
	else if (unexpected)
		check_decide(r, VERDICT_PASS, 0, "%zu values were read that were never added", unexpected);
	else
		check_decide(r, VERDICT_PASS, 0, "%s", "");
}
