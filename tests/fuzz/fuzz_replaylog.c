/* A log decodes alike whole and cut in two; its serial counts never fall; closing and shifting keep what they promise. */
#include <stdlib.h>
#include <string.h>
#include "engine/buf.h"
#include "engine/replaylog.h"
#include "tests/fuzz/fuzz.h"

/* Decodes a copy of exactly these bytes, so that reading further is seen. Returns how many were used. */
static size_t decode(struct replaylog *r, const uint8_t *data, size_t size, enum replaylog_result *end)
{
	struct replaylog_event e;
	struct err err = {0};
	size_t at = 0, used;
	uint8_t *copy = (uint8_t *)mem_strn((const char *)data, size);
	while ((*end = replaylog_next(r, copy + at, size - at, &used, &e, &err)) == REPLAYLOG_EVENT) {
		if (used == 0 || used > size - at || e.icount != r->icount)
			abort();
		at += used;
	}
	if (*end == REPLAYLOG_BAD && (err.code != ERR_INPUT || !err.text[0]))
		abort();
	free(copy);
	return at;
}

static void check_whole_log(const uint8_t *data, size_t size)
{
	uint64_t *icounts, total, again;
	size_t count, closed;
	struct err err = {0};
	uint8_t *copy = (uint8_t *)mem_strn((const char *)data, size);
	if (replaylog_serial(data, size, &icounts, &count, &total, &err)) {
		for (size_t i = 0; i < count; i++)
			if (icounts[i] > total || (i && icounts[i] < icounts[i - 1]))
				abort();
		if (replaylog_close(copy, size, &closed, &err) &&
			(closed > size || !replaylog_total(copy, closed, &again, &err) || again != total))
			abort();
		if (total < 1000 && replaylog_shift(copy, closed = size, 5, NULL, &err) &&
			!replaylog_shift(copy, size, -5, NULL, &err))
			abort();
	} else if (err.code != ERR_INPUT || icounts || count) {
		abort();
	}
	free(icounts);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	size_t cut = data[0] < size ? data[0] : size - 1;
	struct replaylog whole = {0}, parts = {0};
	enum replaylog_result end, parts_end;
	data++;
	size--;
	decode(&whole, data, size, &end);
	size_t at = decode(&parts, data, cut, &parts_end);
	if (parts_end != REPLAYLOG_BAD)
		decode(&parts, data + at, size - at, &parts_end);
	if (end != parts_end || whole.icount != parts.icount || whole.offset != parts.offset || whole.serial != parts.serial ||
		whole.ended != parts.ended)
		abort();
	check_whole_log(data, size);
	return 0;
}
