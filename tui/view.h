/*
 * A view: one pane's worth of something. It draws from a const model and answers actions with a request; it never changes a run
 * and never calls what takes long. Work in steps is done in `step`.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "tui/canvas.h"
#include "tui/doc.h"
#include "tui/list.h"
#include "tui/model.h"

enum request_kind {
	REQUEST_NONE,
	REQUEST_GOTO,   /* event of the run that keys move in */
	REQUEST_OPEN,   /* row of the list of runs */
	REQUEST_DETAIL, /* show `subject` number `index` */
	REQUEST_ASK,    /* run `text`, a line of the debug language, instead of those of its kind that wait */
	REQUEST_TOGGLE, /* open or close the variable `text` */
};

/* What a detail is about. */
enum subject { SUBJECT_EVENT, SUBJECT_FAULT, SUBJECT_PROPERTY };

struct request {
	enum request_kind kind;
	size_t index; /* event, row, fault or property */
	bool jump;    /* REQUEST_GOTO: jump-back comes back here */
	enum subject subject;
	const char *text; /* borrowed from the view, until it is asked again */
};

struct view;

/* Any function but draw and destroy may be NULL. */
struct view_ops {
	const char *name; /* on its head line */
	/* The model changed (a new playhead, more events): adjust the selection. */
	void (*sync)(struct view *v, const struct model *m);
	/* How many rows of at most `most` it makes use of, at this width. */
	int (*rows)(struct view *v, const struct model *m, int width, int most);
	/* Draws inside area, which may be empty. */
	void (*draw)(struct view *v, const struct model *m, struct canvas *c, struct rect area, bool focused);
	/* Takes an action that is the view's own affair. False: not its affair. */
	bool (*act)(struct view *v, const struct model *m, enum action action, const char *argument, struct request *ret,
		struct err *err);
	/* A little work in the background; true when there is more to do. */
	bool (*step)(struct view *v, const struct model *m);
	/* A press, or a drag with the button down, at a cell inside its area. */
	void (*press)(struct view *v, const struct model *m, int x, int y, bool drag, struct request *ret);
	/* Appends what the head line says after the name, "3/17 filtered". */
	void (*note)(const struct view *v, const struct model *m, struct buf *out);
	void (*destroy)(struct view *v);
	bool filters;              /* takes ACTION_FILTER, and keeps its words in `words` */
	const char *const *orders; /* names of what ACTION_SORT sorts by, NULL at the end; the first is how it starts. Or NULL */
};

/* The start of every view's own struct. */
struct view {
	const struct view_ops *ops;
	struct rect area; /* where it was drawn last */
	struct list list; /* for views that are lists */
	size_t seen;      /* playhead that the selection was adjusted to */
	int seen_side;
	char *words;  /* of the filter, or NULL */
	char *find;   /* searched for in this view, or NULL */
	size_t order; /* which of the orders */
};

void view_destroy(struct view *v); /* NULL is fine */

/* Moving about in a list: handles up, down, pages, first, last. Returns whether action was one of them. */
bool view_list_act(struct list *list, int height, enum action action);
/* The part of area that rows may use: without the last column when a scroll mark is drawn there. */
struct rect view_list_area(const struct list *list, struct rect area);
/* Lays the selection's overlay over a row of area. */
void view_mark_row(struct canvas *c, struct rect area, int row, bool focused);

/* A view that shows a doc, wrapped and scrolled: view.list.top is its first line shown. */
struct doc_view {
	struct view view;
	struct doc doc, wrapped;
	int wrapped_width;
	size_t found; /* 1 + wrapped line that a search found; 0: none */
};
void doc_view_finish(struct doc_view *v);
void doc_view_changed(struct doc_view *v); /* after changing doc */
void doc_view_draw(struct doc_view *v, struct canvas *c, struct rect area);
/* Scrolls so that the first line with this tag is in the upper half, unless it is seen already. */
void doc_view_reveal(struct doc_view *v, struct rect area, size_t tag);
bool doc_view_act(struct doc_view *v, enum action action);
/* Scrolls as little as needed for all rows of the lines with this tag to be seen, or the first of them. */
void doc_view_keep(struct doc_view *v, struct rect area, size_t tag);
/* Takes search, search-back and, after one, next-match and previous-match: goes to the next line with the text and marks it. */
bool doc_view_search(struct doc_view *v, enum action action, const char *argument, struct err *err);

/* Drawing that several views share. */
void view_verdict_sign(struct pen *p, enum verdict verdict);
enum role view_verdict_role(enum verdict verdict);
/* "37 of 64 events used", "1.953 s of 100.0 s used" */
void view_put_margin(const struct fact_property *fact, struct buf *out);
/* Whether text has the wanted text; capital letters matter only if that has one. */
bool view_text_has(const char *text, const char *wanted);
/* Text with the parts that match search laid over in the match role. */
void view_text_matches(struct pen *p, enum role role, const char *text, const char *search);

/* The views that there are. Each create function is in view_NAME.c. */
struct view *view_timeline_create(void);
struct view *view_events_create(void);
struct view *view_faults_create(void);
struct view *view_properties_create(void);
struct view *view_detail_create(void);
struct view *view_console_create(void);
struct view *view_plan_create(void);
struct view *view_runs_create(void);
struct view *view_diff_create(void);
struct view *view_help_create(void);
struct view *view_tour_create(void);
struct view *view_debug_code_create(void);
struct view *view_debug_where_create(void);
struct view *view_debug_locals_create(void);
struct view *view_debug_regs_create(void);
struct view *view_debug_processes_create(void);
struct view *view_debug_output_create(void);

/* What `break` and `delete` are to be given for the line under the cursor of the pane of code, "break counter.c:34" or "delete
 * 2"; false with the reason when it has no code. */
bool view_debug_break(const struct view *code, const struct model *m, struct buf *out, struct err *err);

/* Sets what the detail view is about. */
void view_detail_show(struct view *v, enum subject subject, size_t index);
/* The row of the model's list of runs that is selected; LIST_NONE when there is none. Selects by name. */
size_t view_runs_selected(const struct view *v);
void view_runs_select(struct view *v, const struct model *m, const char *name);

#endif
