/*
 * A stopped machine with a kernel made by hand: two processes, page tables, an object cache and a cached file. Every member of
 * the layout lies at a place of its own (its number times 8), so that any address can be any struct.
 */
#ifndef TESTS_UNIT_MADE_GUEST_H
#define TESTS_UNIT_MADE_GUEST_H

#include <stdlib.h>

#include "engine/owners.h"
#include "engine/ram.h"
#include "sample_kallsyms.h"

#define GUEST_RAM    (4u << 20)
#define GUEST_DIRECT UINT64_C(0xffff888000000000) /* all memory, as the kernel sees it */
#define GUEST_IMAGE  UINT64_C(0xffffffff80000000) /* one page of the kernel's data, at 0x10000 */
#define GUEST_HEAP   UINT64_C(0x400000)           /* of process 7: pages from 0x20000 */
#define GUEST_STACK  UINT64_C(0x5ff000)           /* of process 7: at 0x1f000; process 9 maps it too, at 0x400000 */
#define GUEST_PAGES  20                           /* of the heap */

struct made_guest {
	struct ram ram;
	struct stop stop;
	struct layout layout;
	struct guest guest;
	struct thread threads[2];
	struct process processes[2];
	struct process_list list;
	struct owners *owners; /* by made_guest_owners */
};

static inline void made_guest_put(struct made_guest *g, uint64_t at, uint64_t value)
{
	memcpy(g->ram.map + at, &value, sizeof value);
}

/* A member of the struct at a physical address. */
static inline void made_guest_set(struct made_guest *g, uint64_t at, enum layout_member member, uint64_t value)
{
	made_guest_put(g, at + g->layout.members[member].offset, value);
}

/* A member of the struct page of a page. */
static inline void made_guest_page(struct made_guest *g, uint64_t number, enum layout_member member, uint64_t value)
{
	made_guest_set(g, (g->layout.vmemmap - GUEST_DIRECT) + number * g->layout.page_size, member, value);
}

/* Four levels of tables one behind the other from `top`, for 2 MiB from a user address; the last one is at top + 0x3000. */
static inline void made_guest_tables(struct made_guest *g, uint64_t top)
{
	made_guest_put(g, top, (top + 0x1000) | 7);
	made_guest_put(g, top + 0x1000, (top + 0x2000) | 7);
	made_guest_put(g, top + 0x2000 + 2 * 8, (top + 0x3000) | 7);
}

static inline void made_guest_vma(struct made_guest *g, uint64_t slot, uint64_t at, uint64_t start, uint64_t end)
{
	made_guest_set(g, at, LAYOUT_VMA_START, start);
	made_guest_set(g, at, LAYOUT_VMA_END, end);
	made_guest_put(g, 0x44008 + slot * 8, end - 1);
	made_guest_put(g, 0x44080 + slot * 8, GUEST_DIRECT + at);
}

static inline void made_guest_process(struct made_guest *g, size_t i, uint32_t pid, const char *name, uint64_t at, uint64_t top)
{
	struct process *p = &g->processes[i];
	g->threads[i] = (struct thread){.task = GUEST_DIRECT + at, .id = pid};
	*p = (struct process){.task = GUEST_DIRECT + at,
		.mm = GUEST_DIRECT + at + 0x1000,
		.pid = pid,
		.threads = &g->threads[i],
		.thread_count = 1};
	memcpy(p->name, name, strlen(name));
	made_guest_set(g, at + 0x1000, LAYOUT_MM_PGD, GUEST_DIRECT + top);
	made_guest_tables(g, top);
}

