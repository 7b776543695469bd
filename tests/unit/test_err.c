#include <errno.h>
#include "engine/err.h"
#include "unit.h"

static void code_and_text_are_kept(void)
{
	struct err err = {0};

	CU_ASSERT_FALSE(err_set(&err, ERR_INPUT, "%s:%d: expected a number", "a.yaml", 3));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_STRING_EQUAL(err.text, "a.yaml:3: expected a number");
}

static void prefix_says_what_we_were_doing(void)
{
	struct err err = {0};

	err_sys(&err, ENOENT, "open %s", "x");
	CU_ASSERT_FALSE(err_prefix(&err, "reading the plan"));
	CU_ASSERT_EQUAL(err.code, ERR_SYSTEM);
	CU_ASSERT_STRING_EQUAL(err.text, "reading the plan: open x: No such file or directory");
}

static void null_is_allowed(void)
{
	CU_ASSERT_FALSE(err_set(NULL, ERR_USAGE, "nobody hears"));
	CU_ASSERT_FALSE(err_prefix(NULL, "nobody hears"));
}

static void long_text_is_cut_not_overrun(void)
{
	struct err err = {0};
	char big[3 * ERR_TEXT_MAX];

	memset(big, 'a', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	err_set(&err, ERR_INPUT, "%s", big);
	CU_ASSERT_TRUE(strlen(err.text) < ERR_TEXT_MAX);
	err_prefix(&err, "%s", big);
	CU_ASSERT_TRUE(strlen(err.text) < ERR_TEXT_MAX);
}

static void exit_statuses(void)
{
	CU_ASSERT_EQUAL(err_exit_status(ERR_NONE), 0);
	CU_ASSERT_EQUAL(err_exit_status(ERR_DIVERGED), 3);
	CU_ASSERT_EQUAL(err_exit_status(ERR_USAGE), 4);
	CU_ASSERT_EQUAL(err_exit_status(ERR_INPUT), 4);
	CU_ASSERT_EQUAL(err_exit_status(ERR_SYSTEM), 5);
	CU_ASSERT_EQUAL(err_exit_status(ERR_QEMU), 5);
	CU_ASSERT_EQUAL(err_exit_status(ERR_CANCELLED), 5);
}

const struct test suite_err[] = {
	{"code and text are kept", code_and_text_are_kept},
	{"prefix says what we were doing", prefix_says_what_we_were_doing},
	{"a NULL err is allowed", null_is_allowed},
	{"long text is cut, not overrun", long_text_is_cut_not_overrun},
	{"exit statuses", exit_statuses},
	{0},
};
