#include "engine/guestdir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/text.h"

#define DENTRY_CURSOR  0x20000000u /* DCACHE_DENTRY_CURSOR: a reader's place in a directory, not a name */
#define DENTRY_MOUNTED 0x00010000u
#define MAGIC_OVERLAY  0x794c7630u

static uint64_t inode_of(const struct guest *g, uint64_t dentry)
{
	return dentry ? guest_value(g, LAYOUT_DENTRY_INODE, dentry) : 0;
}

/* What a place really is: in an overlay, its topmost layer. */
static struct guestfile node_file(const struct guest *g, const struct guestdir_node *node)
{
	return guestfile_inode(g, inode_of(g, node->layer_count ? node->layers[0] : node->at.dentry));
}

/* ---- names in one directory of one file system ------------------------------------------------------------------- */

typedef bool visit_child(void *data, uint64_t dentry, const char *name);

/* Calls visit for each name until it returns false. The kernel's list has cursors and names without a file: skipped. */
static void each_child(const struct guest *g, uint64_t directory, visit_child *visit, void *data)
{
	uint64_t head = directory + guest_offset(g, LAYOUT_DENTRY_SUBDIRS),
		 entry = guest_value(g, LAYOUT_DENTRY_SUBDIRS, directory);
	struct guest_round round = {0};
	for (int i = 0; i < GUESTDIR_LIST_MAX && entry && entry != head && !guest_round_again(&round, entry); i++) {
		char name[GUESTFILE_NAME_SIZE];
		uint64_t dentry = entry - guest_offset(g, LAYOUT_DENTRY_CHILD);
		bool is_name = !(guest_value(g, LAYOUT_DENTRY_FLAGS, dentry) & DENTRY_CURSOR) &&
			guest_value(g, LAYOUT_DENTRY_HASHED, dentry);
		if (is_name && inode_of(g, dentry) && guestfile_name(g, dentry, name) && !visit(data, dentry, name))
			return;
		entry = guest_value(g, LAYOUT_DENTRY_CHILD, dentry);
	}
}

struct search {
	const char *name;
	uint64_t dentry;
};

static bool search_visit(void *data, uint64_t dentry, const char *name)
{
	struct search *search = data;
	if (strcmp(name, search->name))
		return true;
	search->dentry = dentry;
	return false;
}

static uint64_t child_of(const struct guest *g, uint64_t directory, const char *name)
{
	struct search search = {.name = name};
	if (directory)
		each_child(g, directory, search_visit, &search);
	return search.dentry;
}

/* ---- overlays ------------------------------------------------------------------------------------------------------ */

/* A name that hides what lower layers have: a character device with number 0. */
static bool is_whiteout(const struct guest *g, uint64_t dentry)
{
	uint64_t inode = inode_of(g, dentry);
	return S_ISCHR(guest_value(g, LAYOUT_INODE_MODE, inode)) && !guest_value(g, LAYOUT_INODE_RDEV, inode);
}

static void add_layer(struct guestdir_node *node, uint64_t dentry)
{
	if (dentry && node->layer_count < GUESTDIR_LAYERS_MAX)
		node->layers[node->layer_count++] = dentry;
}

/* The layers of a dentry that the kernel has, as the overlay itself keeps them. */
static void find_layers(const struct guest *g, struct guestdir_node *node)
{
	uint64_t inode = inode_of(g, node->at.dentry), dentry;
	node->layer_count = 0;
	if (!g->layout->has_overlay || guest_value(g, LAYOUT_SB_MAGIC, guest_value(g, LAYOUT_INODE_SB, inode)) != MAGIC_OVERLAY)
		return;
	add_layer(node, guest_value(g, LAYOUT_OVL_INODE_UPPER, inode - guest_offset(g, LAYOUT_OVL_INODE_VFS)));
	uint64_t entry = guest_value(g, LAYOUT_DENTRY_FSDATA, node->at.dentry),
		 count = guest_value(g, LAYOUT_OVL_ENTRY_COUNT, entry) & 0xffffffff;
	for (uint64_t i = 0; i < count && i < GUESTDIR_LAYERS_MAX; i++) {
		uint64_t path = entry + guest_offset(g, LAYOUT_OVL_ENTRY_LIST) + i * g->layout->ovl_path_size;
		if (guest_get(g, LAYOUT_OVL_PATH_DENTRY, path, &dentry))
			add_layer(node, dentry);
	}
}