/* heap: where process 7 has its heap, in whole pages below the stack. */
static inline void made_guest_init(struct made_guest *g, uint64_t heap)
{
	struct err err = {0};
	struct buf symbols = sample_kallsyms(SAMPLE_SEQUENCES);
	*g = (struct made_guest){0};
	if (!ram_create(&g->ram, GUEST_RAM, &err))
		abort();
	g->layout.ksyms = ksyms_create(symbols.data, symbols.size, &err);
	if (!g->layout.ksyms)
		abort();
	buf_free(&symbols);
	for (uint32_t i = 0; i < LAYOUT_MEMBER_COUNT; i++)
		g->layout.members[i] = (struct type_member){.offset = i * 8, .size = 8};
	g->layout.members[LAYOUT_MAPLE64_PIVOT].offset = 8;
	g->layout.members[LAYOUT_MAPLE64_SLOT].offset = 0x80;
	g->layout.page_size = 2048;
	g->layout.vmemmap = GUEST_DIRECT + GUEST_RAM / 2;
	g->layout.kernel_root = 0x1000;
	g->layout.has_pages = true;
	made_guest_put(g, 0x1000 + 273 * 8, 0x2000 | 3);
	made_guest_put(g, 0x2000, 0x3000 | 3);
	for (uint64_t i = 0; i < GUEST_RAM >> 21; i++)
		made_guest_put(g, 0x3000 + i * 8, i << 21 | 0x83);
	made_guest_put(g, 0x1000 + 511 * 8, 0x4000 | 3);
	made_guest_put(g, 0x4000 + 510 * 8, 0x5000 | 3);
	made_guest_put(g, 0x5000, 0x6000 | 3);
	made_guest_put(g, 0x6000, 0x10000 | 3);
	/* Process 7: heap and stack, a stack in the kernel; process 9 has the page of that stack of 7 too, and no map. */
	made_guest_process(g, 0, 7, "server", 0x40000, 0x7000);
	made_guest_process(g, 1, 9, "client", 0x42000, 0xb000);
	for (uint64_t i = 0; i < GUEST_PAGES; i++)
		made_guest_put(g, 0xa000 + ((heap >> 12 & 511) + i) * 8, (0x20000 + i * 4096) | 7);
	made_guest_put(g, 0xa000 + (GUEST_STACK >> 12 & 511) * 8, 0x1f000 | 7);
	made_guest_put(g, 0xe000, 0x1f000 | 7);
	made_guest_set(g, 0x41000, LAYOUT_MM_TREE, GUEST_DIRECT + 0x44000 + (1 << 3 | 2)); /* a leaf */
	made_guest_vma(g, 0, 0x45000, heap, heap + GUEST_PAGES * 4096);
	made_guest_vma(g, 1, 0x46000, GUEST_STACK, GUEST_STACK + 4096);
	made_guest_put(g, 0x44008 + 8, UINT64_MAX);
	made_guest_set(g, 0x41000, LAYOUT_MM_START_BRK, heap);
	made_guest_set(g, 0x41000, LAYOUT_MM_BRK, heap + GUEST_PAGES * 4096);
	made_guest_set(g, 0x41000, LAYOUT_MM_START_STACK, GUEST_STACK + 8);
	made_guest_set(g, 0x40000, LAYOUT_TASK_STACK, GUEST_DIRECT + 0x50000);
	/* Objects of a cache in two pages, of which the second is a part of the first; a cached file; a page table; something. */
	made_guest_page(g, 0x62, LAYOUT_PAGE_USERS, 1);
	made_guest_page(g, 0x62, LAYOUT_PAGE_FLAGS, 1 << 9);
	made_guest_page(g, 0x62, LAYOUT_SLAB_CACHE, GUEST_DIRECT + 0x60000);
	made_guest_page(g, 0x63, LAYOUT_PAGE_HEAD, g->layout.vmemmap + 0x62 * 2048 + 1);
	made_guest_set(g, 0x60000, LAYOUT_CACHE_NAME, GUEST_DIRECT + 0x61000);
	memcpy(g->ram.map + 0x61000, "dentry", 7);
	made_guest_page(g, 0x64, LAYOUT_PAGE_USERS, 1);
	made_guest_page(g, 0x64, LAYOUT_PAGE_TYPE, 0xffffffff);
	made_guest_page(g, 0x64, LAYOUT_PAGE_MAPPING, GUEST_DIRECT + 0x65000);
	made_guest_set(g, 0x65000, LAYOUT_MAPPING_HOST, GUEST_DIRECT + 0x66000);
	made_guest_set(g, 0x66000, LAYOUT_INODE_MAPPING, GUEST_DIRECT + 0x65000);
	made_guest_set(g, 0x66000, LAYOUT_INODE_DENTRY, GUEST_DIRECT + 0x67000 + LAYOUT_DENTRY_ALIAS * 8);
	made_guest_set(g, 0x67000, LAYOUT_DENTRY_NAME, GUEST_DIRECT + 0x61010);
	made_guest_set(g, 0x67000, LAYOUT_DENTRY_NAME_SIZE, 4);
	made_guest_set(g, 0x67000, LAYOUT_DENTRY_PARENT, GUEST_DIRECT + 0x68000);
	made_guest_set(g, 0x68000, LAYOUT_DENTRY_NAME, GUEST_DIRECT + 0x61020);
	made_guest_set(g, 0x68000, LAYOUT_DENTRY_NAME_SIZE, 3);
	made_guest_set(g, 0x68000, LAYOUT_DENTRY_PARENT, GUEST_DIRECT + 0x69000);
	made_guest_set(g, 0x69000, LAYOUT_DENTRY_PARENT, GUEST_DIRECT + 0x69000);
	memcpy(g->ram.map + 0x61010, "fileetc", 4);
	memcpy(g->ram.map + 0x61020, "dir", 3);
	made_guest_page(g, 0x70, LAYOUT_PAGE_USERS, 1);
	made_guest_page(g, 0x70, LAYOUT_PAGE_TYPE, 0xfffffdff);
	made_guest_page(g, 0x71, LAYOUT_PAGE_USERS, 1);
	made_guest_page(g, 0x71, LAYOUT_PAGE_TYPE, 0xffffffff);
}

static inline void made_guest_owners(struct made_guest *g)
{
	g->stop = (struct stop){.ram = g->ram.map, .ram_size = g->ram.size};
	g->guest = guest_of(&g->layout, &g->stop);
	g->list = (struct process_list){.list = g->processes, .count = 2};
	g->owners = owners_create(&g->guest, &g->list);
}

static inline void made_guest_finish(struct made_guest *g)
{
	owners_destroy(g->owners);
	ksyms_destroy(g->layout.ksyms);
	ram_finish(&g->ram);
}

#endif
