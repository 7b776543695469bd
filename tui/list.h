/* What every list does: scroll, select, page, follow its end, and show only the rows that a filter lets through. The rows
 * themselves belong to the view; a list knows only how many there are. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/canvas.h"

#define LIST_NONE SIZE_MAX

struct list {
	size_t count;    /* rows of the model */
	size_t selected; /* row of the model, LIST_NONE when nothing is shown */
	size_t top;      /* first shown row, counted among the shown ones */
	bool follow;     /* stay at the end as rows arrive */
	/* filter: shown rows in order. Filled in steps, so a list of a million rows is usable at once. */
	bool filtered;
	uint32_t *rows;
	size_t row_count, row_room;
	size_t scanned; /* rows of the model that the filter has seen */
	bool ordered;   /* rows are in another order than the model's */
};

void list_finish(struct list *l);

/* The model has count rows now; new ones are at the end. Keeps the selection, or follows. */
void list_set_count(struct list *l, size_t count);
/* All rows are others now. Keeps the selected number if it exists. */
void list_reset(struct list *l, size_t count);

/* Starts a filter; list_filter_step must be called until it returns true (all rows seen). */
void list_filter_start(struct list *l);
void list_filter_stop(struct list *l);
bool list_filter_step(struct list *l, size_t rows, bool (*shows)(void *data, size_t row), void *data);

/* For filters that find rows by themselves: adds a row after those added before, or says how far it has looked. */
void list_filter_add(struct list *l, size_t row);
void list_filter_scanned(struct list *l, size_t scanned);

/* Puts the rows of a filter into the order of their keys, each below key_count; rows of one key stay as they are. Rows added
 * later stand at the end until this is called again. */
void list_order(struct list *l, size_t key_count, size_t (*key)(void *data, size_t row), void *data);

size_t list_shown(const struct list *l);             /* rows that can be seen by scrolling */
size_t list_row(const struct list *l, size_t shown); /* the model's row at a shown place, LIST_NONE past the end */
size_t list_place(const struct list *l, size_t row); /* the shown place of a row, or of the last shown row before it; 0 if none */

void list_move(struct list *l, long delta); /* stops at both ends */
void list_first(struct list *l);
void list_last(struct list *l);
void list_select(struct list *l, size_t row); /* a row that is not shown selects the last shown one before it */

/* Scrolls as little as needed for the selection to be among height rows. centre: bring it to the middle when it was far away. */
void list_reveal(struct list *l, int height, bool centre);

/* Draws a scroll mark in the last column of area when not everything fits. */
void list_draw_bar(const struct list *l, struct canvas *c, struct rect area);

#endif
