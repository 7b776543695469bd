#include <stdlib.h>
#include <string.h>

#include "engine/gdb.h"
#include "unit.h"

static const char talk[] = "+$qSupported:multiprocess+#c6+junk$m4010,8#96\x03$X0,2:}\x03}]#7a-$?#00$#00+";

static void gather(struct gdb *g, struct buf *out)
{
	enum gdb_result r;
	while ((r = gdb_next(g)) != GDB_MORE && r != GDB_BAD) {
		if (r == GDB_PACKET) {
			buf_str(out, "packet ");
			buf_hex(out, g->packet.data, g->packet.size);
			buf_char(out, ';');
		}
		buf_str(out, r == GDB_INTERRUPT ? "interrupt;" : r == GDB_DAMAGED ? "damaged;" : "");
	}
	buf_str(out, r == GDB_BAD ? "bad" : "");
}

static const char expected[] = "packet 71537570706f727465643a6d756c746970726f636573732b;packet 6d343031302c38;interrupt;"
			       "packet 58302c323a237d;damaged;packet ;";

static void split_at_every_byte(void)
{
	for (size_t cut = 0; cut < sizeof talk; cut++) {
		struct gdb g = {0};
		struct buf out = {0};
		gdb_feed(&g, talk, cut);
		gather(&g, &out);
		gdb_feed(&g, talk + cut, sizeof talk - 1 - cut);
		gather(&g, &out);
		CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", expected);
		buf_free(&out);
		gdb_finish(&g);
	}
}

static void endless_packets_are_refused(void)
{
	struct gdb g = {0};
	gdb_feed(&g, "$", 1);
	char *block = mem_alloc(GDB_PACKET_MAX);
	memset(block, 'a', GDB_PACKET_MAX);
	gdb_feed(&g, block, GDB_PACKET_MAX);
	CU_ASSERT_EQUAL(gdb_next(&g), GDB_MORE);
	gdb_feed(&g, block, 1);
	CU_ASSERT_EQUAL(gdb_next(&g), GDB_BAD);
	free(block);
	gdb_finish(&g);
}

static void what_is_put_is_read_back(void)
{
	char all[256];
	struct gdb g = {0};
	struct buf out = {0};
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	gdb_put(&out, all, sizeof all);
	gdb_feed(&g, out.data, out.size);
	CU_ASSERT_EQUAL(gdb_next(&g), GDB_PACKET);
	CU_ASSERT_EQUAL(g.packet.size, sizeof all);
	CU_ASSERT(g.packet.size == sizeof all && !memcmp(g.packet.data, all, sizeof all));
	buf_clear(&out);
	gdb_put(&out, "OK", 2);
	CU_ASSERT_STRING_EQUAL(out.data, "$OK#9a");
	buf_free(&out);
	gdb_finish(&g);
}

static void interrupts_are_seen_early(void)
{
	struct gdb g = {0};
	gdb_feed(&g, "$m0,\x03", 5);
	CU_ASSERT_FALSE(gdb_has_interrupt(&g));
	gdb_feed(&g, "#00\x03", 4);
	CU_ASSERT_TRUE(gdb_has_interrupt(&g));
	gdb_finish(&g);
}

static void numbers(void)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t value;
		char next;
	} rows[] = {{"4010,8", true, 0x4010, ','}, {"FfffFFFFffffffff", true, UINT64_MAX, 0}, {"10000000000000000", false, 0, 0},
		{"", false, 0, 0}, {",1", false, 0, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *at = rows[i].text, *end = at + strlen(at);
		uint64_t value;
		bool ok = gdb_number(&at, end, &value);
		CU_ASSERT_EQUAL(ok, rows[i].ok);
		CU_ASSERT(!ok || (value == rows[i].value && *at == rows[i].next));
	}
}

const struct test suite_gdb[] = {
	{"split at every byte", split_at_every_byte},
	{"endless packets are refused", endless_packets_are_refused},
	{"what is put is read back", what_is_put_is_read_back},
	{"interrupts are seen early", interrupts_are_seen_early},
	{"numbers", numbers},
	{0},
};
