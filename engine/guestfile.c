#include "engine/guestfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/text.h"

#define NAME_MAX_BYTES 255
#define PARTS_MAX      (2 * GUESTFILE_DEPTH_MAX)
#define DENTRY_CURSOR  0x20000000u /* DCACHE_DENTRY_CURSOR: a reader's place in a directory, not a name */
#define DENTRY_MOUNTED 0x00010000u
#define MAGIC_TMPFS    0x01021994u
#define MAGIC_RAMFS    0x858458f6u
#define XA_CHUNK       64u

/* ---- names ------------------------------------------------------------------------------------------------- */

static bool dentry_name(const struct guest *g, uint64_t dentry, char name[NAME_MAX_BYTES + 1])
{
	uint64_t at, size;
	if (!guest_get(g, LAYOUT_DENTRY_NAME, dentry, &at) || !guest_get(g, LAYOUT_DENTRY_NAME_SIZE, dentry, &size))
		return false;
	if (size > NAME_MAX_BYTES || memory_read_some(&g->kernel, at, name, size) != size)
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
	char name[NAME_MAX_BYTES + 1] = "";
	dentry_name(g, dentry, name);
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
		char name[NAME_MAX_BYTES + 1];
		uint64_t named = covered(g, at).dentry;
		if (!go_up(g, &at))
			break;
		if (!dentry_name(g, named, name) || count == PARTS_MAX) {
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

static enum guestfile_kind kind_of(uint32_t mode)
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
	file.kind = kind_of(file.mode);
	file.number = guest_value(g, LAYOUT_INODE_NUMBER, inode);
	file.size = guest_value(g, LAYOUT_INODE_SIZE, inode);
	file.uid = (uint32_t)guest_value(g, LAYOUT_INODE_UID, inode);
	file.device = guest_value(g, LAYOUT_SB_DEVICE, sb);
	file.in_memory = magic == MAGIC_TMPFS || magic == MAGIC_RAMFS;
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

/* ---- finding -------------------------------------------------------------------------------------------------- */

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

/* Onto whatever is mounted at a place, as seen in a mount namespace; mounts may be stacked. */
static void enter_mounts(const struct guest *g, uint64_t namespace, struct guest_place *at)
{
	uint64_t head = namespace + guest_offset(g, LAYOUT_MNTNS_LIST), entry = guest_value(g, LAYOUT_MNTNS_LIST, namespace);
	uint64_t link = guest_offset(g, LAYOUT_MOUNT_LIST), mnt = guest_offset(g, LAYOUT_MOUNT_MNT);
	if (!(guest_value(g, LAYOUT_DENTRY_FLAGS, at->dentry) & DENTRY_MOUNTED))
		return;
	/* A mount stacked on another comes after it in the list, so one pass meets them in order. */
	struct guest_round round = {0};
	for (int i = 0; i < GUESTFILE_LIST_MAX && entry && entry != head && !guest_round_again(&round, entry); i++) {
		uint64_t mount = entry - link;
		if (guest_value(g, LAYOUT_MOUNT_PARENT, mount) + mnt == at->mnt &&
			guest_value(g, LAYOUT_MOUNT_POINT, mount) == at->dentry)
			*at = (struct guest_place){mount + mnt, guest_value(g, LAYOUT_MOUNT_MNT, mount)};
		entry = guest_value(g, LAYOUT_MOUNT_LIST, mount);
	}
}

/* Calls each name of a directory until visit returns false. The kernel's list has cursors and negative entries: skipped. */
static void each_child(const struct guest *g, uint64_t directory,
	bool (*visit)(void *data, uint64_t dentry, const char *name, uint64_t inode), void *data)
{
	uint64_t head = directory + guest_offset(g, LAYOUT_DENTRY_SUBDIRS),
		 entry = guest_value(g, LAYOUT_DENTRY_SUBDIRS, directory);
	struct guest_round round = {0};
	for (int i = 0; i < GUESTFILE_LIST_MAX && entry && entry != head && !guest_round_again(&round, entry); i++) {
		char name[NAME_MAX_BYTES + 1];
		uint64_t dentry = entry - guest_offset(g, LAYOUT_DENTRY_CHILD),
			 inode = guest_value(g, LAYOUT_DENTRY_INODE, dentry);
		bool is_name = !(guest_value(g, LAYOUT_DENTRY_FLAGS, dentry) & DENTRY_CURSOR) &&
			guest_value(g, LAYOUT_DENTRY_HASHED, dentry);
		if (is_name && inode && dentry_name(g, dentry, name) && !visit(data, dentry, name, inode))
			return;
		entry = guest_value(g, LAYOUT_DENTRY_CHILD, dentry);
	}
}

struct search {
	const char *name;
	size_t size;
	uint64_t dentry;
};

static bool search_visit(void *data, uint64_t dentry, const char *name, uint64_t inode)
{
	struct search *search = data;
	(void)inode;
	if (strlen(name) != search->size || memcmp(name, search->name, search->size))
		return true;
	search->dentry = dentry;
	return false;
}

static bool read_link(const struct guest *g, const struct guestfile *file, struct buf *out, struct err *err)
{
	char target[GUESTFILE_PATH_MAX];
	if (guest_str(g, guest_value(g, LAYOUT_INODE_LINK, file->inode), target, sizeof target)) {
		buf_str(out, target);
		return true;
	}
	return guestfile_read(g, file, 0, GUESTFILE_PATH_MAX, out, err);
}

struct walk {
	const struct guest *guest;
	struct guest_place root, at;
	uint64_t namespace;
	struct buf rest; /* what is still to be walked */
	int links;
};

/* One part of the path. *ret_found is false when there is no such name. */
static bool walk_part(struct walk *w, const char *name, size_t size, bool follow, struct err *err)
{
	const struct guest *g = w->guest;
	if (size == 1 && *name == '.')
		return true;
	if (size == 2 && !memcmp(name, "..", 2)) {
		if (w->at.mnt != w->root.mnt || w->at.dentry != w->root.dentry)
			go_up(g, &w->at);
		return true;
	}
	struct guestfile directory = guestfile_inode(g, guest_value(g, LAYOUT_DENTRY_INODE, w->at.dentry));
	if (directory.kind != GUESTFILE_DIR)
		return err_set(err, ERR_INPUT, "what should hold \"%.*s\" is no directory", (int)size, name);
	struct search search = {name, size, 0};
	each_child(g, w->at.dentry, search_visit, &search);
	if (!search.dentry)
		return err_set(err, ERR_INPUT,
			directory.in_memory ? "there is no \"%.*s\"" : "the guest's kernel has no \"%.*s\" in its cache",
			(int)size, name);
	struct guest_place next = {w->at.mnt, search.dentry};
	enter_mounts(g, w->namespace, &next);
	struct guestfile file = guestfile_inode(g, guest_value(g, LAYOUT_DENTRY_INODE, next.dentry));
	if (file.kind != GUESTFILE_LINK || !follow) {
		w->at = next;
		return true;
	}
	struct buf target = {0};
	bool ok = read_link(g, &file, &target, err);
	if (ok && (++w->links > GUESTFILE_LINKS_MAX || target.size + w->rest.size > GUESTFILE_PATH_MAX))
		ok = err_set(err, ERR_INPUT, "too many symbolic links (at \"%.*s\")", (int)size, name);
	if (ok) {
		if (target.size && *target.data == '/')
			w->at = w->root;
		buf_char(&target, '/');
		buf_add(&target, w->rest.data, w->rest.size);
		buf_clear(&w->rest);
		buf_add(&w->rest, target.data, target.size);
	}
	buf_free(&target);
	return ok;
}

bool guestfile_find(const struct guest *g, uint64_t task, const char *path, bool follow, struct guest_place *ret_place,
	struct guestfile *ret_file, struct err *err)
{
	struct walk w = {.guest = g,
		.root = guestfile_root(g, task),
		.namespace = guest_value(g, LAYOUT_NSPROXY_MNT, guest_value(g, LAYOUT_TASK_NSPROXY, task))};
	bool ok = true;
	w.at = *path == '/' ? w.root : guestfile_cwd(g, task);
	if (!w.at.dentry)
		return err_set(err, ERR_INPUT, "%s: the process has no root directory any more", path);
	if (strlen(path) >= GUESTFILE_PATH_MAX)
		return err_set(
			err, ERR_INPUT, "the path has %zu bytes, at most %d are walked", strlen(path), GUESTFILE_PATH_MAX - 1);
	buf_str(&w.rest, path);
	enter_mounts(g, w.namespace, &w.at);
	while (ok) {
		size_t slashes = strspn(w.rest.data, "/"), size = strcspn(w.rest.data + slashes, "/");
		char *name = mem_strn(w.rest.data + slashes, size);
		bool last = !w.rest.data[slashes + size + strspn(w.rest.data + slashes + size, "/")];
		buf_drop(&w.rest, slashes + size);
		bool done = !size;
		ok = done || walk_part(&w, name, size, follow || !last, err);
		free(name);
		if (done)
			break;
	}
	buf_free(&w.rest);
	if (!ok)
		return err_prefix(err, "%s", path);
	*ret_place = w.at;
	*ret_file = guestfile_inode(g, guest_value(g, LAYOUT_DENTRY_INODE, w.at.dentry));
	return true;
}

/* ---- listing ---------------------------------------------------------------------------------------------------- */

struct listing {
	const struct guest *guest;
	struct guestfile_list *list;
};

static bool list_visit(void *data, uint64_t dentry, const char *name, uint64_t inode)
{
	struct listing *l = data;
	(void)dentry;
	ARRAY_PUSH(l->list->entries, l->list->count, l->list->room) =
		(struct guestfile_entry){mem_str(name), guestfile_inode(l->guest, inode)};
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct guestfile_entry *x = a, *y = b;
	return strcmp(x->name, y->name);
}

bool guestfile_ls(const struct guest *g, struct guest_place directory, struct guestfile_list *list, struct err *err)
{
	struct guestfile file = guestfile_inode(g, guest_value(g, LAYOUT_DENTRY_INODE, directory.dentry));
	*list = (struct guestfile_list){.complete = file.in_memory};
	if (file.kind != GUESTFILE_DIR)
		return err_set(err, ERR_INPUT, "it is no directory");
	each_child(g, directory.dentry, list_visit, &(struct listing){g, list});
	if (list->count)
		qsort(list->entries, list->count, sizeof *list->entries, by_name);
	return true;
}

void guestfile_list_finish(struct guestfile_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i].name);
	free(list->entries);
	*list = (struct guestfile_list){0};
}

void guestfile_list_print(const struct guestfile_list *list, struct buf *out)
{
	static const char kinds[] = "?-dlpsc";
	for (size_t i = 0; i < list->count; i++) {
		const struct guestfile_entry *entry = &list->entries[i];
		buf_printf(out, "%c%04o %5u %10llu ", kinds[entry->file.kind], entry->file.mode & 07777, entry->file.uid,
			(unsigned long long)entry->file.size);
		text_put_safe(out, entry->name, strlen(entry->name));
		buf_char(out, '\n');
	}
	if (!list->complete)
		buf_str(out, "(only the names that the guest's kernel had in its cache)\n");
}
