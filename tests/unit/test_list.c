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

static size_t tens(void *data, size_t row)
{
	(void)data;
	return row % 10;
}

static void orders_what_a_filter_shows(void)
{
	struct list l = {0};
	list_set_count(&l, 40);
	list_filter_start(&l);
	list_filter_step(&l, SIZE_MAX, even, NULL);
	list_order(&l, 10, tens, NULL); /* 0 10 20 30 2 12 22 32 4 ... */
	CU_ASSERT_EQUAL(list_shown(&l), 20);
	CU_ASSERT_EQUAL(list_row(&l, 3), 30);
	CU_ASSERT_EQUAL(list_row(&l, 4), 2);
	CU_ASSERT_EQUAL(list_place(&l, 12), 5);
	list_select(&l, 13); /* not shown: the nearest before it, wherever that stands */
	CU_ASSERT_EQUAL(l.selected, 12);
	list_move(&l, -2);
	CU_ASSERT_EQUAL(l.selected, 30);
	list_set_count(&l, 44); /* two more, at the end until they are put in order */
	list_filter_step(&l, SIZE_MAX, even, NULL);
	CU_ASSERT_EQUAL(list_row(&l, 21), 42);
	list_order(&l, 10, tens, NULL);
	CU_ASSERT_EQUAL(list_row(&l, 4), 40);
	CU_ASSERT_EQUAL(list_row(&l, 9), 42);
	list_filter_stop(&l);
	CU_ASSERT_EQUAL(list_place(&l, 12), 12);
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
	{"orders what a filter shows", orders_what_a_filter_shows},
	{"the selection is always revealed", reveals},
	{0},
};
