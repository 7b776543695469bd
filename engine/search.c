#include "engine/search.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 65536 /* bytes of events read at a time; at least one event */

/* A text to find, with Horspool's table: how far to go on when the byte under the text's end is this one. */
struct needle {
	const char *bytes;
	size_t size;
	bool ignore_case;
	uint16_t skip[256];
};

struct search {
	const struct timeline *timeline;
	struct timeline_filter filter;
	bool backward;
	size_t position;
	char *text;        /* as given, or in small letters */
	struct buf quoted; /* as it stands inside a line of events.jsonl */
	struct needle value, line;
	bool has_line;    /* false: text that is not UTF-8 stands in no line as such */
	struct buf block; /* the lines of events loaded .. loaded_end - 1 */
	size_t loaded, loaded_end;
	size_t *candidates; /* backward: events of the block that may hold the text */
	size_t candidate_count, candidate_room;
	bool listed; /* they are those of what is loaded, as far as it was not looked at */
	struct timeline_event event;
};

/* -- one text in another -- */

static unsigned char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : (unsigned char)c;
}

static void needle_init(struct needle *n, const char *bytes, size_t size, bool ignore_case)
{
	n->bytes = bytes;
	n->size = size;
	n->ignore_case = ignore_case;
	for (size_t i = 0; i < 256; i++)
		n->skip[i] = (uint16_t)size;
	for (size_t i = 0; i + 1 < size; i++)
		n->skip[ignore_case ? small(bytes[i]) : (unsigned char)bytes[i]] = (uint16_t)(size - 1 - i);
}

static const char *needle_find(const struct needle *n, const char *at, const char *end)
{
	if (!n->ignore_case)
		return memmem(at, (size_t)(end - at), n->bytes, n->size);
	unsigned char last = small(n->bytes[n->size - 1]);
	while ((size_t)(end - at) >= n->size) {
		unsigned char here = small(at[n->size - 1]);
		if (here == last) {
			size_t i = 0;
			while (i < n->size && small(at[i]) == small(n->bytes[i]))
				i++;
			if (i == n->size)
				return at;
		}
		at += n->skip[here];
	}
	return NULL;
}

/* -- one event -- */

static bool in_text(const struct needle *n, const char *text)
{
	return text && needle_find(n, text, text + strlen(text));
}

static bool in_field(const struct needle *n, const struct event *e, const struct event_field *f)
{
	char name[16];
	switch (f->type) {
	case FIELD_STRING: {
		const char *text;
		memcpy(&text, (const char *)e + f->offset, sizeof text);
		return in_text(n, text);
	}
	case FIELD_TEXT:
		return needle_find(n, e->text.data, e->text.data + e->text.size);
	case FIELD_ERRNO:
		return in_text(n, event_errno_name(e->status, name));
	case FIELD_STATUS:
		return e->by_signal && in_text(n, event_signal_name(e->status, name));
	case FIELD_END:
	case FIELD_NUMBER:
	case FIELD_STREAM:
	case FIELD_CUT:
		break;
	}
	return false;
}

static bool in_event(const struct needle *n, const struct event *e)
{
	if (in_text(n, e->node) || in_text(n, event_kind_name(e->kind)))
		return true;
	for (const struct event_field *f = event_fields(e->kind); f->type != FIELD_END; f++)
		if (in_field(n, e, f))
			return true;
	return false;
}

/* -- the search -- */

/* A text stands in a line as the writer of events escapes it. */
static bool quote(struct search *s, size_t size)
{
	struct event e = {.seq = 1, .node = "", .kind = EVENT_IO_LINE, .text = {s->text, size}};
	event_write(&e, &s->quoted);
	static const char before[] = "\"text\":\"", after[] = "\"}\n";
	char *start = memmem(s->quoted.data, s->quoted.size, before, sizeof before - 1);
	if (!start)
		return false;
	buf_drop(&s->quoted, (size_t)(start - s->quoted.data) + sizeof before - 1);
	s->quoted.size -= sizeof after - 1;
	return true;
}

struct search *search_create(const struct timeline *timeline, const char *text, size_t from, bool backward,
	const struct timeline_filter *filter, struct err *err)
{
	size_t size = strlen(text);
	if (size == 0 || size > SEARCH_TEXT_MAX) {
		err_set(err, ERR_USAGE, size ? "the text to search is longer than %d bytes" : "no text to search",
			SEARCH_TEXT_MAX);
		return NULL;
	}
	struct search *s = mem_alloc(sizeof *s);
	s->timeline = timeline;
	s->backward = backward;
	if (filter)
		s->filter = *filter;
	s->text = mem_str(text);
	bool ignore_case = true;
	for (size_t i = 0; i < size; i++)
		ignore_case &= small(text[i]) == (unsigned char)text[i];
	s->has_line = quote(s, size);
	needle_init(&s->value, s->text, size, ignore_case);
	needle_init(&s->line, s->quoted.data, s->quoted.size, ignore_case);
	size_t count = timeline_count(timeline);
	if (backward)
		s->position = from > count ? count : from; /* one past the next to look at */
	else
		s->position = from == TIMELINE_NONE ? 0 : from + 1;
	return s;
}

