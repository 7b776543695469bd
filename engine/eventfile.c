#include "engine/eventfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/zst.h"

#define CACHED 4 /* frames kept unpacked: what a page of a list and a search beside it read */
/* More than any frame of EVENTFILE_FRAME_MAX takes: what zstd cannot make smaller it stores as it is. */
#define PACKED_MAX (EVENTFILE_FRAME_MAX + EVENTFILE_FRAME_MAX / 128 + 1024)

struct frame {
	uint64_t at;     /* in the file */
	uint64_t offset; /* of its first byte of events; one more frame than there are holds where the last ends */
};

struct cached {
	size_t frame; /* SIZE_MAX: none */
	uint64_t used;
	char *bytes;
};

/* What reading changes, although the eventfile is const. */
struct cache {
	pthread_mutex_t lock;
	struct cached slots[CACHED];
	uint64_t clock;
	struct buf raw;
};

struct eventfile {
	int fd;
	bool packed;
	struct frame *frames; /* frame_count + 1 of them */
	size_t frame_count;
	struct cache *cache; /* NULL when nothing is packed */
};

/* ---- opening ---- */

static struct cache *cache_create(void)
{
	struct cache *c = mem_alloc(sizeof *c);
	pthread_mutex_init(&c->lock, NULL);
	for (size_t i = 0; i < CACHED; i++)
		c->slots[i].frame = SIZE_MAX;
	return c;
}

static void cache_destroy(struct cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CACHED; i++)
		free(c->slots[i].bytes);
	buf_free(&c->raw);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static bool read_at(int fd, uint64_t offset, void *to, size_t size, size_t *ret_got, struct err *err)
{
	char *at = to;
	*ret_got = 0;
	while (*ret_got < size) {
		ssize_t got = pread(fd, at + *ret_got, size - *ret_got, (off_t)(offset + *ret_got));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "reading the events");
		if (got == 0)
			break;
		*ret_got += (size_t)got;
	}
	return true;
}

static bool damaged(uint64_t at, struct err *err)
{
	return err_set(err, ERR_INPUT, EVENTFILE_PACKED ": byte %llu: expected a zstd frame of 1 to %d bytes",
		(unsigned long long)at, EVENTFILE_FRAME_MAX);
}

/* Takes the whole frames at the start of bytes, which stand at f's last frame; *ret_used is how many bytes that was. */
static bool take_frames(struct eventfile *f, size_t *room, const char *bytes, size_t size, size_t *ret_used, struct err *err)
{
	size_t packed;
	uint64_t content;
	for (*ret_used = 0; *ret_used < size; *ret_used += packed) {
		struct frame last = f->frames[f->frame_count];
		/* A frame that is not whole is for the next time, if there is more to come. */
		if (!zst_frame(bytes + *ret_used, size - *ret_used, &packed, &content))
			return *ret_used > 0 || damaged(last.at, err);
		if (content == 0 || content > EVENTFILE_FRAME_MAX || packed > PACKED_MAX)
			return damaged(last.at, err);
		if (++f->frame_count > EVENTFILE_FRAMES_MAX)
			return err_set(err, ERR_INPUT, EVENTFILE_PACKED ": more than %d frames", EVENTFILE_FRAMES_MAX);
		if (f->frame_count == *room) {
			*room *= 2;
			f->frames = mem_grow(f->frames, *room, sizeof *f->frames);
		}
		f->frames[f->frame_count] = (struct frame){last.at + packed, last.offset + content};
	}
	return true;
}

/* Where each frame stands: from their headers, without unpacking anything. */
static bool find_frames(struct eventfile *f, struct err *err)
{
	uint64_t size = file_size(f->fd);
	size_t room = 64, got, used, block = size < 2 * PACKED_MAX ? (size_t)size + 1 : 2 * PACKED_MAX;
	char *bytes = mem_grow(NULL, block, 1);
	f->frames = mem_grow(NULL, room, sizeof *f->frames);
	f->frames[0] = (struct frame){0, 0};
	bool ok;
	do {
		uint64_t at = f->frames[f->frame_count].at;
		ok = read_at(f->fd, at, bytes, block, &got, err) && take_frames(f, &room, bytes, got, &used, err);
	} while (ok && got > 0);
	free(bytes);
	return ok;
}

static int open_regular(int dir, const char *name, struct err *err)
{
	struct stat st;
	int fd = file_open_in(dir, name, O_RDONLY | O_NONBLOCK, err);
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = 0;
	err_set(err, ERR_INPUT, "%s is not a regular file", name);
	return -1;
}

struct eventfile *eventfile_open(int dir, bool *ret_absent, struct err *err)
{
	struct eventfile *f = mem_alloc(sizeof *f);
	/* A recording removes the one when the other is whole: in this order one of them is found. */
	f->fd = open_regular(dir, EVENTFILE_NAME, err);
	f->packed = f->fd < 0 && errno == ENOENT;
	if (f->packed)
		f->fd = open_regular(dir, EVENTFILE_PACKED, err);
	bool absent = f->packed && f->fd < 0 && errno == ENOENT;
	if (absent)
		err_set(err, ERR_INPUT, EVENTFILE_NAME ": there is none, nor " EVENTFILE_PACKED);
	if (ret_absent)
		*ret_absent = absent;
	if (f->fd >= 0 && f->packed)
		f->cache = cache_create();
	if (f->fd >= 0 && (!f->packed || find_frames(f, err)))
		return f;
	if (f->fd < 0 && err && err->code == ERR_SYSTEM)
		err->code = ERR_INPUT; /* the run that was given is no good, not the host */
	eventfile_close(f);
	return NULL;
}

