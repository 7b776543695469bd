/* A line that somebody typed: its words are never more than it, or there is a sentence. */
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/words.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct words w;
	struct err err = {0};
	char *line = mem_strn((const char *)data, size);
	if (words_split(&w, line, size, &err)) {
		size_t bytes = 0;
		for (size_t i = 0; i < w.count; i++) {
			bytes += strlen(w.list[i]);
			if (w.rest[i] < line || w.rest[i] >= line + size)
				__builtin_trap();
		}
		if (bytes > size || w.list[w.count])
			__builtin_trap();
	} else if (!*err.text) {
		__builtin_trap();
	}
	free(line);
	return 0;
}
