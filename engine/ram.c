#include "engine/ram.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/file.h"

/* Pages are looked at in blocks that are read by read(2) at first, and through the mapping from the LOOKS_READ-th time on. There
 * each page that is touched first costs a fault, which a host that is a virtual machine itself takes seven times as long for as
 * for the copy; once it is mapped, the copy costs half as much again. */
#define LOOKS_READ  8
#define BLOCK_PAGES 64u

struct ram_page {
	unsigned refs;
	uint8_t bytes[RAM_PAGE];
};

struct ram_delta {
	uint32_t *numbers; /* ascending */
	struct ram_page **pages;
	size_t count, room, pages_room;
	size_t own; /* pages that came into being with it */
};

static const uint8_t zeros[RAM_PAGE];

static bool map(struct ram *r, int protection, struct err *err)
{
	r->map = mmap(NULL, r->size, protection, MAP_SHARED, r->fd, 0);
	if (r->map != MAP_FAILED) {
		r->looks = mem_alloc(sizeof *r->looks);
		return true;
	}
	r->map = NULL;
	err_sys(err, errno, "mapping %zu MiB of guest memory", r->size >> 20);
	ram_finish(r);
	return false;
}

bool ram_create(struct ram *r, size_t size, struct err *err)
{
	*r = (struct ram){.fd = file_memory("guest memory", err), .size = size};
	if (r->fd < 0)
		return false;
	if (ftruncate(r->fd, (off_t)size) < 0) {
		err_sys(err, errno, "making %zu MiB of guest memory", size >> 20);
		ram_finish(r);
		return false;
	}
	return map(r, PROT_READ | PROT_WRITE, err);
}

bool ram_open_image(struct ram *r, int fd, struct err *err)
{
	*r = (struct ram){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3), .size = file_size(fd)};
	if (r->fd < 0)
		return err_sys(err, errno, "opening a memory image");
	if (r->size == 0 || r->size % RAM_PAGE) {
		err_set(err, ERR_INPUT, "a memory image of %zu bytes is not a whole number of pages", r->size);
		ram_finish(r);
		return false;
	}
	return map(r, PROT_READ, err);
}

void ram_finish(struct ram *r)
{
	if (r->map)
		munmap(r->map, r->size);
	free(r->looks);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct ram){.fd = -1};
}

/* ---- which pages exist ---- */

/* Marks the pages of the file that are not holes. */
static bool mark_data(const struct ram *r, uint8_t *marks, struct err *err)
{
	for (off_t at = 0, end = 0; at < (off_t)r->size; at = end) {
		at = lseek(r->fd, at, SEEK_DATA);
		if (at < 0 && errno == ENXIO)
			return true;
		end = at < 0 ? -1 : lseek(r->fd, at, SEEK_HOLE);
		if (end < 0)
			return err_sys(err, errno, "looking for the used pages of guest memory");
		size_t first = (size_t)at / RAM_PAGE, last = ((size_t)end + RAM_PAGE - 1) / RAM_PAGE;
		memset(marks + first, 1, last - first);
	}
	return true;
}

/* One byte for each page: 1 if it is not a hole. Owned by the caller. */
static uint8_t *used_pages(const struct ram *r, struct err *err)
{
	uint8_t *marks = mem_alloc(r->size / RAM_PAGE);
	if (mark_data(r, marks, err))
		return marks;
	free(marks);
	return NULL;
}

static bool same_size(const struct ram *r, const struct ram *image, struct err *err)
{
	return r->size == image->size ||
		err_set(err, ERR_INPUT, "a memory image of %zu MiB does not fit a machine of %zu MiB", image->size >> 20,
			r->size >> 20);
}

/* For memory and its image together. */
struct pages {
	uint8_t *used;     /* in either */
	uint8_t *in_image; /* in the image */
};

static void pages_free(struct pages *p)
{
	free(p->used);
	free(p->in_image);
	*p = (struct pages){0};
}

