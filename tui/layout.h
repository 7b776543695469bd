/* Rectangles of cells, and how a screen of any size is shared out among them. Pure. */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct rect {
	int x, y, w, h; /* w and h are never negative */
};

/* One part of a split. The parts of the highest `drop` go first when there is no room for every minimum. */
struct layout_part {
	int min;    /* cells; a part that does not get them gets none */
	int max;    /* cells; 0 means no limit */
	int weight; /* share of what is left after the minimums */
	int drop;   /* 0 stays to the last, cut to what there is */
};

#define LAYOUT_PARTS_MAX 8

/* Shares whole among count parts, left to right or top to bottom. gap cells stay free between two parts that are shown. */
void layout_columns(struct rect whole, int gap, const struct layout_part *parts, size_t count, struct rect *ret);
void layout_rows(struct rect whole, int gap, const struct layout_part *parts, size_t count, struct rect *ret);

bool rect_has(struct rect r, int x, int y);
struct rect rect_row(struct rect r, int row);       /* empty when out of range */
struct rect rect_cut_top(struct rect *r, int rows); /* takes rows off the top of r and returns them */
struct rect rect_cut_bottom(struct rect *r, int rows);
struct rect rect_both(struct rect a, struct rect b); /* what they share; may be empty */

#endif
