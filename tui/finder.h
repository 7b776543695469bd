/*
 * What lists of few rows share: a filter by words, a search from row to row, an order. The view says what a row's text is; it
 * keeps nothing else. (The events of a run are too many for this: view_events filters and searches them in steps.)
 */
#ifndef TUI_FINDER_H
#define TUI_FINDER_H

#include "tui/view.h"

/* Appends what a row says, as it is seen and with its columns named: "kill#1 kind:process.kill stage:applied". */
typedef void (*finder_text)(const struct view *v, const struct model *m, size_t row, struct buf *out);

/* Whether text has each of the words; NULL or "" has none. Small letters match capitals too. */
bool finder_has(const char *text, const char *words);

/* The rows are others now, count of them: shows those that have v->words. */
void finder_apply(struct view *v, const struct model *m, size_t count, finder_text text);

/*
 * Takes the actions filter, search, search-back and, after a search in this view, next-match and previous-match; a search moves
 * the list's selection. what: "fault", for messages. Returns whether it was one of them and went well; *err is filled in
 * otherwise if it was one of them.
 */
bool finder_act(struct view *v, const struct model *m, const char *what, finder_text text, enum action action,
	const char *argument, struct err *err);

/* The next of v->ops->orders, or the one named. ERR_USAGE lists them. */
bool finder_order(struct view *v, const char *argument, struct err *err);

/* Appends ", with WORDS, by ORDER" as far as there is a filter and an order other than the first. */
void finder_note(const struct view *v, struct buf *out);

void finder_finish(struct view *v); /* frees what the view keeps for these */

#endif
