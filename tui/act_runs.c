/* Actions on runs as wholes: open, mark, compare, delete, sort; record and replay in the background; walk through a diff. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/acts.h"
#include "tui/app_data.h"

/* ---- runs ---- */

static bool selected_run(struct app *app, size_t *ret, struct err *err)
{
	*ret = view_runs_selected(app->screen.views[SCREEN_RUNS]);
	return *ret < app->runs->count ? true : err_set(err, ERR_USAGE, "no run is selected");
}

/* A name of the list, a part of one that only one has, or a path. Owned by the caller. */
static char *path_of(struct app *app, const char *word, struct err *err)
{
	if (strchr(word, '/'))
		return mem_str(word);
	size_t found = SIZE_MAX, hits = 0;
	for (size_t i = 0; i < app->runs->count; i++) {
		if (strcmp(app->runs->rows[i].name, word) == 0)
			return runs_path(app->runs, i);
		if (strstr(app->runs->rows[i].name, word)) {
			found = i;
			hits++;
		}
	}
	if (hits == 1)
		return runs_path(app->runs, found);
	err_set(err, ERR_USAGE,
		hits ? "'%s' is in the names of %zu runs: say more of it" : "no run in the list has '%s' in its name (%zu hits)",
		word, hits);
	return NULL;
}

static bool open_path(struct app *app, const char *path, struct err *err)
{
	app_close_run(app, 1);
	app->model.side = 0;
	if (!app_open(app, path, 0, err))
		return false;
	app_close_run(app, 0);
	screen_push(&app->screen, PAGE_RUN);
	app->screen.bottom = BOTTOM_LISTS;
	return true;
}

bool act_open_run(struct app *app, const char *arg, struct err *err)
{
	size_t row;
	char *path = NULL;
	if (arg)
		path = path_of(app, arg, err);
	else if (selected_run(app, &row, err))
		path = runs_path(app->runs, row);
	bool ok = path && open_path(app, path, err);
	free(path);
	return ok;
}

bool act_mark(struct app *app, const char *arg, struct err *err)
{
	size_t row, marked = 0;
	(void)arg;
	if (!selected_run(app, &row, err))
		return false;
	for (size_t i = 0; i < app->runs->count; i++)
		marked += app->runs->rows[i].marked && i != row;
	if (marked >= 2 && !app->runs->rows[row].marked)
		return err_set(err, ERR_USAGE, "two runs are marked already: d compares them");
	app->runs->rows[row].marked = !app->runs->rows[row].marked;
	return true;
}

/* Opens a and, after it, b; the diff page shows both. */
static bool open_both(struct app *app, const char *a, const char *b, struct err *err)
{
	app_close_run(app, 0);
	app_close_run(app, 1);
	app->model.side = 0;
	if (!app_open(app, a, 0, err))
		return false;
	free(app->open_next);
	app->open_next = mem_str(b);
	screen_push(&app->screen, PAGE_DIFF);
	return true;
}

bool act_runs_diff(struct app *app, const char *arg, struct err *err)
{
	size_t rows[2], count = 0, row;
	(void)arg;
	for (size_t i = 0; i < app->runs->count && count < 2; i++)
		if (app->runs->rows[i].marked)
			rows[count++] = i;
	if (count < 2) {
		if (!selected_run(app, &row, err))
			return false;
		if (count == 0 || rows[0] == row)
			return err_set(err, ERR_USAGE, "mark a run with Space first, then go to another one");
		rows[count++] = row;
	}
	char *a = runs_path(app->runs, rows[0]), *b = runs_path(app->runs, rows[1]);
	bool ok = open_both(app, a, b, err);
	free(a);
	free(b);
	return ok;
}

