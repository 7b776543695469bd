/* Whatever lies in guest memory where frames should be: the observer tells it or refuses it, and hands on only valid events. */
#include <stdlib.h>

#include "agent/wire.h"
#include "engine/observer.h"
#include "tests/fuzz/fuzz.h"

static bool reread(void *data, const struct event *e, struct err *err)
{
	struct buf line = {0}, arena = {0};
	struct event again;
	(void)data;
	event_write(e, &line);
	if (line.size <= EVENT_LINE_MAX && !event_parse(line.data, line.size - 1, &arena, &again, err))
		abort();
	buf_free(&line);
	buf_free(&arena);
	return true;
}

/* Mends the checksums, so that mutations reach what lies behind them. */
static void mend(uint8_t *frames, size_t size)
{
	for (size_t at = 0; at + WIRE_OVERHEAD <= size;) {
		size_t payload = frames[at + 2] | (size_t)frames[at + 3] << 8;
		if (payload > size - at - WIRE_OVERHEAD)
			return;
		uint32_t sum = wire_crc32(frames + at + 1, payload + 3);
		for (int i = 0; i < 4; i++)
			frames[at + 4 + payload + (size_t)i] = (uint8_t)(sum >> (8 * i));
		at += payload + WIRE_OVERHEAD;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nodes[] = {"a", "b"};
	static const struct observer_fault faults[] = {{"kill#1", "kill"}};
	const struct observer_cast cast = {nodes, 2, faults, 1};
	const struct observer_limits limits = {100, 10000, 1000000};
	uint64_t counts[256];
	struct err err = {0};
	uint8_t *frames = malloc(size + 1);
	for (size_t i = 0; i < size; i++)
		frames[i] = data[i];
	for (size_t i = 0; i < 256; i++)
		counts[i] = i;
	mend(frames, size);
	struct observer *o = observer_create(&cast, &limits, (struct event_sink){reread, NULL});
	for (size_t counted = 0; counted <= 256; counted += 64)
		if (!observer_feed(o, frames, size, counts, counted, &err))
			break;
	observer_destroy(o);
	free(frames);
	return 0;
}
