#include "tui/list.h"

#include <stdlib.h>

void list_finish(struct list *l)
{
	free(l->rows);
	*l = (struct list){0};
}

size_t list_shown(const struct list *l)
{
	return l->filtered ? l->row_count : l->count;
}

size_t list_row(const struct list *l, size_t shown)
{
	if (shown >= list_shown(l))
		return LIST_NONE;
	return l->filtered ? l->rows[shown] : shown;
}

/* Rows in another order: a million of them are gone through in less than a millisecond. */
static size_t place_in_order(const struct list *l, size_t row)
{
	size_t best = 0;
	bool any = false;
	for (size_t i = 0; i < l->row_count; i++) {
		if (l->rows[i] == row)
			return i;
		if (l->rows[i] < row && (!any || l->rows[i] > l->rows[best])) {
			best = i;
			any = true;
		}
	}
	return best;
}

size_t list_place(const struct list *l, size_t row)
{
	size_t shown = list_shown(l);
	if (shown == 0 || row == LIST_NONE)
		return 0;
	if (!l->filtered)
		return row < shown ? row : shown - 1;
	if (l->ordered)
		return place_in_order(l, row);
	size_t low = 0, high = shown; /* first place whose row is > row */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (l->rows[middle] <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

static void settle(struct list *l)
{
	size_t shown = list_shown(l);
	if (shown == 0) {
		l->top = 0;
		return;
	}
	if (l->follow)
		l->selected = list_row(l, shown - 1);
	else if (l->selected == LIST_NONE || l->selected >= l->count)
		l->selected = list_row(l, l->selected == LIST_NONE ? 0 : shown - 1);
	if (l->top >= shown)
		l->top = shown - 1;
}

void list_set_count(struct list *l, size_t count)
{
	l->count = count;
	settle(l);
}

void list_reset(struct list *l, size_t count)
{
	l->count = count;
	l->scanned = l->row_count = 0;
	settle(l);
}

void list_filter_start(struct list *l)
{
	l->filtered = true;
	l->row_count = l->scanned = l->top = 0;
	l->ordered = false;
}

void list_filter_stop(struct list *l)
{
	l->filtered = l->ordered = false;
	settle(l);
}

bool list_filter_step(struct list *l, size_t rows, bool (*shows)(void *data, size_t row), void *data)
{
	if (!l->filtered)
		return true;
	size_t end = l->count - l->scanned < rows ? l->count : l->scanned + rows;
	for (; l->scanned < end; l->scanned++)
		if (shows(data, l->scanned))
			ARRAY_PUSH(l->rows, l->row_count, l->row_room) = (uint32_t)l->scanned;
	settle(l);
	return l->scanned >= l->count;
}

void list_filter_add(struct list *l, size_t row)
{
	ARRAY_PUSH(l->rows, l->row_count, l->row_room) = (uint32_t)row;
	settle(l);
}

void list_filter_scanned(struct list *l, size_t scanned)
{
	l->scanned = scanned;
}

void list_order(struct list *l, size_t key_count, size_t (*key)(void *data, size_t row), void *data)
{
	size_t *starts = mem_array(key_count + 1, sizeof *starts);
	uint32_t *sorted = mem_array(l->row_count + 1, sizeof *sorted);
	for (size_t i = 0; i < l->row_count; i++)
		starts[key(data, l->rows[i]) + 1]++;
	for (size_t k = 0; k < key_count; k++)
		starts[k + 1] += starts[k];
	for (size_t i = 0; i < l->row_count; i++)
		sorted[starts[key(data, l->rows[i])]++] = l->rows[i];
	free(l->rows);
	l->rows = sorted;
	l->row_room = l->row_count + 1;
	l->ordered = true;
	free(starts);
	settle(l);
}

void list_move(struct list *l, long delta)
{
	size_t shown = list_shown(l);
	if (shown == 0)
		return;
	size_t at = list_place(l, l->selected);
	if (delta < 0)
		at = (size_t)-delta > at ? 0 : at - (size_t)-delta;
	else
		at = (size_t)delta > shown - 1 - at ? shown - 1 : at + (size_t)delta;
	l->follow = false;
	l->selected = list_row(l, at);
}

void list_first(struct list *l)
{
	l->follow = false;
	l->selected = list_row(l, 0);
}

void list_last(struct list *l)
{
	size_t shown = list_shown(l);
	l->follow = true;
	l->selected = shown ? list_row(l, shown - 1) : LIST_NONE;
}

void list_select(struct list *l, size_t row)
{
	l->follow = false;
	l->selected = row;
	if (l->filtered || row >= l->count)
		l->selected = list_row(l, list_place(l, row));
}

void list_reveal(struct list *l, int height, bool centre)
{
	size_t shown = list_shown(l), h = height > 0 ? (size_t)height : 1;
	if (shown == 0) {
		l->top = 0;
		return;
	}
	size_t at = list_place(l, l->selected);
	bool far = at + h < l->top || at > l->top + 2 * h;
	if (at < l->top)
		l->top = at;
	else if (at >= l->top + h)
		l->top = at - h + 1;
	if (far && centre)
		l->top = at > h / 2 ? at - h / 2 : 0;
	size_t last_top = shown > h ? shown - h : 0;
	if (l->top > last_top)
		l->top = last_top;
}

void list_draw_bar(const struct list *l, struct canvas *c, struct rect area)
{
	size_t shown = list_shown(l);
	if (area.h < 3 || area.w < 2 || shown <= (size_t)area.h)
		return;
	size_t h = (size_t)area.h;
	size_t length = h * h / shown, room;
	if (length < 1)
		length = 1;
	room = h - length;
	size_t start = (size_t)((double)l->top / (double)(shown - h) * (double)room + 0.5);
	for (size_t y = start; y < start + length && y < h; y++) {
		struct pen p = pen_at(c, (struct rect){area.x + area.w - 1, area.y, 1, area.h}, (int)y);
		pen_code(&p, ROLE_DIM, 0x2590);
	}
}
