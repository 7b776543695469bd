#include "agent/wire.h"

#include <string.h>

/* ---- layouts: which fields a type has, in their order ---------------------------------------------------- */

enum { FIELDS_MAX = 16 };

struct field {
	size_t at;
	bool is_bytes;
};

#define N(name) \
	{ \
		offsetof(struct wire_message, name), false \
	}
#define B(name) \
	{ \
		offsetof(struct wire_message, name), true \
	}

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
	[WIRE_ENDING] = {"ending", 2, {N(vtime_ns), N(code)}},
	[WIRE_INPUT] = {"input", 5, {N(vtime_ns), N(node), N(invocation), N(value), B(bytes)}},
	[WIRE_RUN] = {"run", 5, {N(value), B(bytes), B(entropy), N(limit_ns), N(wait)}},
	[WIRE_NODE] = {"node", 12,
		{N(node), B(argv), B(env), B(cwd), N(uid), N(gid), N(ready), N(ready_value), B(ready_text), N(restart),
			N(delay_ns), N(wait)}},
	[WIRE_STDIN] = {"stdin", 6, {N(node), N(invocation), N(offset), N(code), B(bytes), N(delay_ns)}},
	[WIRE_TROUBLE] = {"trouble", 10,
		{N(fault), B(bytes), N(node), B(params), N(for_ns), N(trigger), N(trigger_value), N(trigger_of), N(trigger_nth),
			N(delay_ns)}},
	[WIRE_VISIT] = {"visit", 6, {N(node), B(argv), B(env), B(cwd), N(code), N(value)}},
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

