#include "engine/memory.h"
#include "unit.h"
#include <stdio.h>
#include <stdlib.h>

#define PRESENT 1u
#define WRITE   2u
#define USER    4u
#define LARGE   0x80u
#define NX      (UINT64_C(1) << 63)
#define RAM     (8u << 20)

/*
 * One top table at 0x1000. 0x400000: two small pages whose places in RAM are not neighbours, the next one is not there.
 * 0x600000: a page of 2 MiB at 4 MiB. 1 GiB: a page of 1 GiB at 0. The kernel's half: 2 MiB at 4 MiB, not executable.
 */
struct ram {
	unsigned char *bytes;
	struct stop stop;
	struct space space;
};

static void put(struct ram *r, uint64_t at, uint64_t value)
{
	memcpy(r->bytes + at, &value, 8);
}

static struct ram make(void)
{
	struct ram r = {.bytes = mem_alloc(RAM)};
	r.stop = (struct stop){.ram = r.bytes, .ram_size = RAM};
	r.stop.regs.cr3 = 0x1000 | 0x18; /* its low bits are flags */
	put(&r, 0x1000, 0x2000 | PRESENT | WRITE | USER);
	put(&r, 0x1000 + 511 * 8, 0x5000 | PRESENT | WRITE);
	put(&r, 0x2000, 0x3000 | PRESENT | WRITE | USER);
	put(&r, 0x2000 + 8, 0 | PRESENT | WRITE | USER | LARGE);
	put(&r, 0x3000 + 2 * 8, 0x4000 | PRESENT | WRITE | USER);
	put(&r, 0x3000 + 3 * 8, 0x400000 | PRESENT | USER | LARGE | NX);
	put(&r, 0x4000, 0x10000 | PRESENT | WRITE | USER);
	put(&r, 0x4000 + 8, 0x20000 | PRESENT | USER);
	put(&r, 0x5000 + 510 * 8, 0x6000 | PRESENT | WRITE);
	put(&r, 0x6000, 0x400000 | PRESENT | WRITE | LARGE | NX);
	put(&r, 0x6000 + 8, UINT64_C(0x40000000) | PRESENT | WRITE | LARGE); /* no RAM there */
	memcpy(r.bytes + 0x10ffa, "across", 6);
	memcpy(r.bytes + 0x20000, " pages", 7);
	memcpy(r.bytes + 0x20ffd, "end", 3);
	r.space.stop = &r.stop; /* the caller's copy sets it again */
	return r;
}

#define SETUP \
	struct ram r = make(); \
	r.space = memory_current(&r.stop)

static void pages_of_every_size_are_found(void)
{
	SETUP;
	struct memory_page page;
	CU_ASSERT_TRUE(memory_walk(&r.space, 0x400123, &page));
	CU_ASSERT_EQUAL(page.physical, 0x10123);
	CU_ASSERT_EQUAL(page.left, 0x1000 - 0x123);
	CU_ASSERT_EQUAL(page.flags, MEMORY_WRITE | MEMORY_USER | MEMORY_EXEC);
	CU_ASSERT_TRUE(memory_walk(&r.space, 0x401000, &page));
	CU_ASSERT_EQUAL(page.flags, MEMORY_USER | MEMORY_EXEC);
	CU_ASSERT_TRUE(memory_walk(&r.space, 0x7fffff, &page));
	CU_ASSERT_EQUAL(page.physical, 0x5fffff);
	CU_ASSERT_EQUAL(page.left, 1);
	CU_ASSERT_EQUAL(page.flags, MEMORY_USER);
	CU_ASSERT_TRUE(memory_walk(&r.space, 0x40000000 + 0x10ffa, &page));
	CU_ASSERT_EQUAL(page.physical, 0x10ffa);
	CU_ASSERT_TRUE(memory_walk(&r.space, 0xffffffff80000010, &page));
	CU_ASSERT_EQUAL(page.physical, 0x400010);
	CU_ASSERT_EQUAL(page.flags, MEMORY_WRITE);
	free(r.bytes);
}

static void what_is_not_there_is_not_made_up(void)
{
	SETUP;
	struct memory_page page;
	CU_ASSERT_FALSE(memory_walk(&r.space, 0x402000, &page));
	CU_ASSERT_FALSE(memory_walk(&r.space, 0x800000000000, &page));     /* not canonical */
	CU_ASSERT_FALSE(memory_walk(&r.space, 0xffff7fffffffffff, &page)); /* not canonical */
	CU_ASSERT_FALSE(memory_walk(&r.space, 0xffffffff80200000, &page)); /* mapped to no RAM */
	CU_ASSERT_FALSE(memory_walk(&r.space, 0x40000000 + RAM, &page));
	r.space.root = RAM; /* a top table outside RAM */
	CU_ASSERT_FALSE(memory_walk(&r.space, 0x400000, &page));
	CU_ASSERT_PTR_NULL(memory_physical(&r.stop, RAM - 4, 5));
	CU_ASSERT_PTR_NULL(memory_physical(&r.stop, UINT64_MAX, 2));
	CU_ASSERT_PTR_EQUAL(memory_physical(&r.stop, RAM - 4, 4), r.bytes + RAM - 4);
	free(r.bytes);
}

