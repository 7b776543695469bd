#include "engine/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

#define BTF_SIZE_MAX     (64u << 20)
#define CR4_LA57         (1u << 12)
#define FIRST_OF_OVERLAY LAYOUT_OVL_INODE_VFS
#define FIRST_OF_PAGE    LAYOUT_PAGE_FLAGS
#define FIRST_OF_FPU     LAYOUT_TASK_FPSTATE
#define MODULES_MAX      4096
#define PTI_USER_HALF    0x1000u /* with page table isolation the user half of a pair of top tables has this bit */

static const struct {
	const char *type, *path;
} members[LAYOUT_MEMBER_COUNT] = {
#define LAYOUT_ROW(id, type, path) {type, path},
	LAYOUT_MEMBERS(LAYOUT_ROW) LAYOUT_OVERLAY_MEMBERS(LAYOUT_ROW) LAYOUT_PAGE_MEMBERS(LAYOUT_ROW)
		LAYOUT_FPU_MEMBERS(LAYOUT_ROW)
#undef LAYOUT_ROW
};

static bool symbol(const struct layout *layout, const char *name, uint64_t *ret_address, struct err *err)
{
	const struct ksym *found = ksyms_find(layout->ksyms, name);
	if (!found)
		return err_set(err, ERR_QEMU, "the guest's kernel has no symbol %s", name);
	*ret_address = found->address;
	return true;
}

/* An address space in which the kernel is mapped: the one in use, or its kernel half. */
static bool bootstrap(const struct layout *layout, const struct stop *stop, struct space *ret_space, struct err *err)
{
	uint64_t banner = 0;
	char text[14] = "";
	if (!symbol(layout, "linux_banner", &banner, err))
		return false;
	struct space space = memory_current(stop);
	for (int half = 0; half < 2; half++, space.root &= ~(uint64_t)PTI_USER_HALF)
		if (memory_read_some(&space, banner, text, 13) == 13 && !strcmp(text, "Linux version")) {
			*ret_space = space;
			return true;
		}
	return err_set(err, ERR_QEMU, "the kernel is not mapped at 0x%llx in the address space in use (cr3 0x%llx)",
		(unsigned long long)banner, (unsigned long long)stop->regs.cr3);
}

static bool read_types(struct layout *layout, const struct space *space, struct err *err)
{
	uint64_t start = 0, stop = 0;
	if (!symbol(layout, "__start_BTF", &start, err) || !symbol(layout, "__stop_BTF", &stop, err))
		return false;
	if (stop <= start || stop - start > BTF_SIZE_MAX)
		return err_set(err, ERR_QEMU, "the kernel's .BTF has an impossible size");
	void *bytes = mem_alloc(stop - start);
	bool ok = memory_read(space, start, bytes, stop - start, err) && (layout->types = types_create(bytes, stop - start, err));
	free(bytes);
	return ok;
}

/* Members that not every kernel has. */
static bool read_some_members(struct layout *layout, size_t from, size_t to)
{
	bool all = true;
	for (size_t i = from; i < to && all; i++)
		all = types_member(layout->types, members[i].type, members[i].path, &layout->members[i], NULL);
	return all;
}

static bool read_members(struct layout *layout, struct err *err)
{
	for (size_t i = 0; i < FIRST_OF_OVERLAY; i++)
		if (!types_member(layout->types, members[i].type, members[i].path, &layout->members[i], err))
			return false;
	layout->has_pages = read_some_members(layout, FIRST_OF_PAGE, FIRST_OF_FPU);
	layout->has_fpu = read_some_members(layout, FIRST_OF_FPU, LAYOUT_MEMBER_COUNT);
	return types_size(layout->types, "page", &layout->page_size, err) &&
		types_size(layout->types, "upid", &layout->upid_size, err);
}

static bool read_places(struct layout *layout, const struct space *space, struct err *err)
{
	uint64_t top = 0, per_cpu = 0, offset = 0, current = 0, vmemmap = 0;
	struct memory_page page;
	if (!symbol(layout, "init_task", &layout->init_task, err) || !symbol(layout, "init_top_pgt", &top, err) ||
		!symbol(layout, "__per_cpu_offset", &per_cpu, err) || !symbol(layout, "current_task", &current, err) ||
		!symbol(layout, "vmemmap_base", &vmemmap, err))
		return false;
	if (!memory_walk(space, top, &page))
		return err_set(err, ERR_QEMU, "the kernel's page tables (init_top_pgt) are not mapped");
	layout->kernel_root = page.physical;
	if (!memory_read(space, per_cpu, &offset, 8, err) || !memory_read(space, vmemmap, &layout->vmemmap, 8, err))
		return false;
	layout->current_task = offset + current; /* of processor 0: the machine has one */
	return true;
}

