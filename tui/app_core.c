/* The app from the outside: made, fed with inputs, stepped, drawn. */
#include "tui/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/file.h"
#include "tui/app_data.h"
#include "tui/preview.h"
#include "tui/state.h"

#define CONFIG_FILE_MAX (64 * 1024)

void app_message(struct app *app, bool is_error, const char *fmt, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	screen_message(&app->screen, is_error, text.data);
	buf_free(&text);
	app->dirty = true;
}

void app_say(struct app *app, bool is_error, const char *text)
{
	app_message(app, is_error, "%s", text);
}

struct run *app_run(const struct app *app)
{
	return app->model.runs[app->model.side];
}

/* ---- start and end ---- */

static char *config_dir(void)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (base && base[0] == '/')
		return mem_printf("%s/polecat", base);
	return home && home[0] == '/' ? mem_printf("%s/.config/polecat", home) : NULL;
}

static void read_keys(struct app *app)
{
	struct buf bytes = {0};
	struct err err = {0};
	char *path = mem_printf("%s/keys.conf", app->config_dir);
	if (access(path, F_OK) == 0 &&
		(!file_read(path, CONFIG_FILE_MAX, &bytes, &err) ||
			!keymap_parse(&app->keymap, bytes.data ? bytes.data : "", bytes.size, path, &err)))
		app_message(app, true, "%s", err.text);
	buf_free(&bytes);
	free(path);
}

static char *history_path(const struct app *app)
{
	if (!app->options.keep_state)
		return NULL;
	char *dir = file_state_dir(NULL), *path = dir ? mem_printf("%s/history", dir) : NULL;
	free(dir);
	return path;
}

static void open_first(struct app *app)
{
	struct err err = {0};
	const char *const *open = app->options.open;
	if (!open[0])
		return;
	if (open[1])
		app->open_next = mem_str(open[1]);
	app->screen.pages[0] = open[1] ? PAGE_DIFF : PAGE_RUN;
	if (!app_open(app, open[0], 0, &err)) {
		app_message(app, true, "%s", err.text);
		app->screen.pages[0] = PAGE_RUNS;
	}
}

struct app *app_create(const struct app_options *options, const struct app_terminal *terminal, struct err *err)
{
	(void)err;
	struct app *app = mem_alloc(sizeof *app);
	app->options = *options;
	app->terminal = *terminal;
	app->errand.output = -1;
	app->state_dir = app->session_lock = -1;
	app->dirty = true;
	app->preview.action = ACTION_NONE;
	screen_init(&app->screen, PAGE_RUNS);
	keymap_init(&app->keymap);
	app->runs = runs_create(options->runs);
	app->model.keys = &app->keymap;
	app->model.list = app->runs;
	app->model.fold = true;
	struct err problem = {0};
	if (options->keep_state && (app->state_dir = state_open(&problem)) < 0)
		app_message(app, true, "nothing will be remembered: %s", problem.text);
	if (options->read_config && (app->config_dir = config_dir()))
		read_keys(app);
	char *history = history_path(app);
	app->prompt = prompt_create(history, (struct prompt_completer){app_complete, app});
	free(history);
	problem = (struct err){0};
	if (!app_scan(app, &problem))
		app_message(app, true, "%s", problem.text);
	app_session_start(app);
	open_first(app);
	return app;
}

static void save(struct app *app)
{
	struct err err = {0};
	for (int side = 0; side < 2; side++)
		if (app->model.runs[side] && app->model.runs[side]->changed &&
			!state_save(app->state_dir, app->model.runs[side], &err))
			app_message(app, true, "%s", err.text);
}

void app_destroy(struct app *app)
{
	if (!app)
		return;
	preview_end(app);
	save(app);
	app_session_save(app, !app->cut_off);
	background_stop(app);
	for (int side = 0; side < 2; side++)
		run_destroy(app->model.runs[side]);
	screen_finish(&app->screen);
	runs_destroy(app->runs);
	prompt_destroy(app->prompt);
	if (app->session_lock >= 0)
		close(app->session_lock);
	if (app->state_dir >= 0)
		close(app->state_dir);
	free(app->session_text);
	free(app->config_dir);
	free(app->last_run);
	free(app->open_next);
	free(app->model.diff_problem);
	free(app);
}

/* ---- input ---- */

static void prompt_input(struct app *app, uint32_t key)
{
	enum prompt_state state = prompt_key(app->prompt, key);
	if (state == PROMPT_EDITING) {
		preview_update(app, prompt_text(app->prompt));
		return;
	}
	preview_end(app);
	if (state != PROMPT_ENTERED)
		return;
	char *line = mem_str(prompt_text(app->prompt));
	app_command(app, line);
	free(line);
}

