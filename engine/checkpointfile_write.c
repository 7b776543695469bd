/* Writing a file of checkpoints: each page once, whoever has it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/checkpointfile_data.h"

static void put(void *bytes, uint64_t value, size_t width)
{
	uint8_t *at = bytes;
	for (size_t i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

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
	size_t i = (size_t)(checkpointfile_get(key, 8) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->room - 1);
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
	return i->delta ? ram_delta_pages(i->delta)
			: (size_t)checkpointfile_get(checkpointfile_entry(i->file, i->index) + E_PAGES, 4);
}

static size_t state_size(const struct checkpointfile_item *i)
{
	return i->delta ? i->state->size : (size_t)checkpointfile_get(checkpointfile_entry(i->file, i->index) + E_STATE_SIZE, 4);
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
	bool ok = checkpointfile_list(f, index, &from, err);
	for (size_t k = 0; ok && k < from.size / ITEM_SIZE; k++) {
		const uint8_t *item = (const uint8_t *)from.data + k * ITEM_SIZE;
		uint32_t slot = 0;
		bool known = w->by_sum.room && w->by_sum.cells[find(&w->by_sum, item + I_SUM)].slot;
		ok = known || checkpointfile_page(f, item, bytes, err);
		ok = ok && slot_of_sum(w, item + I_SUM, bytes, &slot, err);
		if (ok)
			add_item(list, (uint32_t)checkpointfile_get(item, 4), slot, item + I_SUM);
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
	memcpy(h, CHECKPOINTFILE_MAGIC, strlen(CHECKPOINTFILE_MAGIC));
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