void eventfile_close(struct eventfile *f)
{
	if (!f)
		return;
	cache_destroy(f->cache);
	free(f->frames);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

uint64_t eventfile_size(const struct eventfile *f)
{
	return f->packed ? f->frames[f->frame_count].offset : file_size(f->fd);
}

const char *eventfile_name(const struct eventfile *f)
{
	return f->packed ? EVENTFILE_PACKED : EVENTFILE_NAME;
}

int eventfile_fd(const struct eventfile *f)
{
	return f->fd;
}

/* ---- reading ---- */

static bool unpack(const struct eventfile *f, size_t frame, char *to, struct err *err)
{
	const struct frame *this = &f->frames[frame];
	size_t size = (size_t)(this[1].at - this->at), got;
	buf_clear(&f->cache->raw);
	buf_reserve(&f->cache->raw, size);
	if (!read_at(f->fd, this->at, f->cache->raw.data, size, &got, err))
		return false;
	if (got < size)
		return err_set(err, ERR_INPUT, EVENTFILE_PACKED " has become shorter since it was opened");
	return zst_unpack_frame(f->cache->raw.data, size, to, (size_t)(this[1].offset - this->offset), err) ||
		err_prefix(err, EVENTFILE_PACKED ": byte %llu", (unsigned long long)this->at);
}

/* The content of a frame, good until the next call. NULL on failure. The lock is held. */
static const char *content_of(const struct eventfile *f, size_t frame, struct err *err)
{
	struct cached *slot = &f->cache->slots[0];
	for (size_t i = 0; i < CACHED && slot->frame != frame; i++) {
		struct cached *other = &f->cache->slots[i];
		if (other->frame == frame || other->used < slot->used)
			slot = other;
	}
	slot->used = ++f->cache->clock;
	if (slot->frame == frame)
		return slot->bytes;
	slot->bytes = mem_grow(slot->bytes, (size_t)(f->frames[frame + 1].offset - f->frames[frame].offset), 1);
	slot->frame = SIZE_MAX;
	if (!unpack(f, frame, slot->bytes, err))
		return NULL;
	slot->frame = frame;
	return slot->bytes;
}

/* The frame that holds the byte at offset, which there is. */
static size_t frame_at(const struct eventfile *f, uint64_t offset)
{
	size_t low = 0, high = f->frame_count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (f->frames[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool read_packed(const struct eventfile *f, uint64_t offset, char *to, size_t size, size_t *ret_got, struct err *err)
{
	*ret_got = 0;
	while (*ret_got < size && offset < eventfile_size(f)) {
		size_t frame = frame_at(f, offset);
		const char *content = content_of(f, frame, err);
		if (!content)
			return false;
		size_t skip = (size_t)(offset - f->frames[frame].offset);
		size_t there = (size_t)(f->frames[frame + 1].offset - offset), want = size - *ret_got;
		size_t n = there < want ? there : want;
		memcpy(to + *ret_got, content + skip, n);
		*ret_got += n;
		offset += n;
	}
	return true;
}

bool eventfile_read(const struct eventfile *f, uint64_t offset, void *to, size_t size, size_t *ret_got, struct err *err)
{
	if (!f->packed)
		return read_at(f->fd, offset, to, size, ret_got, err);
	pthread_mutex_lock(&f->cache->lock);
	bool ok = read_packed(f, offset, to, size, ret_got, err);
	pthread_mutex_unlock(&f->cache->lock);
	return ok;
}

/* ---- packing ---- */

static bool pack(int from, int to, uint64_t size, size_t frame, struct err *err)
{
	char *block = mem_alloc(frame);
	struct buf packed = {0};
	bool ok = true;
	size_t got = 1;
	uint64_t done = 0;
	while (ok && got > 0) {
		buf_clear(&packed);
		ok = read_at(from, done, block, frame, &got, err);
		if (ok && got > 0)
			ok = zst_pack(block, got, &packed, err) &&
				file_write_fd(to, packed.data, packed.size, EVENTFILE_PACKED, err);
		done += got;
	}
	if (ok && done != size)
		ok = err_set(err, ERR_SYSTEM, EVENTFILE_NAME " has %llu bytes, though %llu were written",
			(unsigned long long)done, (unsigned long long)size);
	if (ok && fsync(to))
		ok = err_sys(err, errno, "%s", EVENTFILE_PACKED);
	free(block);
	buf_free(&packed);
	return ok;
}

bool eventfile_pack(int dir, uint64_t size, size_t frame, struct err *err)
{
	int from = file_open_in(dir, EVENTFILE_NAME, O_RDONLY, err);
	int to = from < 0 ? -1 : file_open_in(dir, EVENTFILE_PACKED, O_WRONLY | O_CREAT | O_EXCL, err);
	bool ok = to >= 0 && pack(from, to, size, frame, err);
	if (ok && unlinkat(dir, EVENTFILE_NAME, 0))
		ok = err_sys(err, errno, "removing %s", EVENTFILE_NAME);
	if (!ok && to >= 0)
		unlinkat(dir, EVENTFILE_PACKED, 0);
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	return ok;
}
