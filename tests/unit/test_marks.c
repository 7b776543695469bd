#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "engine/marks.h"
#include "tests/unit/unit.h"

static void forget(void *data, void *what)
{
	(void)what;
	++*(size_t *)data;
}

static void test_before(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 1000, forget, &forgotten);
	CU_ASSERT_EQUAL(marks_before(&m, 100), MARKS_NONE);
	marks_add(&m, 30, 1, false, &m);
	marks_add(&m, 10, 1, false, &m);
	marks_add(&m, 20, 1, false, &m);
	CU_ASSERT_EQUAL(marks_before(&m, 9), MARKS_NONE);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 10)].icount, 10);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 19)].icount, 10);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, UINT64_MAX)].icount, 30);
	marks_drop(&m, marks_before(&m, 20));
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 29)].icount, 10);
	CU_ASSERT_EQUAL(forgotten, 1);
	marks_finish(&m);
	CU_ASSERT_EQUAL(forgotten, 3);
	CU_ASSERT_EQUAL(m.bytes, 0);
}

static void test_missing(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 1000, forget, &forgotten);
	CU_ASSERT_EQUAL(marks_missing(&m, 0, 9), UINT64_MAX);
	CU_ASSERT_EQUAL(marks_missing(&m, 0, 10), 10);
	marks_add(&m, 10, 1, false, &m);
	marks_add(&m, 15, 1, true, &m); /* hot marks are not on the grid */
	CU_ASSERT_EQUAL(marks_missing(&m, 0, 19), UINT64_MAX);
	CU_ASSERT_EQUAL(marks_missing(&m, 0, 35), 20);
	CU_ASSERT_EQUAL(marks_missing(&m, 20, 35), 30);
	marks_finish(&m);
}

static void test_budget_widens_the_grid(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 100, forget, &forgotten);
	for (uint64_t k = 1; k <= 40; k++) {
		uint64_t at = marks_missing(&m, 0, k * 10);
		if (at == k * 10)
			marks_add(&m, at, 10, false, &m);
		CU_ASSERT(m.bytes <= 100);
		/* What is left is evenly spread: no gap is larger than two spacings. */
		for (size_t i = 1; i < m.count; i++)
			CU_ASSERT(m.list[i].icount - m.list[i - 1].icount <= 2 * m.spacing);
	}
	CU_ASSERT_EQUAL(m.spacing, 40);
	CU_ASSERT_EQUAL(m.count, 10);
	marks_finish(&m);
}

static void test_hot_marks_are_few(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 1000, 100, forget, &forgotten);
	for (uint64_t i = 1; i <= 20; i++)
		marks_add(&m, i * 7, 1, true, &m);
	CU_ASSERT_EQUAL(m.count, MARKS_HOT_MAX);
	CU_ASSERT_EQUAL(m.list[0].icount, 17 * 7);
	marks_use(&m, 0); /* so the next one pushes out another */
	marks_add(&m, 5, 1, true, &m);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 17 * 7)].icount, 17 * 7);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 18 * 7)].icount, 17 * 7);
	marks_add(&m, 1000, 1000, false, &m); /* larger than the budget: not kept */
	CU_ASSERT(m.bytes <= 100);
	marks_add(&m, 6, 1000, true, &m); /* but one hot mark always is */
	CU_ASSERT_EQUAL(m.count, 1);
	CU_ASSERT_EQUAL(m.list[0].icount, 6);
	marks_finish(&m);
}

static void test_doubled(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 100, forget, &forgotten);
	marks_add(&m, 10, 5, false, &m);
	marks_add(&m, 10, 5, false, &m);
	CU_ASSERT_EQUAL(forgotten, 1);
	CU_ASSERT_EQUAL(m.bytes, 5);
	marks_finish(&m);
}

const struct test suite_marks[] = {
	{"the nearest mark at or before", test_before},
	{"missing places of the grid", test_missing},
	{"the budget widens the grid", test_budget_widens_the_grid},
	{"hot marks are few", test_hot_marks_are_few},
	{"a mark twice at one count", test_doubled},
	{0},
};
