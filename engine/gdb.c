#include "engine/gdb.h"

#include <string.h>

#include "engine/text.h"

enum { ESCAPE = 0x7d, ESCAPE_XOR = 0x20, INTERRUPT = 0x03, SUM_SIZE = 2 };

void gdb_finish(struct gdb *g)
{
	buf_free(&g->in);
	buf_free(&g->packet);
}

void gdb_feed(struct gdb *g, const void *bytes, size_t size)
{
	buf_add(&g->in, bytes, size);
}

/* Without its escapes, if the sum is right. */
static enum gdb_result take(struct gdb *g, const char *data, size_t size)
{
	unsigned sum = 0;
	int high = text_hex_digit(data[size + 1]), low = text_hex_digit(data[size + 2]);
	buf_clear(&g->packet);
	for (size_t i = 0; i < size; i++) {
		sum += (unsigned char)data[i];
		if (data[i] != ESCAPE) {
			buf_char(&g->packet, data[i]);
		} else if (i + 1 < size) {
			sum += (unsigned char)data[++i];
			buf_char(&g->packet, (char)(data[i] ^ ESCAPE_XOR));
		}
	}
	buf_add(&g->packet, "", 0); /* so that an empty one is a string, too */
	return high >= 0 && low >= 0 && (sum & 0xff) == (unsigned)(high << 4 | low) ? GDB_PACKET : GDB_DAMAGED;
}

enum gdb_result gdb_next(struct gdb *g)
{
	size_t skip = 0;
	while (skip < g->in.size && g->in.data[skip] != '$' && g->in.data[skip] != INTERRUPT)
		skip++;
	buf_drop(&g->in, skip);
	if (!g->in.size)
		return GDB_MORE;
	if (g->in.data[0] == INTERRUPT) {
		buf_drop(&g->in, 1);
		return GDB_INTERRUPT;
	}
	const char *data = g->in.data + 1, *hash = memchr(data, '#', g->in.size - 1);
	size_t size = hash ? (size_t)(hash - data) : g->in.size - 1;
	if (size > GDB_PACKET_MAX)
		return GDB_BAD;
	if (!hash || g->in.size < 1 + size + 1 + SUM_SIZE)
		return GDB_MORE;
	enum gdb_result result = take(g, data, size);
	buf_drop(&g->in, 1 + size + 1 + SUM_SIZE);
	return result;
}

bool gdb_has_interrupt(const struct gdb *g)
{
	bool inside = false;
	for (size_t i = 0; i < g->in.size; i++) {
		char c = g->in.data[i];
		if (!inside && c == INTERRUPT)
			return true;
		inside = inside ? c != '#' : c == '$';
	}
	return false;
}

void gdb_put(struct buf *out, const void *data, size_t size)
{
	const char *bytes = data;
	unsigned sum = 0;
	buf_char(out, '$');
	size_t start = out->size;
	for (size_t i = 0; i < size; i++) {
		bool special = bytes[i] == '$' || bytes[i] == '#' || bytes[i] == '*' || bytes[i] == ESCAPE;
		if (special)
			buf_char(out, ESCAPE);
		buf_char(out, special ? (char)(bytes[i] ^ ESCAPE_XOR) : bytes[i]);
	}
	for (size_t i = start; i < out->size; i++)
		sum += (unsigned char)out->data[i];
	buf_printf(out, "#%02x", sum & 0xff);
}

bool gdb_number(const char **at, const char *end, uint64_t *ret)
{
	const char *start = *at;
	uint64_t value = 0;
	for (; *at < end && text_hex_digit(**at) >= 0; ++*at) {
		if (*at - start == 16)
			return false;
		value = value << 4 | (uint64_t)text_hex_digit(**at);
	}
	*ret = value;
	return *at > start;
}
