#include <stdlib.h>
#include <string.h>

#include "engine/demangle.h"
#include "unit.h"

static void names_of_cxx(void)
{
	static const char *const rows[][3] = {{"_ZN4shop5Store3addEi", "shop::Store::add", "shop::Store::add(int)"},
		{"_ZN4shop5twiceIiEET_S1_", "shop::twice<int>", "int shop::twice<int>(int)"},
		{"_ZN12_GLOBAL__N_16hiddenE", "(anonymous namespace)::hidden", "(anonymous namespace)::hidden"},
		{"_ZNK4shop5StorecviEv", "shop::Store::operator int", "shop::Store::operator int() const"},
		{"_ZN4shop5Store3addEi.part.0", "shop::Store::add", "shop::Store::add(int) [clone .part.0]"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int parameters = 0; parameters < 2; parameters++) {
			char *name = demangle(rows[i][0], parameters);
			CU_ASSERT_PTR_NOT_NULL_FATAL(name);
			CU_ASSERT_STRING_EQUAL(name, rows[i][1 + parameters]);
			free(name);
		}
}

static void other_names_stay(void)
{
	static const char *const rows[] = {"", "main", "_", "_Z", "_ZN", "_Zmain", "_ZN4shop5Store", "Z3addi"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CU_ASSERT_PTR_NULL(demangle(rows[i], false));
		CU_ASSERT_PTR_NULL(demangle(rows[i], true));
	}
}

/* Each argument is a pair of the one before it: 40 of them are a name of some 10^12 bytes. */
static void a_name_that_never_ends_is_given_up(void)
{
	char name[2048] = "_Z1fI1AIbbE";
	size_t at = strlen(name);
	/* What the substitution S<n>_ means grows by two with each argument: the template pair and its instance. */
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	for (int i = 0; i < 34; i++) {
		static const char open[] = "S0_I";
		memcpy(name + at, open, sizeof open - 1);
		at += sizeof open - 1;
		for (int twice = 0; twice < 2; twice++) {
			name[at++] = 'S';
			name[at++] = digits[i + 1];
			name[at++] = '_';
		}
		name[at++] = 'E';
	}
	memcpy(name + at, "Evv", 4);
	char *made = demangle(name, true);
	CU_ASSERT_PTR_NULL(made);
	free(made);
}

const struct test suite_demangle[] = {{"names of C++ are written as people do", names_of_cxx},
	{"other names stay as they are", other_names_stay},
	{"a name that never ends is given up", a_name_that_never_ends_is_given_up}, {0}};
