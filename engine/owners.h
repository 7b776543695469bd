/*
 * Whose the pages of a stopped machine's memory are: page tables of all processes and of the kernel, the other way round.
 */
#ifndef ENGINE_OWNERS_H
#define ENGINE_OWNERS_H

#include "engine/process.h"

struct owner {
	uint32_t pid; /* 0: the kernel's code and data, its modules' included */
	char name[PROCESS_COMM_SIZE];
	uint64_t address; /* virtual, of the page */
	const char *map;  /* "/bin/server", "[heap]", ""; borrowed from the owners */
	bool shared;      /* other processes map it too */
};

struct owners;

/* list is that of the same stop. Nothing of both is needed afterwards. */
struct owners *owners_create(const struct guest *guest, const struct process_list *list);
void owners_destroy(struct owners *owners);

/* Of a page by its number (physical address / MEMORY_PAGE). The process with the lowest pid is named when several map it. NULL
 * when nobody does: what the kernel has given out for its own purposes, or for files. */
const struct owner *owners_of(const struct owners *owners, uint64_t page);

#endif
