/* A frame that is decoded is encoded again to the same payload values; what is refused says why; nothing is read past the input.
 */
#include <stdlib.h>
#include <string.h>
#include "agent/mission.h"
#include "agent/spec.h"
#include "agent/wire.h"
#include "tests/fuzz/fuzz.h"

/* Fuzzing hardly finds checksums: makes right those of as many frames as the sizes in the input lay out. */
static void mend(uint8_t *data, size_t size)
{
	for (size_t at = 0; size - at >= WIRE_OVERHEAD;) {
		size_t payload = data[at + 2] | (size_t)data[at + 3] << 8;
		if (payload + WIRE_OVERHEAD > size - at)
			return;
		data[at] = WIRE_MAGIC;
		uint32_t sum = wire_crc32(data + at + 1, payload + 3);
		for (size_t i = 0; i < 4; i++)
			data[at + 4 + payload + i] = (uint8_t)(sum >> (8 * i));
		at += payload + WIRE_OVERHEAD;
	}
}

static void decode_all(const uint8_t *data, size_t size)
{
	size_t used;
	for (size_t at = 0; at < size; at += used) {
		struct wire_message m, again;
		size_t used_again;
		static uint8_t frame[WIRE_PAYLOAD_MAX + WIRE_OVERHEAD];
		enum wire_result result = wire_decode(data + at, size - at, &m, &used);
		if (strcmp(wire_result_text(result), "?") == 0 || (result == WIRE_OK) != (used != 0))
			abort();
		if (result != WIRE_OK)
			return;
		/* A varint may be longer than it has to be, so the second frame may be shorter; from then on it stays the same.
		 */
		size_t short_size = wire_encode(&m, frame, sizeof frame);
		if (!short_size || short_size > used || wire_decode(frame, short_size, &again, &used_again) != WIRE_OK ||
			used_again != short_size || again.type != m.type || again.vtime_ns != m.vtime_ns ||
			again.bytes.size != m.bytes.size)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mission mission;
	struct spec spec = {.count = 2}, read;
	struct why why = {0};
	uint8_t *copy = malloc(size ? size : 1);
	if (size)
		memcpy(copy, data, size);
	decode_all(copy, size);
	mend(copy, size);
	decode_all(copy, size);
	if (!spec_read(copy, size, &read, &why) && !why.text[0])
		abort();
	why = (struct why){0};
	if (!mission_read(copy, size, &spec, &mission, &why) && !why.text[0])
		abort();
	free(copy);
	return 0;
}
