/* polecat-tui: what `polecat ui` starts. Arguments, the loop, and the terminal given back on every way out. */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/text.h"
#include "tui/app.h"
#include "tui/manual.h"
#include "tui/script.h"
#include "tui/term.h"

static const char usage[] =
	"usage: polecat-tui [--runs DIR] [--theme NAME] [--ascii] [--debug-dir DIR] [--source-dir DIR] [RUN [RUN]]\n"
	"Usually started as `polecat ui`. Keys: ? inside; man polecat-ui.\n"
	"\n"
	"  --runs DIR        where runs are (default: runs)\n"
	"  --theme NAME      a theme by name, or a file by path\n"
	"  --ascii           draw with ASCII only\n"
	"  --debug-dir DIR   debug view: look for debug information below DIR (may be given several times)\n"
	"  --source-dir DIR  debug view: look for source files below DIR first (may be given several times)\n"
	"  --manual          print the manual page\n"
	"  --script FILE     no terminal: run a script of keys (- reads it from stdin) and print the pictures\n"
	"  --random SEED:N   no terminal: press N random keys\n"
	"  --size WxH        of the screen that is not there (default 80x24)\n"
	"  --now SECONDS     fixed time for ages\n"
	"  --times           with --script: print how long the pictures took to stderr\n"
	"  --state           with --script: read and write what is remembered\n";

#define DIRS_MAX 32 /* of each kind */

struct options {
	struct app_options app;
	const char *script, *random;
	const char *debug_dirs[DIRS_MAX], *source_dirs[DIRS_MAX];
	int width, height;
	bool ascii, manual, help, state, times;
};

enum {
	OPT_RUNS = 256,
	OPT_THEME,
	OPT_ASCII,
	OPT_MANUAL,
	OPT_SCRIPT,
	OPT_RANDOM,
	OPT_DEBUG_DIR,
	OPT_SOURCE_DIR,
	OPT_SIZE,
	OPT_NOW,
	OPT_STATE,
	OPT_TIMES,
	OPT_HELP
};

static bool parse_size(const char *text, struct options *o, struct err *err)
{
	char rest;
	if (sscanf(text, "%4dx%4d%c", &o->width, &o->height, &rest) != 2 || o->width < 1 || o->height < 1)
		return err_set(err, ERR_USAGE, "--size %s: expected WIDTHxHEIGHT, as 80x24", text);
	return true;
}

static bool parse_now(const char *text, struct options *o, struct err *err)
{
	uint64_t seconds;
	if (!text_parse_u64(text, &seconds) || seconds > INT64_MAX)
		return err_set(err, ERR_USAGE, "--now %s: expected seconds since 1970", text);
	o->app.now_s = (int64_t)seconds;
	return true;
}

static bool add_dir(const char **dirs, size_t *count, const char *value, struct err *err)
{
	if (*count == DIRS_MAX)
		return err_set(err, ERR_USAGE, "'%s': at most %d directories of a kind can be given", value, DIRS_MAX);
	dirs[(*count)++] = value;
	return true;
}

static bool parse_option(int option, const char *value, struct options *o, struct err *err)
{
	switch (option) {
	case OPT_RUNS:
		o->app.runs = value;
		return true;
	case OPT_THEME:
		o->app.theme = value;
		return true;
	case OPT_ASCII:
		o->ascii = true;
		return true;
	case OPT_MANUAL:
		o->manual = true;
		return true;
	case OPT_SCRIPT:
		o->script = value;
		return true;
	case OPT_RANDOM:
		o->random = value;
		return true;
	case OPT_DEBUG_DIR:
		return add_dir(o->debug_dirs, &o->app.debug_dir_count, value, err);
	case OPT_SOURCE_DIR:
		return add_dir(o->source_dirs, &o->app.source_dir_count, value, err);
	case OPT_SIZE:
		return parse_size(value, o, err);
	case OPT_NOW:
		return parse_now(value, o, err);
	case OPT_STATE:
		o->state = true;
		return true;
	case OPT_TIMES:
		o->times = true;
		return true;
	case OPT_HELP:
		o->help = true;
		return true;
	default:
		return err_set(err, ERR_USAGE, "see polecat-tui --help");
	}
}

