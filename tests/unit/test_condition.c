#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/condition.h"
#include "tests/unit/unit.h"

/* Operands: numbers, and texts that are asked for are collected. */
static bool operand(void *data, const char *text, uint64_t *ret, bool *ret_signed, struct err *err)
{
	struct buf *asked = data;
	char *end;
	*ret = strtoull(text, &end, 0);
	*ret_signed = *end != 'u';
	if (!*text || (*end && *end != 'u' && strchr("0123456789", *text)))
		return err_set(err, ERR_INPUT, "%s is no number", text);
	if (*end && *end != 'u') {
		buf_printf(asked, "<%s>", text);
		*ret = strlen(text);
	}
	return true;
}

static void what_they_come_to(void)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {{"1", 1}, {" 0x10 ", 16}, {"1 + 2 * 3", 7}, {"(1 + 2) * 3", 9}, {"10 - 3 - 2", 5}, {"7 / 2", 3}, {"7 % 4", 3},
		{"-7 / 2", (uint64_t)-3}, {"1 == 1", 1}, {"1 != 1", 0}, {"-1 < 0", 1}, {"-1 < 0u", 0}, {"2 <= 2", 1},
		{"2 >= 3", 0}, {"3 > 2 && 2 > 1", 1}, {"0 || 0", 0}, {"0 || 5", 1}, {"5 && 0", 0}, {"!0", 1}, {"!!7", 1},
		{"~0", UINT64_MAX}, {"1 << 4 | 1", 17}, {"6 & 3", 2}, {"6 ^ 3", 5}, {"-8 >> 1", (uint64_t)-4}, {"1 << 64", 0},
		{"-1 >> 100", UINT64_MAX}, {"1 << 2 + 1", 8}, {"1 | 2 == 2", 1}, {"0 && 1 / 0", 0}, {"1 || 1 / 0", 1}, {"1-1", 0},
		{"2*3==6", 1}, {"((2))", 2}, {"-9223372036854775808 / -1", UINT64_C(1) << 63}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf asked = {0};
		struct err err = {0};
		uint64_t value = 0;
		bool is_signed, ok = condition_evaluate(rows[i].text, operand, &asked, &value, &is_signed, &err);
		if (!ok || value != rows[i].value)
			fprintf(stderr, "%s: %llu %s\n", rows[i].text, (unsigned long long)value, err.text);
		CU_ASSERT(ok && value == rows[i].value);
		buf_free(&asked);
	}
}

static void what_is_an_operand(void)
{
	static const struct {
		const char *text, *asked;
	} rows[] = {{"i == 5", "<i>"}, {"p->count > limit", "<p->count><limit>"}, {"list[i + 1].x - 1", "<list[i + 1].x>"},
		{"*p * *q", "<*p><*q>"}, {"&x == 5", "<&x>"}, {"(*p).x", "<(*p).x>"}, {"a&&b", "<a><b>"}, {"a & b", "<a><b>"},
		{"shop::count>1", "<shop::count>"}, {"$rax == 1", "<$rax>"}, {"a.b->c[1][2]", "<a.b->c[1][2]>"}, {"0 && x", ""},
		{"x[", NULL}, {"x -> y", "<x -> y>"}, {"(a) - (b)", "<a><b>"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf asked = {0};
		struct err err = {0};
		uint64_t value;
		bool is_signed, ok = condition_evaluate(rows[i].text, operand, &asked, &value, &is_signed, &err);
		if (ok != (rows[i].asked != NULL))
			fprintf(stderr, "%s: %s\n", rows[i].text, err.text);
		CU_ASSERT_EQUAL(ok, rows[i].asked != NULL);
		if (ok)
			CU_ASSERT_STRING_EQUAL(asked.data ? asked.data : "", rows[i].asked);
		buf_free(&asked);
	}
}

static void mistakes_name_their_column(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {{"", "column 1: expected something here"}, {"1 +", "column 4: expected something"},
		{"1 2", "column 3: expected an operator or the end"}, {"(1", "column 1: this bracket is not closed"},
		{"1 / 0", "divides by zero"}, {"1 = 1", "column 3: expected an operator"}, {"a[1", "not closed"},
		{")", "column 1: expected a name"}, {"1 == ", "column 6: expected something"},
		{"i++", "column 3: expected a name"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf asked = {0};
		struct err err = {0};
		uint64_t value;
		bool is_signed;
		CU_ASSERT_FALSE(condition_evaluate(rows[i].text, operand, &asked, &value, &is_signed, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		if (!strstr(err.text, rows[i].says))
			fprintf(stderr, "%s: %s\n", rows[i].text, err.text);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, rows[i].says));
		buf_free(&asked);
	}
}

static void limits(void)
{
	struct buf text = {0}, asked = {0};
	struct err err = {0};
	uint64_t value;
	bool is_signed;
	for (int i = 0; i < 40; i++)
		buf_char(&text, '(');
	buf_char(&text, '1');
	for (int i = 0; i < 40; i++)
		buf_char(&text, ')');
	CU_ASSERT_FALSE(condition_evaluate(text.data, operand, &asked, &value, &is_signed, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "too many parentheses"));
	for (int i = 0; i < 1000; i++)
		buf_str(&text, " ");
	CU_ASSERT_FALSE(condition_evaluate(text.data, operand, &asked, &value, &is_signed, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than 1000 bytes"));
	buf_free(&text);
	buf_free(&asked);
}

const struct test suite_condition[] = {
	{"what they come to", what_they_come_to},
	{"what is an operand", what_is_an_operand},
	{"mistakes name their column", mistakes_name_their_column},
	{"limits", limits},
	{0},
};
