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
	char *line = mem_printf(arg ? "%s %s" : "%s", verb, arg);
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

/* Where the machine of the debug view stands, else the playhead. */
static const struct run *fork_place(const struct app *app, uint64_t *ret_icount)
{
	const struct debug_picture *p = app->model.debug.picture;
	const struct run *run = model_run(&app->model);
	bool machine = screen_page(&app->screen) == PAGE_DEBUG && p && app->debug.run;
	*ret_icount = machine ? p->icount : run ? run_icount(run) : 0;
	return machine ? app->debug.run : run;
}

/* Appends the last line, harmless. True if it says what run was made. */
static bool last_line(const struct buf *text, struct buf *out)
{
	size_t end = text->size;
	while (end && text->data[end - 1] == '\n')
		end--;
	size_t begin = end;
	while (begin && text->data[begin - 1] != '\n')
		begin--;
	if (end > begin)
		glyph_show(text->data + begin, end - begin, true, out);
	return end > begin && !strncmp(text->data + begin, "recorded as ", 12);
}

/* A shell has the terminal for itself; the command line program runs it, so that whatever becomes of it leaves this one alone. */
static bool open_shell(struct app *app, const char *path, const char *at, struct err *err)
{
	const char *const argv[] = {app->options.polecat, "fork", "--at", at, path, NULL};
	struct buf errors = {0};
	if (!app->options.polecat || !app->terminal.run)
		return err_set(err, ERR_SYSTEM,
			app->options.polecat ? "there is no terminal to open a shell on"
					     : "the program `polecat` is not beside this one: no shell can be opened");
	bool ok = app->terminal.run(app->terminal.data, (char *const *)(uintptr_t)argv, &errors, NULL, NULL, err);
	if (ok) {
		/* Its last line says what became of it: the run that it made, or why there is none. */
		struct buf last = {0};
		bool made = last_line(&errors, &last);
		app_message(app, !made, "%s", last.size ? last.data : "the shell has ended");
		buf_free(&last);
		app_scan(app, NULL);
	}
	buf_free(&errors);
	return ok;
}

bool act_debug_fork(struct app *app, const char *arg, struct err *err)
{
	char at[32];
	uint64_t icount;
	const struct run *run = fork_place(app, &icount);
	if (!run)
		return err_set(err, ERR_USAGE, "there is no run to fork: Enter on one opens it");
	snprintf(at, sizeof at, "%" PRIu64, icount);
	const char *path = timeline_path(run->timeline);
	if (!arg || !*arg)
		return open_shell(app, path, at, err);
	const char *arguments[] = {"fork", "--at", at, path, "--", "sh", "-c", arg, NULL};
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
