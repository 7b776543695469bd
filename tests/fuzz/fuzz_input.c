/* Whatever comes through the serial port as typed: words within their limits, and each that can be sent again comes back. */
#include <stdlib.h>
#include <string.h>

#include "agent/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_back(const struct input_word *w)
{
	uint8_t bytes[INPUT_WORD_MAX];
	struct input in = {0};
	struct input_word again = {.kind = INPUT_MORE};
	size_t size = input_put(w, bytes);
	for (size_t i = 0; i < size; i++)
		again = input_next(&in, bytes[i]);
	if (size > sizeof bytes || again.kind != w->kind || again.byte != w->byte || again.rows != w->rows ||
		again.columns != w->columns || again.total != w->total)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {0};
	for (size_t i = 0; i < size; i++) {
		struct input_word w = input_next(&in, data[i]);
		if (in.count >= INPUT_WORD_MAX)
			abort();
		if (w.kind == INPUT_WINDOW && (!w.rows || w.rows > INPUT_SIZE_MAX || !w.columns || w.columns > INPUT_SIZE_MAX))
			abort();
		if (w.kind != INPUT_MORE && w.kind != INPUT_BAD)
			put_back(&w);
	}
	return 0;
}
