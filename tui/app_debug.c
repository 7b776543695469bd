/* The session behind the debug view, seen from the screen: started, fed with verbs, asked for pictures, ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app_data.h"

#define PROGRESS_MS 200              /* what takes longer is said */
#define OUTPUT_MAX  (1024 * 1024)    /* bytes of output that are kept */
#define OUTPUT_KEEP (OUTPUT_MAX / 2) /* ... after there were more */

static void forget(struct app *app)
{
	struct model_debug *m = &app->model.debug;
	debug_picture_destroy(m->picture);
	buf_free(&m->output);
	free(m->problem);
	m->problem = NULL;
	m->picture = NULL;
	m->run = NULL;
	m->alive = false;
	m->shown++;
	debug_names_destroy(app->debug.names);
	app->debug.names = NULL;
	app->debug.run = NULL;
	app->debug.follow = false;
	if (app->debug.progress)
		screen_progress(&app->screen, NULL);
	app->debug.progress = false;
	app->dirty = true;
}

void debug_end(struct app *app)
{
	struct debugging *d = &app->debug;
	struct debugger *left = d->debugger;
	screen_drop(&app->screen, PAGE_DEBUG);
	forget(app);
	d->debugger = NULL;
	if (!left)
		return;
	debugger_end(left);
	for (size_t i = 0; left && i < DEBUGGERS_ENDING_MAX; i++)
		if (!d->ending[i]) {
			d->ending[i] = left;
			left = NULL;
		}
	debugger_destroy(left); /* there are too many already: this one is waited for */
}

void debug_stop(struct app *app)
{
	struct debugging *d = &app->debug;
	debugger_destroy(d->debugger);
	for (size_t i = 0; i < DEBUGGERS_ENDING_MAX; i++)
		debugger_destroy(d->ending[i]);
	debug_names_destroy(d->names);
	*d = (struct debugging){0};
	debug_picture_destroy(app->model.debug.picture);
	buf_free(&app->model.debug.output);
	free(app->model.debug.problem);
	app->model.debug = (struct model_debug){0};
}

bool debug_start(struct app *app, struct run *run, uint64_t icount, struct err *err)
{
	struct debugging *d = &app->debug;
	debug_end(app);
	struct debugger_options options = {.path = timeline_path(run->timeline),
		.icount = icount,
		.runs = app->options.runs,
		.debug_dirs = app->options.debug_dirs,
		.debug_dir_count = app->options.debug_dir_count,
		.source_dirs = app->options.source_dirs,
		.source_dir_count = app->options.source_dir_count};
	d->debugger = debugger_start(&options, err);
	if (!d->debugger)
		return false;
	d->run = run;
	app->model.debug.run = run;
	app->model.debug.alive = true;
	app->model.debug.shown++;
	return true;
}

/* ---- what goes in ---- */

static bool needs_machine(const struct app *app, struct err *err)
{
	if (app->model.debug.problem)
		return err_set(err, ERR_INPUT, "there is no machine: %s", app->model.debug.problem);
	if (!app->debug.debugger || !app->model.debug.alive)
		return err_set(err, ERR_USAGE, "there is no machine: x on an event starts one");
	return true;
}

bool debug_verb(struct app *app, const char *line, bool typed, struct err *err)
{
	return needs_machine(app, err) && debugger_run(app->debug.debugger, line, typed, err);
}

bool debug_request(struct app *app, const char *text, bool toggles, struct err *err)
{
	if (!needs_machine(app, err))
		return false;
	return toggles ? debugger_toggle(app->debug.debugger, text, err) : debugger_choose(app->debug.debugger, text, err);
}

void debug_follow(struct app *app, const struct run *run)
{
	struct err err = {0};
	if (!app->debug.debugger || app->debug.run != run || !app->model.debug.alive)
		return;
	app->debug.follow = false;
	if (debugger_serves(app->debug.debugger)) {
		app_message(app, false, "gdb has the machine: Esc takes it back");
		return;
	}
	if (!debugger_goto(app->debug.debugger, run_icount(run), &err))
		app_message(app, true, "%s", err.text);
}

bool debug_between(const struct app *app, const struct run *run)
{
	const struct debug_picture *p = app->model.debug.picture;
	return app->debug.run == run && p && p->event != TIMELINE_NONE && p->event == run->playhead &&
		p->icount > run_icount(run);
}

/* ---- what comes out ---- */

void debug_log(struct app *app, const char *text)
{
	struct buf *out = &app->model.debug.output;
	if (out->size > OUTPUT_MAX) {
		const char *from = memchr(out->data + out->size - OUTPUT_KEEP, '\n', OUTPUT_KEEP);
		buf_drop(out, from ? (size_t)(from + 1 - out->data) : out->size);
	}
	buf_str(out, text);
	if (*text && text[strlen(text) - 1] != '\n')
		buf_char(out, '\n');
	app->model.debug.shown++;
	app->dirty = true;
}

/* Keys say only what one would not expect; what was typed is answered in the pane of output. */
static void answer(struct app *app, const struct debug_answer *a)
{
	if (a->typed) {
		char *head = mem_printf("> %s", a->line);
		debug_log(app, head);
		debug_log(app, a->output);
		free(head);
		app->screen.folded &= ~(1u << SCREEN_DEBUG_OUTPUT);
		app->screen.debug_focus = SCREEN_DEBUG_OUTPUT;
	} else if (strncmp(a->output, "at ", 3) != 0 && *a->output) {
		char *first = mem_strn(a->output, strcspn(a->output, "\n"));
		app_message(app, false, "%s", first);
		free(first);
	}
	if (a->problem && (a->typed || !a->cancelled)) {
		if (a->typed)
			debug_log(app, a->problem);
		app_message(app, !a->cancelled, "%s", a->problem);
	}
}

