/* The first byte says where the rest is cut in two: whole or in parts, gdb's bytes are the same packets. Each is put and read
 * back. */
#include <stdlib.h>
#include <string.h>
#include "engine/gdb.h"
#include "tests/fuzz/fuzz.h"

static void read_back(const struct buf *packet)
{
	struct gdb g = {0};
	struct buf out = {0};
	gdb_put(&out, packet->data, packet->size);
	gdb_feed(&g, out.data, out.size);
	enum gdb_result r = gdb_next(&g);
	if (r != GDB_BAD &&
		(r != GDB_PACKET || g.packet.size != packet->size ||
			(packet->size && memcmp(g.packet.data, packet->data, packet->size))))
		abort();
	buf_free(&out);
	gdb_finish(&g);
}

static enum gdb_result gather(struct gdb *g, struct buf *out)
{
	enum gdb_result r;
	while ((r = gdb_next(g)) != GDB_MORE && r != GDB_BAD) {
		buf_printf(out, "%d %zu ", (int)r, g->packet.size);
		if (r != GDB_PACKET)
			continue;
		buf_add(out, g->packet.data, g->packet.size);
		read_back(&g->packet);
	}
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	size_t cut = data[0] < size ? data[0] : size - 1;
	struct gdb whole = {0}, parts = {0};
	struct buf a = {0}, b = {0};
	data++;
	size--;
	gdb_feed(&whole, data, size);
	enum gdb_result end = gather(&whole, &a);
	gdb_feed(&parts, data, cut);
	enum gdb_result parts_end = gather(&parts, &b);
	if (parts_end != GDB_BAD) {
		gdb_feed(&parts, data + cut, size - cut);
		parts_end = gather(&parts, &b);
	}
	if (end != parts_end || a.size != b.size || (a.size && memcmp(a.data, b.data, a.size) != 0))
		abort();
	buf_free(&a);
	buf_free(&b);
	gdb_finish(&whole);
	gdb_finish(&parts);
	return 0;
}
