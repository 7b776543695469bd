/* What each action does. An action that has no function here belongs to the view that has the focus. */
#include <stdlib.h>
#include <string.h>

#include "tui/acts.h"
#include "tui/app_data.h"

/* ---- views ---- */

static void show_bottom(struct app *app, enum bottom bottom)
{
	if (screen_page(&app->screen) != PAGE_RUN)
		screen_push(&app->screen, PAGE_RUN);
	app->screen.bottom = bottom;
}

bool act_detail(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	view_detail_show(app->screen.views[SCREEN_DETAIL], SUBJECT_EVENT, 0);
	show_bottom(app, BOTTOM_DETAIL);
	return true;
}

bool act_console(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err))
		return false;
	show_bottom(app, BOTTOM_CONSOLE);
	struct view *v = app->screen.views[SCREEN_CONSOLE];
	struct request request = {0};
	return !arg || v->ops->act(v, &app->model, ACTION_CONSOLE, arg, &request, err);
}

bool act_plan(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	show_bottom(app, app->screen.bottom == BOTTOM_PLAN && screen_page(&app->screen) == PAGE_RUN ? BOTTOM_LISTS : BOTTOM_PLAN);
	return true;
}

/* The filter of a run's events, wherever the focus is; views that filter themselves took it before. */
bool act_filter(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	struct request request = {0};
	struct view *v = app->screen.views[SCREEN_EVENTS];
	if (!act_need_run(app, &run, err))
		return false;
	show_bottom(app, BOTTOM_LISTS);
	return v->ops->act(v, &app->model, ACTION_FILTER, arg, &request, err);
}

bool act_events(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	show_bottom(app, BOTTOM_LISTS);
	return true;
}

bool act_wide(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	app->screen.wide = !app->screen.wide;
	return true;
}

bool act_pane_next(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	if (screen_page(&app->screen) == PAGE_DIFF)
		app_act(app, ACTION_SWAP, NULL);
	screen_focus_next(&app->screen, 1);
	return true;
}

bool act_pane_prev(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	if (screen_page(&app->screen) == PAGE_DIFF)
		app_act(app, ACTION_SWAP, NULL);
	screen_focus_next(&app->screen, -1);
	return true;
}

bool act_runs_view(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	screen_push(&app->screen, PAGE_RUNS);
	return app_scan(app, err);
}

bool act_quit(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	if (screen_page(&app->screen) == PAGE_RUN && app->screen.bottom != BOTTOM_LISTS)
		app->screen.bottom = BOTTOM_LISTS;
	else if (!screen_pop(&app->screen))
		app->ended = true;
	return true;
}

bool act_quit_all(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	app->ended = true;
	return true;
}

/* Esc: first stop what runs, then close; but it never ends the program. */
bool act_back(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	if (app_cancel(app)) {
		app_message(app, false, "cancelled");
		return true;
	}
	if (app->screen.wide)
		app->screen.wide = false;
	else if (screen_page(&app->screen) == PAGE_DEBUG && app->model.debug.alive) /* Esc that came too late to stop a move */
		app_message(app, false, "nothing is going on; q closes this view and ends its machine");
	else if (screen_page(&app->screen) == PAGE_RUN && app->screen.bottom != BOTTOM_LISTS)
		app->screen.bottom = BOTTOM_LISTS;
	else if (!screen_pop(&app->screen))
		app_message(app, false, "this is the last view; q ends");
	return true;
}

bool act_help(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	screen_push(&app->screen, PAGE_HELP);
	return true;
}

bool act_tour(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	screen_push(&app->screen, PAGE_TOUR);
	return true;
}

bool act_command(struct app *app, const char *arg, struct err *err)
{
	(void)err;
	prompt_open(app->prompt, ":", arg ? arg : "");
	return true;
}

/* ---- how it looks ---- */

bool act_theme(struct app *app, const char *arg, struct err *err)
{
	size_t next = 0;
	if (!arg) {
		for (size_t i = 0; theme_builtin_name(i); i++)
			if (strcmp(theme_builtin_name(i), app->theme.name) == 0)
				next = i + 1;
		arg = theme_builtin_name(next) ? theme_builtin_name(next) : theme_builtin_name(0);
	}
	if (!theme_load(&app->theme, arg, app->config_dir, err))
		return false;
	app_message(app, false, "theme %s", app->theme.name);
	return true;
}

bool act_ascii(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	app->ascii = !app->ascii;
	app_message(app, false,
		app->ascii                   ? "drawn with ASCII only"
			: app->terminal.utf8 ? "drawn with UTF-8"
					     : "this terminal's character set is not UTF-8");
	return true;
}