void search_destroy(struct search *s)
{
	if (!s)
		return;
	free(s->text);
	buf_free(&s->quoted);
	buf_free(&s->block);
	free(s->candidates);
	timeline_event_finish(&s->event);
	free(s);
}

size_t search_position(const struct search *s)
{
	if (s->backward)
		return s->position > 0 ? s->position - 1 : TIMELINE_NONE;
	return s->position < timeline_count(s->timeline) ? s->position : TIMELINE_NONE;
}

/* The events of one block from the position on, first .. last - 1: as far as they are loaded, or what is to be loaded. */
static void block_of(const struct search *s, size_t *ret_first, size_t *ret_last)
{
	const struct entry *e = timeline_entries(s->timeline);
	size_t count = timeline_count(s->timeline), first = s->position, last = s->position;
	if (s->backward) {
		uint64_t end = timeline_event_end(s->timeline, last - 1);
		do
			first--;
		while (first > 0 && end - e[first - 1].offset <= BLOCK);
		if (last > s->loaded && last <= s->loaded_end)
			first = s->loaded;
	} else {
		do
			last++;
		while (last < count && timeline_event_end(s->timeline, last) - e[first].offset <= BLOCK);
		if (first >= s->loaded && first < s->loaded_end)
			last = s->loaded_end;
	}
	*ret_first = first;
	*ret_last = last;
}

static bool load_block(struct search *s, size_t first, size_t last, struct err *err)
{
	if (first >= s->loaded && last <= s->loaded_end)
		return true;
	uint64_t offset = timeline_entries(s->timeline)[first].offset;
	size_t size = (size_t)(timeline_event_end(s->timeline, last - 1) - offset);
	s->loaded = s->loaded_end = s->candidate_count = 0;
	s->listed = false;
	buf_clear(&s->block);
	buf_reserve(&s->block, size + 1);
	if (!timeline_read(s->timeline, offset, size, s->block.data, err))
		return false;
	s->block.size = size;
	s->loaded = first;
	s->loaded_end = last;
	return true;
}

/*
 * Whether a line may hold the text; only then is it worth parsing. Lines whose text stands as hex digits are always parsed.
 * Goes from event *index to the next one before last that may; false when there is none.
 */
static bool next_candidate(const struct search *s, size_t *index, size_t last)
{
	const struct entry *e = timeline_entries(s->timeline);
	uint64_t base = e[s->loaded].offset;
	const char *at = s->block.data + (e[*index].offset - base);
	const char *end = s->block.data + (timeline_event_end(s->timeline, last - 1) - base);
	const char *found = s->has_line ? needle_find(&s->line, at, end) : NULL;
	const char *hex = memmem(at, (size_t)((found ? found : end) - at), "\"hex\":\"", 7);
	if (hex)
		found = hex;
	if (!found)
		return false;
	uint64_t offset = base + (uint64_t)(found - s->block.data);
	while (*index + 1 < last && e[*index + 1].offset <= offset)
		++*index;
	return true;
}

static enum search_result look_at(struct search *s, size_t index, struct err *err)
{
	if (!timeline_matches(s->timeline, index, &s->filter))
		return SEARCH_MORE;
	if (!timeline_event(s->timeline, index, &s->event, err))
		return SEARCH_FAILED;
	return in_event(&s->value, &s->event.event) ? SEARCH_FOUND : SEARCH_MORE;
}

static enum search_result search_forward(struct search *s, size_t first, size_t last, size_t *ret, struct err *err)
{
	enum search_result result = SEARCH_MORE;
	for (size_t index = first; result == SEARCH_MORE && index < last && next_candidate(s, &index, last); index++) {
		result = look_at(s, index, err);
		*ret = index;
	}
	return result;
}

/* Candidates come in their order; the last that holds the text is the hit. */
static enum search_result search_backward(struct search *s, size_t first, size_t last, size_t *ret, struct err *err)
{
	enum search_result result = SEARCH_MORE;
	for (size_t index = first; !s->listed && index < last && next_candidate(s, &index, last); index++)
		ARRAY_PUSH(s->candidates, s->candidate_count, s->candidate_room) = index;
	s->listed = true;
	while (result == SEARCH_MORE && s->candidate_count > 0) {
		*ret = s->candidates[--s->candidate_count];
		result = look_at(s, *ret, err);
	}
	return result;
}

enum search_result search_step(struct search *s, size_t budget_bytes, size_t *ret, struct err *err)
{
	size_t done = 0;
	do {
		if (search_position(s) == TIMELINE_NONE)
			return SEARCH_END;
		size_t first, last, found;
		block_of(s, &first, &last);
		if (!load_block(s, first, last, err))
			return SEARCH_FAILED;
		enum search_result result =
			s->backward ? search_backward(s, first, last, &found, err) : search_forward(s, first, last, &found, err);
		if (result == SEARCH_FAILED)
			return result;
		if (result == SEARCH_FOUND) {
			*ret = found;
			s->position = s->backward ? found : found + 1;
			return result;
		}
		s->position = s->backward ? first : last;
		done += (size_t)(timeline_event_end(s->timeline, last - 1) - timeline_entries(s->timeline)[first].offset);
	} while (done < budget_bytes);
	return search_position(s) == TIMELINE_NONE ? SEARCH_END : SEARCH_MORE;
}
