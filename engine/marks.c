#include "engine/marks.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

void marks_init(struct marks *m, uint64_t spacing, size_t budget_bytes, size_t (*forget)(void *data, void *what), void *data)
{
	*m = (struct marks){.spacing = spacing, .budget = budget_bytes, .forget = forget, .data = data};
}

void marks_clear(struct marks *m)
{
	while (m->count)
		marks_drop(m, m->count - 1);
}

void marks_finish(struct marks *m)
{
	marks_clear(m);
	free(m->list);
	m->list = NULL;
	m->room = 0;
}

/* How many marks stand before icount (with at: at or before it). */
static size_t rank(const struct marks *m, uint64_t icount, bool at)
{
	size_t low = 0, high = m->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m->list[middle].icount < icount || (at && m->list[middle].icount == icount))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t marks_before(const struct marks *m, uint64_t icount)
{
	size_t n = rank(m, icount, true);
	return n ? n - 1 : MARKS_NONE;
}

void marks_use(struct marks *m, size_t i)
{
	m->list[i].used = ++m->uses;
}

void marks_drop(struct marks *m, size_t i)
{
	void *what = m->list[i].what;
	m->count--;
	memmove(m->list + i, m->list + i + 1, (m->count - i) * sizeof *m->list);
	size_t freed = m->forget(m->data, what);
	m->bytes -= freed < m->bytes ? freed : m->bytes;
}

static size_t oldest_hot(const struct marks *m, size_t *count)
{
	size_t oldest = MARKS_NONE;
	*count = 0;
	for (size_t i = 0; i < m->count; i++) {
		if (!m->list[i].hot)
			continue;
		++*count;
		if (oldest == MARKS_NONE || m->list[i].used < m->list[oldest].used)
			oldest = i;
	}
	return oldest;
}

static bool gives_room(const struct mark *m)
{
	return !m->hot && !m->light;
}

/* Wider by two, and the marks that are no longer on the grid go. False when there is nothing to give up. */
static bool thin(struct marks *m)
{
	if (m->spacing > UINT64_MAX / 2)
		return false;
	m->spacing *= 2;
	for (size_t i = m->count; i-- > 0;)
		if (gives_room(&m->list[i]) && m->list[i].icount % m->spacing)
			marks_drop(m, i);
	return true;
}

static bool has_grid_mark(const struct marks *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (gives_room(&m->list[i]))
			return true;
	return false;
}

/* Hot marks first, which are made again by the next move: a grid that was given up for them would leave long ways for all. A
 * budget smaller than one hot mark still allows that one: without it there is no way back that is not slow. */
static void keep_within_budget(struct marks *m)
{
	size_t hot;
	for (size_t i = oldest_hot(m, &hot); hot > 1 && (m->bytes > m->budget || hot > MARKS_HOT_MAX); i = oldest_hot(m, &hot))
		marks_drop(m, i);
	while (m->bytes > m->budget && has_grid_mark(m))
		if (!thin(m))
			break;
}

/* True if it is new. */
static bool add(struct marks *m, const struct mark *mark)
{
	size_t at = rank(m, mark->icount, false);
	if (at < m->count && m->list[at].icount == mark->icount) {
		m->forget(m->data, mark->what);
		marks_use(m, at);
		return false;
	}
	(void)ARRAY_PUSH(m->list, m->count, m->room);
	memmove(m->list + at + 1, m->list + at, (m->count - 1 - at) * sizeof *m->list);
	m->list[at] = *mark;
	marks_use(m, at);
	return true;
}

void marks_add(struct marks *m, uint64_t icount, size_t bytes, bool hot, void *what)
{
	if (!add(m, &(struct mark){.icount = icount, .hot = hot, .what = what}))
		return;
	m->bytes += bytes;
	keep_within_budget(m);
}

void marks_add_light(struct marks *m, uint64_t icount, void *what)
{
	add(m, &(struct mark){.icount = icount, .light = true, .what = what});
}

uint64_t marks_missing(const struct marks *m, uint64_t from, uint64_t to)
{
	for (uint64_t k = from / m->spacing + 1; k <= to / m->spacing; k++) {
		size_t i = marks_before(m, k * m->spacing);
		if (i == MARKS_NONE || m->list[i].icount != k * m->spacing)
			return k * m->spacing;
	}
	return UINT64_MAX;
}
