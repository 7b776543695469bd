/* gdb's packets taken apart, each by every parser; what is understood is within its limits. */
#include <stdlib.h>
#include <string.h>

#include "engine/gdbpacket.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *at = text;
	struct gdb_action list[GDB_ACTIONS_MAX];
	struct gdb_thread thread;
	struct gdb_point point;
	struct gdb_transfer transfer;
	struct buf out = {0};
	struct err err;
	size_t count;
	uint64_t a, b;
	if (gdb_parse_actions(text, size, list, &count, &err) && (!count || count > GDB_ACTIONS_MAX))
		abort();
	if (gdb_parse_thread(&at, text + size, &thread) && (at > text + size || thread.pid < -1 || thread.tid < -1))
		abort();
	if (gdb_parse_point(text, size, &point, &err) && (point.kind < '0' || point.kind > '4'))
		abort();
	if (gdb_parse_transfer(text, size, &transfer, &err) && transfer.object_size + transfer.annex_size >= size)
		abort();
	gdb_parse_range(text, size, &a, &b, &err);
	gdb_parse_signals(text, size, &a, &err);
	if (gdb_parse_hex(text, size, &out, &err) && out.size * 2 != size)
		abort();
	buf_free(&out);
	return 0;
}