/* A name in an overlay's directory: the first layer that has it decides; of a directory the lower ones count as well. */
static bool layered_child(
	const struct guest *g, const struct guestdir_node *directory, const char *name, struct guestdir_node *ret)
{
	*ret = (struct guestdir_node){.at = {directory->at.mnt, child_of(g, directory->at.dentry, name)}};
	if (ret->at.dentry) {
		find_layers(g, ret);
		if (ret->layer_count)
			return true;
	}
	for (size_t i = 0; i < directory->layer_count; i++) {
		uint64_t dentry = child_of(g, directory->layers[i], name);
		if (!dentry)
			continue;
		if (is_whiteout(g, dentry))
			break;
		bool is_directory = guestfile_inode(g, inode_of(g, dentry)).kind == GUESTFILE_DIR;
		if (is_directory || !ret->layer_count)
			add_layer(ret, dentry);
		if (!is_directory)
			break;
	}
	return ret->layer_count || ret->at.dentry;
}

static bool node_child(const struct guest *g, const struct guestdir_node *directory, const char *name, struct guestdir_node *ret)
{
	if (directory->layer_count)
		return layered_child(g, directory, name, ret);
	*ret = (struct guestdir_node){.at = {directory->at.mnt, child_of(g, directory->at.dentry, name)}};
	return ret->at.dentry != 0;
}

/* Is all of a directory in memory? */
static bool is_complete(const struct guest *g, const struct guestdir_node *node)
{
	bool complete = node_file(g, node).in_memory;
	for (size_t i = 1; i < node->layer_count; i++)
		complete &= guestfile_inode(g, inode_of(g, node->layers[i])).in_memory;
	return complete;
}

/* ---- walking a path ------------------------------------------------------------------------------------------------ */

struct walk {
	const struct guest *guest;
	uint64_t namespace;
	struct guestdir_node *trail; /* the root first, then each directory on the way */
	size_t depth;
	size_t *ends;    /* of path, for each of the trail */
	struct buf path; /* of the trail: "/name/name" */
	struct buf rest; /* what is still to be walked */
	int links;
	bool certain; /* what failed is so, whatever memory does not hold */
};

/* Onto whatever is mounted at a place, as seen in a mount namespace; mounts may be stacked. */
static void enter_mounts(const struct guest *g, uint64_t namespace, struct guestdir_node *node)
{
	uint64_t head = namespace + guest_offset(g, LAYOUT_MNTNS_LIST), entry = guest_value(g, LAYOUT_MNTNS_LIST, namespace);
	uint64_t link = guest_offset(g, LAYOUT_MOUNT_LIST), mnt = guest_offset(g, LAYOUT_MOUNT_MNT);
	struct guest_round round = {0};
	if (!node->at.dentry || !(guest_value(g, LAYOUT_DENTRY_FLAGS, node->at.dentry) & DENTRY_MOUNTED))
		return;
	/* A mount stacked on another comes after it in the list, so one pass meets them in order. */
	for (int i = 0; i < GUESTDIR_LIST_MAX && entry && entry != head && !guest_round_again(&round, entry); i++) {
		uint64_t mount = entry - link;
		if (guest_value(g, LAYOUT_MOUNT_PARENT, mount) + mnt == node->at.mnt &&
			guest_value(g, LAYOUT_MOUNT_POINT, mount) == node->at.dentry) {
			*node = (struct guestdir_node){.at = {mount + mnt, guest_value(g, LAYOUT_MOUNT_MNT, mount)}};
			find_layers(g, node);
		}
		entry = guest_value(g, LAYOUT_MOUNT_LIST, mount);
	}
}

static bool read_link(const struct guest *g, const struct guestfile *file, struct buf *out, struct err *err)
{
	char target[GUESTFILE_PATH_MAX];
	uint64_t text = file->is_made ? 0 : guest_value(g, LAYOUT_INODE_LINK, file->inode);
	if (text && guest_str(g, text, target, sizeof target)) {
		buf_str(out, target);
		return true;
	}
	return guestfile_read(g, file, 0, GUESTFILE_PATH_MAX, out, err);
}

