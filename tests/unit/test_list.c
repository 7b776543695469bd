#include "tui/list.h"

#include "unit.h"

static bool even(void *data, size_t row)
{
	(void)data;
	return row % 2 == 0;
}

static void moves_and_stops(void)
{
	struct list l = {0};
	list_move(&l, 1);
	CU_ASSERT_EQUAL(list_row(&l, 0), LIST_NONE);
	list_set_count(&l, 5);
	list_move(&l, -3);
	CU_ASSERT_EQUAL(l.selected, 0);
	list_move(&l, 100);
	CU_ASSERT_EQUAL(l.selected, 4);
	list_set_count(&l, 2);
	CU_ASSERT_EQUAL(l.selected, 1);
	list_finish(&l);
}

static void follows_its_end(void)
{
	struct list l = {0};
	list_set_count(&l, 3);
	list_last(&l);
	list_set_count(&l, 10);
	CU_ASSERT_EQUAL(l.selected, 9);
	list_move(&l, -1);
	list_set_count(&l, 20);
	CU_ASSERT_EQUAL(l.selected, 8);
	list_finish(&l);
}

static void filters_in_steps(void)
{
	struct list l = {0};
	list_set_count(&l, 101);
	list_filter_start(&l);
	CU_ASSERT_FALSE(list_filter_step(&l, 50, even, NULL));
	CU_ASSERT_EQUAL(list_shown(&l), 25);
	CU_ASSERT_TRUE(list_filter_step(&l, 60, even, NULL));
	CU_ASSERT_EQUAL(list_shown(&l), 51);
	list_select(&l, 33); /* hidden: the shown one before it */
	CU_ASSERT_EQUAL(l.selected, 32);
	CU_ASSERT_EQUAL(list_place(&l, 33), 16);
	list_move(&l, 1);
	CU_ASSERT_EQUAL(l.selected, 34);
	list_filter_stop(&l);
	CU_ASSERT_EQUAL(list_shown(&l), 101);
	list_finish(&l);
}

/* The selection is always among the rows shown, from any state and height. */
static void reveals(void)
{
	struct list l = {0};
	list_set_count(&l, 100);
	unsigned state = 7;
	for (int i = 0; i < 5000; i++) {
		state = state * 1103515245 + 12345;
		int height = (int)(state >> 16 & 31);
		list_move(&l, (long)(state >> 8 & 127) - 64);
		list_reveal(&l, height, state >> 24 & 1);
		size_t at = list_place(&l, l.selected), h = height > 0 ? (size_t)height : 1;
		CU_ASSERT_TRUE(at >= l.top && at < l.top + h);
		CU_ASSERT_TRUE(l.top < 100);
	}
	list_finish(&l);
}

const struct test suite_list[] = {
	{"moving stops at both ends", moves_and_stops},
	{"following", follows_its_end},
	{"a filter in steps", filters_in_steps},
	{"the selection is always revealed", reveals},
	{0},
};
