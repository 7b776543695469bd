#include "engine/guestfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PARTS_MAX     (2 * GUESTFILE_DEPTH_MAX)
#define MAGIC_TMPFS   0x01021994u
#define MAGIC_RAMFS   0x858458f6u
#define MAGIC_OVERLAY 0x794c7630u
#define XA_CHUNK      64u

/* ---- names ------------------------------------------------------------------------------------------------- */

bool guestfile_name(const struct guest *g, uint64_t dentry, char name[GUESTFILE_NAME_SIZE])
{
	uint64_t at, size;
	if (!guest_get(g, LAYOUT_DENTRY_NAME, dentry, &at) || !guest_get(g, LAYOUT_DENTRY_NAME_SIZE, dentry, &size))
		return false;
	if (size >= GUESTFILE_NAME_SIZE || memory_read_some(&g->kernel, at, name, size) != size)
		return false;
	name[size] = 0;
	return true;
}

/* A vfsmount is a member of the struct mount around it. */
static uint64_t mount_of(const struct guest *g, uint64_t mnt)
{
	return mnt - guest_offset(g, LAYOUT_MOUNT_MNT);
}

static bool is_deleted(const struct guest *g, uint64_t dentry)
{
	return !guest_value(g, LAYOUT_DENTRY_HASHED, dentry) && guest_value(g, LAYOUT_DENTRY_PARENT, dentry) != dentry;
}

/* "pipe:[12]", "socket:[12]", "anon_inode:[eventpoll]", "mnt:[4026531840]", "/memfd:name (deleted)". False when the path is
 * ordinary. */
static bool made_up_name(const struct guest *g, uint64_t dentry, struct buf *out)
{
	uint64_t function = guest_value(g, LAYOUT_DOPS_DNAME, guest_value(g, LAYOUT_DENTRY_OPS, dentry));
	const struct ksym *symbol = function ? ksyms_at(g->layout->ksyms, function) : NULL;
	if (!symbol)
		return false;
	uint64_t inode = guest_value(g, LAYOUT_DENTRY_INODE, dentry);
	unsigned long long number = guest_value(g, LAYOUT_INODE_NUMBER, inode);
	char name[GUESTFILE_NAME_SIZE] = "";
	guestfile_name(g, dentry, name);
	if (!strcmp(symbol->name, "pipefs_dname"))
		buf_printf(out, "pipe:[%llu]", number);
	else if (!strcmp(symbol->name, "sockfs_dname"))
		buf_printf(out, "socket:[%llu]", number);
	else if (!strcmp(symbol->name, "anon_inodefs_dname"))
		buf_printf(out, "anon_inode:%s", name);
	else if (!strcmp(symbol->name, "simple_dname"))
		buf_printf(out, "/%s (deleted)", name);
	else if (!strcmp(symbol->name, "ns_dname")) {
		guest_str(g, guest_value(g, LAYOUT_NSOPS_NAME, guest_value(g, LAYOUT_DENTRY_FSDATA, dentry)), name, sizeof name);
		buf_printf(out, "%s:[%llu]", name, number);
	} else
		return false;
	return true;
}

/* The place above: the parent directory, or, from the root of a mount, the parent of the directory it covers. False at the top.
 */
static bool go_up(const struct guest *g, struct guest_place *at)
{
	for (int i = 0; i < GUESTFILE_DEPTH_MAX; i++) {
		uint64_t mount = mount_of(g, at->mnt);
		if (at->dentry != guest_value(g, LAYOUT_MOUNT_MNT, mount)) {
			uint64_t parent = guest_value(g, LAYOUT_DENTRY_PARENT, at->dentry);
			if (parent == at->dentry)
				return false; /* of no mount that is known: detached */
			at->dentry = parent;
			return true;
		}
		uint64_t above = guest_value(g, LAYOUT_MOUNT_PARENT, mount);
		if (!above || above == mount)
			return false;
		at->dentry = guest_value(g, LAYOUT_MOUNT_POINT, mount);
		at->mnt = above + guest_offset(g, LAYOUT_MOUNT_MNT);
	}
	return false;
}

/* Down to what is mounted below: the name of a mount's root is that of the directory it covers. */
static struct guest_place covered(const struct guest *g, struct guest_place at)
{
	for (int i = 0; i < GUESTFILE_DEPTH_MAX; i++) {
		uint64_t mount = mount_of(g, at.mnt), above = guest_value(g, LAYOUT_MOUNT_PARENT, mount);
		if (at.dentry != guest_value(g, LAYOUT_MOUNT_MNT, mount) || !above || above == mount)
			break;
		at = (struct guest_place){above + guest_offset(g, LAYOUT_MOUNT_MNT), guest_value(g, LAYOUT_MOUNT_POINT, mount)};
	}
	return at;
}

bool guestfile_path(const struct guest *g, struct guest_place at, const struct guest_place *root, struct buf *out)
{
	if (!at.dentry)
		return false;
	if (made_up_name(g, at.dentry, out))
		return true;
	bool deleted = is_deleted(g, at.dentry), whole = true;
	char *parts[PARTS_MAX];
	size_t count = 0;
	while (!root || at.mnt != root->mnt || at.dentry != root->dentry) {
		char name[GUESTFILE_NAME_SIZE];
		uint64_t named = covered(g, at).dentry;
		if (!go_up(g, &at))
			break;
		if (!guestfile_name(g, named, name) || count == PARTS_MAX) {
			whole = false;
			break;
		}
		parts[count++] = mem_str(name);
	}
	if (!count)
		buf_char(out, '/');
	while (count) {
		buf_printf(out, "/%s", parts[--count]);
		free(parts[count]);
	}
	if (deleted)
		buf_str(out, " (deleted)");
	return whole;
}

