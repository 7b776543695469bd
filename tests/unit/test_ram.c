#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/ram.h"
#include "unit.h"

enum { PAGES = 1024 };

static void fill(struct ram *r, size_t page, int value)
{
	memset(r->map + page * RAM_PAGE, value, RAM_PAGE);
}

static int64_t blocks(const struct ram *r)
{
	struct stat st;
	return fstat(r->fd, &st) == 0 ? st.st_blocks * 512 / RAM_PAGE : -1;
}

/* An image with pages 1 to 9 and 500 used, and memory filled from it. */
static void make(struct ram *image, struct ram *r)
{
	struct err err = {0};
	struct ram source;
	int fd = file_memory("image", &err);
	CU_ASSERT_TRUE_FATAL(ram_create(&source, (size_t)PAGES * RAM_PAGE, &err));
	for (size_t i = 1; i < 10; i++)
		fill(&source, i, (int)i);
	fill(&source, 500, 77);
	fill(&source, 600, 0); /* used, but zeros: not worth keeping */
	CU_ASSERT_TRUE(ram_save(&source, fd, &err));
	CU_ASSERT_TRUE_FATAL(ram_open_image(image, fd, &err));
	CU_ASSERT_EQUAL(blocks(image), 10);
	uint8_t written[DIGEST_SIZE], kept[DIGEST_SIZE];
	CU_ASSERT_TRUE(
		ram_digest(&source, written, &err) && ram_digest(image, kept, &err) && !memcmp(written, kept, DIGEST_SIZE));
	CU_ASSERT_TRUE_FATAL(ram_create(r, (size_t)PAGES * RAM_PAGE, &err) && ram_fill(r, image, &err));
	ram_finish(&source);
	close(fd);
}

static void put_back(void)
{
	struct ram image, r;
	struct err err = {0};
	size_t changed = 0;
	uint8_t before[DIGEST_SIZE], after[DIGEST_SIZE];
	make(&image, &r);
	CU_ASSERT_TRUE(ram_digest(&r, before, &err));
	fill(&r, 3, 99);
	fill(&r, 4, 0);
	fill(&r, 700, 5);
	r.map[500 * RAM_PAGE + 17] ^= 1;
	CU_ASSERT_TRUE(ram_digest(&r, after, &err) && memcmp(before, after, DIGEST_SIZE));
	CU_ASSERT_TRUE(ram_put(&r, &image, NULL, &changed, &err));
	CU_ASSERT_EQUAL(changed, 4);
	/* Before anything reads a hole: that would fill it. */
	CU_ASSERT_EQUAL(blocks(&r), 10);
	CU_ASSERT_EQUAL(memcmp(image.map, r.map, r.size), 0);
	CU_ASSERT_TRUE(ram_digest(&r, after, &err) && !memcmp(before, after, DIGEST_SIZE));
	CU_ASSERT_TRUE(ram_put(&r, &image, NULL, &changed, &err) && changed == 0);
	ram_finish(&r);
	ram_finish(&image);
}

static void deltas(void)
{
	struct ram image, r;
	struct err err = {0};
	size_t changed = 0;
	uint8_t first[DIGEST_SIZE], second[DIGEST_SIZE], now[DIGEST_SIZE];
	make(&image, &r);
	fill(&r, 3, 99);
	fill(&r, 4, 0);
	fill(&r, 800, 8);
	CU_ASSERT_TRUE(ram_digest(&r, first, &err));
	struct ram_delta *a = ram_take(&r, &image, NULL, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL(ram_delta_pages(a), 3);
	fill(&r, 3, 98);
	fill(&r, 801, 8);
	CU_ASSERT_TRUE(ram_digest(&r, second, &err));
	struct ram_delta *b = ram_take(&r, &image, a, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b);
	CU_ASSERT_EQUAL(ram_delta_pages(b), 4);
	CU_ASSERT_TRUE(ram_delta_bytes(b) < ram_delta_bytes(a)); /* two pages of its own against three */
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_TRUE(
			ram_put(&r, &image, a, &changed, &err) && ram_digest(&r, now, &err) && !memcmp(now, first, DIGEST_SIZE));
		CU_ASSERT_TRUE(
			ram_put(&r, &image, b, &changed, &err) && ram_digest(&r, now, &err) && !memcmp(now, second, DIGEST_SIZE));
		CU_ASSERT_EQUAL(changed, 2);
	}
	/* The earlier one may go first. */
	ram_delta_destroy(a);
	CU_ASSERT_TRUE(ram_put(&r, &image, NULL, NULL, &err) && ram_put(&r, &image, b, NULL, &err) && ram_digest(&r, now, &err));
	CU_ASSERT_EQUAL(memcmp(now, second, DIGEST_SIZE), 0);
	ram_delta_destroy(b);
	ram_finish(&r);
	ram_finish(&image);
}

static void sizes_must_fit(void)
{
	struct ram image, r, other;
	struct err err = {0};
	make(&image, &r);
	CU_ASSERT_TRUE_FATAL(ram_create(&other, 2 * (size_t)PAGES * RAM_PAGE, &err));
	CU_ASSERT_FALSE(ram_fill(&other, &image, &err));
	CU_ASSERT_FALSE(ram_put(&other, &image, NULL, NULL, &err));
	CU_ASSERT_PTR_NULL(ram_take(&other, &image, NULL, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "does not fit"));
	int odd = file_memory_of("odd", "abc", 3, &err);
	struct ram none;
	CU_ASSERT_FALSE(ram_open_image(&none, odd, &err));
	close(odd);
	ram_finish(&other);
	ram_finish(&r);
	ram_finish(&image);
}

struct differences {
	uint32_t numbers[8];
	size_t count;
};

static void note_difference(void *data, uint32_t number, const uint8_t *a, const uint8_t *b)
{
	struct differences *d = data;
	CU_ASSERT_NOT_EQUAL(memcmp(a, b, RAM_PAGE), 0);
	if (d->count < 8)
		d->numbers[d->count] = number;
	d->count++;
}

static void differences_are_found(void)
{
	struct ram image, r, small;
	struct err err = {0};
	struct differences d = {0};
	make(&image, &r);
	CU_ASSERT_TRUE(ram_compare(&image, &r, note_difference, &d, &err));
	CU_ASSERT_EQUAL(d.count, 0);
	fill(&r, 3, 99);
	fill(&r, 4, 0);
	fill(&r, 700, 5); /* a hole in the image */
	fill(&r, 701, 0);
	int64_t used = blocks(&image);
	CU_ASSERT_TRUE(ram_compare(&image, &r, note_difference, &d, &err));
	CU_ASSERT_EQUAL(d.count, 3);
	CU_ASSERT(d.numbers[0] == 3 && d.numbers[1] == 4 && d.numbers[2] == 700);
	CU_ASSERT_EQUAL(blocks(&image), used); /* comparing fills no hole */
	CU_ASSERT_TRUE_FATAL(ram_create(&small, RAM_PAGE, &err));
	CU_ASSERT_FALSE(ram_compare(&small, &r, note_difference, &d, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	ram_finish(&small);
	ram_finish(&image);
	ram_finish(&r);
}

const struct test suite_ram[] = {{"differences are found", differences_are_found}, {"put back", put_back}, {"deltas", deltas},
	{"sizes must fit", sizes_must_fit}, {0}};
