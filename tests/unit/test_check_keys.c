#include <stdio.h>
#include "engine/check_keys.h"
#include "unit.h"

static void numbers_in_order_of_first_sight(void)
{
	struct check_keys *k = check_keys_create();
	size_t size;

	CU_ASSERT_EQUAL(check_keys_find(k, "a", 1), CHECK_KEYS_NONE);
	CU_ASSERT_EQUAL(check_keys_add(k, "a", 1), 0);
	CU_ASSERT_EQUAL(check_keys_add(k, "", 0), 1);
	CU_ASSERT_EQUAL(check_keys_add(k, "a\0b", 3), 2);
	CU_ASSERT_EQUAL(check_keys_add(k, "a", 1), 0);
	CU_ASSERT_EQUAL(check_keys_find(k, "a\0b", 3), 2);
	CU_ASSERT_EQUAL(check_keys_find(k, NULL, 0), 1);
	CU_ASSERT_EQUAL(check_keys_count(k), 3);
	CU_ASSERT_TRUE(memcmp(check_keys_text(k, 2, &size), "a\0b", 3) == 0 && size == 3);
	check_keys_destroy(k);
	check_keys_destroy(NULL);
}

static void many_are_found_again(void)
{
	struct check_keys *k = check_keys_create();
	char text[16];

	for (size_t i = 0; i < 10000; i++)
		CU_ASSERT_EQUAL(check_keys_add(k, text, (size_t)snprintf(text, sizeof text, "%zu", i)), i);
	for (size_t i = 0; i < 10000; i++)
		CU_ASSERT_EQUAL(check_keys_find(k, text, (size_t)snprintf(text, sizeof text, "%zu", i)), i);
	check_keys_destroy(k);
}

static void limits_hold(void)
{
	struct check_keys *k = check_keys_create();
	char big[CHECK_VALUE_MAX + 1] = {0};

	CU_ASSERT_EQUAL(check_keys_add(k, big, CHECK_VALUE_MAX), 0);
	CU_ASSERT_EQUAL(check_keys_add(k, big, CHECK_VALUE_MAX + 1), CHECK_KEYS_NONE);
	for (uint32_t i = 1; i < CHECK_VALUES_MAX; i++)
		check_keys_add(k, (const char *)&i, sizeof i);
	CU_ASSERT_EQUAL(check_keys_count(k), CHECK_VALUES_MAX);
	CU_ASSERT_EQUAL(check_keys_add(k, "one more", 8), CHECK_KEYS_NONE);
	CU_ASSERT_EQUAL(check_keys_add(k, big, CHECK_VALUE_MAX), 0); /* those that are there stay */
	check_keys_destroy(k);
}

const struct test suite_check_keys[] = {
	{"numbers in order of first sight", numbers_in_order_of_first_sight},
	{"many are found again", many_are_found_again},
	{"limits hold", limits_hold},
	{0},
};
