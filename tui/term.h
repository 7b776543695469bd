/* The terminal: shows a canvas, hands out input, and always gives the terminal back. The only file that sees curses. */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "tui/canvas.h"
#include "tui/keys.h"
#include "tui/theme.h"

struct terminal;

struct term_options {
	bool no_colour; /* NO_COLOR is set */
	bool ascii;     /* never draw with UTF-8 signs */
};

/*
 * Takes the terminal on descriptors 0 and 1. TERM unknown: the nearest known kind is tried, down to plain ones. From here to
 * term_destroy every way out (return, exit, signal, crash, suspend) gives the terminal back as it was.
 * Errors: ERR_USAGE when there is no terminal, ERR_SYSTEM when none of the kinds works.
 */
struct terminal *term_create(struct term_options options, struct err *err);
void term_destroy(struct terminal *t); /* accepts NULL */

void term_size(const struct terminal *t, int *ret_width, int *ret_height);
bool term_utf8(const struct terminal *t);
int term_colours(const struct terminal *t); /* 0, 8, 16, 256 or 16777216 */
/* What was given up to get here ("TERM=foo is unknown, using xterm"), or "". */
const char *term_note(const struct terminal *t);

/* The descriptors to wait on before term_input: the keyboard, and one that becomes readable when a signal came. */
int term_input_fd(const struct terminal *t);
int term_signal_fd(const struct terminal *t);

/* Takes the next thing that happened; never waits. A signal that asks to stop gives INPUT_END. */
struct input term_input(struct terminal *t);

/* Shows c: only what changed is sent, in one write. */
void term_show(struct terminal *t, const struct canvas *c, const struct theme *theme);
/* The next term_show sends everything (Ctrl-L, new theme). */
void term_redraw(struct terminal *t);
void term_bell(struct terminal *t);
void term_mouse(struct terminal *t, bool on);
/* Gives the terminal back, stops the process as Ctrl-Z does, and takes the terminal again when it continues. */
void term_suspend(struct terminal *t);
/* Lends the terminal to a program until it ends; started(to, fd), unless it is NULL, is called in between, with a descriptor that
 * becomes readable at its end and belongs to whom it is given. What it says on standard error, at most about TERM_ERRORS_MAX
 * bytes, is appended to errors, and one line says meanwhile that it starts; NULL: that goes to the terminal. ERR_SYSTEM when it
 * cannot be started. */
#define TERM_ERRORS_MAX 65536
bool term_run(
	struct terminal *t, char *const *argv, struct buf *errors, void (*started)(void *to, int fd), void *to, struct err *err);
/* Puts text on the clipboard of the person's terminal (OSC 52), if that terminal allows it. At most TERM_COPY_MAX bytes. */
#define TERM_COPY_MAX (64 * 1024)
bool term_copy(struct terminal *t, const char *text, size_t size, struct err *err);

#endif
