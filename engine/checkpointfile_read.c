/* Reading a file of checkpoints: its list when it is opened, pages when they are asked for. */
#include "engine/checkpointfile_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"

enum { READ_PAGES = 64 }; /* at once */

uint64_t checkpointfile_get(const void *bytes, size_t width)
{
	const uint8_t *at = bytes;
	uint64_t value = 0;
	for (size_t i = width; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static bool bad(struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT, "stored checkpoints: %s", what);
}

/* size bytes from `at`, which was compared with the size of the file before. */
static bool read_exactly(const struct checkpointfile *f, void *to, size_t size, uint64_t at, struct err *err)
{
	while (size) {
		ssize_t got = pread(f->fd, to, size, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "reading stored checkpoints");
		if (got == 0)
			return bad(err, "the file is cut short");
		to = (char *)to + got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

static bool within(const struct checkpointfile *f, uint64_t at, uint64_t size)
{
	return at <= f->size && size <= f->size - at;
}

/* Appends bytes whose digest must be `sum`. */
static bool read_known(
	const struct checkpointfile *f, uint64_t at, size_t size, const void *sum, struct buf *out, struct err *err)
{
	uint8_t real[DIGEST_SIZE];
	size_t start = out->size;
	if (!within(f, at, size))
		return bad(err, "a place beyond the end of the file");
	buf_reserve(out, size);
	if (!read_exactly(f, out->data + start, size, at, err))
		return false;
	digest_sha256(out->data + start, size, real);
	if (memcmp(real, sum, DIGEST_SIZE))
		return bad(err, "damaged: a digest differs");
	out->size += size;
	out->data[out->size] = '\0';
	return true;
}

static bool read_header(struct checkpointfile *f, uint8_t h[HEADER_SIZE], const uint8_t *key, size_t ram_pages, struct err *err)
{
	uint8_t sum[DIGEST_SIZE];
	f->size = file_size(f->fd);
	if (f->size < HEADER_SIZE)
		return bad(err, "the file is cut short");
	if (!read_exactly(f, h, HEADER_SIZE, 0, err))
		return false;
	if (memcmp(h, CHECKPOINTFILE_MAGIC, strlen(CHECKPOINTFILE_MAGIC)))
		return bad(err, "not a file of checkpoints");
	if (checkpointfile_get(h + VERSION_AT, 4) != CHECKPOINTFILE_VERSION)
		return bad(err, "of another version");
	digest_sha256(h, HEADER_SUM_AT, sum);
	if (memcmp(sum, h + HEADER_SUM_AT, DIGEST_SIZE))
		return bad(err, "damaged: the digest of its header differs");
	if (memcmp(h + KEY_AT, key, DIGEST_SIZE) || checkpointfile_get(h + RAM_AT, 8) != ram_pages)
		return bad(err, "of another run");
	return checkpointfile_get(h + SIZE_AT, 8) == f->size || bad(err, "the file has not the size it was written with");
}

const uint8_t *checkpointfile_entry(const struct checkpointfile *f, size_t i)
{
	return (const uint8_t *)f->table.data + i * ENTRY_SIZE;
}

static bool entries_are_sound(const struct checkpointfile *f, struct err *err)
{
	for (size_t i = 0; i < f->count; i++) {
		const uint8_t *e = checkpointfile_entry(f, i);
		uint64_t state = checkpointfile_get(e + E_STATE_SIZE, 4), pages = checkpointfile_get(e + E_PAGES, 4);
		if (state == 0 || state > CHECKPOINTFILE_STATE_MAX || pages > f->ram_pages ||
			!within(f, checkpointfile_get(e + E_STATE, 8), state) ||
			!within(f, checkpointfile_get(e + E_LIST, 8), pages * ITEM_SIZE) ||
			checkpointfile_get(e + E_SERIAL, 8) > f->serial.size)
			return bad(err, "an impossible entry");
		if (i && checkpointfile_icount(f, i) <= checkpointfile_icount(f, i - 1))
			return bad(err, "entries out of order");
	}
	return true;
}

static bool load(struct checkpointfile *f, const uint8_t *key, size_t ram_pages, struct err *err)
{
	uint8_t h[HEADER_SIZE];
	if (!read_header(f, h, key, ram_pages, err))
		return false;
	uint64_t count = checkpointfile_get(h + COUNT_AT, 4), serial = checkpointfile_get(h + SERIAL_SIZE_AT, 8);
	f->pages = checkpointfile_get(h + PAGES_AT, 8);
	f->pages_offset = checkpointfile_get(h + PAGES_OFFSET_AT, 8);
	f->ram_pages = ram_pages;
	if (count > CHECKPOINTFILE_COUNT_MAX || serial > CHECKPOINTFILE_SERIAL_MAX || f->pages > CHECKPOINTFILE_PAGES_MAX ||
		ram_pages > CHECKPOINTFILE_RAM_MAX || !within(f, f->pages_offset, f->pages * RAM_PAGE))
		return bad(err, "an impossible header");
	f->count = (size_t)count;
	f->slots = mem_array((size_t)f->pages, sizeof *f->slots);
	return read_known(f, HEADER_SIZE, f->count * ENTRY_SIZE, h + TABLE_SUM_AT, &f->table, err) &&
		read_known(f, checkpointfile_get(h + SERIAL_OFFSET_AT, 8), (size_t)serial, h + SERIAL_SUM_AT, &f->serial, err) &&
		entries_are_sound(f, err);
}

struct checkpointfile *checkpointfile_open(int fd, const uint8_t key[DIGEST_SIZE], size_t ram_pages, struct err *err)
{
	struct checkpointfile *f = mem_alloc(sizeof *f);
	f->refs = 1;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (f->fd >= 0 ? load(f, key, ram_pages, err) : err_sys(err, errno, "opening stored checkpoints"))
		return f;
	checkpointfile_unref(f);
	return NULL;
}

struct checkpointfile *checkpointfile_ref(struct checkpointfile *f)
{
	f->refs++;
	return f;
}

void checkpointfile_forget(struct checkpointfile *f)
{
	for (size_t i = 0; f->held && i < f->pages; i++) {
		if (!f->slots[i] || ram_page_is_shared(f->slots[i]))
			continue;
		ram_page_unref(f->slots[i]);
		f->slots[i] = NULL;
		f->held -= RAM_PAGE;
	}
}

size_t checkpointfile_held(const struct checkpointfile *f)
{
	return f->held;
}

void checkpointfile_unref(struct checkpointfile *f)
{
	if (!f || --f->refs)
		return;
	for (size_t i = 0; f->slots && i < f->pages; i++)
		ram_page_unref(f->slots[i]);
	if (f->fd >= 0)
		close(f->fd);
	buf_free(&f->table);
	buf_free(&f->serial);
	free(f->slots);
	free(f);
}

size_t checkpointfile_count(const struct checkpointfile *f)
{
	return f->count;
}

uint64_t checkpointfile_icount(const struct checkpointfile *f, size_t i)
{
	return checkpointfile_get(checkpointfile_entry(f, i) + E_ICOUNT, 8);
}

uint64_t checkpointfile_serial_size(const struct checkpointfile *f, size_t i)
{
	return checkpointfile_get(checkpointfile_entry(f, i) + E_SERIAL, 8);
}

int checkpointfile_fd(const struct checkpointfile *f)
{
	return f->fd;
}

uint64_t checkpointfile_size(const struct checkpointfile *f)
{
	return f->size;
}

const struct buf *checkpointfile_serial(const struct checkpointfile *f)
{
	return &f->serial;
}

bool checkpointfile_state(struct checkpointfile *f, size_t i, struct buf *out, struct err *err)
{
	const uint8_t *e = checkpointfile_entry(f, i);
	return read_known(f, checkpointfile_get(e + E_STATE, 8), (size_t)checkpointfile_get(e + E_STATE_SIZE, 4), e + E_STATE_SUM,
		out, err);
}

bool checkpointfile_list(const struct checkpointfile *f, size_t i, struct buf *list, struct err *err)
{
	const uint8_t *e = checkpointfile_entry(f, i);
	size_t count = (size_t)checkpointfile_get(e + E_PAGES, 4);
	if (!read_known(f, checkpointfile_get(e + E_LIST, 8), count * ITEM_SIZE, e + E_LIST_SUM, list, err))
		return false;
	for (size_t k = 0; k < count; k++) {
		const char *item = list->data + k * ITEM_SIZE;
		uint64_t number = checkpointfile_get(item, 4);
		if (number >= f->ram_pages || checkpointfile_get(item + I_SLOT, 4) >= f->pages ||
			(k && number <= checkpointfile_get(item - ITEM_SIZE, 4)))
			return bad(err, "an impossible list of pages");
	}
	return true;
}

static bool page_is(const uint8_t *page, const void *sum)
{
	uint8_t real[DIGEST_SIZE];
	digest_sha256(page, RAM_PAGE, real);
	return !memcmp(real, sum, SUM_SIZE);
}

bool checkpointfile_page(const struct checkpointfile *f, const uint8_t item[ITEM_SIZE], uint8_t bytes[RAM_PAGE], struct err *err)
{
	return read_exactly(f, bytes, RAM_PAGE, f->pages_offset + checkpointfile_get(item + I_SLOT, 4) * RAM_PAGE, err) &&
		(page_is(bytes, item + I_SUM) || bad(err, "damaged: a page differs"));
}

/* Reads the slot of an item, and those of the items after it that lie behind it in the file. */
static bool read_slots(struct checkpointfile *f, const struct buf *list, size_t k, struct err *err)
{
	size_t count = list->size / ITEM_SIZE, n = 1;
	uint64_t slot = checkpointfile_get(list->data + k * ITEM_SIZE + I_SLOT, 4);
	while (n < READ_PAGES && k + n < count && checkpointfile_get(list->data + (k + n) * ITEM_SIZE + I_SLOT, 4) == slot + n &&
		!f->slots[slot + n])
		n++;
	uint8_t *bytes = mem_alloc(n * RAM_PAGE);
	bool ok = read_exactly(f, bytes, n * RAM_PAGE, f->pages_offset + slot * RAM_PAGE, err);
	for (size_t i = 0; ok && i < n; i++) {
		ok = page_is(bytes + i * RAM_PAGE, list->data + (k + i) * ITEM_SIZE + I_SUM) ||
			bad(err, "damaged: a page differs");
		if (ok) {
			f->slots[slot + i] = ram_page_create(bytes + i * RAM_PAGE);
			f->held += RAM_PAGE;
		}
	}
	free(bytes);
	return ok;
}

struct ram_delta *checkpointfile_delta(struct checkpointfile *f, size_t i, struct err *err)
{
	struct buf list = {0};
	struct ram_delta *d = ram_delta_create();
	bool ok = checkpointfile_list(f, i, &list, err);
	for (size_t k = 0; ok && k < list.size / ITEM_SIZE; k++) {
		const char *item = list.data + k * ITEM_SIZE;
		uint64_t slot = checkpointfile_get(item + I_SLOT, 4);
		ok = f->slots[slot] || read_slots(f, &list, k, err);
		if (ok)
			ram_delta_add(d, (uint32_t)checkpointfile_get(item, 4), ram_page_ref(f->slots[slot]));
	}
	buf_free(&list);
	if (ok)
		return d;
	ram_delta_destroy(d);
	return NULL;
}
