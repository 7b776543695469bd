/* A timeline's events: read back, found by place, walked through. */
#include <stddef.h>
#include <string.h>

#include "engine/timeline_data.h"

size_t timeline_count(const struct timeline *t)
{
	return t->index.count;
}

const struct entry *timeline_entries(const struct timeline *t)
{
	return t->index.entries;
}

uint64_t timeline_end_icount(const struct timeline *t)
{
	return t->index.count ? t->index.entries[t->index.count - 1].icount : 0;
}

uint64_t timeline_end_vtime(const struct timeline *t)
{
	return t->index.count ? t->index.entries[t->index.count - 1].vtime_ns : 0;
}

uint64_t timeline_event_end(const struct timeline *t, size_t index)
{
	return index + 1 < t->index.count ? t->index.entries[index + 1].offset : t->index.end;
}

bool timeline_read(const struct timeline *t, uint64_t offset, size_t size, char *to, struct err *err)
{
	size_t got;
	if (!eventfile_read(t->events, offset, to, size, &got, err))
		return err_prefix(err, "%s", t->path);
	return got == size || err_set(err, ERR_INPUT, "%s: " EVENTFILE_NAME " has become shorter since it was opened", t->path);
}

bool timeline_event(const struct timeline *t, size_t index, struct timeline_event *ret, struct err *err)
{
	uint64_t offset = t->index.entries[index].offset;
	size_t size = (size_t)(timeline_event_end(t, index) - offset) - 1;
	buf_clear(&ret->line);
	buf_reserve(&ret->line, size + 1);
	if (!timeline_read(t, offset, size, ret->line.data, err))
		return false;
	ret->line.size = size;
	ret->line.data[size] = '\0';
	if (!event_parse(ret->line.data, size, &ret->arena, &ret->event, err))
		return err_prefix(err, "%s: " EVENTFILE_NAME ": line %zu", t->path, index + 1);
	return true;
}

void timeline_event_finish(struct timeline_event *e)
{
	buf_free(&e->line);
	buf_free(&e->arena);
}

/* The last entry of which the field (at this offset in it), which never falls along the run, is at most value. */
static size_t last_up_to(const struct timeline *t, size_t field, uint64_t value)
{
	size_t low = 0, high = t->index.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at;
		memcpy(&at, (const char *)&t->index.entries[middle] + field, sizeof at);
		if (at <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : TIMELINE_NONE;
}

size_t timeline_at_icount(const struct timeline *t, uint64_t icount)
{
	return last_up_to(t, offsetof(struct entry, icount), icount);
}

size_t timeline_at_vtime(const struct timeline *t, uint64_t vtime_ns)
{
	return last_up_to(t, offsetof(struct entry, vtime_ns), vtime_ns);
}

size_t timeline_at_seq(const struct timeline *t, uint64_t seq)
{
	return seq > 0 && seq <= t->index.count ? (size_t)seq - 1 : TIMELINE_NONE;
}

static bool passes(const struct entry *e, const struct timeline_filter *f)
{
	return (f->kinds == 0 || f->kinds >> e->kind & 1) && (f->node == 0 || e->node + 1 == f->node) &&
		(f->fault == 0 || e->fault == (uint32_t)f->fault) && (f->flags == 0 || e->flags & f->flags);
}

bool timeline_matches(const struct timeline *t, size_t index, const struct timeline_filter *filter)
{
	return passes(&t->index.entries[index], filter);
}

size_t timeline_next(const struct timeline *t, size_t index, const struct timeline_filter *filter)
{
	for (size_t i = index == TIMELINE_NONE ? 0 : index + 1; i < t->index.count; i++)
		if (passes(&t->index.entries[i], filter))
			return i;
	return TIMELINE_NONE;
}

size_t timeline_prev(const struct timeline *t, size_t index, const struct timeline_filter *filter)
{
	size_t i = index > t->index.count ? t->index.count : index;
	while (i-- > 0)
		if (passes(&t->index.entries[i], filter))
			return i;
	return TIMELINE_NONE;
}
