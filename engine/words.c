#include "engine/words.h"

#include <string.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One word from line[*at]; its bytes go to *to. */
static bool take(const char *line, size_t size, size_t *at, char **to, struct err *err)
{
	char quote = 0;
	for (; *at < size && (quote || !blank(line[*at])); ++*at) {
		char c = line[*at];
		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
			continue;
		}
		if (c == '\\' && quote != '\'' && *at + 1 < size)
			c = line[++*at];
		*(*to)++ = c;
	}
	*(*to)++ = '\0';
	return !quote || err_set(err, ERR_USAGE, "the quote %c has no end", quote);
}

bool words_split(struct words *w, const char *line, size_t size, struct err *err)
{
	w->count = 0;
	w->list[0] = NULL;
	if (size >= WORDS_LINE_MAX)
		return err_set(err, ERR_USAGE, "a command of %zu bytes: expected fewer than %d", size, WORDS_LINE_MAX);
	if (memchr(line, '\0', size))
		return err_set(err, ERR_USAGE, "a command with a NUL byte in it");
	char *to = w->text;
	for (size_t at = 0;;) {
		while (at < size && blank(line[at]))
			at++;
		if (at == size || line[at] == '#')
			return true;
		if (w->count == WORDS_MAX)
			return err_set(err, ERR_USAGE, "a command of more than %d words", WORDS_MAX);
		w->rest[w->count] = line + at;
		w->list[w->count++] = to;
		w->list[w->count] = NULL;
		if (!take(line, size, &at, &to, err))
			return false;
	}
}
