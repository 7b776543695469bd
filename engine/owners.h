/*
 * Whose the pages of a stopped machine's memory are: page tables of all processes and of the kernel, the other way round, and
 * for the rest what the kernel says of them.
 */
#ifndef ENGINE_OWNERS_H
#define ENGINE_OWNERS_H

#include "engine/process.h"

enum owner_kind {
	OWNER_PROCESS, /* mapped by it */
	OWNER_KERNEL,  /* the kernel's code and data, its modules' included */
	OWNER_STACK,   /* where a thread of a process runs in the kernel */
	OWNER_SLAB,    /* objects of the kernel: map says which */
	OWNER_FILE,    /* contents of a file that no process has mapped: map is its path in its own file system */
	OWNER_TABLES,  /* page tables */
	OWNER_OTHER,   /* buffers, or not known */
	OWNER_FREE,    /* nobody's */
};

struct owner {
	enum owner_kind kind;
	uint32_t pid; /* of OWNER_PROCESS and OWNER_STACK, else 0 */
	char name[PROCESS_COMM_SIZE];
	uint64_t address; /* virtual, of the page; 0 when it has none that means anything */
	uint32_t page;    /* number: physical address / MEMORY_PAGE */
	const char *map;  /* "/bin/server", "[heap]", "dentry", ""; borrowed from the owners */
	uint32_t part;    /* of OWNER_PROCESS: which of the process's mappings of that name, from 0 */
	uint64_t offset;  /* from the start of that mapping; from the end of "[stack]", which grows downwards */
	bool shared;      /* other processes map it too */
};

struct owners;

/* list is that of the same stop. Nothing of both is needed afterwards. */
struct owners *owners_create(const struct guest *guest, const struct process_list *list);
void owners_destroy(struct owners *owners);

/* Of a page by its number. The process with the lowest pid is named when several map it. NULL behind the end of memory. */
const struct owner *owners_of(const struct owners *owners, uint64_t page);
/* All of them, in no order; one for each page. */
const struct owner *owners_list(const struct owners *owners, size_t *ret_count);

#endif
