#include <stdlib.h>
#include "engine/pattern.h"
#include "unit.h"

static void groups_are_found(void)
{
	size_t at;
	struct err err = {0};
	struct pattern_span spans[4];
	struct pattern *p = pattern_create("acked (\\d+)( again)?(?<rest>.*)", &at, &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(pattern_captures(p), 3);
	CU_ASSERT_EQUAL(pattern_capture_named(p, "rest"), 3);
	CU_ASSERT_EQUAL(pattern_capture_named(p, "none"), 0);
	CU_ASSERT_STRING_EQUAL(pattern_text(p), "acked (\\d+)( again)?(?<rest>.*)");
	CU_ASSERT_EQUAL(pattern_match(p, "x acked 87!", 11, spans, 4), PATTERN_YES);
	CU_ASSERT_EQUAL(spans[1].size, 2);
	CU_ASSERT_TRUE(memcmp(spans[1].data, "87", 2) == 0);
	CU_ASSERT_PTR_NULL(spans[2].data);
	CU_ASSERT_EQUAL(spans[3].size, 1);
	CU_ASSERT_EQUAL(pattern_match(p, "acked", 5, spans, 4), PATTERN_NO);
	CU_ASSERT_EQUAL(pattern_match(p, "", 0, NULL, 0), PATTERN_NO);
	CU_ASSERT_EQUAL(pattern_match(p, NULL, 0, NULL, 0), PATTERN_NO);
	pattern_destroy(p);
	pattern_destroy(NULL);
}

static void bytes_that_are_not_utf8_are_no_error(void)
{
	size_t at;
	struct err err = {0};
	struct pattern_span spans[2];
	struct pattern *p = pattern_create("a(.)$", &at, &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(pattern_match(p,
				"\xff"
				"a\xc3\xa9",
				4, spans, 2),
		PATTERN_YES);
	CU_ASSERT_EQUAL(spans[1].size, 2);
	CU_ASSERT_EQUAL(pattern_match(p, "a\xff", 2, spans, 2), PATTERN_NO);
	CU_ASSERT_EQUAL(pattern_match(p, "ab\n", 3, spans, 2), PATTERN_NO); /* $ is the end, not the newline before it */
	pattern_destroy(p);
}

static void mistakes_have_a_place(void)
{
	static const char *const bad[] = {"a(", "[z", "*", "(?<n>", "\\", "a{2,1}", "\\C"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		size_t at = 99;
		struct err err = {0};
		struct pattern *p = pattern_create(bad[i], &at, &err);
		CU_ASSERT_PTR_NULL(p);
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		CU_ASSERT_TRUE(at <= strlen(bad[i]));
		CU_ASSERT_TRUE(err.text[0] != '\0');
	}
}

static void limits_hold(void)
{
	size_t at;
	struct err err = {0};
	char big[PATTERN_TEXT_MAX + 2];

	memset(big, 'a', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	CU_ASSERT_PTR_NULL(pattern_create(big, &at, &err));
	CU_ASSERT_PTR_NULL(pattern_create("()()()()()()()()()()()()()()()()()", &at, &err));
	/* Exponential work on a line that does not match: given up, not hung. */
	struct pattern *p = pattern_create("^(a+)+$", &at, &err);
	char line[41];
	memset(line, 'a', 40);
	line[40] = 'b';
	CU_ASSERT_EQUAL(pattern_match(p, line, sizeof line, NULL, 0), PATTERN_LIMIT);
	CU_ASSERT_EQUAL(pattern_match(p, line, 40, NULL, 0), PATTERN_YES); /* and usable afterwards */
	pattern_destroy(p);
}

const struct test suite_pattern[] = {
	{"groups are found", groups_are_found},
	{"bytes that are not UTF-8 are no error", bytes_that_are_not_utf8_are_no_error},
	{"mistakes have a place", mistakes_have_a_place},
	{"limits hold", limits_hold},
	{0},
};
