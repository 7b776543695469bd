/* What goes on while keys are taken: opening and comparing in threads, searching in slices, a recording as a child process. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tui/app_data.h"
#include "tui/state.h"

#define SEARCH_BYTES_STEP (2 * 1024 * 1024)
#define REFRESH_MS        150  /* how often a growing run is looked at */
#define DEBUG_MS          100  /* how often the progress of a move is shown */
#define SCAN_MS           1000 /* how often the runs directory is looked at */

int64_t app_clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the diff of both runs ---- */

static bool compare(void *data, struct job *job, struct err *err)
{
	struct comparing *c = data;
	c->diff = diff_create(c->a, c->b, job_cancelled, job, err);
	return c->diff != NULL;
}

/* The diff borrows both timelines: it goes before they change or go. */
static void drop_diff(struct app *app)
{
	if (app->diff_job) {
		job_cancel(app->diff_job);
		job_finish(app->diff_job, NULL);
		app->diff_job = NULL;
		diff_destroy(app->comparing.diff);
		app->comparing.diff = NULL;
	}
	diff_destroy(app->diff);
	app->diff = NULL;
	app->model.diff = NULL;
	free(app->model.diff_problem);
	app->model.diff_problem = NULL;
}

static void start_diff(struct app *app)
{
	struct err err = {0};
	drop_diff(app);
	if (!app->model.runs[0] || !app->model.runs[1])
		return;
	app->comparing = (struct comparing){app->model.runs[0]->timeline, app->model.runs[1]->timeline, NULL};
	app->diff_job = job_start(compare, &app->comparing, &err);
	if (!app->diff_job)
		app->model.diff_problem = mem_str(err.text);
}

/* Both stand where the runs first differ: that is what one wants to see. */
static void to_first_difference(struct app *app)
{
	size_t first = app->diff->first;
	if (first == TIMELINE_NONE)
		return;
	run_goto(app->model.runs[0], first, true);
	run_goto(app->model.runs[1], first, true);
}

static void finish_diff(struct app *app)
{
	struct err err = {0};
	bool ok = job_finish(app->diff_job, &err);
	app->diff_job = NULL;
	if (ok) {
		app->diff = app->comparing.diff;
		app->model.diff = app->diff;
		if (!app->keep_place)
			to_first_difference(app);
		app->keep_place = false;
		app_message(app, false, "%s", app->diff->headline);
	} else {
		app->model.diff_problem = mem_str(err.text);
		app_message(app, true, "%s", err.text);
	}
	app->comparing.diff = NULL;
	app->dirty = true;
}

/* ---- opening a run ---- */

static bool open_timeline(void *data, struct job *job, struct err *err)
{
	struct opening *o = data;
	(void)job;
	o->timeline = timeline_open(o->path, err);
	return o->timeline != NULL;
}

void app_close_run(struct app *app, int side)
{
	struct run *run = app->model.runs[side];
	if (!run)
		return;
	drop_diff(app);
	app->dragged = NULL;
	if (app->debug.run == run)
		debug_end(app);
	if (app->preview.run == run)
		app->preview.run = NULL;
	if (app->searched == run->timeline) {
		search_destroy(app->search);
		app->search = NULL;
	}
	if (run->changed)
		state_save(app->state_dir, run, NULL);
	app->model.runs[side] = NULL;
	run_destroy(run);
	app->model.shown++;
}

bool app_open(struct app *app, const char *path, int side, struct err *err)
{
	app_cancel(app);
	if (app->open_job) /* the one being opened cannot be stopped, only waited for */
		return err_set(err, ERR_USAGE, "another run is just being opened");
	app->opening = (struct opening){mem_str(path), NULL};
	app->open_side = side;
	app->open_job = job_start(open_timeline, &app->opening, err);
	if (!app->open_job) {
		free(app->opening.path);
		return false;
	}
	const char *name = strrchr(path, '/');
	free(app->screen.opening);
	app->screen.opening = mem_str(name && name[1] ? name + 1 : path);
	return true;
}