static void key_input(struct app *app, uint32_t key)
{
	app->dragged = NULL; /* the key may lead elsewhere */
	if (prompt_state(app->prompt) == PROMPT_EDITING) {
		prompt_input(app, key);
		return;
	}
	screen_message(&app->screen, false, NULL);
	enum action action = keymap_find(&app->keymap, key, screen_scopes(&app->screen));
	if (action != ACTION_NONE && action_asks(action)) {
		char *line = mem_printf("%s ", action_info(action)->name);
		prompt_open(app->prompt, ":", line);
		preview_update(app, line);
		free(line);
		return;
	}
	if (action != ACTION_NONE) {
		app_act(app, action, NULL);
		return;
	}
	char name[KEYS_NAME_MAX];
	struct buf keys = {0};
	keymap_keys(&app->keymap, ACTION_HELP, true, &keys);
	app_message(app, false, "%s does nothing here; %s shows the keys", keys_name(key, name), keys.data ? keys.data : ":help");
	buf_free(&keys);
}

static int clamp(int at, int from, int count)
{
	return at < from ? from : at >= from + count ? from + count - 1 : at;
}

/* A drag stays with the view that it began in, wherever the pointer goes. */
static void mouse_input(struct app *app, const struct input *in)
{
	bool drag = in->mouse == MOUSE_DRAG;
	struct view *view = drag ? app->dragged : screen_view_at(&app->screen, in->x, in->y);
	struct request request = {0};
	if (in->mouse == MOUSE_RELEASE)
		app->dragged = NULL;
	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		app_act(app, in->mouse == MOUSE_WHEEL_UP ? ACTION_UP : ACTION_DOWN, NULL);
		return;
	}
	if (in->mouse == MOUSE_PRESS && view && screen_page(&app->screen) == PAGE_DEBUG)
		screen_debug_focus_view(&app->screen, view);
	if (!view || !view->ops->press || in->mouse == MOUSE_RELEASE || view->area.w < 1 || view->area.h < 1)
		return;
	if (!drag) {
		app->dragged = view;
		for (enum screen_view v = SCREEN_EVENTS; v <= SCREEN_PROPERTIES; v++)
			if (app->screen.views[v] == view)
				app->screen.focus = v;
	}
	view->ops->press(view, &app->model, clamp(in->x, view->area.x, view->area.w), clamp(in->y, view->area.y, view->area.h),
		drag, &request);
	app_request(app, &request);
}

void app_input(struct app *app, const struct input *in)
{
	app->dirty = true;
	switch (in->kind) {
	case INPUT_KEY:
		key_input(app, in->key);
		break;
	case INPUT_MOUSE:
		mouse_input(app, in);
		break;
	case INPUT_END:
		app->ended = app->cut_off = true;
		break;
	case INPUT_RESIZE:
	case INPUT_NONE:
		break;
	}
	screen_sync(&app->screen, &app->model);
}

/* ---- the rest of the loop ---- */

bool app_ended(const struct app *app)
{
	return app->ended;
}

static bool step_views(struct app *app)
{
	bool more = false;
	for (int i = 0; i < SCREEN_VIEWS; i++) {
		struct view *v = app->screen.views[i];
		if (v->ops->step && v->list.filtered) {
			bool busy = v->list.scanned < v->list.count;
			more |= v->ops->step(v, &app->model);
			app->dirty |= busy;
		}
	}
	return more;
}

bool app_step(struct app *app)
{
	bool more = background_step(app);
	if (app->dirty)
		screen_sync(&app->screen, &app->model);
	more |= step_views(app);
	save(app);
	if (app->dirty)
		app_session_save(app, false);
	return more;
}

bool app_busy(const struct app *app)
{
	for (int i = 0; i < SCREEN_VIEWS; i++) {
		const struct view *v = app->screen.views[i];
		if (v->ops->step && v->list.filtered && v->list.scanned < v->list.count)
			return true;
	}
	return background_busy(app);
}

size_t app_poll(const struct app *app, struct pollfd *fds, size_t room)
{
	return background_poll(app, fds, room);
}

bool app_dirty(const struct app *app)
{
	return app->dirty;
}

void app_draw(struct app *app, struct canvas *c)
{
	struct screen_prompt line = {0};
	bool editing = prompt_state(app->prompt) == PROMPT_EDITING;
	if (editing) {
		line.label = prompt_label(app->prompt);
		line.text = prompt_text(app->prompt);
		line.cursor = prompt_cursor(app->prompt);
		line.match_count = prompt_matches(app->prompt, &line.matches);
	}
	app->model.utf8 = app->terminal.utf8 && !app->ascii;
	app->model.now_s = app->options.now_s ? app->options.now_s : (int64_t)time(NULL);
	c->utf8 = app->model.utf8;
	screen_draw(&app->screen, &app->model, editing ? &line : NULL, c);
	app->dirty = false;
}

const struct theme *app_theme(const struct app *app)
{
	return &app->theme;
}
