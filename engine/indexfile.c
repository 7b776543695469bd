#include "engine/indexfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x7864692d74616350u /* "Pcat-idx" on this host's order of bytes */

struct header {
	uint64_t magic;
	uint32_t version, entry_size;
	uint64_t events_size; /* of the file that holds the events, as it is stored */
	int64_t mtime_s, mtime_ns;
	uint64_t end, count;
	uint32_t nodes, faults;
	uint64_t names_size; /* bytes of the names, each with its final NUL, that follow the header */
	uint64_t checksum;   /* of names and entries */
};

_Static_assert(sizeof(struct entry) == 48, "the entry has no holes, so that a file of entries has no stray bytes");

#define NAMES_SIZE_MAX (2 * EVENTINDEX_NAMES_MAX * (EVENTINDEX_NAME_MAX + 1))

static bool key_of(const struct eventfile *events, struct header *h)
{
	struct stat st;
	if (fstat(eventfile_fd(events), &st) < 0)
		return false;
	h->magic = MAGIC;
	h->version = INDEXFILE_VERSION;
	h->entry_size = sizeof(struct entry);
	h->events_size = (uint64_t)st.st_size;
	h->mtime_s = st.st_mtim.tv_sec;
	h->mtime_ns = st.st_mtim.tv_nsec;
	return true;
}

