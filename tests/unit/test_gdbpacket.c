#include <stdlib.h>
#include <string.h>

#include "engine/gdbpacket.h"
#include "unit.h"

/* A parser reads every beginning of a text as well: from memory that ends there. */
#define EVERY_BEGINNING(text, call) \
	for (size_t size = 0; size <= strlen(text); size++) { \
		char *part = mem_alloc(size + 1); \
		memcpy(part, text, size); \
		char *exact = memcpy(mem_alloc(size ? size : 1), part, size); \
		call; \
		free(exact); \
		free(part); \
	}

static void threads(void)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t pid, tid;
	} rows[] = {{"p1f.2", true, 0x1f, 2}, {"p1.-1", true, 1, -1}, {"p-1.-1", true, -1, -1}, {"p7", true, 7, -1},
		{"55", true, 0, 0x55}, {"0", true, 0, 0}, {"-1", true, 0, -1}, {"", false, 0, 0}, {"p", false, 0, 0},
		{"p1.", false, 0, 0}, {"-2", false, 0, 0}, {"100000000", false, 0, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gdb_thread t;
		const char *at = rows[i].text, *end = at + strlen(at);
		bool ok = gdb_parse_thread(&at, end, &t);
		CU_ASSERT_EQUAL(ok, rows[i].ok);
		CU_ASSERT(!ok || (at == end && t.pid == rows[i].pid && t.tid == rows[i].tid));
	}
}

