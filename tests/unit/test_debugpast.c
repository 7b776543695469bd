/* What changed since the stop before: only at another place, and only in the same call. */
#include <stdlib.h>

#include "tui/debugpast.h"
#include "unit.h"

static struct vartree tree_of(char *value, bool open, struct vartree_row *row)
{
	static char name[] = "x";
	*row = (struct vartree_row){0, name, name, value, true, open};
	return (struct vartree){row, 1, 1};
}

/* One stop at which x has this value: what it was before, or "". */
static const char *stop(struct debug_past *past, uint64_t icount, uint64_t cfa, const char *value)
{
	struct vartree_row row;
	char text[16];
	snprintf(text, sizeof text, "%s", value);
	struct vartree tree = tree_of(text, false, &row);
	debug_past_stop(past, icount);
	const char *was = debug_past_was(past, cfa, 0x401000, &row);
	debug_past_locals(past, cfa, 0x401000, &tree);
	return was ? was : "";
}

static void variables_that_changed(void)
{
	struct debug_past past = {0};
	CU_ASSERT_STRING_EQUAL(stop(&past, 1, 0x7000, "1"), "");
	CU_ASSERT_STRING_EQUAL(stop(&past, 2, 0x7000, "1"), "");
	CU_ASSERT_STRING_EQUAL(stop(&past, 3, 0x7000, "2"), "1");
	CU_ASSERT_STRING_EQUAL(stop(&past, 3, 0x7000, "2"), "1"); /* looked at again */
	CU_ASSERT_STRING_EQUAL(stop(&past, 4, 0x6000, "3"), "");  /* another call */
	CU_ASSERT_STRING_EQUAL(stop(&past, 3, 0x6000, "4"), "3"); /* back */
	CU_ASSERT_STRING_EQUAL(stop(&past, 5, 0, "5"), "");       /* which call it is, is not known */
	CU_ASSERT_STRING_EQUAL(stop(&past, 6, 0, "6"), "");
	debug_past_finish(&past);
}

static void registers_that_changed(void)
{
	struct debug_past past = {0};
	struct regs a = {.rip = 1}, b = {.rip = 2};
	debug_past_stop(&past, 10);
	CU_ASSERT_PTR_NULL(debug_past_regs(&past, &a));
	CU_ASSERT_PTR_NULL(debug_past_regs(&past, &a)); /* the same stop */
	debug_past_stop(&past, 11);
	CU_ASSERT_EQUAL(debug_past_regs(&past, &b)->rip, 1);
	debug_past_stop(&past, 11);
	CU_ASSERT_EQUAL(debug_past_regs(&past, &b)->rip, 1);
	debug_past_stop(&past, 10);
	CU_ASSERT_EQUAL(debug_past_regs(&past, &a)->rip, 2);
	debug_past_finish(&past);
}

static void opened_variables(void)
{
	struct debug_past past = {0};
	char name[16];
	CU_ASSERT_FALSE(debug_past_is_open(&past, "x"));
	debug_past_toggle(&past, "x");
	debug_past_toggle(&past, "x->y");
	CU_ASSERT_TRUE(debug_past_is_open(&past, "x") && debug_past_is_open(&past, "x->y"));
	debug_past_toggle(&past, "x");
	CU_ASSERT_FALSE(debug_past_is_open(&past, "x"));
	CU_ASSERT_TRUE(debug_past_is_open(&past, "x->y"));
	for (int i = 0; i < 2 * DEBUG_OPENED_MAX; i++) {
		snprintf(name, sizeof name, "v%d", i);
		debug_past_toggle(&past, name);
	}
	CU_ASSERT_EQUAL(past.opened_count, DEBUG_OPENED_MAX);
	debug_past_finish(&past);
}

const struct test suite_debugpast[] = {{"variables that changed", variables_that_changed},
	{"registers that changed", registers_that_changed}, {"opened variables", opened_variables}, {0}};
