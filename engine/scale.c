#include "engine/scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_PART    6  /* an idle time is folded when it is more than this part of what is shown */
#define FOLD_COLUMNS 9  /* columns of a folded stretch: its length is written there */
#define FOLD_ROOM    40 /* columns that each folded stretch must leave to the others */

/* The least x with x * columns / span >= column, without overflow. */
static uint64_t least(int column, int columns, uint64_t span)
{
	uint64_t c = (uint64_t)column, n = (uint64_t)columns;
	uint64_t whole = span / n * c, rest = span % n * c;
	return whole + (rest + n - 1) / n;
}

/* x * columns / span, the same way, so that the two agree to the last digit. */
static int part(uint64_t x, int columns, uint64_t span)
{
	int low = 0, high = columns; /* least(low) <= x, and it is more for high */
	while (high - low > 1) {
		int middle = low + (high - low) / 2;
		if (least(middle, columns, span) <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t scale_value(const struct timeline *t, enum lanes_axis axis, size_t event)
{
	switch (axis) {
	case LANES_VTIME:
		return timeline_entries(t)[event].vtime_ns;
	case LANES_ICOUNT:
		return timeline_entries(t)[event].icount;
	case LANES_EVENT:
		break;
	}
	return event;
}

/* The first event at or after a value; timeline_count if there is none. */
static size_t first_at(const struct timeline *t, enum lanes_axis axis, uint64_t value)
{
	size_t low = 0, high = timeline_count(t);
	if (axis == LANES_EVENT)
		return value < high ? (size_t)value : high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (scale_value(t, axis, middle) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first event after a value. */
static size_t first_after(const struct timeline *t, enum lanes_axis axis, uint64_t value)
{
	return value == UINT64_MAX ? timeline_count(t) : first_at(t, axis, value + 1);
}

/* -- folding -- */

struct idle {
	uint64_t from, to; /* the events at its ends, or the window's */
};

/* The longest idle times of the window, longest first. */
static size_t find_idle(const struct timeline *t, const struct lanes_window *w, struct idle *list, size_t most)
{
	const struct entry *e = timeline_entries(t);
	size_t count = 0, end = first_after(t, LANES_VTIME, w->to);
	uint64_t before = w->from, shortest = 0;
	for (size_t i = first_at(t, LANES_VTIME, w->from); i <= end; i++) {
		uint64_t here = i < end ? e[i].vtime_ns : w->to;
		uint64_t length = here - before;
		if (length > shortest) {
			size_t at = count < most ? count++ : most - 1;
			for (; at > 0 && list[at - 1].to - list[at - 1].from < length; at--)
				list[at] = list[at - 1];
			list[at] = (struct idle){before, here};
			if (count == most)
				shortest = list[most - 1].to - list[most - 1].from;
		}
		before = here;
	}
	return count;
}

static int by_from(const void *a, const void *b)
{
	const struct idle *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* How many of the idle times, longest first, are to be folded. */
static size_t count_folds(const struct idle *idle, size_t count, uint64_t span, int columns)
{
	size_t folds = 0;
	while (folds < count && (folds + 1) * FOLD_ROOM <= (size_t)columns) {
		uint64_t length = idle[folds].to - idle[folds].from;
		if (length < 2 || length <= span / FOLD_PART)
			break;
		span -= length;
		folds++;
	}
	return folds;
}

static void add_piece(struct scale *s, uint64_t from, uint64_t to, bool folded)
{
	s->pieces[s->piece_count++] = (struct scale_piece){.from = from, .to = to, .folded = folded};
}

static void cut_in_pieces(struct scale *s, const struct timeline *t, bool fold)
{
	struct idle idle[SCALE_FOLDS_MAX];
	size_t folds = 0;
	if (fold && s->window.axis == LANES_VTIME && s->columns >= FOLD_ROOM) {
		size_t count = find_idle(t, &s->window, idle, SCALE_FOLDS_MAX);
		folds = count_folds(idle, count, s->window.to - s->window.from, s->columns);
	}
	qsort(idle, folds, sizeof *idle, by_from);
	uint64_t from = s->window.from;
	for (size_t i = 0; i < folds; i++) {
		/* The events at its ends stay outside. An idle time that starts with the window has none there. */
		add_piece(s, from, idle[i].from, false);
		add_piece(s, idle[i].from + 1, idle[i].to - 1, true);
		from = idle[i].to;
	}
	add_piece(s, from, s->window.to, false);
}

/* Shares the columns out: folded pieces have theirs, the others by length, at least one each. */
static void give_columns(struct scale *s)
{
	uint64_t busy = 0, before = 0;
	int left = s->columns, column = 0, drawn = 0, drawn_count = 0;
	for (size_t i = 0; i < s->piece_count; i++) {
		if (!s->pieces[i].folded)
			busy += s->pieces[i].to - s->pieces[i].from;
		left -= s->pieces[i].folded ? FOLD_COLUMNS : 1;
		drawn_count += !s->pieces[i].folded;
	}
	int given = 0;
	for (size_t i = 0; i < s->piece_count; i++) {
		struct scale_piece *p = &s->pieces[i];
		p->column = column;
		if (p->folded) {
			p->columns = FOLD_COLUMNS;
		} else {
			before += p->to - p->from;
			drawn++;
			int upto = busy == 0 ? left * drawn / drawn_count : before == busy ? left : part(before, left, busy);
			p->columns = 1 + upto - given;
			given = upto;
		}
		column += p->columns;
	}
}

static void find_firsts(struct scale *s, const struct timeline *t)
{
	enum lanes_axis axis = s->window.axis;
	s->first = mem_array((size_t)s->columns + 1, sizeof *s->first);
	for (size_t i = 0; i < s->piece_count; i++) {
		const struct scale_piece *p = &s->pieces[i];
		uint64_t span = p->to - p->from;
		for (int c = 0; c < p->columns; c++) {
			uint64_t x = p->folded || c == 0 ? 0 : least(c, p->columns, span + (span < UINT64_MAX));
			s->first[p->column + c] = x > span ? first_after(t, axis, p->to) : first_at(t, axis, p->from + x);
		}
	}
	s->first[s->columns] = first_after(t, axis, s->window.to);
}

void scale_init(struct scale *s, const struct timeline *t, struct lanes_window window, int columns, bool fold)
{
	*s = (struct scale){.window = window, .columns = columns};
	if (columns == 0) {
		s->first = mem_array(1, sizeof *s->first);
		return;
	}
	cut_in_pieces(s, t, fold);
	give_columns(s);
	find_firsts(s, t);
}

void scale_finish(struct scale *s)
{
	free(s->first);
	*s = (struct scale){0};
}

int scale_column(const struct scale *s, size_t event)
{
	if (s->columns == 0 || event < s->first[0])
		return -1;
	if (event >= s->first[s->columns])
		return s->columns;
	int low = 0, high = s->columns; /* first[low] <= event < first[high] */
	while (high - low > 1) {
		int middle = low + (high - low) / 2;
		if (s->first[middle] <= event)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* -- ticks -- */

int scale_piece_column(const struct scale_piece *p, uint64_t value)
{
	uint64_t span = p->to - p->from;
	return p->column + part(value - p->from, p->columns, span + (span < UINT64_MAX));
}

uint64_t scale_step(const struct scale *s, int columns)
{
	uint64_t wanted = 1, step = 1; /* what so many columns hold in the piece that is drawn coarsest */
	for (size_t i = 0; i < s->piece_count; i++) {
		const struct scale_piece *p = &s->pieces[i];
		uint64_t span = p->to - p->from, n = (uint64_t)p->columns, c = (uint64_t)columns;
		if (p->folded)
			continue;
		uint64_t here = span / n > UINT64_MAX / 2 / c ? UINT64_MAX / 2 : span / n * c + span % n * c / n;
		wanted = here > wanted ? here : wanted;
	}
	while (step < wanted && step <= UINT64_MAX / 10) {
		if (step * 2 >= wanted)
			return step * 2;
		if (step * 5 >= wanted)
			return step * 5;
		step *= 10;
	}
	return step;
}

static const struct unit {
	uint64_t size;
	const char *name;
} time_units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}},
  count_units[] = {{1000000000, "G"}, {1000000, "M"}, {1000, "k"}, {1, ""}};

void scale_put_value(enum lanes_axis axis, uint64_t value, struct buf *out)
{
	const struct unit *u = axis == LANES_VTIME ? time_units : count_units;
	if (axis == LANES_EVENT) {
		buf_printf(out, "%" PRIu64, value + 1); /* events are numbered from 1 for people */
		return;
	}
	if (value == 0) {
		buf_str(out, axis == LANES_VTIME ? "0s" : "0");
		return;
	}
	while (u->size > 1 && value < u->size)
		u++;
	buf_printf(out, "%" PRIu64, value / u->size);
	/* Up to three decimals, as far as they say something. */
	uint64_t rest = value % u->size * 1000 / u->size;
	if (rest > 0) {
		char digits[8];
		int size = snprintf(digits, sizeof digits, "%03u", (unsigned)rest);
		while (size > 0 && digits[size - 1] == '0')
			size--;
		buf_printf(out, ".%.*s", size, digits);
	}
	buf_str(out, u->name);
}
