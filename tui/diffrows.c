#include "tui/diffrows.h"

#include <stdlib.h>

#include "engine/buf.h"

#define FOLDED_ROWS (2 * DIFFROWS_CONTEXT + 1)

/* How many events of a common hunk stay before and after the fold: none at the ends of the runs. */
static void context_of(const struct diff *diff, size_t hunk, size_t *before, size_t *after)
{
	*before = hunk > 0 ? DIFFROWS_CONTEXT : 0;
	*after = hunk + 1 < diff->hunk_count ? DIFFROWS_CONTEXT : 0;
	if (diff->hunk_count == 1)
		*before = DIFFROWS_CONTEXT;
}

static bool is_folded(const struct diffrows *rows, size_t hunk)
{
	const struct diff_hunk *h = &rows->diff->hunks[hunk];
	return rows->fold && hunk != rows->open && h->same && h->a_count > FOLDED_ROWS;
}

static size_t rows_of(const struct diffrows *rows, size_t hunk)
{
	const struct diff_hunk *h = &rows->diff->hunks[hunk];
	size_t before, after;
	if (!is_folded(rows, hunk))
		return h->a_count > h->b_count ? h->a_count : h->b_count;
	context_of(rows->diff, hunk, &before, &after);
	return before + 1 + after;
}

void diffrows_make(struct diffrows *rows, const struct diff *diff, bool fold, size_t open)
{
	rows->diff = diff;
	rows->fold = fold;
	rows->open = open;
	if (rows->room < diff->hunk_count + 1) {
		rows->room = diff->hunk_count + 1;
		rows->first = mem_grow(rows->first, rows->room, sizeof *rows->first);
	}
	rows->first[0] = 0;
	for (size_t i = 0; i < diff->hunk_count; i++)
		rows->first[i + 1] = rows->first[i] + rows_of(rows, i);
}

void diffrows_finish(struct diffrows *rows)
{
	free(rows->first);
	*rows = (struct diffrows){0};
}

size_t diffrows_count(const struct diffrows *rows)
{
	return rows->diff ? rows->first[rows->diff->hunk_count] : 0;
}

static size_t hunk_at(const struct diffrows *rows, size_t row)
{
	size_t low = 0, high = rows->diff->hunk_count; /* the last hunk whose first row is <= row */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (rows->first[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct diffrow diffrows_at(const struct diffrows *rows, size_t row)
{
	size_t hunk = hunk_at(rows, row), at = row - rows->first[hunk], before, after;
	const struct diff_hunk *h = &rows->diff->hunks[hunk];
	struct diffrow r = {.hunk = hunk, .same = h->same, .a = TIMELINE_NONE, .b = TIMELINE_NONE};
	if (is_folded(rows, hunk)) {
		context_of(rows->diff, hunk, &before, &after);
		if (at == before) {
			r.folded = true;
			r.hidden = h->a_count - before - after;
			return r;
		}
		if (at > before)
			at = h->a_count - after + (at - before - 1);
	}
	if (at < h->a_count)
		r.a = h->a + at;
	if (at < h->b_count)
		r.b = h->b + at;
	return r;
}

bool diffrows_hides(const struct diff *diff, int side, size_t event)
{
	size_t hunk = diff_hunk_of(diff, side, event), before, after;
	if (hunk >= diff->hunk_count)
		return false;
	const struct diff_hunk *h = &diff->hunks[hunk];
	if (!h->same || h->a_count <= FOLDED_ROWS)
		return false;
	size_t at = event - (side == 0 ? h->a : h->b);
	context_of(diff, hunk, &before, &after);
	return at >= before && at < h->a_count - after;
}

size_t diffrows_find(const struct diffrows *rows, int side, size_t event)
{
	if (event == TIMELINE_NONE || rows->diff->hunk_count == 0)
		return 0;
	size_t hunk = diff_hunk_of(rows->diff, side, event), before, after;
	if (hunk >= rows->diff->hunk_count)
		return 0;
	const struct diff_hunk *h = &rows->diff->hunks[hunk];
	size_t at = event - (side == 0 ? h->a : h->b);
	if (is_folded(rows, hunk)) {
		context_of(rows->diff, hunk, &before, &after);
		if (at >= before && at < h->a_count - after)
			at = before;
		else if (at >= before)
			at = before + 1 + (at - (h->a_count - after));
	}
	return rows->first[hunk] + at;
}