/* One byte at a time: a run may say megabytes, and every instruction of it is emulated. */
uint32_t wire_crc32(const uint8_t *data, size_t size)
{
	static const uint32_t table[256] = {0x00000000, 0x77073096, 0xee0e612c, 0x990951ba, 0x076dc419, 0x706af48f, 0xe963a535,
		0x9e6495a3, 0x0edb8832, 0x79dcb8a4, 0xe0d5e91e, 0x97d2d988, 0x09b64c2b, 0x7eb17cbd, 0xe7b82d07, 0x90bf1d91,
		0x1db71064, 0x6ab020f2, 0xf3b97148, 0x84be41de, 0x1adad47d, 0x6ddde4eb, 0xf4d4b551, 0x83d385c7, 0x136c9856,
		0x646ba8c0, 0xfd62f97a, 0x8a65c9ec, 0x14015c4f, 0x63066cd9, 0xfa0f3d63, 0x8d080df5, 0x3b6e20c8, 0x4c69105e,
		0xd56041e4, 0xa2677172, 0x3c03e4d1, 0x4b04d447, 0xd20d85fd, 0xa50ab56b, 0x35b5a8fa, 0x42b2986c, 0xdbbbc9d6,
		0xacbcf940, 0x32d86ce3, 0x45df5c75, 0xdcd60dcf, 0xabd13d59, 0x26d930ac, 0x51de003a, 0xc8d75180, 0xbfd06116,
		0x21b4f4b5, 0x56b3c423, 0xcfba9599, 0xb8bda50f, 0x2802b89e, 0x5f058808, 0xc60cd9b2, 0xb10be924, 0x2f6f7c87,
		0x58684c11, 0xc1611dab, 0xb6662d3d, 0x76dc4190, 0x01db7106, 0x98d220bc, 0xefd5102a, 0x71b18589, 0x06b6b51f,
		0x9fbfe4a5, 0xe8b8d433, 0x7807c9a2, 0x0f00f934, 0x9609a88e, 0xe10e9818, 0x7f6a0dbb, 0x086d3d2d, 0x91646c97,
		0xe6635c01, 0x6b6b51f4, 0x1c6c6162, 0x856530d8, 0xf262004e, 0x6c0695ed, 0x1b01a57b, 0x8208f4c1, 0xf50fc457,
		0x65b0d9c6, 0x12b7e950, 0x8bbeb8ea, 0xfcb9887c, 0x62dd1ddf, 0x15da2d49, 0x8cd37cf3, 0xfbd44c65, 0x4db26158,
		0x3ab551ce, 0xa3bc0074, 0xd4bb30e2, 0x4adfa541, 0x3dd895d7, 0xa4d1c46d, 0xd3d6f4fb, 0x4369e96a, 0x346ed9fc,
		0xad678846, 0xda60b8d0, 0x44042d73, 0x33031de5, 0xaa0a4c5f, 0xdd0d7cc9, 0x5005713c, 0x270241aa, 0xbe0b1010,
		0xc90c2086, 0x5768b525, 0x206f85b3, 0xb966d409, 0xce61e49f, 0x5edef90e, 0x29d9c998, 0xb0d09822, 0xc7d7a8b4,
		0x59b33d17, 0x2eb40d81, 0xb7bd5c3b, 0xc0ba6cad, 0xedb88320, 0x9abfb3b6, 0x03b6e20c, 0x74b1d29a, 0xead54739,
		0x9dd277af, 0x04db2615, 0x73dc1683, 0xe3630b12, 0x94643b84, 0x0d6d6a3e, 0x7a6a5aa8, 0xe40ecf0b, 0x9309ff9d,
		0x0a00ae27, 0x7d079eb1, 0xf00f9344, 0x8708a3d2, 0x1e01f268, 0x6906c2fe, 0xf762575d, 0x806567cb, 0x196c3671,
		0x6e6b06e7, 0xfed41b76, 0x89d32be0, 0x10da7a5a, 0x67dd4acc, 0xf9b9df6f, 0x8ebeeff9, 0x17b7be43, 0x60b08ed5,
		0xd6d6a3e8, 0xa1d1937e, 0x38d8c2c4, 0x4fdff252, 0xd1bb67f1, 0xa6bc5767, 0x3fb506dd, 0x48b2364b, 0xd80d2bda,
		0xaf0a1b4c, 0x36034af6, 0x41047a60, 0xdf60efc3, 0xa867df55, 0x316e8eef, 0x4669be79, 0xcb61b38c, 0xbc66831a,
		0x256fd2a0, 0x5268e236, 0xcc0c7795, 0xbb0b4703, 0x220216b9, 0x5505262f, 0xc5ba3bbe, 0xb2bd0b28, 0x2bb45a92,
		0x5cb36a04, 0xc2d7ffa7, 0xb5d0cf31, 0x2cd99e8b, 0x5bdeae1d, 0x9b64c2b0, 0xec63f226, 0x756aa39c, 0x026d930a,
		0x9c0906a9, 0xeb0e363f, 0x72076785, 0x05005713, 0x95bf4a82, 0xe2b87a14, 0x7bb12bae, 0x0cb61b38, 0x92d28e9b,
		0xe5d5be0d, 0x7cdcefb7, 0x0bdbdf21, 0x86d3d2d4, 0xf1d4e242, 0x68ddb3f8, 0x1fda836e, 0x81be16cd, 0xf6b9265b,
		0x6fb077e1, 0x18b74777, 0x88085ae6, 0xff0f6a70, 0x66063bca, 0x11010b5c, 0x8f659eff, 0xf862ae69, 0x616bffd3,
		0x166ccf45, 0xa00ae278, 0xd70dd2ee, 0x4e048354, 0x3903b3c2, 0xa7672661, 0xd06016f7, 0x4969474d, 0x3e6e77db,
		0xaed16a4a, 0xd9d65adc, 0x40df0b66, 0x37d83bf0, 0xa9bcae53, 0xdebb9ec5, 0x47b2cf7f, 0x30b5ffe9, 0xbdbdf21c,
		0xcabac28a, 0x53b39330, 0x24b4a3a6, 0xbad03605, 0xcdd70693, 0x54de5729, 0x23d967bf, 0xb3667a2e, 0xc4614ab8,
		0x5d681b02, 0x2a6f2b94, 0xb40bbe37, 0xc30c8ea1, 0x5a05df1b, 0x2d02ef8d};
	uint32_t crc = 0xffffffff;
	for (size_t i = 0; i < size; i++)
		crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
	return ~crc;
}