bool act_mouse(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	app->mouse = !app->mouse;
	if (app->terminal.mouse)
		app->terminal.mouse(app->terminal.data, app->mouse);
	app_message(
		app, false, app->mouse ? "mouse on: click, wheel, drag the playhead; Shift selects text as before" : "mouse off");
	return true;
}

bool act_redraw(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	if (app->terminal.redraw)
		app->terminal.redraw(app->terminal.data);
	return true;
}

bool act_suspend(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	if (app->terminal.suspend)
		app->terminal.suspend(app->terminal.data);
	return true;
}

bool act_copy(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	struct timeline_event event = {0};
	(void)arg;
	if (!act_need_run(app, &run, err))
		return false;
	if (run->playhead == TIMELINE_NONE)
		return err_set(err, ERR_USAGE, "there is no event here");
	bool ok = timeline_event(run->timeline, run->playhead, &event, err);
	if (ok && app->terminal.copy)
		ok = app->terminal.copy(app->terminal.data, event.line.data, event.line.size, err);
	if (ok)
		app_message(app, false, "event %zu was given to the terminal's clipboard", run->playhead + 1);
	timeline_event_finish(&event);
	return ok;
}

/* ---- the table ---- */

static bool (*const functions[ACTION_COUNT])(struct app *app, const char *argument, struct err *err) = {
	[ACTION_OPEN] = act_open_run,
	[ACTION_MARK] = act_mark,
	[ACTION_RUNS_DIFF] = act_runs_diff,
	[ACTION_RECORD] = act_record,
	[ACTION_RERUN] = act_rerun,
	[ACTION_REPLAY] = act_replay,
	[ACTION_STOP] = act_stop,
	[ACTION_FOLD_FORKS] = act_fold_forks,
	[ACTION_DELETE] = act_delete_run,
	[ACTION_UNDO] = act_undo,
	[ACTION_SORT] = act_sort,
	[ACTION_DIFF_NEXT] = act_diff_forward,
	[ACTION_DIFF_PREV] = act_diff_backward,
	[ACTION_SWAP] = act_swap,
	[ACTION_ALIGN] = act_align,
	[ACTION_FOLD] = act_fold,
	[ACTION_EVENT_NEXT] = act_event_next,
	[ACTION_EVENT_PREV] = act_event_prev,
	[ACTION_EVENT_MORE] = act_event_more,
	[ACTION_EVENT_LESS] = act_event_less,
	[ACTION_FAULT_NEXT] = act_fault_next,
	[ACTION_FAULT_PREV] = act_fault_prev,
	[ACTION_FAIL_NEXT] = act_fail_next,
	[ACTION_FAIL_PREV] = act_fail_prev,
	[ACTION_DIFF_WITH] = act_diff_with,
	[ACTION_SEARCH] = act_search,
	[ACTION_SEARCH_BACK] = act_search_back,
	[ACTION_SEARCH_NEXT] = act_search_next,
	[ACTION_SEARCH_PREV] = act_search_prev,
	[ACTION_BOOKMARK] = act_bookmark,
	[ACTION_BOOKMARK_NEXT] = act_bookmark_next,
	[ACTION_BOOKMARK_PREV] = act_bookmark_prev,
	[ACTION_NODE_NEXT] = act_node_next,
	[ACTION_NODE_PREV] = act_node_prev,
	[ACTION_BEGIN] = act_begin,
	[ACTION_END] = act_end,
	[ACTION_GOTO] = act_goto_moment,
	[ACTION_JUMP_BACK] = act_jump_back,
	[ACTION_JUMP_FORWARD] = act_jump_forward,
	[ACTION_DETAIL] = act_detail,
	[ACTION_CONSOLE] = act_console,
	[ACTION_PLAN] = act_plan,
	[ACTION_DEBUG] = act_debug,
	[ACTION_DEBUG_STEP] = act_debug_step,
	[ACTION_DEBUG_STEP_BACK] = act_debug_step_back,
	[ACTION_DEBUG_LINE] = act_debug_line_next,
	[ACTION_DEBUG_LINE_BACK] = act_debug_line_back,
	[ACTION_DEBUG_OVER] = act_debug_over,
	[ACTION_DEBUG_OVER_BACK] = act_debug_over_back,
	[ACTION_DEBUG_FINISH] = act_debug_finish,
	[ACTION_DEBUG_FINISH_BACK] = act_debug_finish_back,
	[ACTION_DEBUG_CONTINUE] = act_debug_continue,
	[ACTION_DEBUG_CONTINUE_BACK] = act_debug_continue_back,
	[ACTION_DEBUG_BREAK] = act_debug_break,
	[ACTION_DEBUG_BACK] = act_debug_back,
	[ACTION_DEBUG_FORWARD] = act_debug_forward,
	[ACTION_DEBUG_CODE] = act_debug_code,
	[ACTION_DEBUG_FOLD] = act_debug_fold,
	[ACTION_DEBUG_FORK] = act_debug_fork,
	[ACTION_SHELL] = act_debug_fork,
	[ACTION_EVENTS] = act_events,
	[ACTION_FILTER] = act_filter,
	[ACTION_ZOOM_IN] = act_zoom_in,
	[ACTION_ZOOM_OUT] = act_zoom_out,
	[ACTION_ZOOM_ALL] = act_zoom_all,
	[ACTION_AXIS] = act_axis,
	[ACTION_GAPS] = act_gaps,
	[ACTION_COPY] = act_copy,
	[ACTION_WIDE] = act_wide,
	[ACTION_PANE_NEXT] = act_pane_next,
	[ACTION_PANE_PREV] = act_pane_prev,
	[ACTION_RUNS_VIEW] = act_runs_view,
	[ACTION_BACK] = act_back,
	[ACTION_COMMAND] = act_command,
	[ACTION_HELP] = act_help,
	[ACTION_QUIT] = act_quit,
	[ACTION_QUIT_ALL] = act_quit_all,
	[ACTION_TOUR] = act_tour,
	[ACTION_THEME] = act_theme,
	[ACTION_ASCII] = act_ascii,
	[ACTION_MOUSE] = act_mouse,
	[ACTION_REDRAW] = act_redraw,
	[ACTION_SUSPEND] = act_suspend,
};

