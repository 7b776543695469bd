#include "engine/fault.h"
#include "unit.h"

static void the_table_is_whole(void)
{
	for (size_t i = 0; i < fault_kind_count; i++) {
		const struct fault_kind *k = &fault_kinds[i];
		CU_ASSERT_PTR_EQUAL(fault_find(k->name), k);
		CU_ASSERT_TRUE(text_is_name(k->name, 31));
		CU_ASSERT_TRUE(k->about[0] && k->about[strlen(k->about) - 1] == '.');
		CU_ASSERT_TRUE(!k->is_applied || (k->observed[0] && k->healed[0]));
		for (const struct fault_param *p = k->params; p->name; p++)
			CU_ASSERT_TRUE(!p->fallback || fault_param_check(p, p->fallback));
	}
	CU_ASSERT_TRUE(fault_find("kill")->is_applied && fault_find("stop")->is_applied && fault_find("restart")->is_applied);
	CU_ASSERT_FALSE(fault_find("partition")->is_applied);
	CU_ASSERT_PTR_NULL(fault_find("kil"));
}

static void ids(void)
{
	uint64_t ordinal;

	CU_ASSERT_PTR_EQUAL(fault_parse_id("kill#2", &ordinal), fault_find("kill"));
	CU_ASSERT_EQUAL(ordinal, 2);
	CU_ASSERT_PTR_EQUAL(fault_parse_id("kill", &ordinal), fault_find("kill"));
	CU_ASSERT_EQUAL(ordinal, 0);
	static const char *const bad[] = {"", "#1", "kill#", "kill#0", "kill#01", "kill#x", "kill#1#2", "kil#1",
		"a-name-that-is-longer-than-any-kind-of-fault#1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CU_ASSERT_PTR_NULL(fault_parse_id(bad[i], &ordinal));
}

static void stages(void)
{
	enum fault_stage stage;
	for (int i = 0; i < FAULT_STAGES; i++)
		CU_ASSERT_TRUE(fault_stage_find(fault_stage_name((enum fault_stage)i), &stage) && stage == (enum fault_stage)i);
	CU_ASSERT_FALSE(fault_stage_find("cured", &stage));
}

static void parameters(void)
{
	static const struct {
		enum fault_param_type type;
		const char *good, *bad;
	} table[] = {{FAULT_SIGNAL, "SIGTERM", "TERM"}, {FAULT_SIGNAL, "SIGKILL", "9"}, {FAULT_PARAM_DURATION, "5ms", "5"},
		{FAULT_PARAM_SIZE, "1KiB", "1K"}, {FAULT_PERCENT, "100", "101"}, {FAULT_WORD, "x", ""}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fault_param p = {.name = "p", .type = table[i].type};
		CU_ASSERT_TRUE(fault_param_check(&p, table[i].good));
		CU_ASSERT_FALSE(fault_param_check(&p, table[i].bad));
		CU_ASSERT_TRUE(fault_param_expected(p.type)[0] != '\0');
	}
}

const struct test suite_fault[] = {
	{"the table is whole", the_table_is_whole},
	{"ids", ids},
	{"stages", stages},
	{"parameters", parameters},
	{0},
};
