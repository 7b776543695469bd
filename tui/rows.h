/*
 * Lists as views. rows_draw draws any of them, a row at a time. A rows_view is all of a view whose rows stand at events of a run
 * (faults, properties): it follows the playhead, moves it, filters, searches, sorts; what the rows are is the view's own.
 */
#ifndef TUI_ROWS_H
#define TUI_ROWS_H

#include "tui/finder.h"

struct rows_look {
	void (*row)(const struct view *v, const struct model *m, size_t row, struct pen *p);
	/* What is said where no row is shown. */
	void (*empty)(const struct view *v, const struct model *m, struct pen *p);
	bool centre; /* a selection that was far away comes to the middle */
};

/* Draws the rows of v->list, with the scroll mark. marks: the selected row has the overlay of the selection. */
void rows_draw(struct view *v, const struct model *m, const struct rows_look *look, struct canvas *c, struct rect area,
	bool marks, bool focused);

struct rows_view;
struct rows_ops {
	const char *what; /* "fault", for messages */
	enum subject subject;
	/* Another number whenever there are other rows to make. */
	size_t (*stamp)(const struct timeline *t);
	/* Makes the rows of v->timeline in v->view.order, and returns how many there are. */
	size_t (*make)(struct rows_view *v);
	/* The event at which a row stands, or TIMELINE_NONE. */
	size_t (*event)(const struct rows_view *v, size_t row);
	/* The fault or property that a row is about. */
	size_t (*about)(const struct rows_view *v, size_t row);
	/* The row to select when the playhead has come to an event (or TIMELINE_NONE) from elsewhere. */
	size_t (*follow)(const struct rows_view *v, size_t playhead);
	finder_text text;
};

/* The start of such a view's own struct. */
struct rows_view {
	struct view view;
	const struct rows_ops *ops;
	const struct timeline *timeline;
	size_t stamp; /* of the timeline when the rows were made */
	size_t count; /* rows */
};

/* For the view's own struct view_ops. */
void rows_view_sync(struct view *v, const struct model *m);
bool rows_view_act(
	struct view *v, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err);
void rows_view_press(struct view *v, const struct model *m, int x, int y, bool drag, struct request *ret);

/* " 171<": the number of an event in at most width cells, with a mark when the playhead is there. */
void rows_event_number(struct pen *p, const struct run *run, size_t event, int width);

#endif
