/* Archives, by libarchive: reading tar, Debian packages and compressed single files; writing newc. The only file that includes
 * it. */
#ifndef ENGINE_ARCHIVE_H
#define ENGINE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/buf.h"
#include "engine/err.h"

enum archive_kind { ARCHIVE_FILE, ARCHIVE_DIR, ARCHIVE_SYMLINK, ARCHIVE_HARDLINK, ARCHIVE_OTHER };

/* One entry while reading; everything borrowed until the next one. */
struct archive_entry_info {
	const char *path; /* as in the archive */
	enum archive_kind kind;
	unsigned mode, uid, gid; /* mode with set-id bits */
	const char *target;      /* of a symbolic or hard link */
	uint64_t size;
};

/* Called for each entry in order. content reads the entry's bytes when asked: archive_content(content, limit, buf, err).
 * Return false (with err set) to stop. */
struct archive_content;
typedef bool archive_visit(void *data, const struct archive_entry_info *e, struct archive_content *content, struct err *err);
bool archive_content(struct archive_content *c, size_t limit, struct buf *out, struct err *err);

/* Reads a tar (plain, gz, bz2, xz, zst) or an ar archive. name is for sentences. */
bool archive_read_fd(int fd, const char *name, archive_visit *visit, void *data, struct err *err);
bool archive_read_bytes(const void *bytes, size_t size, const char *name, archive_visit *visit, void *data, struct err *err);

/* Decompresses one file (xz, gz, zst, lz4, bz2), at most limit bytes. Bytes after the end of the compressed stream are ignored.
 */
bool archive_decompress(const void *bytes, size_t size, size_t limit, const char *name, struct buf *out, struct err *err);

/* Writes a newc archive into fd: times 0, one link each, inodes counted from 1, no devices. */
struct archive_writer;
struct archive_writer *archive_create_newc(int fd, struct err *err);
bool archive_add(struct archive_writer *w, const struct archive_entry_info *e, const void *bytes, struct err *err);
/* Ends the archive and frees the writer, also when it fails. */
bool archive_finish(struct archive_writer *w, struct err *err);

#endif
