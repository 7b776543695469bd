#include <string.h>

#include "engine/words.h"
#include "unit.h"

static bool split(struct words *w, const char *line, struct err *err)
{
	return words_split(w, line, strlen(line), err);
}

static void words_and_quotes(void)
{
	struct words w;
	struct err err = {0};
	CU_ASSERT(split(&w, "  goto\tev:20  \n", &err));
	CU_ASSERT_EQUAL(w.count, 2);
	CU_ASSERT_STRING_EQUAL(w.list[0], "goto");
	CU_ASSERT_STRING_EQUAL(w.list[1], "ev:20");
	CU_ASSERT_PTR_NULL(w.list[2]);
	CU_ASSERT(split(&w, "next \"/echo 20\" 'a\\b' c\\ d \"\"", &err));
	CU_ASSERT_EQUAL(w.count, 5);
	CU_ASSERT_STRING_EQUAL(w.list[1], "/echo 20");
	CU_ASSERT_STRING_EQUAL(w.list[2], "a\\b");
	CU_ASSERT_STRING_EQUAL(w.list[3], "c d");
	CU_ASSERT_STRING_EQUAL(w.list[4], "");
	CU_ASSERT(split(&w, "print p->x[1] + 2", &err));
	CU_ASSERT_STRING_EQUAL(w.rest[1], "p->x[1] + 2");
}

static void comments_and_nothing(void)
{
	struct words w;
	struct err err = {0};
	CU_ASSERT(split(&w, "", &err) && w.count == 0);
	CU_ASSERT(split(&w, " \t\n", &err) && w.count == 0);
	CU_ASSERT(split(&w, "# all of it", &err) && w.count == 0);
	CU_ASSERT(split(&w, "goto fault:kill#1.applied # there", &err));
	CU_ASSERT_EQUAL(w.count, 2);
	CU_ASSERT_STRING_EQUAL(w.list[1], "fault:kill#1.applied");
}

static void bad_lines(void)
{
	struct words w;
	struct err err = {0};
	char line[WORDS_LINE_MAX + 10];
	CU_ASSERT_FALSE(split(&w, "next \"no end", &err));
	CU_ASSERT_STRING_EQUAL(err.text, "the quote \" has no end");
	CU_ASSERT_FALSE(words_split(&w, "a\0b", 3, &err));
	memset(line, 'x', sizeof line);
	CU_ASSERT_FALSE(words_split(&w, line, sizeof line, &err));
	for (size_t i = 0; i < sizeof line; i++)
		line[i] = i % 2 ? ' ' : 'x';
	CU_ASSERT(words_split(&w, line, 2 * WORDS_MAX, &err));
	CU_ASSERT_EQUAL(w.count, WORDS_MAX);
	CU_ASSERT_FALSE(words_split(&w, line, 2 * WORDS_MAX + 1, &err));
	CU_ASSERT_EQUAL(err.code, ERR_USAGE);
}

/* Every beginning of a line is a line or is refused; never more bytes than there are. */
static void every_beginning(void)
{
	static const char line[] = "until mem \"a b\" == '0x1 2' \\\\ c\\";
	struct words w;
	struct err err = {0};
	for (size_t size = 0; size < sizeof line; size++) {
		bool ok = words_split(&w, line, size, &err);
		size_t bytes = 0;
		for (size_t i = 0; i < w.count; i++)
			bytes += strlen(w.list[i]);
		CU_ASSERT(bytes <= size);
		CU_ASSERT(ok || err.code == ERR_USAGE);
	}
}

const struct test suite_words[] = {
	{"words and quotes", words_and_quotes},
	{"comments and empty lines", comments_and_nothing},
	{"bad lines", bad_lines},
	{"every beginning of a line", every_beginning},
	{0},
};
