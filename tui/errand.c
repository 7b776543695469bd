/* An errand: a recording, a replay or a fork as a child process, whose last line is shown while it goes on. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/app_data.h"

#define LINE_KEPT_MAX 400 /* bytes of a line that are shown */

static void errand_progress(struct app *app)
{
	const struct errand *e = &app->errand;
	char *text = mem_printf("%s: %s", e->what, e->last ? e->last : "...");
	screen_progress(&app->screen, text);
	free(text);
	app->dirty = true;
}

bool app_errand(struct app *app, const char *const *arguments, bool records, const char *what, struct err *err)
{
	struct errand *e = &app->errand;
	if (e->output >= 0)
		return err_set(err, ERR_USAGE, "%s is not done yet; :stop stops it", e->what);
	if (!app->options.polecat)
		return err_set(
			err, ERR_SYSTEM, "the program `polecat` is not beside this one: nothing can be recorded or replayed");
	const char *argv[16] = {app->options.polecat};
	for (size_t i = 0; i < 14 && arguments[i]; i++)
		argv[i + 1] = arguments[i];
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_sys(err, errno, "no pipe");
	setenv("POLECAT_PROGRESS", "lines", 1); /* all that it would draw on a terminal, a line each */
	struct child_spec spec = {.argv = argv, .out_fd = ends[1], .err_fd = ends[1]};
	bool ok = child_start(&e->child, &spec, err);
	close(ends[1]);
	if (!ok) {
		close(ends[0]);
		return false;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	e->output = ends[0];
	e->records = records;
	e->what = mem_str(what);
	runs_forget_fresh(app->runs);
	errand_progress(app);
	return true;
}

static void errand_clear(struct errand *e)
{
	if (e->output >= 0)
		close(e->output);
	e->output = -1;
	buf_free(&e->bytes);
	free(e->what);
	free(e->last);
	e->what = e->last = NULL;
	e->log = NULL;
}

void app_errand_stop(struct app *app)
{
	struct errand *e = &app->errand;
	if (e->output < 0)
		return;
	/* Asked first, so that it can clean up behind itself; child_kill takes care of one that does not. */
	if (e->child.pid > 0)
		kill(e->child.pid, SIGTERM);
	if (!child_wait(&e->child, 3000))
		child_kill(&e->child);
	errand_clear(e);
	screen_progress(&app->screen, NULL);
	app->dirty = true;
}

/* Takes whole lines off the bytes; progress that is drawn over with \r counts as lines too. */
static void errand_lines(struct errand *e)
{
	for (;;) {
		size_t size = 0;
		while (size < e->bytes.size && e->bytes.data[size] != '\n' && e->bytes.data[size] != '\r')
			size++;
		if (size == e->bytes.size && size < LINE_KEPT_MAX)
			return;
		if (size > 0) {
			struct buf text = {0};
			glyph_show(e->bytes.data, size < LINE_KEPT_MAX ? size : LINE_KEPT_MAX, true, &text);
			char *line = buf_take(&text);
			/* Progress that says the same again is no news. */
			if (e->log && line && (!e->last || strcmp(line, e->last) != 0))
				buf_printf(e->log, "%s\n", line);
			free(e->last);
			e->last = line;
		}
		buf_drop(&e->bytes, size < e->bytes.size ? size + 1 : size);
	}
}

/* Selects the run that was just recorded, and says how it ended. */
static bool show_new_run(struct app *app)
{
	app_scan(app, NULL);
	size_t row = runs_find_fresh(app->runs);
	if (row == SIZE_MAX)
		return false;
	runs_load(app->runs, row);
	const struct run_row *r = &app->runs->rows[row];
	view_runs_select(app->screen.views[SCREEN_RUNS], &app->model, r->name);
	if (r->problem)
		app_message(app, true, "%s: %s", r->name, r->problem);
	else
		app_message(app, false, "recorded %s, seed %llu: %s%s%s", r->scenario, (unsigned long long)r->seed,
			verdict_name(r->verdict), r->failed[0] ? " " : "", r->failed);
	return true;
}

static void errand_done(struct app *app)
{
	struct errand *e = &app->errand;
	char status[80];
	child_wait(&e->child, -1);
	child_status_text(e->child.status, status, sizeof status);
	bool bad = !(WIFEXITED(e->child.status) && WEXITSTATUS(e->child.status) <= 3);
	if (bad || !e->records || !show_new_run(app))
		app_message(app, bad, "%s: %s%s%s", e->what, bad ? status : "done", e->last ? ": " : "", e->last ? e->last : "");
	errand_clear(e);
	screen_progress(&app->screen, NULL);
	app_scan(app, NULL);
}

void app_errand_step(struct app *app)
{
	struct errand *e = &app->errand;
	char block[4096];
	ssize_t got;
	while ((got = read(e->output, block, sizeof block)) > 0) {
		buf_add(&e->bytes, block, (size_t)got);
		errand_lines(e);
		app->model.debug.shown += e->log != NULL;
		errand_progress(app);
	}
	if (got == 0)
		errand_done(app);
}
