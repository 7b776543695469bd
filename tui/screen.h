/*
 * The whole screen: which views are shown, where, which has the focus; the title, the status line, the line of keys. Draws from
 * the model; knows nothing of terminals, files or runs being opened.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "tui/canvas.h"
#include "tui/model.h"
#include "tui/view.h"

enum page { PAGE_RUNS, PAGE_RUN, PAGE_DIFF, PAGE_HELP, PAGE_TOUR, PAGE_DEBUG };

/* What fills a run's page below the timeline. */
enum bottom { BOTTOM_LISTS, BOTTOM_DETAIL, BOTTOM_CONSOLE, BOTTOM_PLAN };

enum screen_view {
	SCREEN_TIMELINE,
	SCREEN_EVENTS,
	SCREEN_FAULTS,
	SCREEN_PROPERTIES,
	SCREEN_DETAIL,
	SCREEN_CONSOLE,
	SCREEN_PLAN,
	SCREEN_RUNS,
	SCREEN_DIFF,
	SCREEN_HELP,
	SCREEN_TOUR,
	SCREEN_DEBUG_CODE,
	SCREEN_DEBUG_WHERE,
	SCREEN_DEBUG_LOCALS,
	SCREEN_DEBUG_REGS,
	SCREEN_DEBUG_PROCESSES,
	SCREEN_DEBUG_OUTPUT,
	SCREEN_VIEWS
};

#define SCREEN_PAGES_MAX 16

/* One line to type on, shown in place of the line of keys. Borrowed. */
struct screen_prompt {
	const char *label, *text;
	size_t cursor;
	const char *const *matches;
	size_t match_count;
};

struct screen {
	struct view *views[SCREEN_VIEWS];
	enum page pages[SCREEN_PAGES_MAX]; /* the last is shown; never empty */
	size_t page_count;
	enum bottom bottom;
	enum screen_view focus;       /* among the lists of a run: events, faults or properties */
	bool wide;                    /* the focused list has the whole width */
	enum screen_view debug_focus; /* among the panes of the debug view */
	unsigned folded;              /* bits 1 << enum screen_view: those of the debug view that are folded */
	bool shown[SCREEN_VIEWS];
	char *message; /* on the status line until the next key; NULL for none */
	bool message_is_error;
	char *progress; /* what goes on in the background; NULL for nothing */
	char *opening;  /* name of the run being opened; NULL when none is */
};

void screen_init(struct screen *s, enum page page);
void screen_finish(struct screen *s);

enum page screen_page(const struct screen *s);
void screen_push(struct screen *s, enum page page); /* a page that is below already comes to the top */
bool screen_pop(struct screen *s);                  /* false: it is the last */
bool screen_has(const struct screen *s, enum page page);
void screen_drop(struct screen *s, enum page page); /* takes it out, wherever it is; the last page becomes the runs */
/* The view that keys go to. */
struct view *screen_focus(const struct screen *s);
void screen_focus_next(struct screen *s, int direction);
/* The debug view: which pane keys go to; folds or unfolds a pane by its name, NULL for the focused one (false: there is none). */
void screen_debug_focus(struct screen *s, int direction);
bool screen_debug_focus_view(struct screen *s, const struct view *view); /* false: it is none of the panes */
bool screen_debug_fold(struct screen *s, const char *name);
const char *screen_debug_pane(const struct screen *s, size_t i); /* the name of a pane; NULL after the last */
bool screen_debug_folded(const struct screen *s, size_t i);      /* of those panes */
/* Bits 1 << enum key_scope: which keys make sense now. */
unsigned screen_scopes(const struct screen *s);
/* The shown view at a cell, or NULL. */
struct view *screen_view_at(const struct screen *s, int x, int y);

/* Both take over nothing; text is copied, NULL clears. */
void screen_message(struct screen *s, bool is_error, const char *text);
void screen_progress(struct screen *s, const char *text);

/* Tells the shown views that the model changed. */
void screen_sync(struct screen *s, const struct model *m);
void screen_draw(struct screen *s, const struct model *m, const struct screen_prompt *prompt, struct canvas *c);

#endif
