#include "tui/source.h"

#include <stdlib.h>
#include <string.h>

#include "engine/file.h"

bool source_read(struct source *s, int dir, struct err *err)
{
	source_finish(s);
	if (!file_read_in(dir, "scenario.yaml", SOURCE_BYTES_MAX, &s->bytes, err)) {
		source_finish(s);
		return false;
	}
	const char *at = s->bytes.data, *end = at + s->bytes.size;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((newline ? newline : end) - at);
		ARRAY_PUSH(s->lines, s->count, s->room) = (struct source_line){at, size};
		at += size + 1;
	}
	return true;
}

void source_finish(struct source *s)
{
	buf_free(&s->bytes);
	free(s->lines);
	*s = (struct source){0};
}