static bool parse(int argc, char **argv, struct options *o, struct err *err)
{
	static const struct option longs[] = {{"runs", required_argument, NULL, OPT_RUNS},
		{"theme", required_argument, NULL, OPT_THEME}, {"ascii", no_argument, NULL, OPT_ASCII},
		{"manual", no_argument, NULL, OPT_MANUAL}, {"script", required_argument, NULL, OPT_SCRIPT},
		{"debug-dir", required_argument, NULL, OPT_DEBUG_DIR}, {"source-dir", required_argument, NULL, OPT_SOURCE_DIR},
		{"random", required_argument, NULL, OPT_RANDOM}, {"size", required_argument, NULL, OPT_SIZE},
		{"now", required_argument, NULL, OPT_NOW}, {"state", no_argument, NULL, OPT_STATE},
		{"times", no_argument, NULL, OPT_TIMES}, {"help", no_argument, NULL, OPT_HELP}, {0}};
	*o = (struct options){.app = {.runs = "runs"}, .width = 80, .height = 24};
	for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;)
		if (!parse_option(option, optarg, o, err))
			return false;
	if (argc - optind > 2)
		return err_set(err, ERR_USAGE, "at most two runs can be opened, not %d", argc - optind);
	for (int i = 0; optind + i < argc; i++)
		o->app.open[i] = argv[optind + i];
	return true;
}

/* The command line program, which records and replays for us: beside this one. NULL if it is not there. Owned by the caller. */
static char *find_polecat(void)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
	if (size <= 0)
		return NULL;
	path[size] = '\0';
	char *slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	char *found = mem_printf("%s/polecat", path);
	if (access(found, X_OK) == 0)
		return found;
	free(found);
	return NULL;
}

/* ---- without a terminal ---- */

static bool run_script(const struct options *o, struct app *app, struct canvas *canvas, struct buf *out, struct err *err)
{
	struct buf script = {0};
	bool from_stdin = strcmp(o->script, "-") == 0;
	bool ok = from_stdin ? file_read_fd(STDIN_FILENO, "standard input", SCRIPT_FILE_MAX, &script, err)
			     : file_read(o->script, SCRIPT_FILE_MAX, &script, err);
	struct script_times times = {0};
	ok = ok && script_run(app, canvas, script.data ? script.data : "", script.size, o->script, out, &times, err);
	if (ok && o->times) {
		struct buf report = {0};
		script_times_report(&times, &report);
		fputs(report.data, stderr);
		buf_free(&report);
	}
	script_times_finish(&times);
	buf_free(&script);
	return ok;
}

static bool run_random(const struct options *o, struct app *app, struct canvas *canvas, struct err *err)
{
	unsigned long long seed, count;
	char rest;
	if (sscanf(o->random, "%llu:%llu%c", &seed, &count, &rest) != 2)
		return err_set(err, ERR_USAGE, "--random %s: expected SEED:COUNT", o->random);
	return script_random(app, canvas, seed, count, err);
}

static bool headless(struct options *o, struct err *err)
{
	struct app_terminal terminal = {.utf8 = !o->ascii};
	struct canvas canvas;
	struct buf out = {0};
	o->app.keep_state = o->state;
	if (o->random)
		o->app.polecat = NULL; /* random keys must not record anything */
	o->app.read_config = o->state;
	canvas_init(&canvas, !o->ascii);
	canvas_resize(&canvas, o->width, o->height);
	struct app *app = app_create(&o->app, &terminal, err);
	bool ok = app != NULL;
	if (ok)
		ok = o->script ? run_script(o, app, &canvas, &out, err) : run_random(o, app, &canvas, err);
	app_destroy(app);
	canvas_finish(&canvas);
	if (out.size)
		fwrite(out.data, 1, out.size, stdout);
	buf_free(&out);
	if (ok && fflush(stdout) != 0)
		ok = err_sys(err, errno, "standard output");
	return ok;
}

