#include "engine/statediff.h"
#include "made_guest.h"
#include "unit.h"

static void name(void *data, uint32_t pid, uint64_t address, struct buf *out)
{
	(void)data;
	if (address % MEMORY_PAGE >= 0x100 && address % MEMORY_PAGE < 0x200)
		buf_printf(out, "%s+0x%x", pid ? "count" : "jiffies", (unsigned)(address % MEMORY_PAGE - 0x100));
}

/* The text about two guests, whose owners are looked up now. */
static struct buf text(struct made_guest *a, struct made_guest *b, bool apart)
{
	struct buf out = {0};
	struct err err = {0};
	made_guest_owners(a);
	made_guest_owners(b);
	struct statediff_side before = {.ram = &a->ram, .owners = a->owners}, after = {.ram = &b->ram, .owners = b->owners};
	before.regs.gpr[0] = 0; /* the same in all but one */
	after.regs.rip = b->stop.regs.rip;
	CU_ASSERT_TRUE(statediff_print(&before, &after, apart, name, NULL, &out, &err));
	buf_str(&out, "");
	return out;
}

#define SETUP(heap) \
	struct made_guest a, b; \
	made_guest_init(&a, GUEST_HEAP); \
	made_guest_init(&b, heap)

static void finish(struct made_guest *a, struct made_guest *b, struct buf *out)
{
	made_guest_finish(a);
	made_guest_finish(b);
	buf_free(out);
}

static void equal_states_say_so(void)
{
	SETUP(GUEST_HEAP);
	struct buf out = text(&a, &b, false);
	CU_ASSERT_STRING_EQUAL(out.data,
		"registers: 0 differ\npages: 0 of 1024 differ\nthe two are equal: the same registers, the same memory\n");
	finish(&a, &b, &out);
}

static void each_difference_is_somebody_s(void)
{
	SETUP(GUEST_HEAP);
	memset(b.ram.map + 0x20000, 1, 5);
	memset(b.ram.map + 0x22000, 1, 7);
	memset(b.ram.map + 0x1f100, 1, 40); /* the stack: shared, and without names */
	b.ram.map[0x10104] = 1;             /* the kernel */
	memset(b.ram.map + 0x51000, 1, 3);  /* a stack in it */
	memset(b.ram.map + 0x62000, 1, 20); /* objects */
	b.ram.map[0x64000] = 1;             /* a file */
	b.ram.map[0x70000] = 1;             /* a page table of nobody */
	memset(b.ram.map + 0x34000, 1, 99); /* free */
	struct buf out = text(&a, &b, false);
	CU_ASSERT_STRING_EQUAL(out.data,
		"registers: 0 differ\n"
		"pages: 9 of 1024 differ\n"
		"  server[7]: 3 pages, 52 bytes\n"
		"    [stack]: 1 page, 40 bytes\n"
		"      0x5ff000 40 bytes, shared\n"
		"    [heap]: 2 pages, 12 bytes\n"
		"      0x402000 7 bytes\n"
		"      0x400000 5 bytes\n"
		"  objects of the kernel: 1 page, 20 bytes\n"
		"    dentry: 1 page, 20 bytes\n"
		"  stacks of processes in the kernel: 1 page, 3 bytes\n"
		"    server[7]: 1 page, 3 bytes\n"
		"  the kernel's code and data: 1 page, 1 byte\n"
		"    0xffffffff80000000 1 byte: jiffies+0x4\n"
		"  files in memory: 1 page, 1 byte\n"
		"    /dir/file: 1 page, 1 byte\n"
		"  page tables: 1 page, 1 byte\n"
		"  free memory: 1 page, 99 bytes\n");
	finish(&a, &b, &out);
}

static void a_page_elsewhere_in_memory_is_the_same(void)
{
	SETUP(GUEST_HEAP);
	memset(a.ram.map + 0x21000, 5, MEMORY_PAGE);
	memset(b.ram.map + 0x80000, 5, MEMORY_PAGE);
	b.ram.map[0x80000 + 0x108] = 6;
	made_guest_put(&b, 0xa000 + 8, 0x80000 | 7); /* the second page of the heap */
	struct buf out = text(&a, &b, false);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(out.data, "  server[7]: 1 page, 1 byte\n    [heap]: 1 page, 1 byte\n      0x401000 1 byte\n"));
	finish(&a, &b, &out);
}

static void what_is_mapped_once_is_counted(void)
{
	SETUP(GUEST_HEAP);
	memset(a.ram.map + 0x21000, 5, 9);
	made_guest_put(&b, 0xa000 + 8, 0);
	memset(b.ram.map + 0x81000, 5, 9);
	made_guest_put(&b, 0xa000 + 100 * 8, 0x81000 | 7);
	struct buf out = text(&a, &b, false);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "  server[7]: 1 mapped only in the first, 1 mapped only in the second\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "    [heap]: 1 mapped only in the first\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "    (anonymous): 1 mapped only in the second\n"));
	finish(&a, &b, &out);
}

/* In another run the heap lies five pages higher. */
static void what_has_moved_is_found(void)
{
	SETUP(GUEST_HEAP + 0x5000);
	for (uint64_t i = 0; i < GUEST_PAGES; i++) {
		made_guest_put(&a, 0x20000 + i * 4096 + 64, GUEST_HEAP + i * 8);
		made_guest_put(&b, 0x20000 + i * 4096 + 64, GUEST_HEAP + 0x5000 + i * 8);
	}
	b.ram.map[0x23108] = 1;
	struct buf out = text(&a, &b, true);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data,
		"  server[7]: 1 page, 1 byte\n    [heap]: 1 page, 1 byte\n"
		"      0x403000 -> 0x408000 1 byte\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "  (20 pointers to what has moved, at the same place of it, are not counted)\n"));
	finish(&a, &b, &out);
}

static void what_is_shown_has_bounds(void)
{
	SETUP(GUEST_HEAP);
	for (uint64_t i = 0; i < GUEST_PAGES; i++)
		memset(b.ram.map + 0x20000 + i * 4096, 1, i + 1);
	struct buf out = text(&a, &b, false);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(out.data, "    [heap]: 20 pages, 210 bytes\n      0x413000 20 bytes\n      0x412000 19 bytes\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "      0x40c000 13 bytes\n      (12 more)\n"));
	CU_ASSERT_PTR_NULL(strstr(out.data, "12 bytes\n"));
	finish(&a, &b, &out);
}

static void machines_of_other_sizes_are_refused(void)
{
	struct made_guest a;
	struct ram small;
	struct buf out = {0};
	struct err err = {0};
	made_guest_init(&a, GUEST_HEAP);
	made_guest_owners(&a);
	CU_ASSERT_TRUE_FATAL(ram_create(&small, RAM_PAGE, &err));
	struct statediff_side before = {.ram = &a.ram, .owners = a.owners}, after = {.ram = &small, .owners = a.owners};
	CU_ASSERT_FALSE(statediff_print(&before, &after, true, name, NULL, &out, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	ram_finish(&small);
	made_guest_finish(&a);
	buf_free(&out);
}

const struct test suite_statediff[] = {{"equal states say so", equal_states_say_so},
	{"each difference is somebody's", each_difference_is_somebody_s},
	{"a page elsewhere in memory is the same", a_page_elsewhere_in_memory_is_the_same},
	{"what is mapped once is counted", what_is_mapped_once_is_counted}, {"what has moved is found", what_has_moved_is_found},
	{"what is shown has bounds", what_is_shown_has_bounds},
	{"machines of other sizes are refused", machines_of_other_sizes_are_refused}, {0}};
