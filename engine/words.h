/* A line that a person typed, split into words as a shell would: blanks separate, "..." and '...' and \ keep. Pure. */
#ifndef ENGINE_WORDS_H
#define ENGINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/err.h"

#define WORDS_LINE_MAX 4096 /* bytes of a line */
#define WORDS_MAX      64   /* words of a line */

struct words {
	char *list[WORDS_MAX + 1]; /* NULL-terminated; point into text */
	size_t count;
	char text[WORDS_LINE_MAX + 1];
	const char *rest[WORDS_MAX + 1]; /* where each word starts in the line that was split */
};

/* '#' at the start of a word begins a comment. Fails with ERR_USAGE: too long, too many words, a quote without its end, a NUL. */
bool words_split(struct words *w, const char *line, size_t size, struct err *err);

#endif
