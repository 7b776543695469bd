#include <stdlib.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/qcow2.h"
#include "unit.h"

enum { CLUSTER = 65536 };

static int made(const struct buf *a, const struct buf *b)
{
	struct qcow2_writer w;
	struct err err = {0};
	int fd = file_memory("image", &err);
	CU_ASSERT_TRUE_FATAL(qcow2_begin(&w, fd, &err) && qcow2_add(&w, "ready", a->data, a->size, 7, &err) &&
		qcow2_add(&w, "c123", b->data, b->size, 8, &err) && qcow2_end(&w, &err));
	return fd;
}

static void fill(struct buf *b, size_t size, unsigned seed)
{
	buf_clear(b);
	for (size_t i = 0; i < size; i++)
		buf_char(b, (char)((i * 31 + seed) >> 3));
}

static void states_come_back(void)
{
	static const size_t sizes[] = {1, CLUSTER - 1, CLUSTER, CLUSTER + 1, 3 * CLUSTER + 5};
	struct buf a = {0}, b = {0}, out = {0};
	struct err err = {0};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		fill(&a, sizes[i], 1);
		fill(&b, 1000, (unsigned)i);
		int fd = made(&a, &b);
		buf_clear(&out);
		buf_str(&out, "x");
		CU_ASSERT_TRUE(qcow2_state(fd, "ready", &out, &err));
		CU_ASSERT_EQUAL_FATAL(out.size, 1 + a.size);
		CU_ASSERT_EQUAL(memcmp(out.data + 1, a.data, a.size), 0);
		buf_clear(&out);
		CU_ASSERT_TRUE(qcow2_state(fd, "c123", &out, &err));
		CU_ASSERT_EQUAL_FATAL(out.size, b.size);
		CU_ASSERT_EQUAL(memcmp(out.data, b.data, b.size), 0);
		CU_ASSERT_FALSE(qcow2_state(fd, "c12", &out, &err));
		CU_ASSERT_STRING_EQUAL(err.text, "there is no device state 'c12'");
		CU_ASSERT_EQUAL(out.size, b.size);
		close(fd);
	}
	buf_free(&a);
	buf_free(&b);
	buf_free(&out);
}

/* Cut at each byte of its tables and around each border of a cluster, an image gives an error and no bytes. */
static void cut_short(void)
{
	struct buf a = {0}, b = {0}, file = {0}, out = {0};
	struct err err = {0};
	fill(&a, 100, 1);
	fill(&b, CLUSTER + 9, 2);
	int fd = made(&a, &b);
	CU_ASSERT_TRUE_FATAL(file_read_fd(fd, "image", 16 << 20, &file, &err));
	for (size_t size = 0; size < file.size; size += size % CLUSTER < 200 || size % CLUSTER > CLUSTER - 20 ? 1 : 101) {
		CU_ASSERT_EQUAL(ftruncate(fd, (off_t)size), 0);
		buf_clear(&out);
		if (qcow2_state(fd, "c123", &out, &err)) { /* the list ends before its cluster does */
			CU_ASSERT(size > file.size - CLUSTER);
			CU_ASSERT_EQUAL(memcmp(out.data, b.data, b.size), 0);
		} else {
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
			CU_ASSERT_EQUAL(out.size, 0);
		}
		CU_ASSERT_EQUAL(ftruncate(fd, 0), 0);
		CU_ASSERT_EQUAL(pwrite(fd, file.data, file.size, 0), (ssize_t)file.size);
	}
	close(fd);
	buf_free(&a);
	buf_free(&b);
	buf_free(&file);
	buf_free(&out);
}

static void limits(void)
{
	struct qcow2_writer w;
	struct err err = {0};
	int fd = file_memory("image", &err);
	char *name = mem_alloc(QCOW2_NAME_MAX + 2);
	memset(name, 'n', QCOW2_NAME_MAX + 1);
	CU_ASSERT_TRUE_FATAL(qcow2_begin(&w, fd, &err));
	CU_ASSERT_FALSE(qcow2_add(&w, "a", "", 0, 0, &err));
	CU_ASSERT_FALSE(qcow2_add(&w, name, "x", 1, 0, &err));
	name[QCOW2_NAME_MAX] = '\0';
	unsigned many = 0;
	while (qcow2_add(&w, name, "x", 1, 0, &err))
		many++;
	CU_ASSERT(many > 4096);
	CU_ASSERT_NOT_EQUAL(strstr(err.text, "too many"), NULL);
	bool ended = qcow2_end(&w, &err); /* so many long names are more than the list may hold */
	CU_ASSERT_FALSE(ended);
	qcow2_abort(&w);
	close(fd);
	free(name);
}

const struct test suite_qcow2[] = {
	{"states come back", states_come_back},
	{"cut short", cut_short},
	{"limits", limits},
	{0},
};
