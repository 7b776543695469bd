#include "engine/maps.h"

#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

/* The kernel's maple tree (lib/maple_tree.c, since 6.1). A pointer to a node carries its type in bits 3 to 6. */
#define MAPLE_STACK_MAX  256
#define MAPLE_TYPE(node) ((node) >> 3 & 15)
enum { MAPLE_DENSE, MAPLE_LEAF64, MAPLE_RANGE64, MAPLE_ARANGE64 };
#define MAPLE_SLOTS64   16u
#define MAPLE_SLOTS_A   10u
#define MAPLE_NODE_MASK 0xffu

struct space maps_space(const struct guest *g, uint64_t mm)
{
	struct memory_page page;
	uint64_t pgd = guest_value(g, LAYOUT_MM_PGD, mm);
	if (!mm || !memory_walk(&g->kernel, pgd, &page))
		return (struct space){g->stop, ~UINT64_C(0)};
	return (struct space){g->stop, page.physical};
}

static void read_name(const struct guest *g, uint64_t mm, uint64_t vma, const struct guest_place *root, struct map *map)
{
	struct buf name = {0};
	char special[64];
	if (map->file)
		guestfile_path(g,
			(struct guest_place){
				guest_value(g, LAYOUT_FILE_MNT, map->file), guest_value(g, LAYOUT_FILE_DENTRY, map->file)},
			root, &name);
	else {
		uint64_t ops = guest_value(g, LAYOUT_VMA_OPS, vma);
		const struct ksym *symbol = ops ? ksyms_at(g->layout->ksyms, ops) : NULL;
		uint64_t stack = guest_value(g, LAYOUT_MM_START_STACK, mm);
		if (symbol && !strcmp(symbol->name, "special_mapping_vmops") &&
			guest_str(g, guest_value(g, LAYOUT_SPECIAL_NAME, guest_value(g, LAYOUT_VMA_PRIVATE, vma)), special,
				sizeof special))
			buf_str(&name, special);
		else if (map->start <= guest_value(g, LAYOUT_MM_BRK, mm) && map->end >= guest_value(g, LAYOUT_MM_START_BRK, mm))
			buf_str(&name, "[heap]");
		else if (map->start <= stack && map->end >= stack)
			buf_str(&name, "[stack]");
	}
	map->name = buf_take(&name);
}

static void add_vma(const struct guest *g, uint64_t mm, uint64_t vma, const struct guest_place *root, struct maps *maps)
{
	struct map map = {0};
	if (!guest_get(g, LAYOUT_VMA_START, vma, &map.start) || !guest_get(g, LAYOUT_VMA_END, vma, &map.end) ||
		map.end <= map.start || maps->count >= MAPS_MAX) {
		maps->damaged = true;
		return;
	}
	map.flags = guest_value(g, LAYOUT_VMA_FLAGS, vma);
	map.file = guest_value(g, LAYOUT_VMA_FILE, vma);
	if (map.file) {
		map.offset = guest_value(g, LAYOUT_VMA_PGOFF, vma) * MEMORY_PAGE;
		map.inode = guest_value(g, LAYOUT_FILE_INODE, map.file);
		map.number = guest_value(g, LAYOUT_INODE_NUMBER, map.inode);
		map.device = guest_value(g, LAYOUT_SB_DEVICE, guest_value(g, LAYOUT_INODE_SB, map.inode));
	}
	read_name(g, mm, vma, root, &map);
	ARRAY_PUSH(maps->list, maps->count, maps->room) = map;
}

struct maple_frame {
	uint64_t node; /* with its type bits */
	uint64_t max;  /* highest index it covers */
};

struct maple_walk {
	struct maple_frame stack[MAPLE_STACK_MAX];
	size_t depth;
};

/*
 * One node: entries of a leaf are vmas, others go on the stack (last first, so that the walk is in order). A pivot of 0
 * after the first, or one that reaches the node's end, marks the last slot in use.
 */
static void maple_node(const struct guest *g, uint64_t mm, struct maple_walk *walk, struct maple_frame frame,
	const struct guest_place *root, struct maps *maps)
{
	uint64_t node = frame.node & ~(uint64_t)MAPLE_NODE_MASK, type = MAPLE_TYPE(frame.node), pivots[MAPLE_SLOTS64] = {0},
		 slots[MAPLE_SLOTS64];
	bool narrow = type == MAPLE_ARANGE64;
	size_t count = narrow ? MAPLE_SLOTS_A : MAPLE_SLOTS64;
	uint64_t pivot_at = guest_offset(g, narrow ? LAYOUT_MAPLE_ARANGE_PIVOT : LAYOUT_MAPLE64_PIVOT);
	uint64_t slot_at = guest_offset(g, narrow ? LAYOUT_MAPLE_ARANGE_SLOT : LAYOUT_MAPLE64_SLOT);
	if (type < MAPLE_LEAF64 || type > MAPLE_ARANGE64 ||
		memory_read_some(&g->kernel, node + pivot_at, pivots, (count - 1) * 8) != (count - 1) * 8 ||
		memory_read_some(&g->kernel, node + slot_at, slots, count * 8) != count * 8) {
		maps->damaged = true;
		return;
	}
	size_t used = 0;
	while (used + 1 < count && !(used && !pivots[used]) && pivots[used] < frame.max)
		used++;
	for (size_t i = 0; i <= used; i++) {
		size_t k = type == MAPLE_LEAF64 ? i : used - i;
		uint64_t entry = slots[k];
		if (!entry)
			continue;
		if (type == MAPLE_LEAF64)
			add_vma(g, mm, entry, root, maps);
		else if (walk->depth == MAPLE_STACK_MAX)
			maps->damaged = true;
		else
			walk->stack[walk->depth++] = (struct maple_frame){entry, k == used ? frame.max : pivots[k]};
	}
}