static void opened(struct app *app, struct timeline *timeline)
{
	int side = app->open_side;
	struct err err = {0};
	app_close_run(app, side);
	struct run *run = run_create(timeline);
	app->model.runs[side] = run;
	if (!state_load(app->state_dir, run, &err))
		app_message(app, true, "%s", err.text);
	app->model.side = side;
	if (side == 0) {
		free(app->last_run);
		app->last_run = mem_str(timeline_name(timeline));
	}
}

static void finish_open(struct app *app)
{
	struct err err = {0};
	bool ok = job_finish(app->open_job, &err);
	app->open_job = NULL;
	free(app->screen.opening);
	app->screen.opening = NULL;
	app->dirty = true;
	app->model.shown++;
	if (ok) {
		opened(app, app->opening.timeline);
	} else {
		app_message(app, true, "%s", err.text);
		app->keep_place = false;
		enum page page = screen_page(&app->screen);
		if ((page == PAGE_RUN || page == PAGE_DIFF) && !app->model.runs[app->open_side] && !screen_pop(&app->screen))
			screen_push(&app->screen, PAGE_RUNS);
		free(app->open_next);
		app->open_next = NULL;
	}
	free(app->opening.path);
	app->opening.path = NULL;
	if (ok && app->open_next) {
		char *next = app->open_next;
		app->open_next = NULL;
		if (!app_open(app, next, 1, &err))
			app_message(app, true, "%s", err.text);
		free(next);
	} else if (ok && screen_page(&app->screen) == PAGE_DIFF && app->model.runs[0] && app->model.runs[1]) {
		app->model.side = app->keep_place ? app->keep_side : 0;
		start_diff(app);
	}
}

/* ---- runs that grow, the list of runs ---- */

static void refresh(struct app *app)
{
	for (int side = 0; side < 2; side++) {
		struct run *run = app->model.runs[side];
		bool changed = false;
		struct err err = {0};
		if (!run || !timeline_incomplete(run->timeline))
			continue;
		if (screen_page(&app->screen) == PAGE_DIFF && (app->diff || app->diff_job))
			continue; /* what is being compared stands still */
		drop_diff(app);
		if (!timeline_refresh(run->timeline, &changed, &err))
			app_message(app, true, "%s", err.text);
		if (!changed)
			continue;
		run_grown(run);
		app->model.shown++;
		app->dirty = true;
	}
}

bool app_scan(struct app *app, struct err *err)
{
	bool ok = runs_scan(app->runs, err);
	app->scanned_ms = app_clock_ms();
	app->loading = true;
	runs_sort(app->runs);
	app->model.shown++;
	app->dirty = true;
	return ok;
}

static bool load_rows(struct app *app)
{
	int64_t until = app_clock_ms() + 8;
	while (app->loading && app_clock_ms() <= until)
		app->loading = runs_step(app->runs);
	if (runs_sort(app->runs)) {
		app->model.shown++;
		app->dirty = true;
	}
	return app->loading;
}

/* ---- search ---- */

bool app_search(struct app *app, bool backward, struct err *err)
{
	struct run *run = app_run(app);
	if (!run)
		return err_set(err, ERR_USAGE, "no run is open");
	if (!run->search[0])
		return err_set(err, ERR_USAGE, "nothing to search for yet: / asks for a text");
	search_destroy(app->search);
	app->search = search_create(run->timeline, run->search, run->playhead, backward, NULL, err);
	app->searched = run->timeline;
	app->search_from = run->playhead;
	app->search_backward = backward;
	app->search_wrapped = app->search_previews = false;
	return app->search != NULL;
}

static void search_progress(struct app *app, const struct run *run)
{
	size_t position = search_position(app->search), count = timeline_count(run->timeline);
	char text[120];
	snprintf(text, sizeof text, "searching, at ev %zu/%zu; Esc stops", position == TIMELINE_NONE ? 0 : position + 1, count);
	screen_progress(&app->screen, text);
	app->dirty = true;
}

static void end_search(struct app *app)
{
	search_destroy(app->search);
	app->search = NULL;
	screen_progress(&app->screen, NULL);
	app->dirty = true;
}