/* Puts a link's target before what is still to be walked. */
static bool follow_link(struct walk *w, const struct guestfile *file, const char *name, struct err *err)
{
	struct buf target = {0};
	bool ok = read_link(w->guest, file, &target, err);
	if (ok && (++w->links > GUESTDIR_LINKS_MAX || target.size + w->rest.size > GUESTFILE_PATH_MAX)) {
		w->certain = true;
		ok = err_set(err, ERR_INPUT, "too many symbolic links (at \"%s\")", name);
	}
	if (ok) {
		if (target.size && *target.data == '/')
			w->depth = 0;
		buf_char(&target, '/');
		buf_add(&target, w->rest.data, w->rest.size);
		buf_clear(&w->rest);
		buf_add(&w->rest, target.data, target.size);
	}
	buf_free(&target);
	return ok;
}

/* One part of the path. */
static bool walk_part(struct walk *w, const char *name, bool follow, struct err *err)
{
	const struct guest *g = w->guest;
	const struct guestdir_node *here = &w->trail[w->depth];
	struct guestdir_node next;
	if (!strcmp(name, "."))
		return true;
	if (!strcmp(name, "..")) {
		w->depth -= w->depth > 0;
		return true;
	}
	struct guestfile directory = node_file(g, here);
	if (directory.kind != GUESTFILE_DIR) {
		w->certain = directory.kind != GUESTFILE_NONE;
		return err_set(err, ERR_INPUT, "what should hold \"%s\" is no directory", name);
	}
	if (!node_child(g, here, name, &next)) {
		w->certain = is_complete(g, here);
		return err_set(err, ERR_INPUT,
			w->certain ? "there is no \"%s\"" : "the guest's kernel has no \"%s\" in its cache", name);
	}
	enter_mounts(g, w->namespace, &next);
	struct guestfile file = node_file(g, &next);
	if (file.kind == GUESTFILE_LINK && follow)
		return follow_link(w, &file, name, err);
	if (w->depth + 1 == GUESTFILE_DEPTH_MAX)
		return err_set(err, ERR_INPUT, "more than %d directories (at \"%s\")", GUESTFILE_DEPTH_MAX, name);
	w->path.size = w->ends[w->depth];
	buf_printf(&w->path, "/%s", name);
	w->trail[++w->depth] = next;
	w->ends[w->depth] = w->path.size;
	return true;
}

static bool walk_all(struct walk *w, bool follow, struct err *err)
{
	for (;;) {
		size_t slashes = strspn(w->rest.data, "/"), size = strcspn(w->rest.data + slashes, "/");
		if (!size)
			return true;
		char *name = mem_strn(w->rest.data + slashes, size);
		bool last = !w->rest.data[slashes + size + strspn(w->rest.data + slashes + size, "/")];
		buf_drop(&w->rest, slashes + size);
		bool ok = walk_part(w, name, follow || !last, err);
		if (!ok) { /* what could not be walked, for path_out */
			struct buf rest = {0};
			buf_printf(&rest, "/%s%s", name, w->rest.data);
			buf_free(&w->rest);
			w->rest = rest;
		}
		free(name);
		if (!ok)
			return false;
	}
}

/* Where the walk starts is always the root: a relative path goes through the working directory's own path. */
static bool start_walk(struct walk *w, uint64_t task, const char *path, struct err *err)
{
	const struct guest *g = w->guest;
	struct guest_place root = guestfile_root(g, task), cwd = guestfile_cwd(g, task);
	w->certain = strlen(path) >= GUESTFILE_PATH_MAX;
	if (w->certain)
		return err_set(
			err, ERR_INPUT, "the path has %zu bytes, at most %d are walked", strlen(path), GUESTFILE_PATH_MAX - 1);
	if (!root.dentry) {
		w->certain = *path != '/';
		buf_str(&w->rest, path);
		return err_set(err, ERR_INPUT, "the process has no root directory any more");
	}
	if (*path != '/')
		guestfile_path(g, cwd, &root, &w->rest);
	buf_char(&w->rest, '/');
	buf_str(&w->rest, path);
	w->namespace = guest_value(g, LAYOUT_NSPROXY_MNT, guest_value(g, LAYOUT_TASK_NSPROXY, task));
	w->trail[0] = (struct guestdir_node){.at = root};
	find_layers(g, &w->trail[0]);
	enter_mounts(g, w->namespace, &w->trail[0]);
	return true;
}

