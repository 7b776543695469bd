#include <stdlib.h>

#include "engine/buf.h"
#include "engine/replaylog.h"
#include "unit.h"

static void be(struct buf *b, uint64_t value, int width)
{
	while (width--)
		buf_char(b, (char)(value >> (8 * width)));
}

static void head(struct buf *b, uint32_t version)
{
	be(b, version, 4);
	be(b, 0, 8);
}

static void instructions(struct buf *b, uint32_t count)
{
	be(b, 0, 1);
	be(b, count, 4);
}

static void serial_byte(struct buf *b)
{
	be(b, 22, 1);
	be(b, 1, 4);
	be(b, 1, 4);
}

/* One event of each kind and form that the version has; returns how many. */
static int one_of_each(struct buf *b)
{
	head(b, REPLAYLOG_VERSION);
	instructions(b, 100);
	be(b, 1, 1);
	be(b, 2, 1);
	be(b, 3, 1), be(b, 9, 8);
	be(b, 4, 1), be(b, 9, 8);
	be(b, 5, 1), be(b, 0, 4), be(b, 0, 4), be(b, 30, 8), be(b, 1, 1); /* key by number */
	be(b, 5, 1), be(b, 0, 4), be(b, 1, 4), be(b, 30, 4), be(b, 1, 1); /* key by name */
	be(b, 5, 1), be(b, 1, 4), be(b, 0, 4), be(b, 1, 1);               /* button */
	be(b, 5, 1), be(b, 2, 4), be(b, 0, 4), be(b, 5, 8);               /* movement */
	be(b, 5, 1), be(b, 3, 4), be(b, 0, 4), be(b, 5, 8);
	be(b, 6, 1);
	be(b, 7, 1), be(b, 0, 1), be(b, 3, 4), buf_str(b, "abc");
	be(b, 8, 1), be(b, 9, 8);
	be(b, 9, 1), be(b, 0, 1), be(b, 0, 4), be(b, 2, 4), buf_str(b, "zz");
	be(b, 12, 1);
	serial_byte(b);
	be(b, 23, 1), be(b, 2, 4), buf_str(b, "yy");
	be(b, 24, 1), be(b, 5, 4);
	be(b, 25, 1), be(b, 5, 8);
	be(b, 26, 1), be(b, 2, 8), be(b, 0, 8), be(b, 1, 8), be(b, 1, 8), be(b, 2, 8), be(b, 2, 8);
	be(b, 27, 1), be(b, 0, 4), be(b, 1, 4), buf_str(b, "r");
	be(b, 28, 1), be(b, 7, 8);
	be(b, 30, 1);
	be(b, 38, 1);
	instructions(b, 23);
	serial_byte(b);
	be(b, 39, 1);
	return 27;
}

static void every_kind_split_at_every_byte(void)
{
	struct buf b = {0};
	int expected = one_of_each(&b);
	for (size_t cut = 0; cut <= b.size; cut++) {
		struct replaylog r = {0};
		struct replaylog_event e;
		struct err err = {0};
		size_t at = 0, used;
		int count = 0;
		for (size_t end = cut;; end = b.size) {
			/* A copy of exactly the bytes that are there, so that a reader too far is seen. */
			uint8_t *part = (uint8_t *)mem_strn(b.data + at, end - at);
			size_t inside = 0;
			while (replaylog_next(&r, part + inside, end - at - inside, &used, &e, &err) == REPLAYLOG_EVENT) {
				inside += used;
				count++;
			}
			CU_ASSERT_EQUAL(err.code, ERR_NONE);
			at += inside;
			free(part);
			if (end == b.size)
				break;
		}
		CU_ASSERT_EQUAL(count, expected);
		CU_ASSERT_TRUE(r.ended && r.icount == 123 && r.serial == 2 && r.offset == b.size && !r.open);
	}
	buf_free(&b);
}

static void counts_of_bytes(void)
{
	struct buf b = {0};
	struct err err = {0};
	uint64_t *icounts, total;
	size_t count;
	head(&b, REPLAYLOG_VERSION);
	serial_byte(&b);
	instructions(&b, 5);
	serial_byte(&b);
	instructions(&b, 0xfffffff0);
	instructions(&b, 0x20);
	serial_byte(&b);
	be(&b, 39, 1);
	CU_ASSERT_TRUE(replaylog_serial((uint8_t *)b.data, b.size, &icounts, &count, &total, &err));
	CU_ASSERT_EQUAL_FATAL(count, 3);
	CU_ASSERT_TRUE(icounts[0] == 0 && icounts[1] == 5 && icounts[2] == 0x100000015 && total == 0x100000015);
	free(icounts);
	for (size_t n = 0; n < b.size; n++) {
		CU_ASSERT_FALSE(replaylog_serial((uint8_t *)b.data, n, &icounts, &count, NULL, &err));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "cut short"));
		CU_ASSERT_TRUE(icounts == NULL && count == 0);
	}
	buf_free(&b);
}

