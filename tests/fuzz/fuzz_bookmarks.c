/* A file of bookmarks from anywhere: read whole and written the same again, or refused with a sentence. */
#include <string.h>

#include "engine/bookmarks.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bookmarks b = {.dir = -1}, again = {.dir = -1};
	struct err err = {0};
	struct buf copy = {0}, text = {0}, same = {0};
	buf_add(&copy, data, size);
	if (bookmarks_parse(&b, copy.data ? copy.data : "", copy.size, &err)) {
		bookmarks_write(&b, &text);
		if (!bookmarks_parse(&again, text.data, text.size, &err))
			__builtin_trap();
		bookmarks_write(&again, &same);
		if (text.size != same.size || memcmp(text.data, same.data, same.size))
			__builtin_trap();
	} else if (!*err.text) {
		__builtin_trap();
	}
	bookmarks_finish(&b);
	bookmarks_finish(&again);
	buf_free(&copy);
	buf_free(&text);
	buf_free(&same);
	return 0;
}
