/*
 * What the kernel of a stopped guest has given each page of memory out for: its own record of them (struct page), read.
 */
#ifndef ENGINE_KPAGES_H
#define ENGINE_KPAGES_H

#include "engine/layout.h"

#define KPAGES_NAME_MAX  300 /* bytes of a name, with its NUL */
#define KPAGES_DEPTH_MAX 64  /* directories in the path of a file */

enum kpages_kind {
	KPAGES_OTHER,  /* a process's own memory, a buffer, or not known */
	KPAGES_FREE,   /* nobody's */
	KPAGES_TABLES, /* page tables */
	KPAGES_SLAB,   /* objects of a cache: "dentry", "kmalloc-64" */
	KPAGES_FILE,   /* contents of a file: its path in its own file system, "" when it has none (any more) */
};

/* By the page's number. name is set to "" unless it is a cache or a file. */
enum kpages_kind kpages_of(const struct guest *guest, uint64_t page, char name[KPAGES_NAME_MAX]);

#endif