static bool step_search(struct app *app)
{
	struct run *run = app_run(app);
	if (!run || run->timeline != app->searched) {
		end_search(app);
		return false;
	}
	size_t found;
	struct err err = {0};
	switch (search_step(app->search, SEARCH_BYTES_STEP, &found, &err)) {
	case SEARCH_MORE:
		search_progress(app, run);
		return true;
	case SEARCH_FOUND:
		end_search(app);
		app_goto(app, found, !app->search_previews);
		if (app->search_wrapped)
			app_message(
				app, false, "'%s': went on from the %s", run->search, app->search_backward ? "end" : "beginning");
		return false;
	case SEARCH_END: {
		bool again = !app->search_wrapped && app->search_from != TIMELINE_NONE;
		end_search(app);
		if (again)
			app->search = search_create(run->timeline, run->search, TIMELINE_NONE, app->search_backward, NULL, &err);
		app->search_wrapped = true;
		if (!app->search)
			app_message(app, !app->search_previews, "'%s' is in no event", run->search);
		return app->search != NULL;
	}
	case SEARCH_FAILED:
		break;
	}
	end_search(app);
	app_message(app, true, "%s", err.text);
	return false;
}

void app_preview_search(struct app *app, const char *text, bool backward)
{
	struct run *run = app_run(app);
	snprintf(run->search, sizeof run->search, "%s", text);
	app_search(app, backward, NULL);
	app->search_previews = true;
}

void app_preview_stop(struct app *app)
{
	if (app->search && app->search_previews)
		end_search(app);
}

/* ---- all of it ---- */

bool background_step(struct app *app)
{
	bool more = false;
	if (app->open_job && job_done(app->open_job))
		finish_open(app);
	if (app->diff_job && job_done(app->diff_job))
		finish_diff(app);
	debug_step(app);
	if (app->search)
		more |= step_search(app);
	if (app->errand.output >= 0)
		app_errand_step(app);
	if (app->loading)
		more |= load_rows(app);
	int64_t now = app_clock_ms();
	if (now - app->refreshed_ms >= REFRESH_MS) {
		app->refreshed_ms = now;
		refresh(app);
	}
	bool look = screen_page(&app->screen) == PAGE_RUNS && app->options.now_s == 0;
	if (look && now - app->scanned_ms >= SCAN_MS) {
		app->scanned_ms = now;
		app->dirty = true; /* ages */
		if (runs_changed(app->runs))
			app_scan(app, NULL);
	}
	return more;
}

bool background_busy(const struct app *app)
{
	return app->open_job || app->diff_job || app->search || app->loading || app->errand.log || debug_busy(app);
}

bool app_cancel(struct app *app)
{
	if (app->debug.debugger && screen_page(&app->screen) == PAGE_DEBUG && debugger_cancel(app->debug.debugger))
		return true;
	if (app->errand.log && app->errand.child.pid > 0) { /* a fork: it cleans up behind itself, and is waited for elsewhere */
		kill(app->errand.child.pid, SIGTERM);
		return true;
	}
	if (app->search) {
		end_search(app);
		return true;
	}
	if (app->diff_job) {
		drop_diff(app);
		app->model.diff_problem = mem_str("comparing was cancelled; :diff starts it again");
		return true;
	}
	return false;
}

size_t background_poll(const struct app *app, struct pollfd *fds, size_t room)
{
	int wanted[] = {
		app->open_job ? job_fd(app->open_job) : -1, app->diff_job ? job_fd(app->diff_job) : -1, app->errand.output};
	size_t count = 0;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && count < room; i++)
		if (wanted[i] >= 0)
			fds[count++] = (struct pollfd){.fd = wanted[i], .events = POLLIN};
	return count + debug_poll(app, fds + count, room - count);
}

void background_stop(struct app *app)
{
	debug_stop(app);
	app_errand_stop(app);
	drop_diff(app);
	if (app->open_job) {
		job_finish(app->open_job, NULL);
		timeline_close(app->opening.timeline);
		free(app->opening.path);
	}
	search_destroy(app->search);
}

int app_timeout_ms(const struct app *app)
{
	if (debug_busy(app))
		return DEBUG_MS;
	for (int side = 0; side < 2; side++)
		if (app->model.runs[side] && timeline_incomplete(app->model.runs[side]->timeline))
			return REFRESH_MS;
	return screen_page(&app->screen) == PAGE_RUNS ? SCAN_MS : -1;
}
