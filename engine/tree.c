#include "engine/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/archive.h"
#include "engine/buf.h"
#include "engine/file.h"

#define MODE_BITS 07777

struct tree *tree_create(void)
{
	return mem_alloc(sizeof(struct tree));
}

static void entry_finish(struct tree_entry *e)
{
	free(e->path);
	free(e->target);
	free(e->bytes);
}

void tree_destroy(struct tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		entry_finish(&t->entries[i]);
	free(t->entries);
	free(t);
}

/* ---- names ---- */

/* "./usr//bin/" -> "usr/bin". NULL with a sentence if the name leaves the tree or is too long or deep. "" is the root itself. */
static char *clean_path(const char *path, struct err *err)
{
	struct buf out = {0};
	int depth = 0;
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if (n == 2 && !memcmp(p, "..", 2)) {
			buf_free(&out);
			err_set(err, ERR_INPUT, "%.200s: leaves the tree by \"..\"", path);
			return NULL;
		}
		if (n && !(n == 1 && *p == '.')) {
			if (out.size)
				buf_char(&out, '/');
			buf_add(&out, p, n);
			depth++;
		}
		p += n + (p[n] == '/');
	}
	if (out.size > TREE_PATH_MAX || depth > TREE_DEPTH_MAX) {
		buf_free(&out);
		err_set(err, ERR_INPUT, "%.200s...: longer than %d bytes or deeper than %d directories", path, TREE_PATH_MAX,
			TREE_DEPTH_MAX);
		return NULL;
	}
	return buf_take(&out);
}

/* ---- a table while building: in order of addition, the newest of equal paths counts ---- */

static bool has_room(const struct tree *t, const char *path, size_t size, struct err *err)
{
	if (t->count >= TREE_ENTRIES_MAX)
		return err_set(err, ERR_INPUT, "%.200s: more than %d files and directories", path, TREE_ENTRIES_MAX);
	if (size > TREE_BYTES_MAX - t->bytes)
		return err_set(err, ERR_INPUT, "%.200s: more than %u MiB in all files together", path, TREE_BYTES_MAX >> 20);
	return true;
}

/* Takes over path (clean, not empty), target and bytes. */
static void append(struct tree *t, struct tree_entry e)
{
	t->bytes += e.size;
	ARRAY_PUSH(t->entries, t->count, t->room) = e;
}

bool tree_add(struct tree *t, const char *path, enum tree_kind kind, unsigned mode, unsigned uid, unsigned gid,
	const char *target, const void *bytes, size_t size, struct err *err)
{
	char *clean = clean_path(path, err);
	if (!clean || !*clean || !has_room(t, clean, kind == TREE_FILE ? size : 0, err)) {
		bool root = clean && !*clean;
		free(clean);
		return root; /* the root is always there */
	}
	struct tree_entry e = {.path = clean, .kind = kind, .mode = mode & MODE_BITS, .uid = uid, .gid = gid};
	if (kind == TREE_LINK) {
		e.target = mem_str(target ? target : "");
		e.mode = 0777;
	}
	if (kind == TREE_FILE && size) {
		e.bytes = (uint8_t *)mem_strn(bytes, size);
		e.size = size;
	}
	append(t, e);
	return true;
}

static bool is_below(const char *path, const char *parent, size_t parent_size)
{
	return !strncmp(path, parent, parent_size) && (path[parent_size] == '/' || !path[parent_size]);
}

void tree_remove(struct tree *t, const char *path)
{
	char *clean = clean_path(path, NULL);
	size_t kept = 0, n = clean ? strlen(clean) : 0;
	for (size_t i = 0; i < t->count; i++) {
		if (n && is_below(t->entries[i].path, clean, n)) {
			t->bytes -= t->entries[i].size;
			entry_finish(&t->entries[i]);
		} else {
			t->entries[kept++] = t->entries[i];
		}
	}
	t->count = kept;
	free(clean);
}

/* ---- finishing ---- */

struct numbered {
	struct tree_entry e;
	size_t number;
};

static int by_path(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = strcmp(x->e.path, y->e.path);
	return order ? order : x->number < y->number ? -1 : 1;
}

/* Sorts; of equal paths the one added last stays. */
static void sort(struct tree *t)
{
	struct numbered *list = mem_array(t->count, sizeof *list);
	for (size_t i = 0; i < t->count; i++)
		list[i] = (struct numbered){t->entries[i], i};
	qsort(list, t->count, sizeof *list, by_path);
	size_t kept = 0;
	for (size_t i = 0; i < t->count; i++) {
		if (i + 1 < t->count && !strcmp(list[i].e.path, list[i + 1].e.path)) {
			t->bytes -= list[i].e.size;
			entry_finish(&list[i].e);
		} else {
			t->entries[kept++] = list[i].e;
		}
	}
	t->count = kept;
	free(list);
}

