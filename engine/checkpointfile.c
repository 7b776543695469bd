#include "engine/checkpointfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"

/* Places in the header and in an entry of the list; all numbers are little endian. */
enum {
	VERSION_AT = 8,
	COUNT_AT = 12,
	KEY_AT = 16,
	SIZE_AT = 48,
	PAGES_AT = 56,
	PAGES_OFFSET_AT = 64,
	SERIAL_SIZE_AT = 72,
	SERIAL_OFFSET_AT = 80,
	RAM_AT = 88,
	TABLE_SUM_AT = 96,
	SERIAL_SUM_AT = 128,
	HEADER_SUM_AT = 160,
	HEADER_SIZE = 192,

	E_ICOUNT = 0,
	E_SERIAL = 8,
	E_STATE = 16,
	E_STATE_SIZE = 24,
	E_PAGES = 28,
	E_LIST = 32,
	E_STATE_SUM = 40,
	E_LIST_SUM = 72,
	ENTRY_SIZE = 104,

	I_SLOT = 4, /* of an item of a checkpoint's list of pages; its number is at 0 */
	I_SUM = 8,
	SUM_SIZE = 16, /* of a page: the first half of its SHA-256 */
	ITEM_SIZE = I_SUM + SUM_SIZE,

	READ_PAGES = 64, /* at once */
};

static const char magic[8] = {'P', 'C', 'A', 'T', 'C', 'K', 'P', 'T'};

struct checkpointfile {
	int fd;
	unsigned refs;
	uint64_t size, pages, pages_offset;
	size_t ram_pages, count;
	struct buf table, serial;
	struct ram_page **slots; /* those that were read */
	size_t held;             /* bytes of them */
};