/* The kernel's copy of a module's .BTF: the address of its struct btf; 0 when the module is not loaded. */
static uint64_t find_types(const struct guest *g, const char *module)
{
	const struct ksym *list = ksyms_find(g->layout->ksyms, "btf_modules");
	uint64_t link = guest_offset(g, LAYOUT_MODULE_TYPES_LIST), entry = 0;
	char name[64];
	if (!list || memory_read_some(&g->kernel, list->address, &entry, 8) != 8)
		return 0;
	for (int i = 0; i < MODULES_MAX && entry && entry != list->address; i++) {
		uint64_t owner = guest_value(g, LAYOUT_MODULE_TYPES_MODULE, entry - link);
		if (owner && guest_str(g, owner + guest_offset(g, LAYOUT_MODULE_NAME), name, sizeof name) &&
			!strcmp(name, module))
			return guest_value(g, LAYOUT_MODULE_TYPES_BTF, entry - link);
		entry = guest_value(g, LAYOUT_MODULE_TYPES_LIST, entry - link);
	}
	return 0;
}

/* The structs of overlayfs, from the module's own .BTF. Without the module there is no such file system, so that is no error. */
static void read_overlay(struct layout *layout, const struct stop *stop)
{
	struct guest guest = guest_of(layout, stop);
	uint64_t btf = find_types(&guest, "overlay"), at = guest_value(&guest, LAYOUT_BTF_DATA, btf);
	uint64_t size = guest_value(&guest, LAYOUT_BTF_DATA_SIZE, btf) & 0xffffffff;
	if (!at || !size || size > BTF_SIZE_MAX)
		return;
	void *bytes = mem_alloc(size);
	struct types *types =
		memory_read(&guest.kernel, at, bytes, size, NULL) ? types_create_split(layout->types, bytes, size, NULL) : NULL;
	layout->has_overlay = types && types_size(types, "ovl_path", &layout->ovl_path_size, NULL);
	for (size_t i = FIRST_OF_OVERLAY; i < FIRST_OF_PAGE && layout->has_overlay; i++)
		layout->has_overlay = types_member(types, members[i].type, members[i].path, &layout->members[i], NULL);
	types_destroy(types);
	free(bytes);
}

struct layout *layout_create(const struct stop *stop, struct err *err)
{
	if (stop->regs.cr4 & CR4_LA57) {
		err_set(err, ERR_QEMU, "the guest uses 5-level page tables; only 4 levels are read");
		return NULL;
	}
	struct layout *layout = mem_alloc(sizeof *layout);
	struct space space;
	bool ok = (layout->ksyms = ksyms_create(stop->ram, stop->ram_size, err)) && bootstrap(layout, stop, &space, err) &&
		read_types(layout, &space, err) && read_members(layout, err) && read_places(layout, &space, err);
	if (ok) {
		read_overlay(layout, stop);
		return layout;
	}
	err_prefix(err, "reading the guest's kernel");
	layout_destroy(layout);
	return NULL;
}

void layout_destroy(struct layout *layout)
{
	if (!layout)
		return;
	ksyms_destroy(layout->ksyms);
	types_destroy(layout->types);
	free(layout);
}

struct guest guest_of(const struct layout *layout, const struct stop *stop)
{
	return (struct guest){layout, stop, {stop, layout->kernel_root}};
}

bool guest_get(const struct guest *guest, enum layout_member member, uint64_t address, uint64_t *ret_value)
{
	const struct type_member *m = &guest->layout->members[member];
	uint64_t value = 0;
	size_t size = m->size < sizeof value ? m->size : sizeof value;
	if (!address || memory_read_some(&guest->kernel, address + m->offset, &value, size) != size)
		return false;
	if (m->bit_size)
		value = value >> m->bit_shift & ((UINT64_C(1) << m->bit_size) - 1);
	*ret_value = value;
	return true;
}

uint64_t guest_value(const struct guest *guest, enum layout_member member, uint64_t address)
{
	uint64_t value = 0;
	return guest_get(guest, member, address, &value) ? value : 0;
}

uint64_t guest_offset(const struct guest *guest, enum layout_member member)
{
	return guest->layout->members[member].offset;
}

bool guest_round_again(struct guest_round *round, uint64_t entry)
{
	if (round->mark == entry)
		return true;
	if (round->steps++ >= round->next) { /* marks at steps 0, 1, 3, 7, ...: one of them lies in the round */
		round->mark = entry;
		round->next = round->next * 2 + 1;
	}
	return false;
}

bool guest_str(const struct guest *guest, uint64_t address, char *out, size_t max)
{
	if (address && memory_read_str(&guest->kernel, address, out, max) >= 0)
		return true;
	if (max)
		*out = 0;
	return false;
}