void maps_read(const struct guest *g, uint64_t mm, const struct guest_place *root, struct maps *maps)
{
	struct maple_walk walk = {0};
	uint64_t top;
	*maps = (struct maps){0};
	if (!mm || !guest_get(g, LAYOUT_MM_TREE, mm, &top))
		return;
	maps->vdso = guest_value(g, LAYOUT_MM_VDSO, mm);
	if ((top & 3) == 2 && top > 4096)
		walk.stack[walk.depth++] = (struct maple_frame){top, ~UINT64_C(0)};
	/* Every node has at least one mapping below it, so a tree with more nodes than mappings allowed is none. */
	for (size_t nodes = 0; walk.depth && nodes < MAPS_MAX; nodes++) {
		struct maple_frame frame = walk.stack[--walk.depth];
		maple_node(g, mm, &walk, frame, root, maps);
	}
	maps->damaged |= walk.depth > 0;
}

void maps_finish(struct maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->list[i].name);
	free(maps->list);
	*maps = (struct maps){0};
}

const struct map *maps_at(const struct maps *maps, uint64_t address)
{
	for (size_t i = 0; i < maps->count; i++)
		if (address >= maps->list[i].start && address < maps->list[i].end)
			return &maps->list[i];
	return NULL;
}

void maps_print(const struct maps *maps, struct buf *out)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct map *m = &maps->list[i];
		size_t start = out->size;
		buf_printf(out, "%08llx-%08llx %c%c%c%c %08llx %02llx:%02llx %llu ", (unsigned long long)m->start,
			(unsigned long long)m->end, m->flags & MAPS_READ ? 'r' : '-', m->flags & MAPS_WRITE ? 'w' : '-',
			m->flags & MAPS_EXEC ? 'x' : '-', m->flags & MAPS_SHARED ? 's' : 'p', (unsigned long long)m->offset,
			(unsigned long long)(m->device >> 20), (unsigned long long)(m->device & 0xfffff),
			(unsigned long long)m->number);
		while (*m->name && out->size - start < 73)
			buf_char(out, ' ');
		text_put_safe(out, m->name, strlen(m->name));
		buf_char(out, '\n');
	}
	if (maps->damaged)
		buf_str(out, "(the map was being changed or is damaged: some may be missing)\n");
}

static size_t from_file(const struct guest *g, const struct map *map, uint64_t at, void *out, size_t size)
{
	struct guestfile file = guestfile_inode(g, map->inode);
	struct buf bytes = {0};
	guestfile_read(g, &file, at - map->start + map->offset, size, &bytes, NULL);
	size_t got = bytes.size;
	memcpy(out, got ? bytes.data : "", got);
	buf_free(&bytes);
	return got;
}

/* The kernel has its own copy of that code (struct vdso_image begins with the pointer to it). */
static size_t from_vdso(const struct guest *g, const struct map *map, uint64_t at, void *out, size_t size)
{
	const struct ksym *image = ksyms_find(g->layout->ksyms, "vdso_image_64");
	uint64_t code = 0;
	if (!image || memory_read_some(&g->kernel, image->address, &code, sizeof code) != sizeof code)
		return 0;
	return memory_read_some(&g->kernel, code + (at - map->start), out, size);
}

/* What a process would find, if it looked, in part of a page of its own that nobody has touched. */
static size_t untouched(const struct guest *g, const struct map *map, uint64_t at, void *out, size_t size)
{
	if (map->inode)
		return from_file(g, map, at, out, size);
	if (!strcmp(map->name, "[vdso]"))
		return from_vdso(g, map, at, out, size);
	if (!strcmp(map->name, "[vvar]"))
		return 0;
	memset(out, 0, size); /* there is no swap */
	return size;
}

size_t maps_read_memory(
	const struct guest *g, const struct space *space, const struct maps *maps, uint64_t address, void *out, size_t size)
{
	size_t done = 0;
	while (done < size) {
		done += memory_read_some(space, address + done, (char *)out + done, size - done);
		const struct map *map = done < size && maps ? maps_at(maps, address + done) : NULL;
		uint64_t at = address + done, part = MEMORY_PAGE - at % MEMORY_PAGE;
		size_t got = map ? untouched(g, map, at, (char *)out + done, part < size - done ? (size_t)part : size - done) : 0;
		if (!got)
			break;
		done += got;
	}
	return done;
}