static uint64_t get(const void *bytes, size_t width)
{
	const uint8_t *at = bytes;
	uint64_t value = 0;
	for (size_t i = width; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static void put(void *bytes, uint64_t value, size_t width)
{
	uint8_t *at = bytes;
	for (size_t i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

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
	if (memcmp(h, magic, sizeof magic))
		return bad(err, "not a file of checkpoints");
	if (get(h + VERSION_AT, 4) != CHECKPOINTFILE_VERSION)
		return bad(err, "of another version");
	digest_sha256(h, HEADER_SUM_AT, sum);
	if (memcmp(sum, h + HEADER_SUM_AT, DIGEST_SIZE))
		return bad(err, "damaged: the digest of its header differs");
	if (memcmp(h + KEY_AT, key, DIGEST_SIZE) || get(h + RAM_AT, 8) != ram_pages)
		return bad(err, "of another run");
	return get(h + SIZE_AT, 8) == f->size || bad(err, "the file has not the size it was written with");
}

static const uint8_t *entry(const struct checkpointfile *f, size_t i)
{
	return (const uint8_t *)f->table.data + i * ENTRY_SIZE;
}

static bool entries_are_sound(const struct checkpointfile *f, struct err *err)
{
	for (size_t i = 0; i < f->count; i++) {
		const uint8_t *e = entry(f, i);
		uint64_t state = get(e + E_STATE_SIZE, 4), pages = get(e + E_PAGES, 4);
		if (state == 0 || state > CHECKPOINTFILE_STATE_MAX || pages > f->ram_pages ||
			!within(f, get(e + E_STATE, 8), state) || !within(f, get(e + E_LIST, 8), pages * ITEM_SIZE) ||
			get(e + E_SERIAL, 8) > f->serial.size)
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
	uint64_t count = get(h + COUNT_AT, 4), serial = get(h + SERIAL_SIZE_AT, 8);
	f->pages = get(h + PAGES_AT, 8);
	f->pages_offset = get(h + PAGES_OFFSET_AT, 8);
	f->ram_pages = ram_pages;
	if (count > CHECKPOINTFILE_COUNT_MAX || serial > CHECKPOINTFILE_SERIAL_MAX || f->pages > CHECKPOINTFILE_PAGES_MAX ||
		ram_pages > CHECKPOINTFILE_RAM_MAX || !within(f, f->pages_offset, f->pages * RAM_PAGE))
		return bad(err, "an impossible header");
	f->count = (size_t)count;
	f->slots = mem_array((size_t)f->pages, sizeof *f->slots);
	return read_known(f, HEADER_SIZE, f->count * ENTRY_SIZE, h + TABLE_SUM_AT, &f->table, err) &&
		read_known(f, get(h + SERIAL_OFFSET_AT, 8), (size_t)serial, h + SERIAL_SUM_AT, &f->serial, err) &&
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
	for (size_t i = 0; f->slots && i < f->pages; i++) {
		ram_page_unref(f->slots[i]);
		f->slots[i] = NULL;
	}
	f->held = 0;
}

size_t checkpointfile_held(const struct checkpointfile *f)
{
	return f->held;
}

void checkpointfile_unref(struct checkpointfile *f)
{
	if (!f || --f->refs)
		return;
	checkpointfile_forget(f);
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
	return get(entry(f, i) + E_ICOUNT, 8);
}

uint64_t checkpointfile_serial_size(const struct checkpointfile *f, size_t i)
{
	return get(entry(f, i) + E_SERIAL, 8);
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
	const uint8_t *e = entry(f, i);
	return read_known(f, get(e + E_STATE, 8), (size_t)get(e + E_STATE_SIZE, 4), e + E_STATE_SUM, out, err);
}

/* The numbers, slots and digests of a checkpoint's pages. */
static bool read_list(const struct checkpointfile *f, size_t i, struct buf *list, struct err *err)
{
	const uint8_t *e = entry(f, i);
	size_t count = (size_t)get(e + E_PAGES, 4);
	if (!read_known(f, get(e + E_LIST, 8), count * ITEM_SIZE, e + E_LIST_SUM, list, err))
		return false;
	for (size_t k = 0; k < count; k++) {
		const char *item = list->data + k * ITEM_SIZE;
		uint64_t number = get(item, 4);
		if (number >= f->ram_pages || get(item + I_SLOT, 4) >= f->pages || (k && number <= get(item - ITEM_SIZE, 4)))
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

/* Reads the slot of an item, and those of the items after it that lie behind it in the file. */
static bool read_slots(struct checkpointfile *f, const struct buf *list, size_t k, struct err *err)
{
	size_t count = list->size / ITEM_SIZE, n = 1;
	uint64_t slot = get(list->data + k * ITEM_SIZE + I_SLOT, 4);
	while (n < READ_PAGES && k + n < count && get(list->data + (k + n) * ITEM_SIZE + I_SLOT, 4) == slot + n &&
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
	bool ok = read_list(f, i, &list, err);
	for (size_t k = 0; ok && k < list.size / ITEM_SIZE; k++) {
		const char *item = list.data + k * ITEM_SIZE;
		uint64_t slot = get(item + I_SLOT, 4);
		ok = f->slots[slot] || read_slots(f, &list, k, err);
		if (ok)
			ram_delta_add(d, (uint32_t)get(item, 4), ram_page_ref(f->slots[slot]));
	}
	buf_free(&list);
	if (ok)
		return d;
	ram_delta_destroy(d);
	return NULL;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

/* Keys of 16 bytes -> slots. */
struct map {
	struct cell {
		uint8_t key[SUM_SIZE];
		uint32_t slot; /* + 1; 0: free */
	} * cells;
	size_t used, room; /* room: a power of two */
};

static size_t find(const struct map *m, const uint8_t key[SUM_SIZE])
{
	size_t i = (size_t)(get(key, 8) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->room - 1);
	while (m->cells[i].slot && memcmp(m->cells[i].key, key, SUM_SIZE))
		i = (i + 1) & (m->room - 1);
	return i;
}

static void map_grow(struct map *m)
{
	struct map wider = {.room = m->room ? m->room * 2 : 1024, .used = m->used};
	wider.cells = mem_array(wider.room, sizeof *wider.cells);
	for (size_t i = 0; i < m->room; i++)
		if (m->cells[i].slot)
			wider.cells[find(&wider, m->cells[i].key)] = m->cells[i];
	free(m->cells);
	*m = wider;
}

/* The cell of a key; it is new if its slot is 0, and the caller sets it then. */
static struct cell *map_at(struct map *m, const uint8_t key[SUM_SIZE])
{
	if (2 * m->used >= m->room)
		map_grow(m);
	struct cell *c = &m->cells[find(m, key)];
	if (!c->slot) {
		memcpy(c->key, key, SUM_SIZE);
		m->used++;
	}
	return c;
}

struct checkpointfile_writer {
	int fd;
	uint8_t key[DIGEST_SIZE];
	size_t ram_pages, count, at;
	struct checkpointfile_item *items;
	struct buf table;
	const struct buf *serial;
	uint64_t next, pages_offset; /* next: for the states and lists */
	uint32_t pages;
	struct map by_sum, by_page; /* by_page: by where it is in memory */
	uint8_t (*sums)[SUM_SIZE];
	size_t sums_room;
};

static size_t page_count(const struct checkpointfile_item *i)
{
	return i->delta ? ram_delta_pages(i->delta) : (size_t)get(entry(i->file, i->index) + E_PAGES, 4);
}

static size_t state_size(const struct checkpointfile_item *i)
{
	return i->delta ? i->state->size : (size_t)get(entry(i->file, i->index) + E_STATE_SIZE, 4);
}

struct checkpointfile_writer *checkpointfile_begin(int fd, const uint8_t key[DIGEST_SIZE], size_t ram_pages,
	const struct checkpointfile_item *items, size_t count, const struct buf *serial, struct err *err)
{
	if (count > CHECKPOINTFILE_COUNT_MAX || serial->size > CHECKPOINTFILE_SERIAL_MAX || ram_pages > CHECKPOINTFILE_RAM_MAX) {
		err_set(err, ERR_INPUT, "more checkpoints than a file may have: %zu", count);
		return NULL;
	}
	struct checkpointfile_writer *w = mem_alloc(sizeof *w);
	w->fd = fd;
	memcpy(w->key, key, DIGEST_SIZE);
	w->ram_pages = ram_pages;
	w->count = count;
	w->items = mem_array(count, sizeof *items);
	if (count)
		memcpy(w->items, items, count * sizeof *items);
	w->serial = serial;
	w->next = HEADER_SIZE + count * ENTRY_SIZE + serial->size;
	uint64_t end = w->next;
	for (size_t i = 0; i < count; i++)
		end += state_size(&items[i]) + page_count(&items[i]) * ITEM_SIZE;
	w->pages_offset = (end + RAM_PAGE - 1) / RAM_PAGE * RAM_PAGE;
	return w;
}

void checkpointfile_end(struct checkpointfile_writer *w)
{
	if (!w)
		return;
	free(w->items);
	free(w->by_sum.cells);
	free(w->by_page.cells);
	free(w->sums);
	buf_free(&w->table);
	free(w);
}

static bool write_at(int fd, const void *bytes, size_t size, uint64_t at, struct err *err)
{
	while (size) {
		ssize_t got = pwrite(fd, bytes, size, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "writing checkpoints");
		bytes = (const char *)bytes + got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

/* A page with a digest gets a slot; its bytes are asked for only if it is new. */
static bool slot_of_sum(
	struct checkpointfile_writer *w, const uint8_t sum[SUM_SIZE], const uint8_t *bytes, uint32_t *slot, struct err *err)
{
	struct cell *c = map_at(&w->by_sum, sum);
	if (!c->slot) {
		size_t count = w->pages;
		if (count == CHECKPOINTFILE_PAGES_MAX)
			return err_set(err, ERR_INPUT, "more pages than a file of checkpoints may have");
		if (!write_at(w->fd, bytes, RAM_PAGE, w->pages_offset + (uint64_t)w->pages * RAM_PAGE, err))
			return false;
		memcpy(ARRAY_PUSH(w->sums, count, w->sums_room), sum, SUM_SIZE);
		c->slot = ++w->pages;
	}
	*slot = c->slot - 1;
	return true;
}

static void add_item(struct buf *list, uint32_t number, uint32_t slot, const uint8_t sum[SUM_SIZE])
{
	uint8_t item[ITEM_SIZE];
	put(item, number, 4);
	put(item + I_SLOT, slot, 4);
	memcpy(item + I_SUM, sum, SUM_SIZE);
	buf_add(list, item, sizeof item);
}

/* From memory: a page that several checkpoints share is hashed once. */
static bool list_delta(struct checkpointfile_writer *w, const struct ram_delta *d, struct buf *list, struct err *err)
{
	for (size_t i = 0; i < ram_delta_pages(d); i++) {
		uint32_t number, slot;
		uint8_t sum[DIGEST_SIZE], where[SUM_SIZE] = {0};
		const struct ram_page *page = ram_delta_page(d, i, &number);
		put(where, (uintptr_t)page, 8);
		struct cell *c = map_at(&w->by_page, where);
		if (!c->slot) {
			digest_sha256(ram_page_bytes(page), RAM_PAGE, sum);
			if (!slot_of_sum(w, sum, ram_page_bytes(page), &slot, err))
				return false;
			c->slot = slot + 1;
		}
		add_item(list, number, c->slot - 1, w->sums[c->slot - 1]);
	}
	return true;
}

/* From another file. */
static bool list_file(struct checkpointfile_writer *w, struct checkpointfile *f, size_t index, struct buf *list, struct err *err)
{
	struct buf from = {0};
	uint8_t bytes[RAM_PAGE];
	bool ok = read_list(f, index, &from, err);
	for (size_t k = 0; ok && k < from.size / ITEM_SIZE; k++) {
		const uint8_t *item = (const uint8_t *)from.data + k * ITEM_SIZE;
		uint32_t slot = 0;
		bool known = w->by_sum.room && w->by_sum.cells[find(&w->by_sum, item + I_SUM)].slot;
		ok = known ||
			(read_exactly(f, bytes, RAM_PAGE, f->pages_offset + get(item + I_SLOT, 4) * RAM_PAGE, err) &&
				(page_is(bytes, item + I_SUM) || bad(err, "damaged: a page differs")));
		ok = ok && slot_of_sum(w, item + I_SUM, bytes, &slot, err);
		if (ok)
			add_item(list, (uint32_t)get(item, 4), slot, item + I_SUM);
	}
	buf_free(&from);
	return ok;
}

static bool write_one(struct checkpointfile_writer *w, const struct checkpointfile_item *item, struct err *err)
{
	uint8_t e[ENTRY_SIZE] = {0};
	struct buf list = {0}, read = {0};
	const struct buf *state = item->delta ? item->state : &read;
	bool ok = item->delta
		? list_delta(w, item->delta, &list, err)
		: checkpointfile_state(item->file, item->index, &read, err) && list_file(w, item->file, item->index, &list, err);
	if (ok) {
		put(e + E_ICOUNT, item->icount, 8);
		put(e + E_SERIAL, item->serial_size, 8);
		put(e + E_STATE, w->next, 8);
		put(e + E_STATE_SIZE, state->size, 4);
		put(e + E_PAGES, list.size / ITEM_SIZE, 4);
		put(e + E_LIST, w->next + state->size, 8);
		digest_sha256(state->data, state->size, e + E_STATE_SUM);
		digest_sha256(list.data, list.size, e + E_LIST_SUM);
		ok = write_at(w->fd, state->data, state->size, w->next, err) &&
			write_at(w->fd, list.data, list.size, w->next + state->size, err);
		w->next += state->size + list.size;
		buf_add(&w->table, e, sizeof e);
	}
	buf_free(&list);
	buf_free(&read);
	return ok;
}

/* Last, so that a file that was not finished has no header. */
static bool write_head(struct checkpointfile_writer *w, struct err *err)
{
	uint8_t h[HEADER_SIZE] = {0};
	uint64_t serial_at = HEADER_SIZE + w->table.size, size = w->pages_offset + (uint64_t)w->pages * RAM_PAGE;
	memcpy(h, magic, sizeof magic);
	put(h + VERSION_AT, CHECKPOINTFILE_VERSION, 4);
	put(h + COUNT_AT, w->count, 4);
	memcpy(h + KEY_AT, w->key, DIGEST_SIZE);
	put(h + SIZE_AT, size, 8);
	put(h + PAGES_AT, w->pages, 8);
	put(h + PAGES_OFFSET_AT, w->pages_offset, 8);
	put(h + SERIAL_SIZE_AT, w->serial->size, 8);
	put(h + SERIAL_OFFSET_AT, serial_at, 8);
	put(h + RAM_AT, w->ram_pages, 8);
	digest_sha256(w->table.data, w->table.size, h + TABLE_SUM_AT);
	digest_sha256(w->serial->data, w->serial->size, h + SERIAL_SUM_AT);
	digest_sha256(h, HEADER_SUM_AT, h + HEADER_SUM_AT);
	return write_at(w->fd, w->table.data, w->table.size, HEADER_SIZE, err) &&
		write_at(w->fd, w->serial->data, w->serial->size, serial_at, err) &&
		(ftruncate(w->fd, (off_t)size) == 0 || err_sys(err, errno, "writing checkpoints")) &&
		write_at(w->fd, h, sizeof h, 0, err);
}

bool checkpointfile_step(struct checkpointfile_writer *w, bool *done, struct err *err)
{
	*done = false;
	if (w->at < w->count)
		return write_one(w, &w->items[w->at++], err);
	*done = write_head(w, err);
	return *done;
}
