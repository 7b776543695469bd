/* The frames between agent and engine: every type round trip, input split at every byte, and bytes that mean harm. */
#include <stdlib.h>
#include <string.h>
#include "agent/wire.h"
#include "unit.h"

static const uint8_t some_bytes[] = "a\nb\0c";

/* A message whose every field has a value of its own; each type encodes those it has. */
static struct wire_message full(enum wire_type type)
{
	struct wire_message m = {.type = type};
	const size_t first = offsetof(struct wire_message, vtime_ns), end = offsetof(struct wire_message, bytes);
	for (size_t at = first; at < end; at += sizeof(uint64_t)) {
		uint64_t number = (uint64_t)1 << ((at - first) * 63 / (end - first));
		memcpy((uint8_t *)&m + at, &number, sizeof number);
	}
	m.bytes = m.out_sha = m.err_sha = m.entropy = (struct wire_bytes){some_bytes, sizeof some_bytes};
	m.argv = m.env = m.cwd = m.ready_text = m.params = (struct wire_bytes){some_bytes + 1, 2};
	return m;
}

static bool is_type(enum wire_type type)
{
	return strcmp(wire_type_name(type), "?") != 0;
}

static void every_type_comes_back(void)
{
	uint8_t frame[512], again[512];
	int types = 0;
	for (enum wire_type type = 0; type < 256; type++) {
		struct wire_message m = full(type), back;
		size_t used, size = wire_encode(&m, frame, sizeof frame);
		CU_ASSERT_EQUAL(size, wire_size(&m));
		CU_ASSERT_EQUAL(size != 0, is_type(type));
		if (!size)
			continue;
		types++;
		CU_ASSERT_EQUAL(wire_decode(frame, size, &back, &used), WIRE_OK);
		CU_ASSERT_EQUAL(used, size);
		CU_ASSERT_EQUAL(back.type, type);
		CU_ASSERT_EQUAL(wire_encode(&back, again, sizeof again), size);
		CU_ASSERT_EQUAL(memcmp(frame, again, size), 0);
	}
	CU_ASSERT_EQUAL(types, 22);
}

static void a_cut_frame_asks_for_more(void)
{
	uint8_t frame[512];
	struct wire_message m = full(WIRE_EXITED), back;
	size_t used, size = wire_encode(&m, frame, sizeof frame);
	for (size_t cut = 0; cut < size; cut++) {
		/* A copy of just these bytes, so that a read past them is seen by the sanitiser. */
		uint8_t *part = malloc(cut ? cut : 1);
		memcpy(part, frame, cut);
		CU_ASSERT_EQUAL(wire_decode(part, cut, &back, &used), WIRE_MORE);
		CU_ASSERT_EQUAL(used, 0);
		free(part);
	}
}

static void a_changed_byte_is_noticed(void)
{
	uint8_t frame[512];
	struct wire_message m = full(WIRE_NODE), back;
	size_t used, size = wire_encode(&m, frame, sizeof frame);
	for (size_t at = 0; at < size; at++) {
		for (int bit = 0; bit < 8; bit++) {
			frame[at] ^= (uint8_t)(1 << bit);
			CU_ASSERT_NOT_EQUAL(wire_decode(frame, size, &back, &used), WIRE_OK);
			frame[at] ^= (uint8_t)(1 << bit);
		}
	}
}

/* Puts a payload of the caller's into a frame with a right checksum. */
static enum wire_result decode_payload(enum wire_type type, const uint8_t *payload, size_t size)
{
	uint8_t frame[64] = {WIRE_MAGIC, (uint8_t)type, (uint8_t)size, 0};
	struct wire_message m;
	size_t used;
	memcpy(frame + 4, payload, size);
	uint32_t sum = wire_crc32(frame + 1, size + 3);
	for (int i = 0; i < 4; i++)
		frame[4 + size + (size_t)i] = (uint8_t)(sum >> (8 * i));
	return wire_decode(frame, size + WIRE_OVERHEAD, &m, &used);
}

