#include "tui/layout.h"

static int shown_count(const bool *shown, size_t count)
{
	int n = 0;
	for (size_t i = 0; i < count; i++)
		n += shown[i];
	return n;
}

static int needed(const struct layout_part *parts, const bool *shown, size_t count, int gap)
{
	int sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += shown[i] ? parts[i].min : 0;
	int n = shown_count(shown, count);
	return sum + (n > 1 ? (n - 1) * gap : 0);
}

/* Hides parts, the most droppable (and then the rightmost) first, until the minimums fit or one is left. */
static void choose(const struct layout_part *parts, bool *shown, size_t count, int gap, int room)
{
	for (size_t i = 0; i < count; i++)
		shown[i] = parts[i].min > 0 || parts[i].weight > 0;
	while (needed(parts, shown, count, gap) > room && shown_count(shown, count) > 1) {
		size_t worst = count;
		for (size_t i = 0; i < count; i++)
			if (shown[i] && (worst == count || parts[i].drop >= parts[worst].drop))
				worst = i;
		shown[worst] = false;
	}
}

/* Hands out what is left by weight; a part at its maximum takes no more, so this repeats until nobody takes any. */
static void grow(const struct layout_part *parts, const bool *shown, size_t count, int left, int *size)
{
	while (left > 0) {
		int weights = 0;
		for (size_t i = 0; i < count; i++)
			if (shown[i] && (parts[i].max == 0 || size[i] < parts[i].max))
				weights += parts[i].weight;
		if (weights == 0)
			return;
		int pool = left;
		for (size_t i = 0; i < count && left > 0; i++) {
			if (!shown[i] || (parts[i].max && size[i] >= parts[i].max) || parts[i].weight == 0)
				continue;
			int take = pool * parts[i].weight / weights;
			take = take < 1 ? 1 : take > left ? left : take;
			if (parts[i].max && size[i] + take > parts[i].max)
				take = parts[i].max - size[i];
			size[i] += take;
			left -= take;
		}
	}
}

static void share(int room, int gap, const struct layout_part *parts, size_t count, int *size)
{
	bool shown[LAYOUT_PARTS_MAX] = {false};
	choose(parts, shown, count, gap, room);
	int used = needed(parts, shown, count, gap);
	for (size_t i = 0; i < count; i++)
		size[i] = shown[i] ? parts[i].min : 0;
	if (used > room) { /* one part is left and does not fit whole */
		for (size_t i = 0; i < count; i++)
			size[i] = shown[i] ? room : 0;
		return;
	}
	grow(parts, shown, count, room - used, size);
}

static void split(struct rect whole, int gap, const struct layout_part *parts, size_t count, bool columns, struct rect *ret)
{
	int size[LAYOUT_PARTS_MAX] = {0};
	if (count > LAYOUT_PARTS_MAX)
		count = LAYOUT_PARTS_MAX;
	share(columns ? whole.w : whole.h, gap, parts, count, size);
	int at = 0;
	for (size_t i = 0; i < count; i++) {
		if (columns)
			ret[i] = (struct rect){whole.x + at, whole.y, size[i], whole.h};
		else
			ret[i] = (struct rect){whole.x, whole.y + at, whole.w, size[i]};
		at += size[i] ? size[i] + gap : 0;
	}
}

void layout_columns(struct rect whole, int gap, const struct layout_part *parts, size_t count, struct rect *ret)
{
	split(whole, gap, parts, count, true, ret);
}

void layout_rows(struct rect whole, int gap, const struct layout_part *parts, size_t count, struct rect *ret)
{
	split(whole, gap, parts, count, false, ret);
}

bool rect_has(struct rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

struct rect rect_row(struct rect r, int row)
{
	if (row < 0 || row >= r.h)
		return (struct rect){r.x, r.y, 0, 0};
	return (struct rect){r.x, r.y + row, r.w, 1};
}

struct rect rect_cut_top(struct rect *r, int rows)
{
	rows = rows < 0 ? 0 : rows > r->h ? r->h : rows;
	struct rect top = {r->x, r->y, r->w, rows};
	r->y += rows;
	r->h -= rows;
	return top;
}

struct rect rect_cut_bottom(struct rect *r, int rows)
{
	rows = rows < 0 ? 0 : rows > r->h ? r->h : rows;
	r->h -= rows;
	return (struct rect){r->x, r->y + r->h, r->w, rows};
}

struct rect rect_both(struct rect a, struct rect b)
{
	int x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
	int right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int bottom = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
	return (struct rect){x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0};
}
