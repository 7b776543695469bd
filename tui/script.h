/*
 * Drives the app without a terminal: a script of keys in, pictures of cells out; or keys by chance.
 *
 * A script has one step a line:
 *
 *	# comment
 *	key Right f S-Tab        keys by name
 *	type acked 87            text, a key a character
 *	size 120x40              the terminal's size changes
 *	click 12 3               a press and release at column, row (from 0)
 *	drag 12 3 20 9           a press at one cell, the button held down to another
 *	snap words               appends the picture, headed by the words
 *
 * After each step the app is given all the time it needs: nothing depends on how fast the machine is.
 */
#ifndef TUI_SCRIPT_H
#define TUI_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "tui/app.h"

#define SCRIPT_FILE_MAX (1024 * 1024)

/* How long it took from an input to the picture that answers it. */
struct script_times {
	double *ms;
	size_t count, room;
	double first_ms; /* from app_create to the first picture with a run in it; measured by the first settling */
};
void script_times_report(struct script_times *times, struct buf *out); /* "keys N, median X ms, worst Y ms" */
void script_times_finish(struct script_times *times);

/* Runs a script from the start, or until the app ends. times may be NULL. Errors: ERR_INPUT "file:line: what was expected". */
bool script_run(struct app *app, struct canvas *canvas, const char *bytes, size_t size, const char *file, struct buf *out,
	struct script_times *times, struct err *err);

/* Presses count keys chosen by seed, among them every key that is bound, with resizes; draws after each. The debug view is opened
 * first, and now and then. Never ends the app. ERR_SYSTEM: what a key began does not come to an end. */
bool script_random(struct app *app, struct canvas *canvas, uint64_t seed, size_t count, struct err *err);

#endif