bool act_diff_with(struct app *app, const char *arg, struct err *err)
{
	struct run *run;
	char *path = NULL;
	if (!act_need_run(app, &run, err))
		return false;
	const char *own = timeline_name(run->timeline);
	if (arg) {
		path = path_of(app, arg, err);
		if (!path)
			return false;
	}
	for (size_t i = 0; !path && i < app->runs->count; i++)
		if (app->runs->rows[i].marked && strcmp(app->runs->rows[i].name, own) != 0)
			path = runs_path(app->runs, i);
	if (!path && app->model.runs[0] && app->model.runs[1])
		path = mem_str(timeline_path(app->model.runs[1]->timeline));
	if (!path) { /* choose one: the list, with this run marked */
		size_t row = runs_find(app->runs, own);
		if (row != SIZE_MAX)
			app->runs->rows[row].marked = true;
		app_message(app, false, "choose the run to compare with and press d");
		return act_runs_view(app, NULL, err);
	}
	char *first = mem_str(timeline_path(app->model.runs[0] ? app->model.runs[0]->timeline : run->timeline));
	bool ok = open_both(app, first, path, err);
	free(first);
	free(path);
	return ok;
}

bool act_fold_forks(struct app *app, const char *arg, struct err *err)
{
	size_t row;
	(void)arg;
	if (!selected_run(app, &row, err))
		return false;
	app->model.shown++;
	return runs_fold(app->runs, row) || err_set(err, ERR_USAGE, "%s has no forks", app->runs->rows[row].name);
}

bool act_delete_run(struct app *app, const char *arg, struct err *err)
{
	size_t row;
	(void)arg;
	if (!selected_run(app, &row, err))
		return false;
	if (app->runs->rows[row].recording && !app->runs->rows[row].abandoned)
		return err_set(err, ERR_USAGE, "it is being recorded; :stop stops that");
	char *name = mem_str(app->runs->rows[row].name);
	size_t forks = app->runs->rows[row].forks;
	bool ok = runs_delete(app->runs, row, err);
	if (ok && forks)
		app_message(app, false, "deleted %s, without which its %zu fork%s cannot be replayed; u brings it back", name,
			forks, forks == 1 ? "" : "s");
	else if (ok)
		app_message(app, false, "deleted %s; u brings it back", name);
	free(name);
	runs_sort(app->runs);
	app->model.shown++;
	return ok;
}

bool act_undo(struct app *app, const char *arg, struct err *err)
{
	char *name;
	(void)arg;
	if (!runs_undo(app->runs, &name, err))
		return false;
	app_scan(app, NULL);
	view_runs_select(app->screen.views[SCREEN_RUNS], &app->model, name);
	app_message(app, false, "%s is back", name);
	free(name);
	return true;
}

bool act_sort(struct app *app, const char *arg, struct err *err)
{
	if (screen_page(&app->screen) != PAGE_RUNS)
		return err_set(err, ERR_USAGE, "this has no other order");
	enum run_sort by = (enum run_sort)((app->runs->sort + 1) % SORT_COUNT);
	if (arg && !run_sort_find(arg, &by))
		return err_set(
			err, ERR_USAGE, "'%s' is no column: expected verdict, age, scenario, seed, length, faults or size", arg);
	app->runs->sort = by;
	app->runs->stale = true;
	runs_sort(app->runs);
	app->model.shown++;
	app_message(app, false, "sorted by %s", run_sort_name(by));
	return true;
}

/* ---- errands ---- */

bool act_record(struct app *app, const char *arg, struct err *err)
{
	char *scenario = mem_strn(arg, strcspn(arg, " "));
	const char *seed = arg + strlen(scenario) + strspn(arg + strlen(scenario), " ");
	const char *arguments[] = {"run", scenario, "--runs", app->options.runs, seed[0] ? "--seed" : NULL, seed, NULL};
	const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
	size_t size = strlen(name);
	size -= size > 5 && strcmp(name + size - 5, ".yaml") == 0 ? 5 : 0;
	char *what = mem_printf("recording %.*s%s%s", (int)size, name, seed[0] ? ", seed " : "", seed);
	bool ok = app_errand(app, arguments, true, what, err);
	free(what);
	free(scenario);
	return ok;
}