static bool pages_find(struct pages *p, const struct ram *r, const struct ram *image, struct err *err)
{
	*p = (struct pages){0};
	if (!same_size(r, image, err))
		return false;
	p->used = used_pages(r, err);
	p->in_image = used_pages(image, err);
	bool ok = p->used && p->in_image && mark_data(image, p->used, err);
	if (!ok)
		pages_free(p);
	return ok;
}

/* ---- pages, a block at a time ---- */

static bool read_pages(const struct ram *r, size_t first, size_t count, uint8_t *out, struct err *err)
{
	size_t size = count * RAM_PAGE;
	off_t at = (off_t)(first * RAM_PAGE);
	while (size) {
		ssize_t got = pread(r->fd, out, size, at);
		if (got == 0 || (got < 0 && errno != EINTR))
			return err_sys(err, got ? errno : EIO, "reading guest memory");
		if (got > 0) {
			out += got;
			size -= (size_t)got;
			at += got;
		}
	}
	return true;
}

static bool write_pages(int fd, size_t first, size_t count, const uint8_t *bytes, struct err *err)
{
	size_t size = count * RAM_PAGE;
	off_t at = (off_t)(first * RAM_PAGE);
	while (size) {
		ssize_t put = pwrite(fd, bytes, size, at);
		if (put < 0 && errno != EINTR)
			return err_sys(err, errno, "writing guest memory");
		if (put > 0) {
			bytes += put;
			size -= (size_t)put;
			at += put;
		}
	}
	return true;
}

/* How many marked pages follow each other at `first`, at most a block. */
static size_t run_of(const uint8_t *marks, size_t first, size_t pages)
{
	size_t n = 0;
	while (n < BLOCK_PAGES && first + n < pages && marks[first + n])
		n++;
	return n;
}

/* Gets a page of a and the same one of b (NULL without b); both are valid during the call only. */
typedef bool on_page(void *data, uint32_t number, const uint8_t *a, const uint8_t *b, struct err *err);

/* Is this look at all of it one for the mapping? */
static bool is_mapped(const struct ram *r)
{
	return r->looks && ++*r->looks > LOOKS_READ;
}

/* A hole is not read through the mapping: in a memory file system that would fill it. */
static const uint8_t *mapped_page(const struct ram *r, const uint8_t *marks, size_t number)
{
	return marks[number] ? r->map + number * RAM_PAGE : zeros;
}

/* The pages that are marked, by number; in_a and in_b mark those that are no holes. */
static bool each_page(const struct ram *a, const uint8_t *in_a, const struct ram *b, const uint8_t *in_b, const uint8_t *marks,
	on_page *each, void *data, struct err *err)
{
	size_t pages = a->size / RAM_PAGE;
	uint8_t *of_a = mem_alloc(2 * (size_t)BLOCK_PAGES * RAM_PAGE), *of_b = of_a + (size_t)BLOCK_PAGES * RAM_PAGE;
	bool ok = true, map_a = is_mapped(a), map_b = b && is_mapped(b);
	for (size_t i = 0, n; ok && i < pages; i += n ? n : 1) {
		n = run_of(marks, i, pages);
		ok = (map_a || read_pages(a, i, n, of_a, err)) && (!b || map_b || read_pages(b, i, n, of_b, err));
		for (size_t k = 0; ok && k < n; k++) {
			const uint8_t *page = map_a ? mapped_page(a, in_a, i + k) : of_a + k * RAM_PAGE;
			const uint8_t *other = !b ? NULL : map_b ? mapped_page(b, in_b, i + k) : of_b + k * RAM_PAGE;
			ok = each(data, (uint32_t)(i + k), page, other, err);
		}
	}
	free(of_a);
	return ok;
}

/* ---- whole images ---- */

static bool write_marked(int fd, const struct ram *from, const uint8_t *marks, struct err *err)
{
	size_t pages = from->size / RAM_PAGE;
	uint8_t *block = mem_alloc((size_t)BLOCK_PAGES * RAM_PAGE);
	bool ok = true;
	for (size_t i = 0, n; ok && i < pages; i += n ? n : 1) {
		n = run_of(marks, i, pages);
		ok = read_pages(from, i, n, block, err) && write_pages(fd, i, n, block, err);
	}
	free(block);
	return ok;
}

