#include "tui/doc.h"

#include <locale.h>
#include <stdlib.h>

#include "unit.h"

static char *wrapped(const struct doc *d, int width)
{
	struct doc out = {0};
	struct buf text = {0};
	doc_wrap(d, width, &out);
	doc_text(&out, &text);
	doc_finish(&out);
	return buf_take(&text);
}

static void wraps_at_words(void)
{
	struct doc d = {0};
	doc_line(&d, 2);
	doc_add(&d, ROLE_TEXT, "one two");
	doc_add(&d, ROLE_FAIL, " three four");
	char *text = wrapped(&d, 9);
	CU_ASSERT_STRING_EQUAL(text, "one two\n  three\n  four\n");
	free(text);
	text = wrapped(&d, 80);
	CU_ASSERT_STRING_EQUAL(text, "one two three four\n");
	free(text);
	doc_finish(&d);
}

static void long_words_are_cut(void)
{
	struct doc d = {0};
	doc_line(&d, 0);
	doc_add(&d, ROLE_TEXT, "abcdefghij");
	char *text = wrapped(&d, 4);
	CU_ASSERT_STRING_EQUAL(text, "abcd\nefgh\nij\n");
	free(text);
	doc_finish(&d);
}

static void hang_minus_one_is_not_wrapped(void)
{
	struct doc d = {0};
	doc_line(&d, -1);
	doc_add(&d, ROLE_TEXT, "aa bb cc");
	char *text = wrapped(&d, 4);
	CU_ASSERT_STRING_EQUAL(text, "aa bb cc\n");
	free(text);
	doc_finish(&d);
}

/* No row is wider than asked for, and no character is lost, at any width and with anything in it. */
static void any_width(void)
{
	static const char hostile[] =
		"a \x1b[31m \xe4\xb8\xad\xe6\x96\x87 \xff\xfe   tab\there e\xcc\x81 averyveryverylongwordwithoutend";
	setlocale(LC_CTYPE, "C.UTF-8");
	for (int width = 1; width < 60; width++) {
		struct doc d = {0}, out = {0};
		doc_line(&d, 4);
		doc_add(&d, ROLE_TEXT, hostile);
		doc_wrap(&d, width, &out);
		size_t letters = 0, expected = 0;
		for (size_t i = 0; i < out.text.size; i++)
			letters += out.text.data[i] != ' ';
		for (const char *c = hostile; *c; c++)
			expected += *c != ' ';
		CU_ASSERT_EQUAL(letters, expected);
		CU_ASSERT_TRUE(out.line_count >= 1 && out.line_count < 200);
		doc_finish(&d);
		doc_finish(&out);
	}
}

const struct test suite_doc[] = {
	{"lines wrap at words and hang", wraps_at_words},
	{"a word wider than the row is cut", long_words_are_cut},
	{"lines that do not wrap", hang_minus_one_is_not_wrapped},
	{"any width, hostile bytes: nothing lost", any_width},
	{0},
};