static bool refuses(struct buf *b, const char *why)
{
	struct err err = {0};
	uint64_t total;
	bool refused =
		!replaylog_total((uint8_t *)b->data, b->size, &total, &err) && strstr(err.text, why) && err.code == ERR_INPUT;
	buf_clear(b);
	return refused;
}

static void what_is_refused(void)
{
	struct buf b = {0};
	head(&b, 0xe0200d);
	CU_ASSERT_TRUE(refuses(&b, "version 0xe0200d is unknown, expected 0xe0200c"));
	head(&b, REPLAYLOG_VERSION);
	be(&b, 40, 1);
	CU_ASSERT_TRUE(refuses(&b, "byte 12: unknown kind of event"));
	head(&b, REPLAYLOG_VERSION);
	be(&b, 27, 1), be(&b, 0, 4), be(&b, 0xffffffff, 4);
	CU_ASSERT_TRUE(refuses(&b, "byte 12: the size in the event is impossible"));
	head(&b, REPLAYLOG_VERSION);
	be(&b, 26, 1), be(&b, UINT64_MAX, 8), be(&b, 0, 8);
	CU_ASSERT_TRUE(refuses(&b, "impossible"));
	head(&b, REPLAYLOG_VERSION);
	be(&b, 5, 1), be(&b, 9, 4);
	CU_ASSERT_TRUE(refuses(&b, "impossible"));
	head(&b, REPLAYLOG_VERSION);
	be(&b, 22, 1), be(&b, 1, 4), be(&b, 1000, 4);
	CU_ASSERT_TRUE(refuses(&b, "more characters in one write"));
	/* What stands behind the end does not belong to the log. */
	struct replaylog r = {0};
	struct replaylog_event e;
	struct err err = {0};
	size_t used;
	head(&b, REPLAYLOG_VERSION);
	be(&b, 39, 1), be(&b, 0, 1);
	CU_ASSERT_EQUAL(replaylog_next(&r, (uint8_t *)b.data, b.size, &used, &e, &err), REPLAYLOG_EVENT);
	CU_ASSERT_EQUAL(replaylog_next(&r, (uint8_t *)b.data + used, b.size - used, &used, &e, &err), REPLAYLOG_BAD);
	buf_free(&b);
}

static void quiet_ends(void)
{
	struct buf b = {0}, wanted = {0};
	struct err err = {0};
	size_t size = 0;
	head(&b, REPLAYLOG_VERSION);
	be(&b, 12, 1); /* quit, right at the start: the header must stay */
	instructions(&b, 5);
	be(&b, 17, 1); /* the guest's own reset stays */
	be(&b, 12, 1);
	instructions(&b, 7);
	be(&b, 14, 1);
	be(&b, 39, 1);
	head(&wanted, REPLAYLOG_VERSION);
	instructions(&wanted, 5);
	be(&wanted, 17, 1);
	instructions(&wanted, 7);
	be(&wanted, 39, 1);
	CU_ASSERT_TRUE(replaylog_close((uint8_t *)b.data, b.size, &size, &err));
	CU_ASSERT_TRUE(size == wanted.size && !memcmp(b.data, wanted.data, size));
	buf_clear(&b);
	head(&b, 0);
	be(&b, 39, 1);
	CU_ASSERT_FALSE(replaylog_close((uint8_t *)b.data, b.size, &size, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "did not finish"));
	CU_ASSERT_FALSE(replaylog_close((uint8_t *)b.data, b.size - 1, &size, &err));
	buf_free(&b);
	buf_free(&wanted);
}

static void shifts(void)
{
	struct buf b = {0};
	struct err err = {0};
	uint64_t total, offset = 0;
	head(&b, REPLAYLOG_VERSION);
	be(&b, 30, 1);
	instructions(&b, 5);
	instructions(&b, 5);
	be(&b, 39, 1);
	uint8_t *log = (uint8_t *)b.data;
	CU_ASSERT_TRUE(replaylog_shift(log, b.size, 1000000, &offset, &err) && replaylog_total(log, b.size, &total, &err));
	CU_ASSERT_TRUE(total == 1000010 && offset == 13);
	CU_ASSERT_TRUE(replaylog_shift(log, b.size, -1000000, NULL, &err) && replaylog_total(log, b.size, &total, &err));
	CU_ASSERT_EQUAL(total, 10);
	CU_ASSERT_FALSE(replaylog_shift(log, b.size, -6, NULL, &err));
	CU_ASSERT_FALSE(replaylog_shift(log, b.size, INT32_MAX, NULL, &err));
	CU_ASSERT_TRUE(replaylog_total(log, b.size, &total, &err) && total == 10);
	CU_ASSERT_FALSE(replaylog_shift(log, 14, 1, NULL, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "replay log: no instructions in it");
	buf_free(&b);
}

const struct test suite_replaylog[] = {
	{"every kind, split at every byte", every_kind_split_at_every_byte},
	{"counts of bytes", counts_of_bytes},
	{"what is refused", what_is_refused},
	{"quiet ends", quiet_ends},
	{"shifts", shifts},
	{0},
};