bool ram_fill(struct ram *r, const struct ram *image, struct err *err)
{
	uint8_t *marks = same_size(r, image, err) ? used_pages(image, err) : NULL;
	bool ok = marks && write_marked(r->fd, image, marks, err);
	free(marks);
	return ok;
}

static bool unmark_zeros(void *data, uint32_t number, const uint8_t *page, const uint8_t *none, struct err *err)
{
	uint8_t *marks = data;
	(void)none;
	(void)err;
	if (!memcmp(page, zeros, RAM_PAGE))
		marks[number] = 0;
	return true;
}

bool ram_save(const struct ram *r, int fd, struct err *err)
{
	if (ftruncate(fd, (off_t)r->size) < 0)
		return err_sys(err, errno, "saving guest memory");
	uint8_t *marks = used_pages(r, err);
	bool ok = marks && each_page(r, marks, NULL, NULL, marks, unmark_zeros, marks, err) && write_marked(fd, r, marks, err);
	free(marks);
	return ok;
}

static bool digest_page(void *data, uint32_t i, const uint8_t *page, const uint8_t *none, struct err *err)
{
	(void)none;
	(void)err;
	if (!memcmp(page, zeros, RAM_PAGE))
		return true;
	uint8_t number[4] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16), (uint8_t)(i >> 24)};
	digest_add(data, number, sizeof number);
	digest_add(data, page, RAM_PAGE);
	return true;
}

bool ram_digest(const struct ram *r, uint8_t out[DIGEST_SIZE], struct err *err)
{
	uint8_t *marks = used_pages(r, err);
	if (!marks)
		return false;
	struct digest *d = digest_create();
	bool ok = each_page(r, marks, NULL, NULL, marks, digest_page, d, err);
	digest_end(d, out);
	digest_destroy(d);
	free(marks);
	return ok;
}

/* ---- deltas ---- */

struct ram_page *ram_page_create(const uint8_t bytes[RAM_PAGE])
{
	struct ram_page *p = mem_grow(NULL, 1, sizeof *p);
	p->refs = 1;
	memcpy(p->bytes, bytes, RAM_PAGE);
	return p;
}

struct ram_page *ram_page_ref(struct ram_page *p)
{
	p->refs++;
	return p;
}

size_t ram_page_unref(struct ram_page *p)
{
	if (!p || --p->refs)
		return 0;
	free(p);
	return sizeof *p;
}

bool ram_page_is_shared(const struct ram_page *p)
{
	return p->refs > 1;
}

const uint8_t *ram_page_bytes(const struct ram_page *p)
{
	return p->bytes;
}

struct ram_delta *ram_delta_create(void)
{
	return mem_alloc(sizeof(struct ram_delta));
}

void ram_delta_add(struct ram_delta *d, uint32_t number, struct ram_page *page)
{
	size_t count = d->count;
	d->own += page->refs == 1;
	ARRAY_PUSH(d->numbers, d->count, d->room) = number;
	ARRAY_PUSH(d->pages, count, d->pages_room) = page;
}

struct ram_page *ram_delta_page(const struct ram_delta *d, size_t i, uint32_t *number)
{
	*number = d->numbers[i];
	return d->pages[i];
}

static size_t overhead(const struct ram_delta *d)
{
	return sizeof *d + d->count * (sizeof *d->numbers + sizeof *d->pages);
}

size_t ram_delta_destroy(struct ram_delta *d)
{
	if (!d)
		return 0;
	size_t freed = overhead(d);
	for (size_t i = 0; i < d->count; i++)
		freed += ram_page_unref(d->pages[i]);
	free(d->numbers);
	free(d->pages);
	free(d);
	return freed;
}

size_t ram_delta_bytes(const struct ram_delta *d)
{
	return overhead(d) + d->own * sizeof(struct ram_page);
}

size_t ram_delta_pages(const struct ram_delta *d)
{
	return d->count;
}

