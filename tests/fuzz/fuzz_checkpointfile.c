/*
 * A file of checkpoints of any bytes gives what is within its limits, or is refused. The input changes a good file (pairs of
 * place and value), whose digests of header and lists are made right again: with wrong ones nothing else would be looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/checkpointfile.h"
#include "engine/file.h"
#include "tests/fuzz/fuzz.h"

enum { PAGES = 32, TABLE_SUM = 96, HEADER_SUM = 160, HEADER = 192, ENTRY = 104, STATE_SUM = 40, LIST_SUM = 72, COUNT = 2 };

static const uint8_t key[DIGEST_SIZE] = {7};
static struct buf good;

static void set_up(void)
{
	struct ram_delta *d = ram_delta_create();
	struct buf state = {0}, serial = {0};
	struct checkpointfile_item items[COUNT];
	uint8_t page[RAM_PAGE] = {1};
	ram_delta_add(d, 2, ram_page_create(page));
	page[9] = 1;
	ram_delta_add(d, 7, ram_page_create(page));
	buf_str(&state, "state");
	buf_str(&serial, "serial");
	for (size_t i = 0; i < COUNT; i++)
		items[i] = (struct checkpointfile_item){.icount = 10 + i, .serial_size = i, .state = &state, .delta = d};
	int fd = file_memory("checkpoints", NULL);
	struct checkpointfile_writer *w = checkpointfile_begin(fd, key, PAGES, items, COUNT, &serial, NULL);
	for (bool done = false; !done;)
		require(checkpointfile_step(w, &done, NULL));
	checkpointfile_end(w);
	require(file_read_fd(fd, "checkpoints", 1 << 20, &good, NULL));
	ram_delta_destroy(d);
	buf_free(&state);
	buf_free(&serial);
	close(fd);
}

static uint64_t number(const char *at, size_t width)
{
	uint64_t n = 0;
	for (size_t i = width; i-- > 0;)
		n = n << 8 | (uint8_t)at[i];
	return n;
}

static void sum_of(const struct buf *f, uint64_t at, uint64_t size, char *to)
{
	if (at <= f->size && size <= f->size - at)
		digest_sha256(f->data + at, (size_t)size, (uint8_t *)to);
}

static void sign(struct buf *f)
{
	for (char *e = f->data + HEADER; e < f->data + HEADER + COUNT * ENTRY; e += ENTRY) {
		sum_of(f, number(e + 16, 8), number(e + 24, 4), e + STATE_SUM);
		sum_of(f, number(e + 32, 8), number(e + 28, 4) * 24, e + LIST_SUM);
	}
	uint64_t count = number(f->data + 12, 4);
	if (count < 1000)
		sum_of(f, HEADER, count * ENTRY, f->data + TABLE_SUM);
	sum_of(f, 0, HEADER_SUM, f->data + HEADER_SUM);
}

static void look(struct checkpointfile *f)
{
	for (size_t i = 0; i < checkpointfile_count(f); i++) {
		struct buf state = {0};
		require(i == 0 || checkpointfile_icount(f, i) > checkpointfile_icount(f, i - 1));
		require(checkpointfile_serial_size(f, i) <= checkpointfile_serial(f)->size);
		if (checkpointfile_state(f, i, &state, NULL))
			require(state.size > 0 && state.size <= CHECKPOINTFILE_STATE_MAX);
		struct ram_delta *d = checkpointfile_delta(f, i, NULL);
		for (size_t k = 0; d && k < ram_delta_pages(d); k++) {
			uint32_t n, before = 0;
			ram_delta_page(d, k, &n);
			if (k)
				ram_delta_page(d, k - 1, &before);
			require(n < PAGES && (!k || n > before));
		}
		ram_delta_destroy(d);
		buf_free(&state);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = {0};
	if (!good.data)
		set_up();
	buf_add(&file, good.data, good.size);
	/* The pages themselves are only digested: the rest is before them. */
	for (size_t i = 0; i + 2 < size; i += 3)
		file.data[(data[i] | (size_t)data[i + 1] << 8) % 1024] = (char)data[i + 2];
	sign(&file);
	int fd = file_memory_of("checkpoints", file.data, size % 3 == 1 ? file.size - data[size - 1] : file.size, NULL);
	struct checkpointfile *f = checkpointfile_open(fd, key, PAGES, NULL);
	if (f)
		look(f);
	require(f || size > 0);
	checkpointfile_unref(f);
	close(fd);
	buf_free(&file);
	return 0;
}
