/* event_parse takes only what event_write writes, byte for byte; event_content agrees with it about the place of the content. */
#include <stdlib.h>
#include <string.h>
#include "engine/event.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data;
	struct buf arena = {0}, again = {0};
	struct event e;
	struct event_bytes content;
	struct err err = {0};
	bool is_event = event_parse(line, size, &arena, &e, &err);
	bool has_content = event_content(line, size, &content);

	if (is_event) {
		event_write(&e, &again);
		if (again.size != size + 1 || memcmp(again.data, line, size) != 0 || !has_content)
			abort();
	} else if (err.code != ERR_INPUT || !err.text[0]) {
		abort();
	}
	if (has_content && content.data + content.size != line + size)
		abort();
	buf_free(&arena);
	buf_free(&again);
	return 0;
}
