/* Runs the suites that the Makefile found: all of them, or those named on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <CUnit/Basic.h>
#include "unit.h"

#define SUITE(name) extern const struct test suite_##name[];
#include "suites.inc"
#undef SUITE

static const struct {
	const char *name;
	const struct test *tests;
} suites[] = {
#define SUITE(name) {#name, suite_##name},
#include "suites.inc"
#undef SUITE
};

#define SUITES (sizeof suites / sizeof suites[0])

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc < 2;
}

/* A name that matches no suite is an error: a filter with a typing mistake must not look like a success. */
static bool names_exist(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		bool found = false;
		for (size_t s = 0; s < SUITES && !found; s++)
			found = strcmp(argv[i], suites[s].name) == 0;
		if (!found) {
			fprintf(stderr, "unit: no suite named '%s'; the suites are:", argv[i]);
			for (size_t s = 0; s < SUITES; s++)
				fprintf(stderr, " %s", suites[s].name);
			fprintf(stderr, "\n");
			return false;
		}
	}
	return true;
}

static bool suite_add(const char *name, const struct test *tests)
{
	CU_pSuite suite = CU_add_suite(name, NULL, NULL);
	if (!suite)
		return false;
	for (; tests->name; tests++)
		if (!CU_add_test(suite, tests->name, tests->run))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	if (!names_exist(argc, argv))
		return 2;
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t s = 0; s < SUITES; s++)
		if (wanted(suites[s].name, argc, argv) && !suite_add(suites[s].name, suites[s].tests)) {
			fprintf(stderr, "unit: suite %s: %s\n", suites[s].name, CU_get_error_msg());
			return 2;
		}
	CU_basic_set_mode(CU_BRM_NORMAL);
	CU_ErrorCode ran = CU_basic_run_tests();
	unsigned failed = CU_get_number_of_tests_failed();
	unsigned run = CU_get_number_of_tests_run();
	CU_cleanup_registry();
	printf("%u passed, %u failed\n", run - failed, failed);
	return ran == CUE_SUCCESS && failed == 0 && run > 0 ? 0 : 1;
}
