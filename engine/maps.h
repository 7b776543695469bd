/*
 * The memory map of a process in a stopped guest, and its memory: what was not touched yet is
 * read from where the kernel would take it.
 */
#ifndef ENGINE_MAPS_H
#define ENGINE_MAPS_H

#include "engine/buf.h"
#include "engine/guestfile.h"
#include "engine/layout.h"

#define MAPS_MAX 65536 /* mappings of one process */

enum maps_flags { MAPS_READ = 1, MAPS_WRITE = 2, MAPS_EXEC = 4, MAPS_SHARED = 8 }; /* the kernel's values */

struct map {
	uint64_t start, end, offset; /* offset: into the file, in bytes */
	uint64_t flags;
	uint64_t file;  /* kernel address of the struct file; 0: anonymous */
	uint64_t inode; /* kernel address */
	uint64_t device, number;
	char *name; /* path, "[heap]", "[stack]", "[vdso]", or ""; owned */
};

struct maps {
	struct map *list; /* by address */
	size_t count, room;
	uint64_t vdso; /* address of the vdso; 0 when there is none */
	bool damaged;
};

/* mm: kernel address of a mm_struct (struct process has it). Paths are as seen from root (NULL: from the top). */
void maps_read(const struct guest *guest, uint64_t mm, const struct guest_place *root, struct maps *maps);
void maps_finish(struct maps *maps);
/* The mapping that holds an address; NULL when there is none. */
const struct map *maps_at(const struct maps *maps, uint64_t address);
/* As /proc/PID/maps, without guest bytes that a terminal would obey. */
void maps_print(const struct maps *maps, struct buf *out);

/* The address space of a process: page tables only. root is 0 (nothing is mapped) when mm is. */
struct space maps_space(const struct guest *guest, uint64_t mm);

/* Reads a process's memory through its page tables and, where a page was never touched, what the process would find there: the
 * mapped file, the kernel's vdso, or zeros. How much was read. */
size_t maps_read_memory(
	const struct guest *guest, const struct space *space, const struct maps *maps, uint64_t address, void *out, size_t size);

#endif
