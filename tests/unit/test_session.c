/* What the screen remembers between two starts. */
#include "tui/session.h"

#include <string.h>

#include "unit.h"

static const char text[] =
	"theme solarized\nrun b\nruns /r\nopen /r/a\nopen /r/b\nside 1\npage diff\npane console\nfocus faults\n"
	"mark a\nmark b\nsort age\nfilter verdict:fail seed:4\nwords node:a x\nended 1\n";

static void there_and_back(void)
{
	struct session s = {0};
	struct err err = {0};
	struct buf out = {0};
	CU_ASSERT_TRUE(session_parse(&s, text, strlen(text), &err));
	CU_ASSERT_STRING_EQUAL(session_value(&s, SESSION_FILTER), "verdict:fail seed:4");
	CU_ASSERT_STRING_EQUAL(s.values[SESSION_OPEN][1], "/r/b");
	CU_ASSERT_STRING_EQUAL(s.values[SESSION_MARK][1], "b");
	session_write(&s, &out);
	CU_ASSERT_STRING_EQUAL(out.data, text);
	buf_free(&out);
	session_finish(&s);
	CU_ASSERT_STRING_EQUAL(session_value(&s, SESSION_THEME), "");
}

/* Whole lines that came before the cut hold; what is cut is refused with its line, or is a shorter value. */
static void cut_at_every_byte(void)
{
	for (size_t size = 0; size < strlen(text); size++) {
		struct session s = {0};
		struct err err = {0};
		if (!session_parse(&s, text, size, &err)) {
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
			CU_ASSERT_EQUAL(strncmp(err.text, "line ", 5), 0);
		}
		if (size > strlen("theme solarized\n"))
			CU_ASSERT_STRING_EQUAL(session_value(&s, SESSION_THEME), "solarized");
		CU_ASSERT_STRING_EQUAL(session_value(&s, SESSION_ENDED), size + 1 == strlen(text) ? "1" : "");
		session_finish(&s);
	}
}

static void rubbish_is_refused(void)
{
	static const char *const texts[] = {"themes x\n", "theme\n", "open\n", " theme x\n", "\n", "x"};
	struct session s = {0};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct err err = {0};
		CU_ASSERT_FALSE(session_parse(&s, texts[i], strlen(texts[i]), &err));
		CU_ASSERT_EQUAL(strncmp(err.text, "line 1: expected", 16), 0);
	}
	struct err err = {0};
	CU_ASSERT_FALSE(session_parse(&s, "theme a\0b\n", 10, &err));
	char longer[SESSION_LINE_MAX + 3];
	memset(longer, 'x', sizeof longer);
	memcpy(longer, "theme ", 6);
	CU_ASSERT_FALSE(session_parse(&s, longer, sizeof longer, &err));
	session_finish(&s);
}

static void what_is_too_much_is_left_out(void)
{
	struct session s = {0};
	session_add(&s, SESSION_THEME, "a");
	session_add(&s, SESSION_THEME, "b");
	session_add(&s, SESSION_RUN, "two\nlines");
	session_add(&s, SESSION_PAGE, NULL);
	for (int i = 0; i < 5; i++)
		session_add(&s, SESSION_MARK, i % 2 ? "odd" : "even");
	struct buf out = {0};
	session_write(&s, &out);
	CU_ASSERT_STRING_EQUAL(out.data, "theme a\nmark even\nmark odd\n");
	buf_free(&out);
	session_finish(&s);
}

const struct test suite_session[] = {
	{"there and back", there_and_back},
	{"cut at every byte", cut_at_every_byte},
	{"rubbish is refused with its line", rubbish_is_refused},
	{"what is too much is left out", what_is_too_much_is_left_out},
	{0},
};