static int find_by_path(const void *key, const void *entry)
{
	return strcmp(key, ((const struct tree_entry *)entry)->path);
}

const struct tree_entry *tree_find(const struct tree *t, const char *path)
{
	return t->count ? bsearch(path, t->entries, t->count, sizeof *t->entries, find_by_path) : NULL;
}

/* The first parent that is missing, shortest first, or NULL. The table is sorted. */
static char *missing_parent(const struct tree *t, const char *path, struct err *err, bool *bad)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *parent = mem_strn(path, (size_t)(slash - path));
		const struct tree_entry *e = tree_find(t, parent);
		if (!e)
			return parent;
		if (e->kind != TREE_DIR) {
			err_set(err, ERR_INPUT, "%.200s: lies below %.200s, which is not a directory", path, parent);
			*bad = true;
		}
		free(parent);
		if (*bad)
			return NULL;
	}
	return NULL;
}

bool tree_finish(struct tree *t, struct err *err)
{
	sort(t);
	/* Missing parents are added in rounds: each round sorts once. */
	for (bool added = true; added;) {
		added = false;
		size_t count = t->count;
		const char *last = NULL;
		for (size_t i = 0; i < count; i++) {
			bool bad = false;
			struct tree view = {.entries = t->entries, .count = count};
			char *parent = missing_parent(&view, t->entries[i].path, err, &bad);
			if (bad)
				return false;
			if (!parent)
				continue;
			if (last && !strcmp(parent, last)) { /* its neighbour asked for the same one */
				free(parent);
				continue;
			}
			if (!has_room(t, parent, 0, err)) {
				free(parent);
				return false;
			}
			append(t, (struct tree_entry){.path = parent, .kind = TREE_DIR, .mode = 0755});
			last = parent;
			added = true;
		}
		if (added)
			sort(t);
	}
	return true;
}

void tree_digest(const struct tree *t, uint8_t out[DIGEST_SIZE])
{
	struct digest *d = digest_create();
	for (size_t i = 0; i < t->count; i++) {
		const struct tree_entry *e = &t->entries[i];
		char head[64];
		int n = snprintf(head, sizeof head, "%d %o %u %u", (int)e->kind, e->mode, e->uid, e->gid);
		digest_field(d, e->path, strlen(e->path));
		digest_field(d, head, (size_t)n);
		digest_field(d, e->target ? e->target : "", e->target ? strlen(e->target) : 0);
		digest_field(d, e->bytes ? (const void *)e->bytes : "", e->size);
	}
	digest_end(d, out);
	digest_destroy(d);
}

/* ---- sources ---- */

static struct tree *finished(struct tree *t, bool ok, struct err *err)
{
	if (ok && tree_finish(t, err))
		return t;
	tree_destroy(t);
	return NULL;
}

struct tree *tree_of_binary(const char *path, const char *name, struct err *err)
{
	struct buf bytes = {0};
	struct tree *t = tree_create();
	bool ok = file_read(path, TREE_BYTES_MAX, &bytes, err);
	if (ok && !bytes.size)
		ok = err_set(err, ERR_INPUT, "%s: is empty, expected a program", path);
	ok = ok && tree_add(t, name, TREE_FILE, 0755, 0, 0, NULL, bytes.data, bytes.size, err);
	buf_free(&bytes);
	return finished(t, ok, err);
}

static bool scan_dir(struct tree *t, int fd, const char *prefix, int depth, struct err *err);

static bool scan_entry(struct tree *t, int dir, const char *name, const char *path, int depth, struct err *err)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(err, errno, "%s", path);
	if (S_ISLNK(st.st_mode)) {
		char target[4096];
		ssize_t n = readlinkat(dir, name, target, sizeof target - 1);
		if (n < 0)
			return err_sys(err, errno, "%s", path);
		target[n] = '\0';
		return tree_add(t, path, TREE_LINK, 0777, 0, 0, target, NULL, 0, err);
	}
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) {
		if (!strncmp(path, "dev/", 4))
			return true; /* nodes get a /dev of their own */
		return err_set(err, ERR_INPUT, "%s: a device, socket or fifo cannot be part of a workload", path);
	}
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (S_ISDIR(st.st_mode) ? O_DIRECTORY : 0));
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	unsigned mode = st.st_mode & MODE_BITS;
	if (S_ISDIR(st.st_mode))
		return (tree_add(t, path, TREE_DIR, mode, 0, 0, NULL, NULL, 0, err) || (close(fd), false)) &&
			scan_dir(t, fd, path, depth - 1, err);
	struct buf bytes = {0};
	bool ok = has_room(t, path, 0, err) && file_read_fd(fd, path, TREE_BYTES_MAX - t->bytes, &bytes, err) &&
		tree_add(t, path, TREE_FILE, mode, 0, 0, NULL, bytes.data, bytes.size, err);
	buf_free(&bytes);
	close(fd);
	return ok;
}

