#include "engine/kpages.h"

#include <string.h>

#include "engine/guestfile.h"

/* The kernel's values, Linux 6.1 (include/linux/page-flags.h). A kernel with others has pages of unknown use, not wrong names: a
 * cache must have a name, and a file an inode. */
#define FLAG_SLAB    9
#define TYPE_BASE    0xf0000000u /* bits of a type are taken off an all-ones word */
#define TYPE_TABLES  0x00000200u
#define MAPPING_BITS 3u /* anonymous memory, or movable: no file */

static bool is_name(const char *text)
{
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;
	return *text;
}

/* The path of a file below the root of its file system, from one of the names it has. */
static void file_name(const struct guest *g, uint64_t inode, char name[KPAGES_NAME_MAX])
{
	uint64_t alias = guest_value(g, LAYOUT_INODE_DENTRY, inode);
	uint64_t at = alias ? alias - guest_offset(g, LAYOUT_DENTRY_ALIAS) : 0;
	char part[GUESTFILE_NAME_SIZE], whole[KPAGES_NAME_MAX];
	size_t from = sizeof whole - 1;
	whole[from] = 0;
	for (int i = 0; at && i < KPAGES_DEPTH_MAX; i++) {
		uint64_t parent = guest_value(g, LAYOUT_DENTRY_PARENT, at);
		if (!parent || parent == at || !guestfile_name(g, at, part))
			break;
		size_t size = strlen(part);
		if (size + 1 > from)
			break;
		from -= size;
		memcpy(whole + from, part, size);
		whole[--from] = '/';
		at = parent;
	}
	memcpy(name, whole + from, sizeof whole - from);
}

enum kpages_kind kpages_of(const struct guest *g, uint64_t page, char name[KPAGES_NAME_MAX])
{
	uint64_t at = g->layout->vmemmap + page * g->layout->page_size, value;
	*name = 0;
	if (!g->layout->has_pages || !guest_get(g, LAYOUT_PAGE_HEAD, at, &value))
		return KPAGES_OTHER;
	if (value & 1) /* the rest of a larger page */
		at = value - 1;
	if (!(guest_value(g, LAYOUT_PAGE_USERS, at) & 0xffffffff))
		return KPAGES_FREE;
	if (guest_value(g, LAYOUT_PAGE_FLAGS, at) >> FLAG_SLAB & 1) {
		uint64_t cache = guest_value(g, LAYOUT_SLAB_CACHE, at);
		guest_str(g, guest_value(g, LAYOUT_CACHE_NAME, cache), name, KPAGES_NAME_MAX);
		return is_name(name) ? KPAGES_SLAB : KPAGES_OTHER;
	}
	if ((guest_value(g, LAYOUT_PAGE_TYPE, at) & (TYPE_BASE | TYPE_TABLES)) == TYPE_BASE)
		return KPAGES_TABLES;
	uint64_t mapping = guest_value(g, LAYOUT_PAGE_MAPPING, at);
	uint64_t inode = mapping && !(mapping & MAPPING_BITS) ? guest_value(g, LAYOUT_MAPPING_HOST, mapping) : 0;
	if (!inode || guest_value(g, LAYOUT_INODE_MAPPING, inode) != mapping)
		return KPAGES_OTHER;
	file_name(g, inode, name);
	return KPAGES_FILE;
}
