#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "engine/marks.h"
#include "tests/unit/unit.h"

/* What a mark stands for is the number of bytes that it gives back. */
static size_t forget(void *data, void *what)
{
	++*(size_t *)data;
	return (size_t)(uintptr_t)what;
}

static void put(struct marks *m, uint64_t icount, size_t bytes, bool hot)
{
	marks_add(m, icount, bytes, hot, (void *)(uintptr_t)bytes);
}

static void test_before(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 1000, forget, &forgotten);
	CU_ASSERT_EQUAL(marks_before(&m, 100), MARKS_NONE);
	put(&m, 30, 1, false);
	put(&m, 10, 1, false);
	put(&m, 20, 1, false);
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
	put(&m, 10, 1, false);
	put(&m, 15, 1, true); /* hot marks are not on the grid */
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
			put(&m, at, 10, false);
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
		put(&m, i * 7, 1, true);
	CU_ASSERT_EQUAL(m.count, MARKS_HOT_MAX);
	CU_ASSERT_EQUAL(m.list[0].icount, 17 * 7);
	marks_use(&m, 0); /* so the next one pushes out another */
	put(&m, 5, 1, true);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 17 * 7)].icount, 17 * 7);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, 18 * 7)].icount, 17 * 7);
	put(&m, 1000, 1000, false); /* larger than the budget: not kept */
	CU_ASSERT(m.bytes <= 100);
	put(&m, 6, 1000, true); /* but one hot mark always is */
	CU_ASSERT_EQUAL(m.count, 1);
	CU_ASSERT_EQUAL(m.list[0].icount, 6);
	marks_finish(&m);
}

/* They are made again by the next move; a grid that is gone makes every way long. */
static void test_hot_marks_go_before_the_grid(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 100, forget, &forgotten);
	for (uint64_t i = 1; i <= 6; i++)
		put(&m, i * 10, 10, false);
	for (uint64_t i = 1; i <= MARKS_HOT_MAX; i++)
		put(&m, i * 10 + 1, 30, true);
	CU_ASSERT_EQUAL(m.spacing, 10);
	CU_ASSERT_EQUAL(m.count, 7);
	CU_ASSERT_EQUAL(m.bytes, 90);
	CU_ASSERT_EQUAL(m.list[marks_before(&m, MARKS_HOT_MAX * 10 + 1)].icount, MARKS_HOT_MAX * 10 + 1);
	marks_finish(&m);
}

static void test_doubled(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 100, forget, &forgotten);
	put(&m, 10, 5, false);
	put(&m, 10, 5, false);
	CU_ASSERT_EQUAL(forgotten, 1);
	CU_ASSERT_EQUAL(m.bytes, 5);
	marks_finish(&m);
}

/* Pages that a mark shares with the next stay when it goes: what is held is what counts. */
static void test_shared_bytes_stay(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 100, forget, &forgotten);
	marks_add(&m, 10, 60, false, (void *)10); /* 50 of its 60 are shared */
	marks_add(&m, 20, 5, false, (void *)55);
	CU_ASSERT_EQUAL(m.bytes, 65);
	marks_drop(&m, 0);
	CU_ASSERT_EQUAL(m.bytes, 55);
	marks_drop(&m, 0);
	CU_ASSERT_EQUAL(m.bytes, 0);
	marks_finish(&m);
}

static void test_light_marks_stay(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 100, forget, &forgotten);
	for (uint64_t i = 1; i <= 9; i += 2)
		marks_add_light(&m, i * 10, NULL);
	CU_ASSERT_EQUAL(m.bytes, 0);
	CU_ASSERT_EQUAL(marks_missing(&m, 0, 100), 20);
	for (uint64_t i = 2; i <= 10; i += 2)
		put(&m, i * 10, 30, false);
	/* The grid was widened, and what it has no place for is gone, but not those that hold nothing. */
	CU_ASSERT(m.bytes <= 100);
	for (uint64_t i = 1; i <= 9; i += 2)
		CU_ASSERT_EQUAL(m.list[marks_before(&m, i * 10)].icount, i * 10);
	/* One that is there already is not replaced. */
	size_t before = forgotten;
	marks_add_light(&m, 10, NULL);
	CU_ASSERT_EQUAL(forgotten, before + 1);
	marks_finish(&m);
}

/* Nothing but light marks, and a budget that is used up: it ends. */
static void test_no_room_at_all(void)
{
	struct marks m;
	size_t forgotten = 0;
	marks_init(&m, 10, 0, forget, &forgotten);
	marks_add_light(&m, 10, NULL);
	put(&m, 20, 30, false);
	put(&m, 25, 30, true);
	CU_ASSERT_EQUAL(m.count, 2);
	CU_ASSERT_EQUAL(m.list[1].icount, 25);
	int made = 0;
	for (uint64_t at; (at = marks_missing(&m, 0, 1000)) != UINT64_MAX && made < 100; made++)
		put(&m, at, 30, false);
	CU_ASSERT(made < 10);
	marks_finish(&m);
}

const struct test suite_marks[] = {
	{"the nearest mark at or before", test_before},
	{"missing places of the grid", test_missing},
	{"the budget widens the grid", test_budget_widens_the_grid},
	{"hot marks are few", test_hot_marks_are_few},
	{"hot marks go before the grid", test_hot_marks_go_before_the_grid},
	{"bytes that others share stay", test_shared_bytes_stay},
	{"light marks stay", test_light_marks_stay},
	{"no room at all", test_no_room_at_all},
	{"a mark twice at one count", test_doubled},
	{0},
};
