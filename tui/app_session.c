/* What is open, and how, as the session file has it: kept as it changes, opened again after a crash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "tui/app_data.h"
#include "tui/session.h"
#include "tui/state.h"

static const char *const pages[] = {[PAGE_RUNS] = "runs", [PAGE_RUN] = "run", [PAGE_DIFF] = "diff"};
static const char *const panes[] = {
	[BOTTOM_LISTS] = "lists", [BOTTOM_DETAIL] = "detail", [BOTTOM_CONSOLE] = "console", [BOTTOM_PLAN] = "plan"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The number of a name, or 0, which is where a screen starts anyway. */
static size_t number_of(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

static void add_path(struct session *s, enum session_field field, const char *path)
{
	char *real = realpath(path, NULL);
	session_add(s, field, real ? real : path);
	free(real);
}

/* The page that a start can lead to: of a run, of two, or the list below help, tour and what else is passed through. */
static enum page kept_page(const struct app *app)
{
	for (size_t i = app->screen.page_count; i-- > 0;)
		if (app->screen.pages[i] == PAGE_RUN || app->screen.pages[i] == PAGE_DIFF || app->screen.pages[i] == PAGE_RUNS)
			return app->screen.pages[i];
	return PAGE_RUNS;
}

static void collect(const struct app *app, struct session *s)
{
	const struct screen *screen = &app->screen;
	session_add(s, SESSION_THEME, app->theme.name);
	session_add(s, SESSION_RUN, app->last_run);
	add_path(s, SESSION_RUNS, app->options.runs);
	for (int side = 0; side < 2 && app->model.runs[side]; side++)
		add_path(s, SESSION_OPEN, timeline_path(app->model.runs[side]->timeline));
	session_add(s, SESSION_SIDE, app->model.side ? "1" : "");
	session_add(s, SESSION_PAGE, pages[kept_page(app)]);
	session_add(s, SESSION_PANE, panes[screen->bottom]);
	session_add(s, SESSION_FOCUS, screen->views[screen->focus]->ops->name);
	for (size_t i = 0; i < app->runs->count; i++)
		if (app->runs->rows[i].marked)
			session_add(s, SESSION_MARK, app->runs->rows[i].name);
	session_add(s, SESSION_SORT, run_sort_name(app->runs->sort));
	session_add(s, SESSION_FILTER, screen->views[SCREEN_RUNS]->words);
	session_add(s, SESSION_WORDS, screen->views[SCREEN_EVENTS]->words);
}

static void add_folded(const struct app *app, struct session *s)
{
	struct buf names = {0};
	for (size_t i = 0; screen_debug_pane(&app->screen, i); i++)
		if (screen_debug_folded(&app->screen, i))
			buf_printf(&names, "%s%s", names.size ? " " : "", screen_debug_pane(&app->screen, i));
	session_add(s, SESSION_FOLDED, names.data);
	buf_free(&names);
}

/* Names that there are no panes of any more mean nothing. */
static void fold(struct app *app, const char *names)
{
	for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
		size_t size = strcspn(at, " ");
		char *name = mem_strn(at, size);
		screen_debug_fold(&app->screen, name);
		free(name);
		at += size;
	}
}

void app_session_save(struct app *app, bool ended)
{
	struct session session = {0};
	struct buf text = {0};
	if (app->session_lock < 0 || app->open_job || app->preview.action != ACTION_NONE)
		return; /* half opened, half typed: soon */
	collect(app, &session);
	add_folded(app, &session);
	session_add(&session, SESSION_ENDED, ended ? "1" : "");
	session_write(&session, &text);
	if (!app->session_text || strcmp(app->session_text, text.data) != 0) {
		state_save_session(app->state_dir, &text, NULL);
		free(app->session_text);
		app->session_text = mem_str(text.data);
	}
	buf_free(&text);
	session_finish(&session);
}

/* Marks, orders and filters belong to a directory of runs; they hold if it is still the same. */
static void restore_lists(struct app *app, const struct session *s)
{
	enum run_sort sort;
	for (int i = 0; i < SESSION_VALUES_MAX; i++) {
		const char *name = s->values[SESSION_MARK][i];
		size_t row = name ? runs_find(app->runs, name) : SIZE_MAX;
		if (row != SIZE_MAX)
			app->runs->rows[row].marked = true;
	}
	if (run_sort_find(session_value(s, SESSION_SORT), &sort)) {
		app->runs->sort = sort;
		app->runs->stale = true;
		runs_sort(app->runs);
	}
	if (s->values[SESSION_FILTER][0])
		app->screen.views[SCREEN_RUNS]->words = mem_str(s->values[SESSION_FILTER][0]);
	if (s->values[SESSION_WORDS][0])
		app->screen.views[SCREEN_EVENTS]->words = mem_str(s->values[SESSION_WORDS][0]);
}

static void reopen(struct app *app, const struct session *s)
{
	const char *a = s->values[SESSION_OPEN][0], *b = s->values[SESSION_OPEN][1];
	const char *focus = session_value(s, SESSION_FOCUS);
	enum page page = (enum page)number_of(pages, COUNT(pages), session_value(s, SESSION_PAGE));
	struct err err = {0};
	if (!a || page == PAGE_RUNS || (page == PAGE_DIFF && !b))
		return;
	bool second = session_value(s, SESSION_SIDE)[0] == '1';
	if (page == PAGE_RUN && second && b)
		a = b; /* the one that was seen */
	if (!app_open(app, a, 0, &err)) {
		app_message(app, true, "%s", err.text);
		return;
	}
	if (page == PAGE_DIFF) {
		app->open_next = mem_str(b);
		app->keep_place = true;
		app->keep_side = second;
	}
	screen_push(&app->screen, page);
	app->screen.bottom = (enum bottom)number_of(panes, COUNT(panes), session_value(s, SESSION_PANE));
	for (int v = SCREEN_EVENTS; v <= SCREEN_PROPERTIES; v++)
		if (strcmp(app->screen.views[v]->ops->name, focus) == 0)
			app->screen.focus = (enum screen_view)v;
	app_message(app, false, "what was open when the last session was cut off is open again");
}

void app_session_start(struct app *app)
{
	struct session s = {0};
	struct err err = {0};
	app->session_lock = app->state_dir < 0 ? -1 : file_lock_in(app->state_dir, ".session-lock", 0, NULL, NULL);
	if (!state_load_session(app->state_dir, &s, &err))
		app_message(app, true, "%s", err.text);
	const char *theme = session_value(&s, SESSION_THEME);
	const char *wanted = app->options.theme ? app->options.theme : theme[0] ? theme : "default";
	char *runs = realpath(app->options.runs, NULL);
	bool same = runs && strcmp(runs, session_value(&s, SESSION_RUNS)) == 0;
	bool ended = session_value(&s, SESSION_ENDED)[0] == '1';
	free(runs);
	err = (struct err){0};
	theme_default(&app->theme);
	if (!theme_load(&app->theme, wanted, app->config_dir, &err))
		app_message(app, true, "%s", err.text);
	/* What is open in another terminal now was not cut off. */
	if (same && !ended && app->session_lock >= 0) {
		restore_lists(app, &s);
		if (!app->options.open[0])
			reopen(app, &s);
	}
	fold(app, session_value(&s, SESSION_FOLDED));
	app->last_run = mem_str(session_value(&s, SESSION_RUN));
	if (app->last_run[0])
		view_runs_select(app->screen.views[SCREEN_RUNS], &app->model, app->last_run);
	session_finish(&s);
}