bool act_replay(struct app *app, const char *arg, struct err *err)
{
	size_t row;
	(void)arg;
	if (!selected_run(app, &row, err))
		return false;
	char *path = runs_path(app->runs, row), *what = mem_printf("replaying %s", app->runs->rows[row].name);
	const char *arguments[] = {"replay", path, NULL};
	bool ok = app_errand(app, arguments, false, what, err);
	free(path);
	free(what);
	return ok;
}

/* The scenario's own file is better than the run's copy, which may name workloads relative to itself. */
static char *scenario_file(struct app *app, size_t row)
{
	static const char *const folders[] = {"scenarios", "."};
	for (size_t i = 0; i < 2; i++) {
		char *path = mem_printf("%s/%s.yaml", folders[i], app->runs->rows[row].scenario);
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	char *directory = runs_path(app->runs, row), *path = mem_printf("%s/scenario.yaml", directory);
	free(directory);
	return path;
}

bool act_rerun(struct app *app, const char *arg, struct err *err)
{
	size_t row;
	if (!selected_run(app, &row, err))
		return false;
	char *file = scenario_file(app, row), *line = mem_printf("%s %s", file, arg);
	bool ok = act_record(app, line, err);
	free(line);
	free(file);
	return ok;
}

bool act_stop(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	if (app->errand.output < 0)
		return err_set(err, ERR_USAGE, "nothing runs in the background");
	app_errand_stop(app);
	app_message(app, false, "stopped");
	return app_scan(app, err);
}

/* ---- diff ---- */

static bool need_diff(struct app *app, struct err *err)
{
	if (app->diff)
		return true;
	return err_set(err, ERR_USAGE, "%s", app->model.diff_problem ? app->model.diff_problem : "the runs are not compared yet");
}

static bool difference(struct app *app, bool backward, struct err *err)
{
	struct run *run;
	if (!need_diff(app, err) || !act_need_run(app, &run, err))
		return false;
	const struct diff *d = app->diff;
	int side = app->model.side;
	size_t hunk = run->playhead == TIMELINE_NONE ? 0 : diff_hunk_of(d, side, run->playhead);
	/* A hunk that only the other run has is found from where this one stands: between two events. */
	size_t target = backward ? diff_prev(d, hunk) : diff_next(d, hunk);
	if (target >= d->hunk_count)
		return err_set(err, ERR_USAGE,
			d->identical       ? "the runs are identical"
				: backward ? "no difference before this"
					   : "no difference after this");
	const struct diff_hunk *h = &d->hunks[target];
	run_goto(app->model.runs[0], h->a_count || h->a == 0 ? h->a : h->a - 1, true);
	run_goto(app->model.runs[1], h->b_count || h->b == 0 ? h->b : h->b - 1, true);
	app_message(app, false, "difference: %zu events of A, %zu of B", h->a_count, h->b_count);
	return true;
}

bool act_diff_forward(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return difference(app, false, err);
}

bool act_diff_backward(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	return difference(app, true, err);
}

bool act_swap(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	if (!app->model.runs[1 - app->model.side])
		return err_set(err, ERR_USAGE, "only one run is open");
	app->model.side = 1 - app->model.side;
	return true;
}

bool act_align(struct app *app, const char *arg, struct err *err)
{
	static const char *const names[] = {[ALIGN_EVENT] = "event", [ALIGN_TIME] = "time", [ALIGN_ICOUNT] = "icount"};
	int next = ((int)app->model.align + 1) % 3;
	if (arg) {
		for (next = 0; next < 3 && strcmp(arg, names[next]) != 0; next++)
			;
		if (next == 3)
			return err_set(err, ERR_USAGE, "'%s': expected event, time or icount", arg);
	}
	app->model.align = (enum align_way)next;
	app_bring_other_side(app);
	app_message(app, false, "both runs are kept at the same %s", names[next]);
	return true;
}

bool act_fold(struct app *app, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	app->model.fold = !app->model.fold;
	return true;
}