static bool read_all(int fd, void *to, size_t size)
{
	char *at = to;
	while (size > 0) {
		ssize_t got = read(fd, at, size);
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_all(int fd, const void *from, size_t size)
{
	const char *at = from;
	while (size > 0) {
		ssize_t put = write(fd, at, size);
		if (put <= 0)
			return false;
		at += put;
		size -= (size_t)put;
	}
	return true;
}

static uint64_t checksum(const struct buf *names, const struct entry *entries, size_t count)
{
	return eventindex_hash(eventindex_hash(1, names->data, names->size), entries, count * sizeof *entries);
}

/* -- loading -- */

static bool header_fits(const struct header *h, const struct header *want, uint64_t content, uint64_t file_size)
{
	return h->magic == want->magic && h->version == want->version && h->entry_size == want->entry_size &&
		h->events_size == want->events_size && h->mtime_s == want->mtime_s && h->mtime_ns == want->mtime_ns &&
		h->end <= content && h->count <= EVENTINDEX_EVENTS_MAX && h->nodes <= EVENTINDEX_NAMES_MAX &&
		h->faults <= EVENTINDEX_NAMES_MAX && h->names_size <= NAMES_SIZE_MAX &&
		file_size == sizeof *h + h->names_size + h->count * sizeof(struct entry);
}

/* Nothing that the rest of the program relies on is taken on trust. */
static bool entries_are_sound(const struct eventindex *index)
{
	for (size_t i = 0; i < index->count; i++) {
		const struct entry *e = &index->entries[i], *before = i ? e - 1 : NULL;
		if (e->offset >= index->end || e->node >= index->nodes.count || e->fault > index->faults.count ||
			e->kind >= EVENT_KIND_COUNT)
			return false;
		if (before && (e->offset <= before->offset || e->icount < before->icount || e->vtime_ns < before->vtime_ns))
			return false;
	}
	return index->count > 0 ? index->entries[0].offset == 0 : index->end == 0;
}

/* Splits the names, and requires that those which index already has come first. */
static bool names_fit(const struct buf *names, const struct header *h, char **list)
{
	const char *at = names->data, *end = names->data + names->size;
	for (size_t i = 0; i < (size_t)h->nodes + h->faults; i++) {
		const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
		if (!nul)
			return false;
		list[i] = (char *)at;
		at = nul + 1;
	}
	return at == end && h->nodes > 0 && list[0][0] == '\0';
}

static bool starts_with(const struct eventindex *loaded, const struct eventindex *wanted)
{
	for (size_t i = 0; i < wanted->nodes.count; i++)
		if (i >= loaded->nodes.count || strcmp(loaded->nodes.list[i], wanted->nodes.list[i]) != 0)
			return false;
	for (size_t i = 0; i < wanted->faults.count; i++)
		if (i >= loaded->faults.count || strcmp(loaded->faults.list[i], wanted->faults.list[i]) != 0)
			return false;
	return true;
}

/* The last line of the events, read back: catches an events file that was edited under its old time. */
static bool last_line_is(const struct eventindex *index, const struct eventfile *events)
{
	if (index->count == 0)
		return true;
	const struct entry *last = &index->entries[index->count - 1];
	size_t size = (size_t)(index->end - last->offset);
	if (size > EVENT_LINE_MAX + 1)
		return false;
	char *line = mem_alloc(size);
	size_t got;
	bool ok = eventfile_read(events, last->offset, line, size, &got, NULL) && got == size && line[size - 1] == '\n' &&
		eventindex_is(index, index->count - 1, line, size - 1);
	free(line);
	return ok;
}

static bool load(struct eventindex *index, int fd, const struct eventfile *events, struct buf *names, char ***list)
{
	struct header want, h;
	struct stat st;
	if (!key_of(events, &want) || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !read_all(fd, &h, sizeof h) ||
		!header_fits(&h, &want, eventfile_size(events), (uint64_t)st.st_size))
		return false;
	buf_reserve(names, h.names_size + 1);
	names->size = h.names_size;
	*list = mem_array((size_t)h.nodes + h.faults, sizeof **list);
	if (!read_all(fd, names->data, names->size) || !names_fit(names, &h, *list) ||
		!eventindex_init(index, *list + 1, h.nodes - 1, *list + h.nodes, h.faults, NULL))
		return false;
	index->entries = mem_grow(NULL, h.count + 1, sizeof *index->entries);
	index->count = index->room = h.count;
	index->end = h.end;
	return read_all(fd, index->entries, h.count * sizeof *index->entries) &&
		checksum(names, index->entries, index->count) == h.checksum && entries_are_sound(index) &&
		last_line_is(index, events);
}

bool indexfile_load(struct eventindex *index, int dirfd, const struct eventfile *events)
{
	int fd = openat(dirfd, INDEXFILE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	struct eventindex loaded = {0};
	struct buf names = {0};
	char **list = NULL;
	bool ok = load(&loaded, fd, events, &names, &list) && starts_with(&loaded, index);
	if (ok) {
		eventindex_finish(index);
		*index = loaded;
	} else {
		eventindex_finish(&loaded);
	}
	free(list);
	buf_free(&names);
	close(fd);
	return ok;
}

/* -- saving -- */

static bool save(const struct eventindex *index, int fd, const struct eventfile *events)
{
	struct header h;
	memset(&h, 0, sizeof h);
	if (!key_of(events, &h))
		return false;
	struct buf names = {0};
	for (size_t i = 0; i < index->nodes.count; i++)
		buf_add(&names, index->nodes.list[i], strlen(index->nodes.list[i]) + 1);
	for (size_t i = 0; i < index->faults.count; i++)
		buf_add(&names, index->faults.list[i], strlen(index->faults.list[i]) + 1);
	h.end = index->end;
	h.count = index->count;
	h.nodes = (uint32_t)index->nodes.count;
	h.faults = (uint32_t)index->faults.count;
	h.names_size = names.size;
	h.checksum = checksum(&names, index->entries, index->count);
	bool ok = write_all(fd, &h, sizeof h) && write_all(fd, names.data, names.size) &&
		write_all(fd, index->entries, index->count * sizeof *index->entries);
	buf_free(&names);
	return ok;
}

void indexfile_save(const struct eventindex *index, int dirfd, const struct eventfile *events)
{
	/* A file without a name gets its name when it is whole; where the file system has no such files there is no index. */
	int fd = openat(dirfd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	char self[32];
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if (save(index, fd, events)) {
		unlinkat(dirfd, INDEXFILE_NAME, 0);
		if (linkat(AT_FDCWD, self, dirfd, INDEXFILE_NAME, AT_SYMLINK_FOLLOW) < 0) {
			/* Somebody was quicker, with the same bytes. */
		}
	}
	close(fd);
}