/* ---- with one ---- */

static void do_suspend(void *data)
{
	term_suspend(data);
}

static void do_redraw(void *data)
{
	term_redraw(data);
}

static void do_mouse(void *data, bool on)
{
	term_mouse(data, on);
}

static bool do_copy(void *data, const char *text, size_t size, struct err *err)
{
	return term_copy(data, text, size, err);
}

static bool do_run(
	void *data, char *const *argv, struct buf *errors, void (*started)(void *to, int fd), void *to, struct err *err)
{
	return term_run(data, argv, errors, started, to, err);
}

static void wait_for_something(struct app *app, struct terminal *t, int timeout_ms)
{
	struct pollfd fds[2 + APP_FDS_MAX];
	fds[0] = (struct pollfd){.fd = term_input_fd(t), .events = POLLIN};
	fds[1] = (struct pollfd){.fd = term_signal_fd(t), .events = POLLIN};
	size_t count = 2 + app_poll(app, fds + 2, APP_FDS_MAX);
	poll(fds, (nfds_t)count, timeout_ms);
}

/* One turn: everything that came in, a slice of work, one frame. */
static void loop(struct app *app, struct terminal *t)
{
	struct canvas canvas;
	int width, height;
	canvas_init(&canvas, term_utf8(t));
	bool more = true, resized = true;
	while (!app_ended(app)) {
		if (resized) {
			term_size(t, &width, &height);
			canvas_resize(&canvas, width, height);
		}
		if (resized || app_dirty(app)) {
			app_draw(app, &canvas);
			term_show(t, &canvas, app_theme(app));
		}
		resized = false;
		wait_for_something(app, t, more ? 0 : app_timeout_ms(app));
		for (struct input in; (in = term_input(t)).kind != INPUT_NONE && !app_ended(app);) {
			resized |= in.kind == INPUT_RESIZE;
			app_input(app, &in);
		}
		more = app_step(app);
	}
	canvas_finish(&canvas);
}

static bool on_terminal(struct options *o, struct err *err)
{
	const char *no_colour = getenv("NO_COLOR");
	struct term_options options = {.no_colour = no_colour && no_colour[0], .ascii = o->ascii};
	struct terminal *t = term_create(options, err);
	if (!t)
		return false;
	struct app_terminal terminal = {do_suspend, do_redraw, do_mouse, do_copy, do_run, term_utf8(t), t};
	o->app.keep_state = true;
	o->app.read_config = true;
	struct app *app = app_create(&o->app, &terminal, err);
	if (app) {
		if (term_note(t)[0])
			app_say(app, false, term_note(t));
		loop(app, t);
	}
	app_destroy(app);
	term_destroy(t);
	return app != NULL;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err err = {0};
	setlocale(LC_ALL, "");
	if (!parse(argc, argv, &o, &err)) {
		fprintf(stderr, "polecat-tui: %s\n", err.text);
		return err_exit_status(err.code);
	}
	if (o.help) {
		fputs(usage, stdout);
		return 0;
	}
	bool ok = true;
	char *polecat = find_polecat();
	o.app.polecat = polecat;
	o.app.debug_dirs = o.debug_dirs;
	o.app.source_dirs = o.source_dirs;
	if (o.manual) {
		ok = manual_print(stdout, &err);
	} else if (o.script || o.random) {
		setlocale(LC_ALL, "C.UTF-8"); /* pictures are the same whatever the locale */
		ok = headless(&o, &err);
	} else {
		ok = on_terminal(&o, &err);
	}
	free(polecat);
	if (!ok)
		fprintf(stderr, "polecat-tui: %s\n", err.text);
	return ok ? 0 : err_exit_status(err.code);
}
