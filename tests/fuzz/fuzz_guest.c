/*
 * A kernel's memory that says anything: whatever its lists, tables and names hold, every question about processes, maps, files,
 * directories, pages and calls comes to an end. Input: records of an address (4 bytes) and the word to put there (8 bytes), on
 * top of a machine made by hand (tests/unit/made_guest.h), where each struct's members have places of their own.
 */
#define SAMPLE_BASE     UINT64_C(0xffffffff80000000) /* the page of the kernel's data */
#define SAMPLE_NAMED(i) named(i)
#include <stddef.h>
#include <stdint.h>

static const char *named(uint32_t i)
{
	static const char *const names[] = {"Dmodules", "D__start_orc_unwind_ip", "D__stop_orc_unwind_ip", "D__start_orc_unwind"};
	return i >= 10 && i < 10 + sizeof names / sizeof *names ? names[i - 10] : NULL;
}

#include "engine/guestdir.h"
#include "engine/kcode.h"
#include "engine/kpages.h"
#include "engine/maps.h"
#include "engine/openfiles.h"
#include "engine/orc.h"
#include "engine/process.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/made_guest.h"
#include "tests/unit/sample_btf.h"

enum { RECORD = 12, RECORDS_MAX = 256 };

static void no_module(void *data, const struct kcode_module *module)
{
	(void)data, (void)module;
}

static void no_row(void *data, const struct orc_row *row)
{
	(void)data, (void)row;
}

static void look_at_files(const struct guest *guest, uint64_t task, struct buf *out)
{
	struct guestdir_node node;
	struct guestfile file;
	struct openfiles files;
	struct err err = {0};
	struct guest_place root = guestfile_root(guest, task), cwd = guestfile_cwd(guest, task);
	guestfile_path(guest, cwd, &root, out);
	openfiles_read(guest, task, &root, &files);
	openfiles_print(&files, out);
	openfiles_print_sockets(&files, out);
	openfiles_finish(&files);
	if (!guestdir_find(guest, task, "/dir/../dir/file", true, &node, &file, out, &err))
		return;
	struct guestdir_list list = {0};
	guestdir_ls(guest, &node, &list, &err);
	guestdir_list_print(&list, out);
	guestdir_list_finish(&list);
	guestfile_read(guest, &file, 0, 65536, out, &err);
}

static void look_at_process(const struct guest *guest, const struct process *p, struct buf *out)
{
	struct maps maps;
	struct space space = maps_space(guest, p->mm);
	struct frame_registers registers;
	struct frames frames = {0};
	char bytes[5000];
	maps_read(guest, p->mm, NULL, &maps);
	maps_print(&maps, out);
	maps_read_memory(guest, &space, &maps, GUEST_STACK - 100, bytes, sizeof bytes);
	maps_finish(&maps);
	process_environ(guest, p->task, out);
	look_at_files(guest, p->task, out);
	orc_user_registers(guest, p->task, &registers);
	if (orc_sleeping_registers(guest, p->task, &registers))
		orc_unwind(guest, &registers, true, &frames);
}

static void look(struct made_guest *g, bool all)
{
	const struct guest *guest = &g->guest;
	struct process_list list;
	struct kcode_place place;
	struct kcode_tables tables;
	struct buf out = {0};
	struct err err = {0};
	char name[KPAGES_NAME_MAX];
	if (process_read(guest, &list, &err))
		process_print(&list, true, &out);
	for (size_t i = 0; i < list.count && i < 4; i++)
		look_at_process(guest, &list.list[i], &out);
	process_finish(&list);
	look_at_process(guest, &g->processes[0], &out);
	if (all) /* it goes through all of memory, which takes long */
		owners_destroy(owners_create(guest, &g->list));
	for (uint64_t page = 0x60; page < 0x72; page++)
		kpages_of(guest, page, name);
	kcode_at(guest, GUEST_DIRECT + 0x70000, &place);
	kcode_each_module(guest, no_module, NULL);
	if (kcode_tables(guest, GUEST_IMAGE + 64, &tables))
		orc_each(guest, &tables, no_row, NULL);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_guest g; /* the same for every input: what is put into it is taken out again */
	uint64_t before[RECORDS_MAX], at[RECORDS_MAX];
	size_t count = 0;
	if (!g.ram.map) {
		struct buf btf = sample_btf();
		made_guest_init(&g, GUEST_HEAP);
		g.layout.types = types_create(btf.data, btf.size, NULL);
		buf_free(&btf);
		require(g.layout.types);
		g.layout.init_task = GUEST_DIRECT + 0x40000;
		g.layout.current_task = GUEST_IMAGE;
		g.stop = (struct stop){.ram = g.ram.map, .ram_size = g.ram.size};
		g.guest = guest_of(&g.layout, &g.stop);
	}
	for (; size >= RECORD && count < RECORDS_MAX; data += RECORD, size -= RECORD, count++) {
		uint32_t where;
		uint64_t word;
		memcpy(&where, data, 4);
		memcpy(&word, data + 4, 8);
		/* Most words that matter are pointers: an odd address says that this one is to lead somewhere. */
		if (where & 1)
			word = GUEST_DIRECT + word % GUEST_RAM;
		at[count] = where % (GUEST_RAM / 8) * 8;
		memcpy(&before[count], g.ram.map + at[count], 8);
		memcpy(g.ram.map + at[count], &word, 8);
	}
	look(&g, count % 16 == 1);
	while (count--)
		memcpy(g.ram.map + at[count], &before[count], 8);
	return 0;
}