/* ---- inodes ------------------------------------------------------------------------------------------------- */

enum guestfile_kind guestfile_kind(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return GUESTFILE_FILE;
	case S_IFDIR:
		return GUESTFILE_DIR;
	case S_IFLNK:
		return GUESTFILE_LINK;
	case S_IFIFO:
		return GUESTFILE_PIPE;
	case S_IFSOCK:
		return GUESTFILE_SOCKET;
	case S_IFCHR:
	case S_IFBLK:
		return GUESTFILE_DEVICE;
	default:
		return mode ? GUESTFILE_FILE : GUESTFILE_NONE; /* anonymous inodes have no type bits */
	}
}

struct guestfile guestfile_inode(const struct guest *g, uint64_t inode)
{
	struct guestfile file = {.inode = inode};
	uint64_t mode;
	if (!guest_get(g, LAYOUT_INODE_MODE, inode, &mode))
		return file;
	uint64_t sb = guest_value(g, LAYOUT_INODE_SB, inode);
	uint64_t magic = guest_value(g, LAYOUT_SB_MAGIC, sb);
	file.mode = (uint32_t)mode;
	file.kind = guestfile_kind(file.mode);
	file.number = guest_value(g, LAYOUT_INODE_NUMBER, inode);
	file.size = guest_value(g, LAYOUT_INODE_SIZE, inode);
	file.uid = (uint32_t)guest_value(g, LAYOUT_INODE_UID, inode);
	file.device = guest_value(g, LAYOUT_SB_DEVICE, sb);
	file.in_memory = magic == MAGIC_TMPFS || magic == MAGIC_RAMFS;
	/* On no disk, and not in memory. An overlay's are of the file systems below it. */
	file.is_made = !file.in_memory && magic != MAGIC_OVERLAY && file.device >> 20 == 0;
	return file;
}

/* ---- contents ------------------------------------------------------------------------------------------------ */

/* The struct page that holds page number index of an inode's contents (the kernel's xarray, walked); 0 when none is cached. */
static uint64_t cached_page(const struct guest *g, uint64_t inode, uint64_t index)
{
	uint64_t entry = guest_value(g, LAYOUT_MAPPING_PAGES, guest_value(g, LAYOUT_INODE_MAPPING, inode));
	bool is_top = true;
	for (int depth = 0; depth < 12 && (entry & 3) == 2 && entry > 4096; depth++) {
		uint64_t node = entry - 2, shift = guest_value(g, LAYOUT_XA_SHIFT, node),
			 slots = node + guest_offset(g, LAYOUT_XA_SLOTS);
		if (shift > 60 || (is_top && index >> shift >= XA_CHUNK))
			return 0;
		uint64_t slot = index >> shift & (XA_CHUNK - 1);
		if (memory_read_some(&g->kernel, slots + slot * 8, &entry, 8) != 8)
			return 0;
		/* A sibling entry says which slot holds the folio that covers this one too. */
		if ((entry & 3) == 2 && entry < (XA_CHUNK << 2) &&
			memory_read_some(&g->kernel, slots + (entry >> 2) * 8, &entry, 8) != 8)
			return 0;
		is_top = false;
	}
	if (!entry || entry & 3 || (is_top && index))
		return 0; /* nothing, or the shadow of a page that was evicted */
	uint64_t first = guest_value(g, LAYOUT_PAGE_INDEX, entry);
	return first <= index ? entry + (index - first) * g->layout->page_size : 0;
}

static const void *page_bytes(const struct guest *g, uint64_t page)
{
	if (page < g->layout->vmemmap)
		return NULL;
	return memory_physical(g->stop, (page - g->layout->vmemmap) / g->layout->page_size * MEMORY_PAGE, MEMORY_PAGE);
}

bool guestfile_read(
	const struct guest *g, const struct guestfile *file, uint64_t offset, uint64_t size, struct buf *out, struct err *err)
{
	static const unsigned char zeros[MEMORY_PAGE];
	if (file->kind != GUESTFILE_FILE && file->kind != GUESTFILE_LINK)
		return err_set(err, ERR_INPUT, "it is no regular file, so it has no contents");
	if (file->is_made)
		return err_set(
			err, ERR_INPUT, "the guest's kernel makes its contents whenever it is read: they are not in memory");
	uint64_t end = offset > file->size ? offset : size < file->size - offset ? offset + size : file->size;
	while (offset < end) {
		uint64_t page = cached_page(g, file->inode, offset / MEMORY_PAGE);
		const unsigned char *bytes = page ? page_bytes(g, page) : file->in_memory ? zeros : NULL;
		if (!bytes)
			return err_set(err, ERR_INPUT, "the part of the file at offset %llu is not in the guest's memory",
				(unsigned long long)offset);
		uint64_t skip = offset % MEMORY_PAGE, part = MEMORY_PAGE - skip;
		if (part > end - offset)
			part = end - offset;
		buf_add(out, bytes + skip, part);
		offset += part;
	}
	return true;
}

/* ---- places of a task ------------------------------------------------------------------------------------------ */

struct guest_place guestfile_root(const struct guest *g, uint64_t task)
{
	uint64_t fs = guest_value(g, LAYOUT_TASK_FS, task);
	return (struct guest_place){guest_value(g, LAYOUT_FS_ROOT_MNT, fs), guest_value(g, LAYOUT_FS_ROOT_DENTRY, fs)};
}

struct guest_place guestfile_cwd(const struct guest *g, uint64_t task)
{
	uint64_t fs = guest_value(g, LAYOUT_TASK_FS, task);
	return (struct guest_place){guest_value(g, LAYOUT_FS_PWD_MNT, fs), guest_value(g, LAYOUT_FS_PWD_DENTRY, fs)};
}
