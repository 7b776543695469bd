#include "engine/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <archive.h>
#include <archive_entry.h>

#define BLOCK 65536

struct archive_content {
	struct archive *a;
	const char *path;
};

struct archive_writer {
	struct archive *a;
	int64_t inode;
};

static bool fail(struct archive *a, const char *name, struct err *err)
{
	const char *why = archive_error_string(a);
	return err_set(err, ERR_INPUT, "%s: %s", name, why ? why : "cannot be read as an archive");
}

bool archive_content(struct archive_content *c, size_t limit, struct buf *out, struct err *err)
{
	size_t start = out->size;
	for (;;) {
		buf_reserve(out, BLOCK);
		ssize_t got = archive_read_data(c->a, out->data + out->size, out->room - out->size - 1);
		if (got == ARCHIVE_RETRY)
			continue;
		if (got < 0)
			return fail(c->a, c->path, err);
		if (got == 0)
			break;
		out->size += (size_t)got;
		if (out->size - start > limit)
			return err_set(err, ERR_INPUT, "%s: has more than %zu bytes, which is the limit", c->path, limit);
	}
	out->data[out->size] = '\0';
	return true;
}

static void describe(struct archive_entry *e, struct archive_entry_info *info)
{
	const char *link = archive_entry_hardlink(e);
	mode_t type = archive_entry_filetype(e);
	info->path = archive_entry_pathname(e);
	info->kind = link          ? ARCHIVE_HARDLINK
		: type == AE_IFREG ? ARCHIVE_FILE
		: type == AE_IFDIR ? ARCHIVE_DIR
		: type == AE_IFLNK ? ARCHIVE_SYMLINK
				   : ARCHIVE_OTHER;
	info->mode = (unsigned)archive_entry_perm(e);
	info->uid = (unsigned)archive_entry_uid(e);
	info->gid = (unsigned)archive_entry_gid(e);
	info->target = link ? link : archive_entry_symlink(e);
	info->size = archive_entry_size(e) > 0 ? (uint64_t)archive_entry_size(e) : 0;
}

/* Takes over a. */
static bool walk(struct archive *a, int opened, const char *name, archive_visit *visit, void *data, struct err *err)
{
	bool ok = opened == ARCHIVE_OK || fail(a, name, err);
	while (ok) {
		struct archive_entry *e;
		int got = archive_read_next_header(a, &e);
		if (got == ARCHIVE_EOF)
			break;
		if (got == ARCHIVE_RETRY)
			continue;
		if (got < ARCHIVE_WARN) {
			ok = fail(a, name, err);
			break;
		}
		struct archive_entry_info info;
		describe(e, &info);
		if (!info.path || !*info.path)
			ok = err_set(err, ERR_INPUT, "%s: an entry has no name, or one that is not text", name);
		else
			ok = visit(data, &info, &(struct archive_content){a, info.path}, err);
	}
	archive_read_free(a);
	return ok;
}

static struct archive *reader(void)
{
	struct archive *a = archive_read_new();
	if (!a)
		abort();
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_tar(a);
	archive_read_support_format_ar(a);
	return a;
}

bool archive_read_fd(int fd, const char *name, archive_visit *visit, void *data, struct err *err)
{
	struct archive *a = reader();
	return walk(a, archive_read_open_fd(a, fd, BLOCK), name, visit, data, err);
}

bool archive_read_bytes(const void *bytes, size_t size, const char *name, archive_visit *visit, void *data, struct err *err)
{
	struct archive *a = reader();
	return walk(a, archive_read_open_memory(a, bytes, size), name, visit, data, err);
}

bool archive_decompress(const void *bytes, size_t size, size_t limit, const char *name, struct buf *out, struct err *err)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	if (!a)
		abort();
	archive_read_support_filter_all(a);
	archive_read_support_format_raw(a);
	bool ok = archive_read_open_memory(a, bytes, size) == ARCHIVE_OK && archive_read_next_header(a, &e) == ARCHIVE_OK;
	if (!ok)
		fail(a, name, err);
	else if (archive_filter_count(a) < 2)
		ok = err_set(err, ERR_INPUT, "%s: is not compressed in a way that is known here", name);
	ok = ok && archive_content(&(struct archive_content){a, name}, limit, out, err);
	archive_read_free(a);
	return ok;
}

/* ---- writing ---- */

struct archive_writer *archive_create_newc(int fd, struct err *err)
{
	struct archive_writer *w = mem_alloc(sizeof *w);
	w->a = archive_write_new();
	if (!w->a)
		abort();
	archive_write_set_format_cpio_newc(w->a);
	archive_write_set_bytes_in_last_block(w->a, 1); /* no padding to a tape's block */
	if (archive_write_open_fd(w->a, fd) == ARCHIVE_OK)
		return w;
	fail(w->a, "guest image", err);
	archive_write_free(w->a);
	free(w);
	return NULL;
}

bool archive_add(struct archive_writer *w, const struct archive_entry_info *info, const void *bytes, struct err *err)
{
	struct archive_entry *e = archive_entry_new();
	unsigned type = info->kind == ARCHIVE_DIR ? AE_IFDIR : info->kind == ARCHIVE_SYMLINK ? AE_IFLNK : AE_IFREG;
	archive_entry_set_pathname(e, info->path);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, (mode_t)info->mode);
	archive_entry_set_uid(e, info->uid);
	archive_entry_set_gid(e, info->gid);
	archive_entry_set_mtime(e, 0, 0);
	archive_entry_set_ino(e, ++w->inode);
	archive_entry_set_nlink(e, info->kind == ARCHIVE_DIR ? 2 : 1);
	archive_entry_set_size(e, info->kind == ARCHIVE_FILE ? (int64_t)info->size : 0);
	if (info->kind == ARCHIVE_SYMLINK)
		archive_entry_set_symlink(e, info->target);
	bool ok = archive_write_header(w->a, e) == ARCHIVE_OK;
	if (ok && info->kind == ARCHIVE_FILE && info->size)
		ok = archive_write_data(w->a, bytes, (size_t)info->size) == (ssize_t)info->size;
	archive_entry_free(e);
	return ok || fail(w->a, info->path, err);
}

bool archive_finish(struct archive_writer *w, struct err *err)
{
	bool ok = archive_write_close(w->a) == ARCHIVE_OK || fail(w->a, "guest image", err);
	archive_write_free(w->a);
	free(w);
	return ok;
}
