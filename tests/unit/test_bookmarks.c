#include <stdio.h>
#include <string.h>

#include "engine/bookmarks.h"
#include "unit.h"

static bool parse(struct bookmarks *b, const char *text, struct err *err)
{
	return bookmarks_parse(b, text, strlen(text), err);
}

static void there_and_back(void)
{
	struct bookmarks a = {.dir = -1}, b = {.dir = -1};
	struct buf first = {0}, second = {0};
	struct err err = {0};
	/* There is no directory to save in, which is told after it was taken. */
	CU_ASSERT_FALSE(bookmarks_set(&a, "zebra", 3, &err));
	bookmarks_set(&a, "ape", UINT64_C(1) << 60, &err);
	bookmarks_set(&a, "zebra", 4, &err);
	CU_ASSERT_EQUAL(a.count, 2);
	CU_ASSERT_EQUAL(bookmarks_find(&a, "zebra")->icount, 4);
	CU_ASSERT_PTR_NULL(bookmarks_find(&a, "yak"));
	bookmarks_write(&a, &first);
	CU_ASSERT(bookmarks_parse(&b, first.data, first.size, &err));
	bookmarks_write(&b, &second);
	CU_ASSERT_STRING_EQUAL(first.data, second.data);
	CU_ASSERT_EQUAL(bookmarks_find(&b, "ape")->icount, UINT64_C(1) << 60);
	bookmarks_remove(&b, "ape", &err);
	CU_ASSERT_PTR_NULL(bookmarks_find(&b, "ape"));
	CU_ASSERT_FALSE(bookmarks_remove(&b, "ape", &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	for (size_t size = 0; size < first.size - 2; size++)
		CU_ASSERT_FALSE(bookmarks_parse(&b, first.data, size, &err));
	buf_free(&first);
	buf_free(&second);
	bookmarks_finish(&a);
	bookmarks_finish(&b);
}

static void bad_files(void)
{
	static const char *const bad[] = {"", "[]", "{}", "{\"polecat_bookmarks\":2,\"bookmarks\":{}}",
		"{\"polecat_bookmarks\":1}", "{\"polecat_bookmarks\":1,\"bookmarks\":[]}",
		"{\"polecat_bookmarks\":1,\"bookmarks\":{\"a\":-1}}", "{\"polecat_bookmarks\":1,\"bookmarks\":{\"a\":\"1\"}}",
		"{\"polecat_bookmarks\":1,\"bookmarks\":{\"../a\":1}}", "{\"polecat_bookmarks\":1,\"bookmarks\":{\"\":1}}"};
	struct bookmarks b = {.dir = -1};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {0};
		CU_ASSERT_FALSE(parse(&b, bad[i], &err));
		CU_ASSERT(err.text[0] != '\0');
		CU_ASSERT_EQUAL(b.count, 0);
	}
	bookmarks_finish(&b);
}

static void names_and_numbers(void)
{
	struct bookmarks b = {.dir = -1};
	struct err err = {0};
	char name[16];
	CU_ASSERT_FALSE(bookmarks_set(&b, "Not a name", 1, &err));
	CU_ASSERT_EQUAL(err.code, ERR_USAGE);
	for (int i = 0; i <= BOOKMARKS_MAX; i++) {
		snprintf(name, sizeof name, "b%d", i);
		bookmarks_set(&b, name, (uint64_t)i, &err);
	}
	CU_ASSERT_EQUAL(b.count, BOOKMARKS_MAX);
	for (size_t i = 1; i < b.count; i++)
		CU_ASSERT(strcmp(b.list[i - 1].name, b.list[i].name) < 0);
	bookmarks_finish(&b);
}

const struct test suite_bookmarks[] = {
	{"there and back", there_and_back},
	{"bad files", bad_files},
	{"names and how many", names_and_numbers},
	{0},
};