bool guestdir_find(const struct guest *g, uint64_t task, const char *path, bool follow, struct guestdir_node *ret_node,
	struct guestfile *ret_file, struct buf *path_out, struct err *err)
{
	struct walk w = {.guest = g,
		.trail = mem_array(GUESTFILE_DEPTH_MAX, sizeof *w.trail),
		.ends = mem_array(GUESTFILE_DEPTH_MAX, sizeof *w.ends)};
	bool ok = start_walk(&w, task, path, err) && walk_all(&w, follow, err);
	if (ok) {
		*ret_node = w.trail[w.depth];
		*ret_file = node_file(g, ret_node);
	} else {
		*ret_file = (struct guestfile){.in_memory = w.certain};
		err_prefix(err, "%s", path);
	}
	if (path_out) {
		buf_add(path_out, w.path.data, w.ends[w.depth]);
		buf_add(path_out, w.rest.data, w.rest.size);
		/* A link's target got one behind it; here as in memory it means nothing. */
		while (path_out->size > 1 && path_out->data[path_out->size - 1] == '/')
			path_out->data[--path_out->size] = '\0';
		if (ok && !path_out->size)
			buf_char(path_out, '/');
	}
	buf_free(&w.path);
	buf_free(&w.rest);
	free(w.ends);
	free(w.trail);
	return ok;
}

/* ---- listing ------------------------------------------------------------------------------------------------------- */

struct listing {
	const struct guest *guest;
	struct guestdir_list *list;
};

static bool list_visit(void *data, uint64_t dentry, const char *name)
{
	struct listing *l = data;
	struct guestdir_entry entry = {mem_str(name), guestfile_inode(l->guest, inode_of(l->guest, dentry))};
	if (is_whiteout(l->guest, dentry))
		entry.file.kind = GUESTFILE_NONE;
	ARRAY_PUSH(l->list->entries, l->list->count, l->list->room) = entry;
	return l->list->count < GUESTDIR_LIST_MAX;
}

static int by_name(const void *a, const void *b)
{
	const struct guestdir_entry *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void sort(struct guestdir_entry *entries, size_t count)
{
	if (count)
		qsort(entries, count, sizeof *entries, by_name);
}

/* Names of a lower layer that the layers above have too are hidden by them. `above` names are sorted. */
static void hide(struct guestdir_list *list, size_t above)
{
	size_t kept = above;
	for (size_t i = above; i < list->count; i++) {
		struct guestdir_entry *entry = &list->entries[i];
		if (above && bsearch(entry, list->entries, above, sizeof *entry, by_name))
			free(entry->name);
		else
			list->entries[kept++] = *entry;
	}
	list->count = kept;
	sort(list->entries, list->count);
}

bool guestdir_ls(const struct guest *g, const struct guestdir_node *directory, struct guestdir_list *list, struct err *err)
{
	struct listing listing = {g, list};
	size_t kept = 0;
	*list = (struct guestdir_list){.complete = is_complete(g, directory)};
	if (node_file(g, directory).kind != GUESTFILE_DIR)
		return err_set(err, ERR_INPUT, "it is no directory");
	if (!directory->layer_count) {
		each_child(g, directory->at.dentry, list_visit, &listing);
		sort(list->entries, list->count);
		return true;
	}
	for (size_t i = 0; i < directory->layer_count; i++) {
		size_t above = list->count;
		each_child(g, directory->layers[i], list_visit, &listing);
		hide(list, above);
	}
	for (size_t i = 0; i < list->count; i++) /* whiteouts have hidden what they had to */
		if (list->entries[i].file.kind == GUESTFILE_NONE)
			free(list->entries[i].name);
		else
			list->entries[kept++] = list->entries[i];
	list->count = kept;
	return true;
}

void guestdir_list_sort(struct guestdir_list *list)
{
	sort(list->entries, list->count);
}

void guestdir_list_finish(struct guestdir_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i].name);
	free(list->entries);
	*list = (struct guestdir_list){0};
}

void guestdir_list_print(const struct guestdir_list *list, struct buf *out)
{
	static const char kinds[] = "?-dlpsc";
	for (size_t i = 0; i < list->count; i++) {
		const struct guestdir_entry *entry = &list->entries[i];
		buf_printf(out, "%c%04o %5u %10llu ", kinds[entry->file.kind], entry->file.mode & 07777, entry->file.uid,
			(unsigned long long)entry->file.size);
		text_put_safe(out, entry->name, strlen(entry->name));
		buf_char(out, '\n');
	}
	if (!list->complete)
		buf_str(out, "(only the names that the guest's kernel had in its cache)\n");
}