static void take_answers(struct app *app)
{
	bool quit = false;
	for (struct debug_answer *a; (a = debugger_take_answer(app->debug.debugger)) != NULL;) {
		answer(app, a);
		quit |= a->quit;
		debug_answer_destroy(a);
	}
	if (quit)
		debug_end(app);
}

static void take_picture(struct app *app)
{
	struct debug_picture *p = debugger_take_picture(app->debug.debugger);
	if (!p)
		return;
	debug_picture_destroy(app->model.debug.picture);
	app->model.debug.picture = p;
	free(app->model.debug.problem);
	app->model.debug.problem = NULL;
	app->model.debug.shown++;
	app->debug.follow = true;
	app->dirty = true;
}

static void take_names(struct app *app)
{
	struct debug_names *names = debugger_take_names(app->debug.debugger);
	if (!names)
		return;
	debug_names_destroy(app->debug.names);
	app->debug.names = names;
}

/* While moves wait, the playhead stands where the last of them will lead. */
static void bring_playhead(struct app *app)
{
	struct run *run = app->debug.run;
	size_t event = app->model.debug.picture->event;
	app->debug.follow = false;
	if (event != run->playhead && (event == TIMELINE_NONE || event < timeline_count(run->timeline)))
		run_goto(run, event, false);
	app->dirty = true;
}

static void show_progress(struct app *app, bool busy, const struct debug_work *work)
{
	int64_t took = app_clock_ms() - work->since_ms;
	if (busy && work->what && took >= PROGRESS_MS) {
		char *text = debugger_work_text(work, took);
		screen_progress(&app->screen, text);
		free(text);
		app->debug.progress = app->dirty = true;
	} else if (app->debug.progress && !busy) {
		screen_progress(&app->screen, NULL);
		app->debug.progress = false;
		app->dirty = true;
	}
}

static void reap(struct app *app)
{
	for (size_t i = 0; i < DEBUGGERS_ENDING_MAX; i++)
		if (app->debug.ending[i]) {
			debugger_heard(app->debug.ending[i]);
			debugger_watch(app->debug.ending[i]);
		}
	for (size_t i = 0; i < DEBUGGERS_ENDING_MAX; i++)
		if (app->debug.ending[i] && debugger_ended(app->debug.ending[i])) {
			debugger_destroy(app->debug.ending[i]);
			app->debug.ending[i] = NULL;
		}
}

static void on_started(void *to, int fd)
{
	debugger_started(to, fd);
}

/* A gdb of this terminal has it until it ends. */
static void lend_terminal(struct app *app)
{
	struct err err = {0};
	struct debugger *d = app->debug.debugger;
	char *const *argv = debugger_program(d);
	if (!argv)
		return;
	if (!app->terminal.run)
		err_set(&err, ERR_USAGE, "there is no terminal for gdb here: gdb --print says what to type in another one");
	else if (app->terminal.run(app->terminal.data, argv, NULL, on_started, d, &err))
		return;
	app_message(app, true, "%s", err.text);
	debugger_started(d, -1);
}

void debug_step(struct app *app)
{
	struct debugging *d = &app->debug;
	reap(app);
	if (d->debugger && !screen_has(&app->screen, PAGE_DEBUG)) /* closing the view ends the machine */
		debug_end(app);
	if (!d->debugger)
		return;
	struct debug_work work;
	debugger_heard(d->debugger);
	bool busy = debugger_busy(d->debugger, &work); /* before anything is taken: nothing is left over then if it is not */
	bool is_error, ended = debugger_ended(d->debugger);
	debugger_watch(d->debugger);
	take_picture(app);
	take_names(app);
	char *note = debugger_take_note(d->debugger, &is_error);
	if (note)
		app_message(app, is_error, "%s", note);
	if (note && is_error && !app->model.debug.picture && !app->model.debug.problem) {
		app->model.debug.problem = note;
		app->model.debug.shown++;
		note = NULL;
	}
	free(note);
	take_answers(app);
	if (!d->debugger) {
		free(work.what);
		return;
	}
	lend_terminal(app);
	if (d->follow && (!busy || debugger_serves(d->debugger)))
		bring_playhead(app);
	show_progress(app, busy, &work);
	free(work.what);
	if (ended && app->model.debug.alive) {
		app->model.debug.shown++;
		app->model.debug.alive = false; /* it could not be opened, which the note said */
		app->dirty = true;
	}
}

bool debug_busy(const struct app *app)
{
	for (size_t i = 0; i < DEBUGGERS_ENDING_MAX; i++)
		if (app->debug.ending[i])
			return true;
	return app->debug.debugger && (debugger_pending(app->debug.debugger) || app->debug.follow);
}

size_t debug_poll(const struct app *app, struct pollfd *fds, size_t room)
{
	size_t count = 0;
	if (app->debug.debugger && count < room && app->model.debug.alive)
		fds[count++] = (struct pollfd){.fd = debugger_fd(app->debug.debugger), .events = POLLIN};
	for (size_t i = 0; i < DEBUGGERS_ENDING_MAX && count < room; i++)
		if (app->debug.ending[i])
			fds[count++] = (struct pollfd){.fd = debugger_fd(app->debug.ending[i]), .events = POLLIN};
	return count;
}
