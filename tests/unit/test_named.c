#include <string.h>

#include "engine/named.h"
#include "unit.h"

static enum named_fit fit(const char *name, const char *symbol)
{
	struct named n = named_of(name);
	enum named_fit got = named_fit(&n, symbol);
	named_finish(&n);
	return got;
}

static enum named_fit fit_shown(const char *name, const char *shown)
{
	struct named n = named_of(name);
	enum named_fit got = named_fit_shown(&n, shown);
	named_finish(&n);
	return got;
}

static void symbols_fit(void)
{
	static const struct {
		const char *name, *symbol;
		enum named_fit fit;
	} rows[] = {
		{"main", "main", NAMED_WHOLE},
		{"main", "domain", NAMED_NOT},
		{"add", "_ZN4shop5Store3addEl", NAMED_END},
		{"Store::add", "_ZN4shop5Store3addEl", NAMED_END},
		{"shop::Store::add", "_ZN4shop5Store3addEl", NAMED_WHOLE},
		{"op::Store::add", "_ZN4shop5Store3addEl", NAMED_NOT},
		{"shop::Store::add(long)", "_ZN4shop5Store3addEl", NAMED_WHOLE},
		{"add(long)", "_ZN4shop5Store3addEl", NAMED_END},
		{"add(int)", "_ZN4shop5Store3addEl", NAMED_NOT},
		{"max", "_Z3maxIiET_S0_S0_", NAMED_WHOLE},
		{"max<int>", "_Z3maxIiET_S0_S0_", NAMED_WHOLE},
		{"max<long>", "_Z3maxIiET_S0_S0_", NAMED_NOT},
		{"Box::get", "_ZN3BoxIiE3getEv", NAMED_WHOLE},
		{"get", "_ZN3BoxIiE3getEv", NAMED_END},
		{"Box<int>::get", "_ZN3BoxIiE3getEv", NAMED_WHOLE},
		{"foo", "_ZN12_GLOBAL__N_13fooEi", NAMED_END},
		{"(anonymous namespace)::foo", "_ZN12_GLOBAL__N_13fooEi", NAMED_WHOLE},
		{"(anonymous namespace)::foo(int)", "_ZN12_GLOBAL__N_13fooEi", NAMED_WHOLE},
		{"ns::operator<<", "_ZN2nslsEii", NAMED_WHOLE},
		{"ns::operator<", "_ZN2nslsEii", NAMED_NOT},
		{"operator<<(int, int)", "_ZN2nslsEii", NAMED_END},
		{"_ZN2nslsEii", "_ZN2nslsEii", NAMED_WHOLE},
		{"", "_ZN2nslsEii", NAMED_NOT},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (fit(rows[i].name, rows[i].symbol) != rows[i].fit)
			CU_FAIL(rows[i].name);
}

static void names_of_debug_information_fit(void)
{
	CU_ASSERT_EQUAL(fit_shown("fold", "fold"), NAMED_WHOLE);
	CU_ASSERT_EQUAL(fit_shown("fold", "left::fold"), NAMED_END);
	CU_ASSERT_EQUAL(fit_shown("fold", "left::fold<std::pair<int, long> >"), NAMED_END);
	CU_ASSERT_EQUAL(fit_shown("left::fold", "left::fold<int>"), NAMED_WHOLE);
	CU_ASSERT_EQUAL(fit_shown("fold", "left::unfold"), NAMED_NOT);
	CU_ASSERT_EQUAL(fit_shown("Box::operator->", "Box<int>::operator->"), NAMED_WHOLE);
	CU_ASSERT_EQUAL(fit_shown("operator<", "Box<int>::operator<"), NAMED_END);
	CU_ASSERT_EQUAL(fit_shown("fold", "fold<"), NAMED_WHOLE); /* what is never closed hides the rest */
	CU_ASSERT_EQUAL(fit_shown("fold<int", "fold<int"), NAMED_WHOLE);
}

/* A name that is cut anywhere fits itself, and nothing that only begins like it. */
static void cut_anywhere(void)
{
	static const char whole[] = "shop::(anonymous namespace)::Box<std::pair<int, long> >::operator<<(int)";
	char cut[sizeof whole];
	for (size_t n = 1; n < sizeof whole; n++) {
		memcpy(cut, whole, n);
		cut[n] = '\0';
		CU_ASSERT_EQUAL(fit(cut, cut), NAMED_WHOLE);
		CU_ASSERT_EQUAL(fit_shown(cut, cut), NAMED_WHOLE);
		CU_ASSERT_EQUAL(fit(cut, "_ZN2nslsEii"), NAMED_NOT);
	}
}

const struct test suite_named[] = {{"symbols of C and C++ fit what people type", symbols_fit},
	{"names without a symbol do too", names_of_debug_information_fit}, {"a name may be cut anywhere", cut_anywhere}, {0}};