static void reading_crosses_pages(void)
{
	SETUP;
	char text[32];
	struct err err = {0};
	CU_ASSERT_TRUE(memory_read(&r.space, 0x400ffa, text, 13, &err));
	CU_ASSERT_STRING_EQUAL(text, "across pages");
	CU_ASSERT_EQUAL(memory_read_some(&r.space, 0x401ffd, text, 10), 3);
	CU_ASSERT_FALSE(memory_read(&r.space, 0x401ffd, text, 10, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "0x402000 is not in memory (asked for 10 bytes from 0x401ffd)");
	CU_ASSERT_EQUAL(memory_read_some(&r.space, UINT64_MAX - 1, text, 4), 0);
	CU_ASSERT_EQUAL(memory_read_some(&r.space, 0x40000000 + RAM - 3, text, 10), 3); /* a page of 1 GiB over less RAM */
	free(r.bytes);
}

static void strings_end(void)
{
	SETUP;
	char text[32];
	CU_ASSERT_EQUAL(memory_read_str(&r.space, 0x400ffa, text, sizeof text), 12);
	CU_ASSERT_STRING_EQUAL(text, "across pages");
	CU_ASSERT_EQUAL(memory_read_str(&r.space, 0x400ffa, text, 5), 4);
	CU_ASSERT_STRING_EQUAL(text, "acro");
	CU_ASSERT_EQUAL(memory_read_str(&r.space, 0x401ffd, text, sizeof text), 3); /* the page ends before the string does */
	CU_ASSERT_STRING_EQUAL(text, "end");
	CU_ASSERT_EQUAL(memory_read_str(&r.space, 0x402000, text, sizeof text), -1);
	CU_ASSERT_EQUAL(memory_read_str(&r.space, 0x400000, text, sizeof text), 0); /* empty */
	free(r.bytes);
}

static void dump_shows_holes(void)
{
	SETUP;
	struct buf out = {0};
	memory_print(&r.space, 0x401ff8, 18, &out);
	char expected[300];
	snprintf(expected, sizeof expected,
		"0x0000000000401ff8  00 00 00 00 00 65 6e 64  -- -- -- -- -- -- -- --  .....end%8s\n0x0000000000402008  -- "
		"--%47s\n",
		"", "");
	CU_ASSERT_STRING_EQUAL(out.data, expected);
	buf_free(&out);
	free(r.bytes);
}

struct seen {
	uint64_t rows[16][3];
	size_t count;
};

static void see(void *data, uint64_t virtual, uint64_t physical, uint64_t size)
{
	struct seen *s = data;
	if (s->count < 16)
		memcpy(s->rows[s->count], (uint64_t[]){virtual, physical, size}, sizeof *s->rows);
	s->count++;
}

static void mapped_pages_are_listed(void)
{
	SETUP;
	static const uint64_t expected[][3] = {{0x400000, 0x10000, 0x1000}, {0x401000, 0x20000, 0x1000},
		{0x600000, 0x400000, 0x200000}, {0x40000000, 0, 0x40000000}, {UINT64_C(0xffffffff80000000), 0x400000, 0x200000}};
	struct seen seen = {0};
	memory_each(&r.space, 0, UINT64_MAX, see, &seen);
	CU_ASSERT_EQUAL(seen.count, 5);
	CU_ASSERT_EQUAL(memcmp(seen.rows, expected, sizeof expected), 0);
	/* Both ends are included. */
	seen.count = 0;
	memory_each(&r.space, 0x401000, 0x600000, see, &seen);
	CU_ASSERT_EQUAL(seen.count, 2);
	CU_ASSERT_EQUAL(memcmp(seen.rows, expected + 1, 2 * sizeof *expected), 0);
	seen.count = 0;
	memory_each(&r.space, 0x401001, 0x5fffff, see, &seen);
	CU_ASSERT_EQUAL(seen.count, 0);
	/* A table that is its own table at every level is not followed for ever. */
	for (size_t i = 0; i < 512; i++)
		put(&r, 0x1000 + i * 8, 0x1000 | PRESENT);
	memory_each(&r.space, 0, UINT64_MAX, see, &seen);
	CU_ASSERT_TRUE(seen.count > 0 && seen.count <= MEMORY_EACH_MAX);
	/* Tables outside RAM. */
	put(&r, 0x1000, UINT64_C(0x7ffffffff000) | PRESENT);
	seen.count = 0;
	memory_each(&r.space, 0, 0x7fffffffff, see, &seen);
	CU_ASSERT_EQUAL(seen.count, 0);
	free(r.bytes);
}

const struct test suite_memory[] = {{"mapped pages are listed", mapped_pages_are_listed},
	{"pages of every size are found", pages_of_every_size_are_found},
	{"what is not there is not made up", what_is_not_there_is_not_made_up}, {"reading crosses pages", reading_crosses_pages},
	{"strings end", strings_end}, {"a dump shows holes", dump_shows_holes}, {0}};
