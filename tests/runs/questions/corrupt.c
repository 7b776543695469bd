/*
 * corrupt DIR ROUNDS: asks everything about the stop in DIR again and again, each time with other words of the kernel's own
 * structures overwritten. Answers may be wrong or short; they may not crash, hang or grow without end.
 */
#include "stopped.h"

#include <string.h>
#include <time.h>

#include "engine/guestdir.h"
#include "engine/openfiles.h"
#include "engine/program.h"

#define WORDS_PER_ROUND 600
#define SECONDS_MAX     20 /* of a round; a sound one takes a tenth of a second */

/* A small generator of our own: what is overwritten does not have to be well mixed, only the same each time. */
static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 16;
}

static size_t ask_all(const struct guest *guest)
{
	struct process_list processes;
	struct buf out = {0};
	struct err err = {0};
	if (!process_read(guest, &processes, &err))
		return 0;
	process_print(&processes, true, &out);
	for (size_t i = 0; i < processes.count; i++) {
		const struct process *p = &processes.list[i];
		struct openfiles files;
		struct guest_place root = guestfile_root(guest, p->task);
		struct guestdir_node place;
		struct guestfile file;
		struct guestdir_list list;
		process_environ(guest, p->task, &out);
		openfiles_read(guest, p->task, &root, &files);
		openfiles_print(&files, &out);
		openfiles_finish(&files);
		if (guestdir_find(guest, p->task, "/tmp/some dir", true, &place, &file, NULL, &err) &&
			guestdir_ls(guest, &place, &list, &err)) {
			guestdir_list_print(&list, &out);
			guestdir_list_finish(&list);
		}
		struct program *program = p->mm && i % 8 == 0 ? program_create(guest, p, NULL, NULL, &err) : NULL;
		for (size_t k = 0; program && k < p->thread_count && k < 10; k++) {
			struct frames frames;
			program_where(program, p->threads[k].task, &frames);
			program_print_where(program, &frames, &out);
			unwind_finish(&frames);
		}
		program_destroy(program);
	}
	size_t size = out.size;
	process_finish(&processes);
	buf_free(&out);
	return size;
}

/* Physical places of the structures that matter: tasks, memory maps, tables of files, stacks. */
static size_t find_targets(const struct guest *guest, uint64_t *targets, size_t max)
{
	struct process_list processes;
	struct err err = {0};
	size_t count = 0;
	if (!process_read(guest, &processes, &err))
		die(&err);
	for (size_t i = 0; i < processes.count; i++) {
		uint64_t task = processes.list[i].task, files = guest_value(guest, LAYOUT_TASK_FILES, task),
			 fdt = guest_value(guest, LAYOUT_FILES_FDT, files);
		uint64_t fds = guest_value(guest, LAYOUT_FDT_FD, fdt), file = 0;
		memory_read_some(&guest->kernel, fds, &file, 8);
		uint64_t at[] = {task, task + 4096, processes.list[i].mm, files, fdt, fds, file,
			guest_value(guest, LAYOUT_FILE_DENTRY, file),
			guest_value(guest, LAYOUT_MM_TREE, processes.list[i].mm) & ~UINT64_C(255),
			guest_value(guest, LAYOUT_TASK_SP, task), guest_value(guest, LAYOUT_TASK_CGROUPS, task),
			guest_value(guest, LAYOUT_MM_PGD, processes.list[i].mm)};
		struct memory_page page;
		for (size_t k = 0; k < sizeof at / sizeof *at && count < max; k++)
			if (at[k] && memory_walk(&guest->kernel, at[k], &page))
				targets[count++] = page.physical;
	}
	process_finish(&processes);
	return count;
}

int main(int argc, char **argv)
{
	static uint64_t targets[4096];
	struct err err = {0};
	if (argc != 3)
		return 2;
	struct stop stop = load_stop(argv[1]);
	struct layout *layout = layout_create(&stop, &err);
	if (!layout)
		die(&err);
	struct guest guest = guest_of(layout, &stop);
	size_t count = find_targets(&guest, targets, sizeof targets / sizeof *targets), sound = ask_all(&guest), least = SIZE_MAX,
	       most = 0;
	unsigned char *copy = malloc(stop.ram_size);
	struct stop broken = stop;
	broken.ram = copy;
	for (uint64_t round = 1, rounds = strtoull(argv[2], NULL, 10); round <= rounds; round++) {
		uint64_t state = round * 7919;
		memcpy(copy, stop.ram, stop.ram_size);
		for (int i = 0; i < WORDS_PER_ROUND; i++) {
			uint64_t at = (targets[next(&state) % count] + next(&state) % 256 * 8) % (stop.ram_size - 8),
				 value = next(&state), other = targets[next(&state) % count];
			/* Nothing, a small number, garbage, or a pointer that leads to another structure (so that lists join and
			 * go round). */
			switch (value % 4) {
			case 0:
				value = 0;
				break;
			case 1:
				value >>= 40;
				break;
			case 2:
				break;
			default:
				value = UINT64_C(0xffff888000000000) + other;
			}
			memcpy(copy + at, &value, sizeof value);
		}
		struct guest g = guest_of(layout, &broken);
		time_t start = time(NULL);
		size_t size = ask_all(&g);
		least = size < least ? size : least;
		most = size > most ? size : most;
		if (time(NULL) - start > SECONDS_MAX || size > sound * 50) {
			printf("round %llu: %zu bytes, %ld s\n", (unsigned long long)round, size, (long)(time(NULL) - start));
			return 1;
		}
	}
	printf("%s rounds: answers of %zu to %zu bytes, %zu when sound\n", argv[2], least, most, sound);
	free(copy);
	layout_destroy(layout);
	return 0;
}