static void hostile_fields_are_refused(void)
{
	/* cleaned: vtime_ns, node, invocation */
	CU_ASSERT_EQUAL(decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2\3", 3), WIRE_OK);
	CU_ASSERT_EQUAL(decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2", 2), WIRE_BAD_FIELD);
	CU_ASSERT_EQUAL(decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2\3\4", 4), WIRE_BAD_FIELD);
	CU_ASSERT_EQUAL(decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2\x83", 3), WIRE_BAD_FIELD);
	CU_ASSERT_EQUAL(decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12), WIRE_OK);
	CU_ASSERT_EQUAL(
		decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\2", 12), WIRE_BAD_FIELD);
	CU_ASSERT_EQUAL(decode_payload(WIRE_CLEANED, (const uint8_t *)"\1\2\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 13),
		WIRE_BAD_FIELD);
	/* begin: vtime_ns, bytes */
	CU_ASSERT_EQUAL(decode_payload(WIRE_BEGIN, (const uint8_t *)"\1\2xy", 4), WIRE_OK);
	CU_ASSERT_EQUAL(decode_payload(WIRE_BEGIN, (const uint8_t *)"\1\3xy", 4), WIRE_BAD_FIELD);
	CU_ASSERT_EQUAL(
		decode_payload(WIRE_BEGIN, (const uint8_t *)"\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1xy", 13), WIRE_BAD_FIELD);
}

static void wrong_starts_are_told_apart(void)
{
	struct wire_message m;
	size_t used;
	CU_ASSERT_EQUAL(wire_decode((const uint8_t *)"x", 1, &m, &used), WIRE_BAD_MAGIC);
	CU_ASSERT_EQUAL(wire_decode((const uint8_t *)"\xc5\xff", 2, &m, &used), WIRE_BAD_TYPE);
	CU_ASSERT_EQUAL(wire_decode((const uint8_t *)"\xc5\0", 2, &m, &used), WIRE_BAD_TYPE);
	for (enum wire_result r = WIRE_OK; r <= WIRE_BAD_FIELD; r++)
		CU_ASSERT_STRING_NOT_EQUAL(wire_result_text(r), "?");
}

static void what_does_not_fit_is_not_written(void)
{
	static uint8_t big[WIRE_PAYLOAD_MAX + 1], out[WIRE_PAYLOAD_MAX + WIRE_OVERHEAD];
	struct wire_message m = {.type = WIRE_OUTPUT, .bytes = {big, WIRE_OUTPUT_MAX}};
	CU_ASSERT_NOT_EQUAL(wire_encode(&m, out, sizeof out), 0);
	size_t size = wire_size(&m);
	CU_ASSERT_EQUAL(wire_encode(&m, out, size - 1), 0);
	CU_ASSERT_EQUAL(wire_encode(&m, out, size), size);
	m.bytes.size = WIRE_PAYLOAD_MAX;
	CU_ASSERT_EQUAL(wire_size(&m), 0);
	m.bytes.size = WIRE_PAYLOAD_MAX + 1;
	CU_ASSERT_EQUAL(wire_size(&m), 0);
}

/* The check value that every description of CRC-32/ISO-HDLC gives. */
static void the_checksum_is_the_known_one(void)
{
	CU_ASSERT_EQUAL(wire_crc32((const uint8_t *)"123456789", 9), 0xcbf43926);
	CU_ASSERT_EQUAL(wire_crc32(NULL, 0), 0);
}

const struct test suite_wire[] = {
	{"every type comes back", every_type_comes_back},
	{"a cut frame asks for more", a_cut_frame_asks_for_more},
	{"a changed byte is noticed", a_changed_byte_is_noticed},
	{"hostile fields are refused", hostile_fields_are_refused},
	{"wrong starts are told apart", wrong_starts_are_told_apart},
	{"what does not fit is not written", what_does_not_fit_is_not_written},
	{"the checksum is the known one", the_checksum_is_the_known_one},
	{0},
};