struct taking {
	const struct ram_delta *previous;
	struct ram_delta *delta;
	size_t before; /* how far previous has been looked through */
};

static bool take_page(void *data, uint32_t i, const uint8_t *page, const uint8_t *of_image, struct err *err)
{
	struct taking *t = data;
	const struct ram_delta *previous = t->previous;
	(void)err;
	if (!memcmp(page, of_image, RAM_PAGE))
		return true;
	while (previous && t->before < previous->count && previous->numbers[t->before] < i)
		t->before++;
	struct ram_page *shared =
		previous && t->before < previous->count && previous->numbers[t->before] == i ? previous->pages[t->before] : NULL;
	if (shared && memcmp(shared->bytes, page, RAM_PAGE))
		shared = NULL;
	ram_delta_add(t->delta, i, shared ? ram_page_ref(shared) : ram_page_create(page));
	return true;
}

struct ram_delta *ram_take(const struct ram *r, const struct ram *image, const struct ram_delta *previous, struct err *err)
{
	struct pages p;
	if (!pages_find(&p, r, image, err))
		return NULL;
	struct taking t = {previous, mem_alloc(sizeof *t.delta), 0};
	bool ok = each_page(r, p.used, image, p.in_image, p.used, take_page, &t, err);
	pages_free(&p);
	if (ok)
		return t.delta;
	ram_delta_destroy(t.delta);
	return NULL;
}

struct comparing {
	const struct ram *a, *b;
	const uint8_t *in_a, *in_b;
	ram_difference *each;
	void *data;
};

/* What is handed on are the pages themselves, since these stay. */
static bool compare_page(void *data, uint32_t number, const uint8_t *a, const uint8_t *b, struct err *err)
{
	struct comparing *c = data;
	(void)err;
	if (memcmp(a, b, RAM_PAGE))
		c->each(c->data, number, mapped_page(c->a, c->in_a, number), mapped_page(c->b, c->in_b, number));
	return true;
}

bool ram_compare(const struct ram *a, const struct ram *b, ram_difference *each, void *data, struct err *err)
{
	struct pages p;
	if (!pages_find(&p, a, b, err))
		return false;
	uint8_t *in_a = used_pages(a, err);
	struct comparing c = {a, b, in_a, p.in_image, each, data};
	bool ok = in_a && each_page(a, in_a, b, p.in_image, p.used, compare_page, &c, err);
	free(in_a);
	pages_free(&p);
	return ok;
}

struct putting {
	struct ram *ram;
	const struct pages *pages;
	const struct ram_delta *delta; /* NULL: none */
	size_t next, changed;
};

/* Zeros are put back as a hole, so that memory does not grow by what a later part of the run had used. */
static bool put_page(void *data, uint32_t i, const uint8_t *page, const uint8_t *wanted, struct err *err)
{
	struct putting *p = data;
	bool hole = !p->pages->in_image[i];
	if (p->delta && p->next < p->delta->count && p->delta->numbers[p->next] == i) {
		wanted = p->delta->pages[p->next++]->bytes;
		hole = false;
	}
	if (!memcmp(page, wanted, RAM_PAGE))
		return true;
	p->changed++;
	if (!hole)
		return write_pages(p->ram->fd, i, 1, wanted, err);
	if (fallocate(p->ram->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)i * RAM_PAGE, RAM_PAGE) < 0)
		return err_sys(err, errno, "clearing guest memory");
	return true;
}

bool ram_put(struct ram *r, const struct ram *image, const struct ram_delta *delta, size_t *changed, struct err *err)
{
	struct pages p;
	struct putting put = {r, &p, delta, 0, 0};
	bool ok = pages_find(&p, r, image, err);
	for (size_t i = 0; ok && delta && i < delta->count && delta->numbers[i] < r->size / RAM_PAGE; i++)
		p.used[delta->numbers[i]] = 1;
	ok = ok && each_page(r, p.used, image, p.in_image, p.used, put_page, &put, err);
	if (changed)
		*changed = put.changed;
	pages_free(&p);
	return ok;
}
