#include "engine/owners.h"

#include <stdlib.h>
#include <string.h>

#include "engine/kpages.h"
#include "engine/maps.h"

#define USER_LAST    UINT64_C(0x00007fffffffffff)
#define KERNEL_FIRST UINT64_C(0xffffffff80000000) /* its code and data, then its modules */
#define KERNEL_LAST  UINT64_C(0xfffffffffeffffff)
#define STACK_SIZE   (UINT64_C(16) << 10) /* of a thread in the kernel */
#define NAMES_KEPT   1024                 /* those that were asked for last are found again */

struct owners {
	struct owner *list;
	size_t count, room;
	uint32_t *of_page; /* number in the list plus one; 0: nobody */
	uint64_t pages;
	char **names; /* that owners borrow */
	size_t name_count, name_room;
	const char *kept[NAMES_KEPT];
};

/* Parts of the kernel's image that it gives away when it has booted: they stay mapped there, but are anybody's memory. */
static const char *const gap_names[][2] = {
	{"_etext", "__start_rodata"}, {"__end_rodata", "_sdata"}, {"__init_begin", "__init_end"}};
#define GAPS (sizeof gap_names / sizeof *gap_names)

struct gap {
	uint64_t start, end;
};

/* While one address space is walked. */
struct walk_space {
	struct gap gaps[GAPS]; /* for the kernel */
	struct owners *owners;
	enum owner_kind kind;
	const struct process *process; /* NULL: the kernel */
	const struct maps *maps;
	const struct map *map; /* of the last page, whose name is kept already */
	const char *name;
	uint32_t part;
};

/* The same text as long as the owners live. There are few of them, and they come many times. */
static const char *keep(struct owners *o, const char *name)
{
	uint32_t hash = 2166136261u;
	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	const char **kept = &o->kept[hash % NAMES_KEPT];
	if (!*kept || strcmp(*kept, name))
		*kept = ARRAY_PUSH(o->names, o->name_count, o->name_room) = mem_str(name);
	return *kept;
}

/* What is mapped at the address, for a process. */
static void put_map(struct walk_space *w, struct owner *owner)
{
	const struct map *map = w->maps ? maps_at(w->maps, owner->address) : NULL;
	owner->map = "";
	if (!map)
		return;
	if (map != w->map) {
		w->map = map;
		w->name = keep(w->owners, map->name);
		w->part = 0;
		for (const struct map *each = w->maps->list; each < map; each++)
			w->part += !strcmp(each->name, map->name);
	}
	owner->map = w->name;
	owner->part = w->part;
	owner->offset = strcmp(w->name, "[stack]") ? owner->address - map->start : map->end - owner->address;
}

static void add(struct owners *o, const struct owner *owner)
{
	ARRAY_PUSH(o->list, o->count, o->room) = *owner;
	o->of_page[owner->page] = (uint32_t)o->count;
}

static void add_page(struct walk_space *w, uint64_t address, uint64_t page)
{
	struct owners *o = w->owners;
	if (o->of_page[page]) {
		struct owner *first = &o->list[o->of_page[page] - 1];
		first->shared |= w->kind == OWNER_PROCESS && first->kind == OWNER_PROCESS && first->pid != w->process->pid;
		return;
	}
	for (size_t i = 0; w->kind == OWNER_KERNEL && i < GAPS; i++)
		if (address >= w->gaps[i].start && address < w->gaps[i].end)
			return;
	struct owner owner = {.kind = w->kind, .address = address, .page = (uint32_t)page};
	put_map(w, &owner);
	if (w->process) {
		owner.pid = w->process->pid;
		memcpy(owner.name, w->process->name, sizeof owner.name);
	}
	add(o, &owner);
}

static void add_mapped(void *data, uint64_t virtual, uint64_t physical, uint64_t size)
{
	for (uint64_t at = 0; at < size && (physical + at) / MEMORY_PAGE < ((struct walk_space *)data)->owners->pages;
		at += MEMORY_PAGE)
		add_page(data, virtual + at, (physical + at) / MEMORY_PAGE);
}

static void add_kernel(struct owners *o, const struct guest *guest)
{
	struct walk_space kernel = {.owners = o, .kind = OWNER_KERNEL};
	for (size_t i = 0; i < GAPS; i++) {
		const struct ksym *start = ksyms_find(guest->layout->ksyms, gap_names[i][0]);
		const struct ksym *end = ksyms_find(guest->layout->ksyms, gap_names[i][1]);
		if (start && end)
			kernel.gaps[i] = (struct gap){start->address, end->address};
	}
	memory_each(&guest->kernel, KERNEL_FIRST, KERNEL_LAST, add_mapped, &kernel);
}

static void add_process(struct owners *o, const struct guest *guest, const struct process *p)
{
	struct maps maps = {0};
	struct guest_place root = guestfile_root(guest, p->task);
	maps_read(guest, p->mm, root.dentry ? &root : NULL, &maps);
	struct space space = maps_space(guest, p->mm);
	struct walk_space user = {.owners = o, .kind = OWNER_PROCESS, .process = p, .maps = &maps};
	memory_each(&space, 0, USER_LAST, add_mapped, &user);
	maps_finish(&maps);
}

static void add_stacks(struct owners *o, const struct guest *guest, const struct process *p)
{
	struct walk_space w = {.owners = o, .kind = OWNER_STACK, .process = p};
	for (size_t i = 0; i < p->thread_count; i++) {
		uint64_t stack = guest_value(guest, LAYOUT_TASK_STACK, p->threads[i].task);
		struct memory_page page;
		for (uint64_t at = stack; stack >> 63 && at < stack + STACK_SIZE; at += MEMORY_PAGE)
			if (memory_walk(&guest->kernel, at, &page))
				add_page(&w, at, page.physical / MEMORY_PAGE);
	}
}

/* What nobody has mapped. */
static void add_rest(struct owners *o, const struct guest *guest)
{
	static const enum owner_kind kinds[] = {[KPAGES_OTHER] = OWNER_OTHER,
		[KPAGES_FREE] = OWNER_FREE,
		[KPAGES_TABLES] = OWNER_TABLES,
		[KPAGES_SLAB] = OWNER_SLAB,
		[KPAGES_FILE] = OWNER_FILE};
	char name[KPAGES_NAME_MAX];
	for (uint64_t page = 0; page < o->pages; page++) {
		if (o->of_page[page])
			continue;
		struct owner owner = {.kind = kinds[kpages_of(guest, page, name)], .page = (uint32_t)page};
		owner.map = keep(o, name);
		add(o, &owner);
	}
}

struct owners *owners_create(const struct guest *guest, const struct process_list *list)
{
	struct owners *o = mem_alloc(sizeof *o);
	o->pages = guest->stop->ram_size / MEMORY_PAGE;
	o->of_page = mem_array((size_t)o->pages, sizeof *o->of_page);
	for (size_t i = 0; i < list->count; i++)
		if (list->list[i].mm)
			add_process(o, guest, &list->list[i]);
	add_kernel(o, guest);
	for (size_t i = 0; i < list->count; i++)
		add_stacks(o, guest, &list->list[i]);
	add_rest(o, guest);
	return o;
}

void owners_destroy(struct owners *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->name_count; i++)
		free(o->names[i]);
	free(o->names);
	free(o->list);
	free(o->of_page);
	free(o);
}

const struct owner *owners_of(const struct owners *o, uint64_t page)
{
	return page < o->pages && o->of_page[page] ? &o->list[o->of_page[page] - 1] : NULL;
}

const struct owner *owners_list(const struct owners *o, size_t *ret_count)
{
	*ret_count = o->count;
	return o->list;
}
