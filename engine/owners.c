#include "engine/owners.h"

#include <stdlib.h>
#include <string.h>

#include "engine/maps.h"

#define USER_LAST    UINT64_C(0x00007fffffffffff)
#define KERNEL_FIRST UINT64_C(0xffffffff80000000) /* its code and data, then its modules */
#define KERNEL_LAST  UINT64_C(0xfffffffffeffffff)
#define OWNERS_MAX   (1u << 22)

struct owners {
	struct owner *list;
	size_t count, room;
	uint32_t *of_page; /* number in the list plus one; 0: nobody */
	uint64_t pages;
	char **names; /* that owners borrow */
	size_t name_count, name_room;
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
	const struct process *process; /* NULL: the kernel */
	const struct maps *maps;
	const struct map *map; /* of the last page, whose name is kept already */
	const char *name;
};

static const char *name_at(struct walk_space *w, uint64_t address)
{
	const struct map *map = w->maps ? maps_at(w->maps, address) : NULL;
	if (!map)
		return "";
	if (map != w->map) {
		w->map = map;
		w->name = ARRAY_PUSH(w->owners->names, w->owners->name_count, w->owners->name_room) = mem_str(map->name);
	}
	return w->name;
}

static void add_page(struct walk_space *w, uint64_t address, uint64_t page)
{
	struct owners *o = w->owners;
	if (page >= o->pages || o->count >= OWNERS_MAX)
		return;
	if (o->of_page[page]) {
		struct owner *first = &o->list[o->of_page[page] - 1];
		first->shared |= w->process && first->pid != w->process->pid;
		return;
	}
	for (size_t i = 0; !w->process && i < GAPS; i++)
		if (address >= w->gaps[i].start && address < w->gaps[i].end)
			return;
	struct owner owner = {.address = address, .map = name_at(w, address)};
	if (w->process) {
		owner.pid = w->process->pid;
		memcpy(owner.name, w->process->name, sizeof owner.name);
	}
	ARRAY_PUSH(o->list, o->count, o->room) = owner;
	o->of_page[page] = (uint32_t)o->count;
}

static void add_mapped(void *data, uint64_t virtual, uint64_t physical, uint64_t size)
{
	for (uint64_t at = 0; at < size && (physical + at) / MEMORY_PAGE < ((struct walk_space *)data)->owners->pages;
		at += MEMORY_PAGE)
		add_page(data, virtual + at, (physical + at) / MEMORY_PAGE);
}

static void add_kernel(struct owners *o, const struct guest *guest)
{
	struct walk_space kernel = {.owners = o};
	for (size_t i = 0; i < GAPS; i++) {
		const struct ksym *start = ksyms_find(guest->layout->ksyms, gap_names[i][0]);
		const struct ksym *end = ksyms_find(guest->layout->ksyms, gap_names[i][1]);
		if (start && end)
			kernel.gaps[i] = (struct gap){start->address, end->address};
	}
	memory_each(&guest->kernel, KERNEL_FIRST, KERNEL_LAST, add_mapped, &kernel);
}

struct owners *owners_create(const struct guest *guest, const struct process_list *list)
{
	struct owners *o = mem_alloc(sizeof *o);
	o->pages = guest->stop->ram_size / MEMORY_PAGE;
	o->of_page = mem_array((size_t)o->pages, sizeof *o->of_page);
	for (size_t i = 0; i < list->count; i++) {
		const struct process *p = &list->list[i];
		struct maps maps = {0};
		if (!p->mm)
			continue;
		struct guest_place root = guestfile_root(guest, p->task);
		maps_read(guest, p->mm, root.dentry ? &root : NULL, &maps);
		struct space space = maps_space(guest, p->mm);
		struct walk_space user = {.owners = o, .process = p, .maps = &maps};
		memory_each(&space, 0, USER_LAST, add_mapped, &user);
		maps_finish(&maps);
	}
	add_kernel(o, guest);
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
