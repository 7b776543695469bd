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

#define WRITE_BLOCK (4u << 20)

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
	if (r->map != MAP_FAILED)
		return true;
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

/* ---- whole images ---- */

static bool write_at(int fd, const uint8_t *bytes, size_t size, off_t at, struct err *err)
{
	while (size) {
		ssize_t put = pwrite(fd, bytes, size < WRITE_BLOCK ? size : WRITE_BLOCK, at);
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

/* By write(2) and not by memcpy: a page that is written whole is neither zeroed nor faulted in first. */
static bool write_marked(int fd, const struct ram *from, const uint8_t *marks, struct err *err)
{
	size_t pages = from->size / RAM_PAGE;
	for (size_t i = 0, n; i < pages; i += n) {
		for (n = 1; i + n < pages && marks[i + n] == marks[i]; n++)
			;
		if (marks[i] && !write_at(fd, from->map + i * RAM_PAGE, n * RAM_PAGE, (off_t)(i * RAM_PAGE), err))
			return false;
	}
	return true;
}

bool ram_fill(struct ram *r, const struct ram *image, struct err *err)
{
	uint8_t *marks = same_size(r, image, err) ? used_pages(image, err) : NULL;
	bool ok = marks && write_marked(r->fd, image, marks, err);
	free(marks);
	return ok;
}

bool ram_save(const struct ram *r, int fd, struct err *err)
{
	if (ftruncate(fd, (off_t)r->size) < 0)
		return err_sys(err, errno, "saving guest memory");
	uint8_t *marks = used_pages(r, err);
	for (size_t i = 0; marks && i < r->size / RAM_PAGE; i++)
		if (marks[i] && !memcmp(r->map + i * RAM_PAGE, zeros, RAM_PAGE))
			marks[i] = 0;
	bool ok = marks && write_marked(fd, r, marks, err);
	free(marks);
	return ok;
}

bool ram_digest(const struct ram *r, uint8_t out[DIGEST_SIZE], struct err *err)
{
	uint8_t *marks = used_pages(r, err);
	if (!marks)
		return false;
	struct digest *d = digest_create();
	for (uint32_t i = 0; i < r->size / RAM_PAGE; i++) {
		const uint8_t *page = r->map + (size_t)i * RAM_PAGE;
		if (!marks[i] || !memcmp(page, zeros, RAM_PAGE))
			continue;
		uint8_t number[4] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16), (uint8_t)(i >> 24)};
		digest_add(d, number, sizeof number);
		digest_add(d, page, RAM_PAGE);
	}
	digest_end(d, out);
	digest_destroy(d);
	free(marks);
	return true;
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

/* A page of the image. A hole is not read through the mapping: in a memory file system that would fill it. */
static const uint8_t *image_page(const struct ram *image, const uint8_t *in_image, size_t number)
{
	return in_image[number] ? image->map + number * RAM_PAGE : zeros;
}

struct ram_delta *ram_take(const struct ram *r, const struct ram *image, const struct ram_delta *previous, struct err *err)
{
	struct pages p;
	if (!pages_find(&p, r, image, err))
		return NULL;
	struct ram_delta *d = mem_alloc(sizeof *d);
	size_t before = 0;
	for (uint32_t i = 0; i < r->size / RAM_PAGE; i++) {
		const uint8_t *page = r->map + (size_t)i * RAM_PAGE;
		if (!p.used[i] || !memcmp(page, image_page(image, p.in_image, i), RAM_PAGE))
			continue;
		while (previous && before < previous->count && previous->numbers[before] < i)
			before++;
		struct ram_page *shared =
			previous && before < previous->count && previous->numbers[before] == i ? previous->pages[before] : NULL;
		if (shared && memcmp(shared->bytes, page, RAM_PAGE))
			shared = NULL;
		ram_delta_add(d, i, shared ? ram_page_ref(shared) : ram_page_create(page));
	}
	pages_free(&p);
	return d;
}

bool ram_compare(const struct ram *a, const struct ram *b, ram_difference *each, void *data, struct err *err)
{
	if (!same_size(a, b, err))
		return false;
	uint8_t *in_a = used_pages(a, err), *in_b = in_a ? used_pages(b, err) : NULL;
	for (uint32_t i = 0; in_b && i < a->size / RAM_PAGE; i++) {
		const uint8_t *x = image_page(a, in_a, i), *y = image_page(b, in_b, i);
		if (memcmp(x, y, RAM_PAGE))
			each(data, i, x, y);
	}
	bool ok = in_b != NULL;
	free(in_a);
	free(in_b);
	return ok;
}

/* Zeros are put back as a hole, so that memory does not grow by what a later part of the run had used. */
static bool put_page(struct ram *r, uint32_t number, const uint8_t *wanted, bool hole, size_t *changed, struct err *err)
{
	uint8_t *page = r->map + (size_t)number * RAM_PAGE;
	if (!memcmp(page, wanted, RAM_PAGE))
		return true;
	++*changed;
	if (!hole)
		memcpy(page, wanted, RAM_PAGE);
	else if (fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)number * RAM_PAGE, RAM_PAGE) < 0)
		return err_sys(err, errno, "clearing guest memory");
	return true;
}

bool ram_put(struct ram *r, const struct ram *image, const struct ram_delta *delta, size_t *changed, struct err *err)
{
	struct pages p;
	size_t next = 0, count = 0;
	bool ok = pages_find(&p, r, image, err);
	for (uint32_t i = 0; ok && i < r->size / RAM_PAGE; i++) {
		if (delta && next < delta->count && delta->numbers[next] == i)
			ok = put_page(r, i, delta->pages[next++]->bytes, false, &count, err);
		else if (p.used[i])
			ok = put_page(r, i, image_page(image, p.in_image, i), !p.in_image[i], &count, err);
	}
	if (changed)
		*changed = count;
	pages_free(&p);
	return ok;
}
