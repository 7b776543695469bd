/* The functions behind the actions, for the table in act.c. argument is NULL when there is none. Failures are sentences. */
#ifndef TUI_ACTS_H
#define TUI_ACTS_H

#include "engine/err.h"

struct app;
struct run;

/* The run that keys move in; ERR_USAGE when none is open. */
bool act_need_run(struct app *app, struct run **ret, struct err *err);

bool act_open_run(struct app *app, const char *argument, struct err *err);
bool act_mark(struct app *app, const char *argument, struct err *err);
bool act_runs_diff(struct app *app, const char *argument, struct err *err);
bool act_record(struct app *app, const char *argument, struct err *err);
bool act_rerun(struct app *app, const char *argument, struct err *err);
bool act_replay(struct app *app, const char *argument, struct err *err);
bool act_stop(struct app *app, const char *argument, struct err *err);
bool act_fold_forks(struct app *app, const char *argument, struct err *err);
bool act_delete_run(struct app *app, const char *argument, struct err *err);
bool act_undo(struct app *app, const char *argument, struct err *err);
bool act_sort(struct app *app, const char *argument, struct err *err);
bool act_diff_forward(struct app *app, const char *argument, struct err *err);
bool act_diff_backward(struct app *app, const char *argument, struct err *err);
bool act_swap(struct app *app, const char *argument, struct err *err);
bool act_align(struct app *app, const char *argument, struct err *err);
bool act_fold(struct app *app, const char *argument, struct err *err);
bool act_event_next(struct app *app, const char *argument, struct err *err);
bool act_event_prev(struct app *app, const char *argument, struct err *err);
bool act_event_more(struct app *app, const char *argument, struct err *err);
bool act_event_less(struct app *app, const char *argument, struct err *err);
bool act_fault_next(struct app *app, const char *argument, struct err *err);
bool act_fault_prev(struct app *app, const char *argument, struct err *err);
bool act_fail_next(struct app *app, const char *argument, struct err *err);
bool act_fail_prev(struct app *app, const char *argument, struct err *err);
bool act_diff_with(struct app *app, const char *argument, struct err *err);
bool act_search(struct app *app, const char *argument, struct err *err);
bool act_search_back(struct app *app, const char *argument, struct err *err);
bool act_search_next(struct app *app, const char *argument, struct err *err);
bool act_search_prev(struct app *app, const char *argument, struct err *err);
bool act_bookmark(struct app *app, const char *argument, struct err *err);
bool act_bookmark_next(struct app *app, const char *argument, struct err *err);
bool act_bookmark_prev(struct app *app, const char *argument, struct err *err);
bool act_node_next(struct app *app, const char *argument, struct err *err);
bool act_node_prev(struct app *app, const char *argument, struct err *err);
bool act_begin(struct app *app, const char *argument, struct err *err);
bool act_end(struct app *app, const char *argument, struct err *err);
bool act_goto_moment(struct app *app, const char *argument, struct err *err);
bool act_jump_back(struct app *app, const char *argument, struct err *err);
bool act_jump_forward(struct app *app, const char *argument, struct err *err);
/* act_debug.c */
bool act_debug(struct app *app, const char *argument, struct err *err);
bool act_debug_step(struct app *app, const char *argument, struct err *err);
bool act_debug_step_back(struct app *app, const char *argument, struct err *err);
bool act_debug_line_next(struct app *app, const char *argument, struct err *err);
bool act_debug_line_back(struct app *app, const char *argument, struct err *err);
bool act_debug_over(struct app *app, const char *argument, struct err *err);
bool act_debug_over_back(struct app *app, const char *argument, struct err *err);
bool act_debug_finish(struct app *app, const char *argument, struct err *err);
bool act_debug_finish_back(struct app *app, const char *argument, struct err *err);
bool act_debug_continue(struct app *app, const char *argument, struct err *err);
bool act_debug_continue_back(struct app *app, const char *argument, struct err *err);
bool act_debug_break(struct app *app, const char *argument, struct err *err);
bool act_debug_back(struct app *app, const char *argument, struct err *err);
bool act_debug_forward(struct app *app, const char *argument, struct err *err);
bool act_debug_code(struct app *app, const char *argument, struct err *err);
bool act_debug_fold(struct app *app, const char *argument, struct err *err);
bool act_debug_fork(struct app *app, const char *argument, struct err *err);
/* On the debug page: the line is a verb of the session, and was given to it. exact: only one that is written out. */
bool act_debug_typed(struct app *app, const char *line, bool exact);

bool act_detail(struct app *app, const char *argument, struct err *err);
bool act_console(struct app *app, const char *argument, struct err *err);
bool act_plan(struct app *app, const char *argument, struct err *err);
bool act_filter(struct app *app, const char *argument, struct err *err);
bool act_events(struct app *app, const char *argument, struct err *err);
bool act_zoom_in(struct app *app, const char *argument, struct err *err);
bool act_zoom_out(struct app *app, const char *argument, struct err *err);
bool act_zoom_all(struct app *app, const char *argument, struct err *err);
bool act_axis(struct app *app, const char *argument, struct err *err);
bool act_gaps(struct app *app, const char *argument, struct err *err);
bool act_copy(struct app *app, const char *argument, struct err *err);
bool act_wide(struct app *app, const char *argument, struct err *err);
bool act_pane_next(struct app *app, const char *argument, struct err *err);
bool act_pane_prev(struct app *app, const char *argument, struct err *err);
bool act_runs_view(struct app *app, const char *argument, struct err *err);
bool act_back(struct app *app, const char *argument, struct err *err);
bool act_command(struct app *app, const char *argument, struct err *err);
bool act_help(struct app *app, const char *argument, struct err *err);
bool act_quit(struct app *app, const char *argument, struct err *err);
bool act_quit_all(struct app *app, const char *argument, struct err *err);
bool act_tour(struct app *app, const char *argument, struct err *err);
bool act_theme(struct app *app, const char *argument, struct err *err);
bool act_ascii(struct app *app, const char *argument, struct err *err);
bool act_mouse(struct app *app, const char *argument, struct err *err);
bool act_redraw(struct app *app, const char *argument, struct err *err);
bool act_suspend(struct app *app, const char *argument, struct err *err);

#endif
