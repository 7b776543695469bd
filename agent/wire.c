#include "agent/wire.h"

#include <string.h>

/* ---- layouts: which fields a type has, in their order ---------------------------------------------------- */

enum { FIELDS_MAX = 16 };

struct field {
	size_t at;
	bool is_bytes;
};

#define N(name) {offsetof(struct wire_message, name), false}
#define B(name) {offsetof(struct wire_message, name), true}

static const struct layout {
	const char *name;
	size_t count;
	struct field fields[FIELDS_MAX];
} layouts[] = {
	[WIRE_HELLO] = {"hello", 3, {N(vtime_ns), N(value), B(bytes)}},
	[WIRE_BEGIN] = {"begin", 2, {N(vtime_ns), B(bytes)}},
	[WIRE_STARTED] = {"started", 4, {N(vtime_ns), N(node), N(invocation), N(value)}},
	[WIRE_READY] = {"ready", 3, {N(vtime_ns), N(node), N(invocation)}},
	[WIRE_LAUNCH_FAILED] = {"launch-failed", 5, {N(vtime_ns), N(node), N(invocation), N(value), B(bytes)}},
	[WIRE_OUTPUT] = {"output", 7, {N(vtime_ns), N(node), N(invocation), N(stream), N(offset), N(sequence), B(bytes)}},
	[WIRE_EXITED] = {"exited", 9,
		{N(vtime_ns), N(node), N(invocation), N(code), N(value), N(out_total), N(err_total), B(out_sha), B(err_sha)}},
	[WIRE_CLEANED] = {"cleaned", 3, {N(vtime_ns), N(node), N(invocation)}},
	[WIRE_OOM] = {"oom", 4, {N(vtime_ns), N(node), N(invocation), N(value)}},
	[WIRE_FAULT] = {"fault", 7, {N(vtime_ns), N(fault), N(code), N(node), N(invocation), N(value), B(bytes)}},
	[WIRE_USER] = {"user", 4, {N(vtime_ns), N(node), N(invocation), B(bytes)}},
	[WIRE_END] = {"end", 3, {N(vtime_ns), N(code), B(bytes)}},
	[WIRE_FATAL] = {"fatal", 2, {N(vtime_ns), B(bytes)}},
	[WIRE_RUN] = {"run", 5, {N(value), B(bytes), B(entropy), N(limit_ns), N(wait)}},
	[WIRE_NODE] = {"node", 12,
		{N(node), B(argv), B(env), B(cwd), N(uid), N(gid), N(ready), N(ready_value), B(ready_text), N(restart), N(delay_ns),
			N(wait)}},
	[WIRE_STDIN] = {"stdin", 6, {N(node), N(invocation), N(offset), N(code), B(bytes), N(delay_ns)}},
	[WIRE_TROUBLE] = {"trouble", 10,
		{N(fault), B(bytes), N(node), B(params), N(for_ns), N(trigger), N(trigger_value), N(trigger_of), N(trigger_nth),
			N(delay_ns)}},
	[WIRE_MACHINE] = {"machine", 2, {N(value), B(bytes)}},
	[WIRE_HOST] = {"host", 5, {N(node), B(bytes), N(address), N(value), N(image)}},
};

static const struct layout *layout_of(unsigned type)
{
	if (type >= sizeof layouts / sizeof *layouts || !layouts[type].name)
		return NULL;
	return &layouts[type];
}

static uint64_t number_at(const struct wire_message *m, size_t at)
{
	uint64_t n;
	memcpy(&n, (const uint8_t *)m + at, sizeof n);
	return n;
}

static struct wire_bytes bytes_at(const struct wire_message *m, size_t at)
{
	struct wire_bytes b;
	memcpy(&b, (const uint8_t *)m + at, sizeof b);
	return b;
}

/* ---- encoding -------------------------------------------------------------------------------------------- */

static size_t varint_size(uint64_t n)
{
	size_t size = 1;
	while (n >>= 7)
		size++;
	return size;
}

static uint8_t *put_varint(uint8_t *p, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*p++ = (uint8_t)(n | 0x80);
	*p++ = (uint8_t)n;
	return p;
}

static size_t payload_size(const struct layout *layout, const struct wire_message *m)
{
	size_t total = 0;
	for (size_t i = 0; i < layout->count; i++) {
		const struct field *f = &layout->fields[i];
		if (!f->is_bytes) {
			total += varint_size(number_at(m, f->at));
			continue;
		}
		size_t size = bytes_at(m, f->at).size;
		if (size > WIRE_PAYLOAD_MAX)
			return SIZE_MAX;
		total += varint_size(size) + size;
	}
	return total;
}

