#include "engine/kpages.h"
#include "made_guest.h"
#include "unit.h"

static void is(const struct made_guest *g, uint64_t page, enum owner_kind kind, uint32_t pid, uint64_t address, const char *map)
{
	const struct owner *o = owners_of(g->owners, page);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	CU_ASSERT_EQUAL(o->kind, kind);
	CU_ASSERT_EQUAL(o->pid, pid);
	CU_ASSERT_EQUAL(o->address, address);
	CU_ASSERT_EQUAL(o->page, page);
	CU_ASSERT_STRING_EQUAL(o->map, map);
}

static void every_page_has_an_owner(void)
{
	struct made_guest g;
	size_t count, kinds[OWNER_FREE + 1] = {0};
	made_guest_init(&g, GUEST_HEAP);
	made_guest_owners(&g);
	is(&g, 0x10, OWNER_KERNEL, 0, GUEST_IMAGE, "");
	is(&g, 0x20, OWNER_PROCESS, 7, GUEST_HEAP, "[heap]");
	is(&g, 0x33, OWNER_PROCESS, 7, GUEST_HEAP + 0x13000, "[heap]");
	is(&g, 0x34, OWNER_FREE, 0, 0, "");
	is(&g, 0x50, OWNER_STACK, 7, GUEST_DIRECT + 0x50000, "");
	is(&g, 0x53, OWNER_STACK, 7, GUEST_DIRECT + 0x53000, "");
	is(&g, 0x54, OWNER_FREE, 0, 0, "");
	is(&g, 0x62, OWNER_SLAB, 0, 0, "dentry");
	is(&g, 0x63, OWNER_SLAB, 0, 0, "dentry"); /* a part of the page before */
	is(&g, 0x64, OWNER_FILE, 0, 0, "/dir/file");
	is(&g, 0x70, OWNER_TABLES, 0, 0, "");
	is(&g, 0x71, OWNER_OTHER, 0, 0, "");
	CU_ASSERT_STRING_EQUAL(owners_of(g.owners, 0x50)->name, "server");
	CU_ASSERT_PTR_NULL(owners_of(g.owners, GUEST_RAM / MEMORY_PAGE));
	CU_ASSERT_PTR_NULL(owners_of(g.owners, UINT64_MAX));
	const struct owner *list = owners_list(g.owners, &count);
	CU_ASSERT_EQUAL(count, GUEST_RAM / MEMORY_PAGE);
	for (size_t i = 0; i < count; i++)
		kinds[list[i].kind]++;
	CU_ASSERT_EQUAL(kinds[OWNER_PROCESS], GUEST_PAGES + 1);
	CU_ASSERT_EQUAL(kinds[OWNER_KERNEL], 1);
	CU_ASSERT_EQUAL(kinds[OWNER_STACK], 4);
	made_guest_finish(&g);
}

static void a_shared_page_is_the_first_process_s(void)
{
	struct made_guest g;
	made_guest_init(&g, GUEST_HEAP);
	made_guest_owners(&g);
	is(&g, 0x1f, OWNER_PROCESS, 7, GUEST_STACK, "[stack]");
	CU_ASSERT_TRUE(owners_of(g.owners, 0x1f)->shared);
	CU_ASSERT_FALSE(owners_of(g.owners, 0x20)->shared);
	made_guest_finish(&g);
	/* With the first gone it is the other's, who has no map of it. */
	made_guest_init(&g, GUEST_HEAP);
	g.processes[0].mm = 0;
	made_guest_owners(&g);
	is(&g, 0x1f, OWNER_PROCESS, 9, 0x400000, "");
	CU_ASSERT_FALSE(owners_of(g.owners, 0x1f)->shared);
	made_guest_finish(&g);
}

static void places_in_mappings(void)
{
	struct made_guest g;
	made_guest_init(&g, GUEST_HEAP + 0x5000);
	made_guest_owners(&g);
	CU_ASSERT_EQUAL(owners_of(g.owners, 0x23)->offset, 0x3000);
	CU_ASSERT_EQUAL(owners_of(g.owners, 0x23)->address, GUEST_HEAP + 0x8000);
	CU_ASSERT_EQUAL(owners_of(g.owners, 0x1f)->offset, 0x1000); /* a stack's from its end */
	made_guest_finish(&g);
}

/* What the kernel says of its pages may be anything. */
static void damaged_records_are_survived(void)
{
	struct made_guest g;
	char name[KPAGES_NAME_MAX];
	made_guest_init(&g, GUEST_HEAP);
	made_guest_set(&g, 0x67000, LAYOUT_DENTRY_PARENT, GUEST_DIRECT + 0x68000);
	made_guest_set(&g, 0x68000, LAYOUT_DENTRY_PARENT, GUEST_DIRECT + 0x67000); /* round in circles */
	memcpy(g.ram.map + 0x61000, "a\033[2J", 6);                                /* no name of a cache */
	made_guest_owners(&g);
	is(&g, 0x62, OWNER_OTHER, 0, 0, owners_of(g.owners, 0x62)->map);
	CU_ASSERT_EQUAL(kpages_of(&g.guest, 0x64, name), KPAGES_FILE);
	CU_ASSERT_TRUE(strlen(name) > 100 && strlen(name) < KPAGES_NAME_MAX);
	made_guest_page(&g, 0x64, LAYOUT_PAGE_MAPPING, 0xdead0000);
	CU_ASSERT_EQUAL(kpages_of(&g.guest, 0x64, name), KPAGES_OTHER);
	made_guest_page(&g, 0x64, LAYOUT_PAGE_HEAD, 0xdead0001);
	CU_ASSERT_EQUAL(kpages_of(&g.guest, 0x64, name), KPAGES_FREE);
	g.layout.has_pages = false;
	CU_ASSERT_EQUAL(kpages_of(&g.guest, 0x63, name), KPAGES_OTHER);
	CU_ASSERT_EQUAL(kpages_of(&g.guest, UINT32_MAX, name), KPAGES_OTHER);
	made_guest_finish(&g);
}

const struct test suite_owners[] = {{"every page has an owner", every_page_has_an_owner},
	{"a shared page is the first process's", a_shared_page_is_the_first_process_s},
	{"places in mappings", places_in_mappings}, {"damaged records are survived", damaged_records_are_survived}, {0}};
