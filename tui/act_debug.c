/* Actions of the debug view. Moves are verbs of the debug language: the session's thread runs them, no key waits for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/moment.h"
#include "tui/acts.h"
#include "tui/app_data.h"

bool act_debug(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	if (!act_need_run(app, &run, err))
		return false;
	uint64_t icount = run_icount(run);
	if (arg) {
		struct moment moment;
		if (!moment_parse(run->timeline, arg, &moment, err))
			return false;
		icount = moment.icount;
	}
	if (timeline_incomplete(run->timeline))
		return err_set(err, ERR_USAGE,
			timeline_abandoned(run->timeline)
				? "this run was abandoned: its recorder was killed, so there is nothing to replay"
				: "this run is not complete: only a run that has ended can be replayed");
	if (app->debug.run == run && app->model.debug.alive) {
		screen_push(&app->screen, PAGE_DEBUG);
		return debugger_goto(app->debug.debugger, icount, err);
	}
	if (!debug_start(app, run, icount, err))
		return false;
	screen_push(&app->screen, PAGE_DEBUG);
	return true;
}

static bool counted(struct app *app, const char *verb, const char *arg, struct err *err)
{
	char *line = mem_printf("%s %s", verb, arg ? arg : "");
	bool ok = debug_verb(app, line, false, err);
	free(line);
	return ok;
}

bool act_debug_step(struct app *app, const char *arg, struct err *err)
{
	return counted(app, "stepi", arg, err);
}

bool act_debug_step_back(struct app *app, const char *arg, struct err *err)
{
	return counted(app, "rstepi", arg, err);
}

bool act_debug_line_next(struct app *app, const char *arg, struct err *err)
{
	return counted(app, "step", arg, err);
}

bool act_debug_line_back(struct app *app, const char *arg, struct err *err)
{
	return counted(app, "rstep", arg, err);
}

bool act_debug_over(struct app *app, const char *arg, struct err *err)
{
	return counted(app, "over", arg, err);
}

bool act_debug_over_back(struct app *app, const char *arg, struct err *err)
{
	return counted(app, "rover", arg, err);
}

bool act_debug_finish(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return debug_verb(app, "finish", false, err);
}

bool act_debug_finish_back(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return debug_verb(app, "rfinish", false, err);
}

bool act_debug_continue(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return debug_verb(app, "continue", false, err);
}

bool act_debug_continue_back(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return debug_verb(app, "rcontinue", false, err);
}

bool act_debug_break(struct app *app, const char *arg, struct err *err)
{
	struct buf line = {0};
	(void)arg;
	bool ok = view_debug_break(app->screen.views[SCREEN_DEBUG_CODE], &app->model, &line, err) &&
		debug_verb(app, line.data, false, err);
	buf_free(&line);
	return ok;
}

bool act_debug_back(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return debug_verb(app, "back", false, err);
}

bool act_debug_forward(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return debug_verb(app, "forward", false, err);
}

bool act_debug_code(struct app *app, const char *arg, struct err *err)
{
	static const char *const names[] = {
		[DEBUG_CODE_AUTO] = "auto", [DEBUG_CODE_SOURCE] = "source", [DEBUG_CODE_DISASSEMBLY] = "disassembly"};
	struct model_debug *m = &app->model.debug;
	int next = model_debug_source(m) ? DEBUG_CODE_DISASSEMBLY : DEBUG_CODE_SOURCE;
	if (arg) {
		for (next = 0; next < 3 && strcmp(arg, names[next]) != 0; next++)
			;
		if (next == 3)
			return err_set(err, ERR_USAGE, "'%.60s': expected source, disassembly or auto", arg);
	}
	m->code = (enum debug_code)next;
	m->shown++;
	app_message(app, false, "code: %s", names[next]);
	return true;
}

bool act_debug_fold(struct app *app, const char *arg, struct err *err)
{
	return screen_debug_fold(&app->screen, arg) || err_set(err, ERR_USAGE, "there is no pane '%.60s'; Tab lists them", arg);
}

bool act_debug_fork(struct app *app, const char *arg, struct err *err)
{
	const struct debug_picture *p = app->model.debug.picture;
	char at[32];
	if (!p || !app->debug.run)
		return err_set(err, ERR_USAGE, "there is no machine to fork: x on an event starts one");
	snprintf(at, sizeof at, "%" PRIu64, p->icount);
	const char *arguments[] = {"fork", "--at", at, timeline_path(app->debug.run->timeline), "--", "sh", "-c", arg, NULL};
	char *what = mem_printf("fork at %s", at), *head = mem_printf("> !%s", arg);
	bool ok = app_errand(app, arguments, false, what, err);
	if (ok) {
		app->errand.log = &app->model.debug.output;
		debug_log(app, head);
		app->screen.folded &= ~(1u << SCREEN_DEBUG_OUTPUT);
		app->screen.debug_focus = SCREEN_DEBUG_OUTPUT;
	}
	free(what);
	free(head);
	return ok;
}

bool act_debug_typed(struct app *app, const char *line, bool exact)
{
	struct err err = {0};
	if (screen_page(&app->screen) != PAGE_DEBUG || !app->model.debug.alive || !debugger_knows(line, exact))
		return false;
	if (!debug_verb(app, line, true, &err))
		app_message(app, true, "%s", err.text);
	return true;
}
