#include <string.h>
#include <unistd.h>

#include "engine/buf.h"
#include "engine/file.h"
#include "engine/replaystate.h"
#include "unit.h"

static const char head[] = "\6replay\0\0\0\0\0\0\0";

/* A section of a version, as QEMU writes it: counters of some value, and whether the next event's kind was read. */
static void add_section(struct buf *b, char version, bool unread)
{
	static const char counters[64] = {
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	buf_str(b, "what stands before it");
	buf_add(b, head, sizeof head - 1);
	buf_char(b, version);
	buf_add(b, counters, version == 2 ? 32 : 36);
	if (version == 2)
		buf_add(b, "\0\0\0", 3);
	buf_char(b, unread);
	buf_add(b, counters, 24);
}

/* The bytes of b are changed as the file was. */
static bool forgets(struct buf *b, struct err *err)
{
	int fd = file_memory_of("state", b->data, b->size, err);
	bool ok = fd >= 0 && replaystate_forget_unread(fd, err);
	CU_ASSERT_EQUAL(pread(fd, b->data, b->size, 0), (ssize_t)b->size);
	close(fd);
	return ok;
}

static void forgets_in_each_known_form(void)
{
	struct err err = {0};
	for (char version = 2; version <= 3; version++) {
		struct buf was = {0}, wanted = {0};
		add_section(&was, version, true);
		add_section(&was, version, false);
		add_section(&was, version, true);
		for (int i = 0; i < 3; i++)
			add_section(&wanted, version, false);
		CU_ASSERT_TRUE(forgets(&was, &err));
		CU_ASSERT_TRUE(was.size == wanted.size && !memcmp(was.data, wanted.data, was.size));
		buf_free(&was);
		buf_free(&wanted);
	}
}

/* Nothing is written where the form is not known or the file ends within the section. */
static void says_when_the_form_is_unknown(void)
{
	struct buf b = {0}, copy = {0};
	struct err err = {0};
	add_section(&b, 4, true);
	buf_add(&copy, b.data, b.size);
	CU_ASSERT_FALSE(forgets(&b, &err));
	CU_ASSERT_EQUAL(err.code, ERR_QEMU);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "in a form that is not known"));
	CU_ASSERT_FALSE(memcmp(b.data, copy.data, b.size));
	for (char version = 2; version <= 3; version++) {
		buf_clear(&b);
		add_section(&b, version, true);
		size_t whole = b.size - 24;
		for (b.size = 0; b.size < whole; b.size++)
			CU_ASSERT_FALSE(forgets(&b, &err));
		CU_ASSERT_TRUE(forgets(&b, &err));
	}
	buf_free(&b);
	buf_free(&copy);
}

const struct test suite_replaystate[] = {{"forgets in each known form", forgets_in_each_known_form},
	{"says when the form is unknown", says_when_the_form_is_unknown}, {0}};
