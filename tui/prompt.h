/* The `:` line: editing, history and completion by readline, driven a key at a time so that nothing ever waits. The only file
 * that sees readline. Readline keeps its state in globals, so there is one prompt per process. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

#define PROMPT_LINE_MAX    4096 /* bytes of one line */
#define PROMPT_HISTORY_MAX 1000
#define PROMPT_MATCHES_MAX 1000

struct prompt;

/* Calls found for every completion of the last word of line; word starts at byte start. */
struct prompt_completer {
	void (*complete)(
		void *data, const char *line, size_t start, void (*found)(void *found_data, const char *text), void *found_data);
	void *data;
};

/* history: file to read now and append to as lines are entered (made owner-only); NULL for none. */
struct prompt *prompt_create(const char *history, struct prompt_completer completer);
void prompt_destroy(struct prompt *p);

enum prompt_state { PROMPT_CLOSED, PROMPT_EDITING, PROMPT_ENTERED, PROMPT_CANCELLED };

/* Starts a line with label before it and text already in it. */
void prompt_open(struct prompt *p, const char *label, const char *text);
/* Takes one key. ENTERED: prompt_text is the line, until the next open. */
enum prompt_state prompt_key(struct prompt *p, uint32_t key);
enum prompt_state prompt_state(const struct prompt *p);

const char *prompt_label(const struct prompt *p);
const char *prompt_text(const struct prompt *p); /* while editing, what stands there */
size_t prompt_cursor(const struct prompt *p);    /* in bytes of text */
/* What Tab offered last; gone with the next key. */
size_t prompt_matches(const struct prompt *p, const char *const **ret);

#endif