/* Takes over fd. */
static bool scan_dir(struct tree *t, int fd, const char *prefix, int depth, struct err *err)
{
	DIR *list = depth > 0 ? fdopendir(fd) : NULL;
	if (!list) {
		int why = errno;
		close(fd);
		return depth > 0 ? err_sys(err, why, "%s", prefix)
				 : err_set(err, ERR_INPUT, "%s: more than %d directories deep", prefix, TREE_DEPTH_MAX);
	}
	bool ok = true;
	for (struct dirent *e; ok && (e = readdir(list));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *path = *prefix ? mem_printf("%s/%s", prefix, e->d_name) : mem_str(e->d_name);
		ok = scan_entry(t, fd, e->d_name, path, depth, err);
		free(path);
	}
	closedir(list);
	return ok;
}

struct tree *tree_of_dir(const char *path, struct err *err)
{
	struct tree *t = tree_create();
	int fd = file_open_dir(path, err);
	if (fd < 0) {
		tree_destroy(t);
		return NULL;
	}
	bool ok = scan_dir(t, fd, "", TREE_DEPTH_MAX, err);
	t = finished(t, ok, err);
	if (!t)
		err_prefix(err, "%s", path);
	return t;
}

/* A hard link in a tar names an entry before it. */
static bool add_hard_link(struct tree *t, const char *path, const char *target, struct err *err)
{
	char *clean = clean_path(target ? target : "", err);
	if (!clean)
		return false;
	const struct tree_entry *found = NULL;
	for (size_t i = t->count; i-- > 0 && !found;)
		if (!strcmp(t->entries[i].path, clean))
			found = &t->entries[i];
	bool ok = found && found->kind != TREE_DIR;
	if (!ok)
		err_set(err, ERR_INPUT, "%.200s: a hard link to %.200s, which is no file before it", path, clean);
	free(clean);
	if (!ok)
		return false;
	struct tree_entry e = *found; /* tree_add may move the table */
	return tree_add(t, path, e.kind, e.mode, e.uid, e.gid, e.target, e.bytes, e.size, err);
}

static bool visit(void *data, const struct archive_entry_info *e, struct archive_content *content, struct err *err)
{
	struct tree *t = data;
	struct buf bytes = {0};
	bool ok = true;
	char *clean;
	switch (e->kind) {
	case ARCHIVE_FILE:
		ok = has_room(t, e->path, 0, err) && archive_content(content, TREE_BYTES_MAX - t->bytes, &bytes, err) &&
			tree_add(t, e->path, TREE_FILE, e->mode, e->uid, e->gid, NULL, bytes.data, bytes.size, err);
		buf_free(&bytes);
		break;
	case ARCHIVE_DIR:
		ok = tree_add(t, e->path, TREE_DIR, e->mode, e->uid, e->gid, NULL, NULL, 0, err);
		break;
	case ARCHIVE_SYMLINK:
		ok = tree_add(t, e->path, TREE_LINK, 0777, e->uid, e->gid, e->target, NULL, 0, err);
		break;
	case ARCHIVE_HARDLINK:
		ok = add_hard_link(t, e->path, e->target, err);
		break;
	case ARCHIVE_OTHER:
		clean = clean_path(e->path, err);
		ok = clean &&
			(!strncmp(clean, "dev/", 4) ||
				err_set(err, ERR_INPUT, "%.200s: a device, socket or fifo cannot be part of a workload",
					e->path));
		free(clean);
		break;
	}
	return ok;
}

struct tree *tree_of_tar_bytes(const void *bytes, size_t size, const char *name, struct err *err)
{
	struct tree *t = tree_create();
	bool ok = archive_read_bytes(bytes, size, name, visit, t, err);
	return finished(t, ok, err);
}

struct tree *tree_of_tar(const char *path, struct err *err)
{
	int fd = file_open(path, err);
	if (fd < 0)
		return NULL;
	struct tree *t = tree_create();
	bool ok = archive_read_fd(fd, path, visit, t, err);
	close(fd);
	t = finished(t, ok, err);
	if (!t)
		err_prefix(err, "%s", path);
	return t;
}

struct tree *tree_of_rootfs(const char *path, struct err *err)
{
	struct stat st;
	if (stat(path, &st) < 0) {
		err_sys(err, errno, "%s", path);
		if (err)
			err->code = ERR_INPUT;
		return NULL;
	}
	return S_ISDIR(st.st_mode) ? tree_of_dir(path, err) : tree_of_tar(path, err);
}
