#include "engine/moves.h"

#include <string.h>

#include "engine/event.h"
#include "engine/search.h"

enum { SEARCH_STEP = 1 << 20 };

static bool narrow_kind(struct moves_filter *f, uint64_t kinds)
{
	f->events.kinds = f->events.kinds ? f->events.kinds & kinds : kinds;
	f->nothing |= !f->events.kinds; /* no kinds would mean any */
	return true;
}

static bool parse_word(const struct timeline *t, const char *word, struct moves_filter *f)
{
	enum event_kind kind;
	int n;
	if (!strcmp(word, "event"))
		return true;
	if (!strcmp(word, "fault"))
		return narrow_kind(f, TIMELINE_FAULT_KINDS);
	if (!strcmp(word, "line") || !strcmp(word, "line-of"))
		return narrow_kind(f, 1ull << EVENT_IO_LINE);
	if (!strcmp(word, "property"))
		return f->properties = true;
	if (word[0] == '/' && word[1]) {
		f->text = word + 1;
		return true;
	}
	if (event_kind_find(word, &kind))
		return narrow_kind(f, 1ull << kind);
	if ((n = timeline_node_find(t, word)) > 0)
		f->events.node = 1 + n;
	else if ((n = timeline_fault_find(t, word)) >= 0)
		f->events.fault = 1 + n;
	else if ((n = timeline_property_find(t, word)) >= 0)
		f->property = 1 + n;
	else
		return false;
	f->properties = f->properties || f->property;
	return true;
}

bool moves_parse(const struct timeline *t, const char *const *words, size_t count, struct moves_filter *ret, struct err *err)
{
	*ret = (struct moves_filter){0};
	for (size_t i = 0; i < count; i++)
		if (!parse_word(t, words[i], ret))
			return err_set(err, ERR_USAGE,
				"'%.100s' is no event: expected event, fault, property, line, the name of a node, fault or "
				"property, a kind "
				"such as node.exited, or /TEXT",
				words[i]);
	return true;
}

static bool decides(const struct timeline *t, const struct moves_filter *f, size_t event)
{
	if (!f->properties)
		return true;
	for (size_t i = 0; i < timeline_property_count(t); i++)
		if (timeline_property(t, i)->decided == event && (!f->property || f->property == (int)i + 1))
			return true;
	return false;
}

/* The last event before icount whatever it is; what comes after it is after icount. NONE: all of them do. */
static size_t edge(const struct timeline *t, uint64_t icount, bool backward)
{
	if (!backward)
		return timeline_at_icount(t, icount);
	size_t at = icount ? timeline_at_icount(t, icount - 1) : TIMELINE_NONE;
	return at == TIMELINE_NONE ? 0 : at + 1;
}

static bool none(bool backward, struct err *err)
{
	return err_set(err, ERR_INPUT, "there is no such event %s here", backward ? "before" : "after");
}

static bool find_text(const struct timeline *t, const struct moves_filter *f, size_t from, bool backward, struct cancel *cancel,
	size_t *ret, struct err *err)
{
	struct search *search = search_create(t, f->text, from, backward, &f->events, err);
	if (!search)
		return false;
	enum search_result got;
	bool ok = true;
	do {
		got = search_step(search, SEARCH_STEP, ret, err);
		ok = cancel_check(cancel, err);
	} while (ok && (got == SEARCH_MORE || (got == SEARCH_FOUND && !decides(t, f, *ret))));
	search_destroy(search);
	if (!ok || got == SEARCH_FAILED)
		return false;
	return got == SEARCH_FOUND || none(backward, err);
}

bool moves_find(const struct timeline *t, const struct moves_filter *f, uint64_t icount, bool backward, struct cancel *cancel,
	size_t *ret, struct err *err)
{
	size_t at = edge(t, icount, backward);
	if (f->nothing)
		return none(backward, err);
	/* Nothing is before event 0; asked of TIMELINE_NONE the timeline would begin at the other end. */
	if (backward && at == 0)
		return none(backward, err);
	if (f->text) {
		bool past = backward && at >= timeline_count(t);
		return find_text(t, f, past ? TIMELINE_NONE : at, backward, cancel, ret, err);
	}
	if (backward && at >= timeline_count(t))
		at = TIMELINE_NONE;
	do {
		at = backward ? timeline_prev(t, at, &f->events) : timeline_next(t, at, &f->events);
	} while (at != TIMELINE_NONE && !decides(t, f, at));
	*ret = at;
	return at != TIMELINE_NONE || none(backward, err);
}
