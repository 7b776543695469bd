/* Unit tests are tables. tests/unit/test_NAME.c defines
 *
 *	const struct test suite_NAME[] = {{"what holds", test_function}, ..., {0}};
 *
 * and is found by its name: the Makefile writes the list of suites, nobody edits one. `make unit` runs all of them,
 * `build/MODE/unit NAME` runs one suite. Assertions are CUnit's (CU_ASSERT_EQUAL and so on). */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <CUnit/CUnit.h>

/* One test. A table ends with a row of zeros. */
struct test {
	const char *name;
	void (*run)(void);
};

#endif