static void actions(void)
{
	static const char text[] = "r401000,401008:p55.56;C0b:p55.57;c";
	struct gdb_action list[GDB_ACTIONS_MAX];
	struct err err;
	size_t count;
	CU_ASSERT_TRUE(gdb_parse_actions(text, strlen(text), list, &count, &err));
	CU_ASSERT_EQUAL(count, 3);
	CU_ASSERT(list[0].kind == 'r' && list[0].low == 0x401000 && list[0].high == 0x401008 && list[0].thread.tid == 0x56);
	CU_ASSERT(list[1].kind == 'c' && list[1].has_signal && list[1].signal == 11 && list[1].thread.pid == 0x55);
	CU_ASSERT(list[2].kind == 'c' && !list[2].has_thread && !list[2].has_signal);
	EVERY_BEGINNING(text, gdb_parse_actions(exact, size, list, &count, &err));
	static const char *const bad[] = {"", ";", "c;", "t", "c:", "c:p1.2x", "r1", "r1,", "r2,1", "C", "C100", "s1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CU_ASSERT_FALSE(gdb_parse_actions(bad[i], strlen(bad[i]), list, &count, &err));
	struct buf many = {0};
	for (int i = 0; i < GDB_ACTIONS_MAX; i++)
		buf_str(&many, i ? ";c" : "c");
	CU_ASSERT_TRUE(gdb_parse_actions(many.data, many.size, list, &count, &err));
	buf_str(&many, ";c");
	CU_ASSERT_FALSE(gdb_parse_actions(many.data, many.size, list, &count, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "expected at most 64 actions");
	buf_free(&many);
}

static void points(void)
{
	static const char text[] = "Z3,7fffffffe000,8;X1,0";
	struct gdb_point p;
	struct err err;
	CU_ASSERT_TRUE(gdb_parse_point(text, strlen(text), &p, &err));
	CU_ASSERT(p.insert && p.kind == '3' && p.address == 0x7fffffffe000 && p.size == 8);
	CU_ASSERT_TRUE(gdb_parse_point("z0,401000,1", 11, &p, &err));
	CU_ASSERT(!p.insert && p.kind == '0' && p.address == 0x401000 && p.size == 1);
	EVERY_BEGINNING(text, gdb_parse_point(exact, size, &p, &err));
	static const char *const bad[] = {"", "Z", "Z0", "Z5,1,1", "Z0,", "Z0,1", "Z0,1,", "Z0,1,1x", "Y0,1,1", "Z0;1,1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CU_ASSERT_FALSE(gdb_parse_point(bad[i], strlen(bad[i]), &p, &err));
}

static void transfers(void)
{
	static const char text[] = "features:read:target.xml:0,ffb";
	struct gdb_transfer x;
	struct err err;
	CU_ASSERT_TRUE(gdb_parse_transfer(text, strlen(text), &x, &err));
	CU_ASSERT(
		x.object_size == 8 && !memcmp(x.object, "features", 8) && x.annex_size == 10 && x.offset == 0 && x.size == 0xffb);
	CU_ASSERT_TRUE(gdb_parse_transfer("auxv:read::10,20", 16, &x, &err));
	CU_ASSERT(x.annex_size == 0 && x.offset == 0x10 && x.size == 0x20);
	EVERY_BEGINNING(text, gdb_parse_transfer(exact, size, &x, &err));
	static const char *const bad[] = {"", ":", "auxv", "auxv:", "auxv:write::0,1",
		"auxv:read:", "auxv:read::", "auxv:read::0", "auxv:read::0,", "auxv:read:0,1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CU_ASSERT_FALSE(gdb_parse_transfer(bad[i], strlen(bad[i]), &x, &err));
}

static void signals(void)
{
	uint64_t set;
	struct err err;
	/* SIGALRM, SIGUSR1 and SIGCHLD as gdb counts them; one that Linux has not. */
	CU_ASSERT_TRUE(gdb_parse_signals("e;1e;14;7", 9, &set, &err));
	CU_ASSERT_EQUAL(set, UINT64_C(1) << 13 | UINT64_C(1) << 9 | UINT64_C(1) << 16);
	CU_ASSERT_TRUE(gdb_parse_signals("", 0, &set, &err));
	CU_ASSERT_EQUAL(set, 0);
	CU_ASSERT_FALSE(gdb_parse_signals("e;;", 3, &set, &err));
	CU_ASSERT_FALSE(gdb_parse_signals("e,1", 3, &set, &err));
	CU_ASSERT_EQUAL(gdb_signal_of_linux(11), 11);
	CU_ASSERT_EQUAL(gdb_signal_of_linux(7), 10);
	CU_ASSERT_EQUAL(gdb_signal_of_linux(34), 46);
	CU_ASSERT_EQUAL(gdb_signal_of_linux(64), 78);
	CU_ASSERT_EQUAL(gdb_signal_of_linux(65), 143);
	CU_ASSERT_EQUAL(gdb_signal_of_linux(16), 143);
	CU_ASSERT_EQUAL(gdb_signal_to_linux(143), 0);
	for (int i = 0; i <= 64; i++)
		CU_ASSERT(i == 16 || gdb_signal_to_linux(gdb_signal_of_linux(i)) == i);
}

static void bytes(void)
{
	struct buf out = {0};
	struct err err;
	CU_ASSERT_TRUE(gdb_parse_hex("676f746f20656e64", 16, &out, &err));
	CU_ASSERT_STRING_EQUAL(out.data, "goto end");
	CU_ASSERT_FALSE(gdb_parse_hex("676", 3, &out, &err));
	CU_ASSERT_FALSE(gdb_parse_hex("6x", 2, &out, &err));
	uint64_t at, size;
	CU_ASSERT_TRUE(gdb_parse_range("10,ff", 5, &at, &size, &err));
	CU_ASSERT(at == 0x10 && size == 0xff);
	CU_ASSERT_FALSE(gdb_parse_range("10,ff,", 6, &at, &size, &err));
	CU_ASSERT_FALSE(gdb_parse_range("10", 2, &at, &size, &err));
	buf_free(&out);
}

const struct test suite_gdbpacket[] = {
	{"threads", threads},
	{"actions of vCont", actions},
	{"breakpoints and watchpoints", points},
	{"what is read in pieces", transfers},
	{"signals", signals},
	{"bytes and ranges", bytes},
	{0},
};