size_t wire_size(const struct wire_message *m)
{
	const struct layout *layout = layout_of(m->type);
	if (!layout)
		return 0;
	size_t size = payload_size(layout, m);
	return size > WIRE_PAYLOAD_MAX ? 0 : size + WIRE_OVERHEAD;
}

size_t wire_encode(const struct wire_message *m, uint8_t *out, size_t room)
{
	size_t whole = wire_size(m);
	if (!whole || whole > room)
		return 0;
	const struct layout *layout = layout_of(m->type);
	size_t size = whole - WIRE_OVERHEAD;
	uint8_t *p = out;
	*p++ = WIRE_MAGIC;
	*p++ = (uint8_t)m->type;
	*p++ = (uint8_t)size;
	*p++ = (uint8_t)(size >> 8);
	for (size_t i = 0; i < layout->count; i++) {
		const struct field *f = &layout->fields[i];
		if (!f->is_bytes) {
			p = put_varint(p, number_at(m, f->at));
			continue;
		}
		struct wire_bytes b = bytes_at(m, f->at);
		p = put_varint(p, b.size);
		if (b.size)
			memcpy(p, b.data, b.size);
		p += b.size;
	}
	uint32_t sum = wire_crc32(out + 1, (size_t)(p - out) - 1);
	for (int i = 0; i < 4; i++)
		*p++ = (uint8_t)(sum >> (8 * i));
	return whole;
}

/* ---- decoding -------------------------------------------------------------------------------------------- */

static const uint8_t *get_varint(const uint8_t *p, const uint8_t *end, uint64_t *n)
{
	*n = 0;
	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint8_t b = *p++;
		if (shift == 63 && b > 1)
			return NULL;
		*n |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return p;
	}
	return NULL;
}

static bool get_fields(const struct layout *layout, const uint8_t *p, const uint8_t *end, struct wire_message *m)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct field *f = &layout->fields[i];
		uint64_t n;
		p = get_varint(p, end, &n);
		if (!p)
			return false;
		if (!f->is_bytes) {
			memcpy((uint8_t *)m + f->at, &n, sizeof n);
			continue;
		}
		if (n > (uint64_t)(end - p))
			return false;
		struct wire_bytes b = {p, (size_t)n};
		memcpy((uint8_t *)m + f->at, &b, sizeof b);
		p += b.size;
	}
	return p == end;
}

enum wire_result wire_decode(const uint8_t *data, size_t size, struct wire_message *m, size_t *used)
{
	*used = 0;
	if (size < 1)
		return WIRE_MORE;
	if (data[0] != WIRE_MAGIC)
		return WIRE_BAD_MAGIC;
	if (size < 2)
		return WIRE_MORE;
	const struct layout *layout = layout_of(data[1]);
	if (!layout)
		return WIRE_BAD_TYPE;
	if (size < 4)
		return WIRE_MORE;
	size_t payload = data[2] | (size_t)data[3] << 8;
	if (size < payload + WIRE_OVERHEAD)
		return WIRE_MORE;
	const uint8_t *sum = data + 4 + payload;
	uint32_t want = sum[0] | (uint32_t)sum[1] << 8 | (uint32_t)sum[2] << 16 | (uint32_t)sum[3] << 24;
	if (wire_crc32(data + 1, payload + 3) != want)
		return WIRE_BAD_SUM;
	*m = (struct wire_message){.type = (enum wire_type)data[1]};
	if (!get_fields(layout, data + 4, data + 4 + payload, m))
		return WIRE_BAD_FIELD;
	*used = payload + WIRE_OVERHEAD;
	return WIRE_OK;
}

const char *wire_type_name(enum wire_type type)
{
	const struct layout *layout = layout_of(type);
	return layout ? layout->name : "?";
}

const char *wire_result_text(enum wire_result result)
{
	switch (result) {
	case WIRE_OK:
		return "a whole frame";
	case WIRE_MORE:
		return "the frame is cut off";
	case WIRE_BAD_MAGIC:
		return "no frame starts here";
	case WIRE_BAD_TYPE:
		return "a frame of an unknown type";
	case WIRE_BAD_SUM:
		return "a frame whose checksum does not match";
	case WIRE_BAD_FIELD:
		return "a frame whose fields do not fit its type";
	}
	return "?";
}

/* One nibble at a time: the agent sends too little for a bigger table to pay. */
uint32_t wire_crc32(const uint8_t *data, size_t size)
{
	static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158,
		0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	uint32_t crc = 0xffffffff;
	for (size_t i = 0; i < size; i++) {
		crc = table[(crc ^ data[i]) & 15] ^ crc >> 4;
		crc = table[(crc ^ (uint32_t)(data[i] >> 4)) & 15] ^ crc >> 4;
	}
	return ~crc;
}