void app_request(struct app *app, const struct request *request)
{
	switch (request->kind) {
	case REQUEST_GOTO:
		app_goto(app, request->index, request->jump);
		break;
	case REQUEST_OPEN: {
		struct err err = {0};
		if (!act_open_run(app, NULL, &err))
			app_message(app, true, "%s", err.text);
		break;
	}
	case REQUEST_DETAIL:
		view_detail_show(app->screen.views[SCREEN_DETAIL], request->subject, request->index);
		show_bottom(app, BOTTOM_DETAIL);
		break;
	case REQUEST_ASK:
	case REQUEST_TOGGLE: {
		struct err err = {0};
		if (!debug_request(app, request->text, request->kind == REQUEST_TOGGLE, &err))
			app_message(app, true, "%s", err.text);
		break;
	}
	case REQUEST_NONE:
		break;
	}
}

void app_act(struct app *app, enum action action, const char *argument)
{
	struct err err = {0};
	struct request request = {0};
	if (argument && !argument[strspn(argument, " ")])
		argument = NULL;
	if (!argument && action_needs_argument(action)) {
		app_message(app, true, "%s needs %s", action_info(action)->name, action_info(action)->argument);
		return;
	}
	struct view *view = screen_focus(&app->screen);
	bool taken = view->ops->act && view->ops->act(view, &app->model, action, argument, &request, &err);
	if (taken)
		app_request(app, &request);
	else if (err.code == ERR_NONE && functions[action])
		functions[action](app, argument, &err);
	else if (err.code == ERR_NONE)
		err_set(&err, ERR_USAGE, "%s: nothing here to do that with", action_info(action)->name);
	if (err.code != ERR_NONE)
		app_message(app, true, "%s", err.text);
}

void app_command(struct app *app, const char *line)
{
	line += strspn(line, " :");
	size_t size = strcspn(line, " ");
	if (size == 0)
		return;
	if (act_debug_typed(app, line, true))
		return;
	enum action action = action_find(line, size);
	if (action == ACTION_NONE && act_debug_typed(app, line, false))
		return;
	enum action only = ACTION_NONE;
	size_t hits = 0;
	for (int i = 0; i < ACTION_COUNT && action == ACTION_NONE; i++) /* a beginning that only one has is enough */
		if (strncmp(action_info((enum action)i)->name, line, size) == 0) {
			only = (enum action)i;
			hits++;
		}
	if (action == ACTION_NONE && hits == 1)
		action = only;
	if (action == ACTION_NONE) {
		char *word = mem_strn(line, size);
		app_message(app, true,
			hits ? "'%s' could be several commands; Tab shows them" : "there is no command '%s'; ? lists them", word);
		free(word);
		return;
	}
	const char *argument = line + size + strspn(line + size, " ");
	char *trimmed = mem_str(argument);
	for (size_t n = strlen(trimmed);
		n > 0 && trimmed[n - 1] == ' ' && action != ACTION_SEARCH && action != ACTION_SEARCH_BACK; n--)
		trimmed[n - 1] = '\0';
	app_act(app, action, trimmed);
	free(trimmed);
}
