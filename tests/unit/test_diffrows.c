#include "tui/diffrows.h"

#include "unit.h"

/* 20 common, a: 2 b: 3 other, 5 common, a: 1 more, 30 common. */
static struct diff_hunk hunks[] = {
	{0, 20, 0, 20, true}, {20, 2, 20, 3, false}, {22, 5, 23, 5, true}, {27, 1, 28, 0, false}, {28, 30, 28, 30, true}};
static const struct diff diff = {.hunks = hunks, .hunk_count = 5};

static void folds(void)
{
	struct diffrows rows = {0};
	diffrows_make(&rows, &diff, true, diff.hunk_count);
	/* fold + 3, 3, 5, 1, 3 + fold */
	CU_ASSERT_EQUAL(diffrows_count(&rows), 4 + 3 + 5 + 1 + 4);
	CU_ASSERT_TRUE(diffrows_at(&rows, 0).folded);
	CU_ASSERT_EQUAL(diffrows_at(&rows, 0).hidden, 17);
	CU_ASSERT_EQUAL(diffrows_at(&rows, 1).a, 17);
	struct diffrow r = diffrows_at(&rows, 6);
	CU_ASSERT_TRUE(r.a == TIMELINE_NONE && r.b == 22 && !r.same);
	CU_ASSERT_TRUE(diffrows_at(&rows, diffrows_count(&rows) - 1).folded);
	diffrows_finish(&rows);
}

/* Every event of both sides has a row that shows it, or the fold that hides it; rows go through the events in order. */
static void every_event_is_found(void)
{
	struct diffrows rows = {0};
	for (int fold = 0; fold < 2; fold++)
		for (size_t open = 0; open <= diff.hunk_count; open++) {
			diffrows_make(&rows, &diff, fold, open);
			for (int side = 0; side < 2; side++)
				for (size_t event = 0; event < 58; event++) {
					struct diffrow r = diffrows_at(&rows, diffrows_find(&rows, side, event));
					CU_ASSERT_EQUAL(r.folded, r.folded && diffrows_hides(&diff, side, event));
					CU_ASSERT_TRUE(r.folded || (side == 0 ? r.a : r.b) == event);
				}
			size_t next_a = 0;
			for (size_t i = 0; i < diffrows_count(&rows); i++) {
				struct diffrow r = diffrows_at(&rows, i);
				if (r.folded)
					next_a += r.hidden;
				if (r.a != TIMELINE_NONE)
					CU_ASSERT_EQUAL(r.a, next_a++);
			}
			CU_ASSERT_EQUAL(next_a, 58);
		}
	diffrows_finish(&rows);
}

static void nothing_to_show(void)
{
	static const struct diff empty = {0};
	struct diffrows rows = {0};
	CU_ASSERT_EQUAL(diffrows_count(&rows), 0);
	diffrows_make(&rows, &empty, true, 0);
	CU_ASSERT_EQUAL(diffrows_count(&rows), 0);
	CU_ASSERT_EQUAL(diffrows_find(&rows, 0, 3), 0);
	diffrows_finish(&rows);
}

const struct test suite_diffrows[] = {
	{"long common stretches are folded", folds},
	{"every event is found, folded or not", every_event_is_found},
	{"two empty runs", nothing_to_show},
	{0},
};
