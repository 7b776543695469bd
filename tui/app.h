/*
 * The program without its terminal: the open runs, what goes on in the background, and what each action does. It is driven by
 * inputs and steps, and draws into a canvas, so a test drives it just as a terminal does.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "tui/action.h"
#include "tui/canvas.h"
#include "tui/keys.h"
#include "tui/theme.h"

struct app;

struct app_options {
	const char *runs;                                   /* runs directory */
	const char *open[2];                                /* run directories to open; NULL where there is none */
	const char *theme;                                  /* name or path; NULL: what was used last, or the default */
	bool keep_state;                                    /* read and write $XDG_STATE_HOME/polecat */
	bool read_config;                                   /* read $XDG_CONFIG_HOME/polecat */
	int64_t now_s;                                      /* fixed host time for tests; 0: the clock's */
	const char *const *debug_dirs, *const *source_dirs; /* as of `polecat debug`; borrowed */
	size_t debug_dir_count, source_dir_count;
	char *polecat; /* the command line program, for recording and replaying; NULL: none. Borrowed */
};

/* What the terminal is asked to do; the app only knows that somebody does it. Any may be NULL. */
struct app_terminal {
	void (*suspend)(void *data);
	void (*redraw)(void *data);
	void (*mouse)(void *data, bool on);
	bool (*copy)(void *data, const char *text, size_t size, struct err *err);
	bool (*run)(void *data, char *const *argv, struct buf *errors, void (*started)(void *to, int fd), void *to,
		struct err *err); /* as term_run */
	bool utf8;                /* the terminal can show it */
	void *data;
};

struct app *app_create(const struct app_options *options, const struct app_terminal *terminal, struct err *err);
void app_destroy(struct app *app);

bool app_ended(const struct app *app);
void app_input(struct app *app, const struct input *in);
/* A message on the status line, as for a person's attention at start. */
void app_say(struct app *app, bool is_error, const char *text);

/* A slice of the work that is going on, at most about 10 ms. True when there is more that can be done at once. */
bool app_step(struct app *app);
/* Something goes on that will change the screen by itself: a step has more to do, a thread works. (A recording that is only
 * watched does not count.) */
bool app_busy(const struct app *app);
/* Adds the descriptors that app_step wants to be called for; at most room. Returns how many. */
#define APP_FDS_MAX 16
size_t app_poll(const struct app *app, struct pollfd *fds, size_t room);
/* How long to wait at most before app_step is called again; -1: for ever. */
int app_timeout_ms(const struct app *app);

/* True when what app_draw would draw may differ from the last time. */
bool app_dirty(const struct app *app);
void app_draw(struct app *app, struct canvas *c);
const struct theme *app_theme(const struct app *app);

#endif
