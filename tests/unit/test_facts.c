#include "engine/facts.h"
#include "made.h"

#define ROW \
	"{\"id\":\"a\",\"type\":\"never\",\"verdict\":\"unknown\",\"decided_at\":3,\"evaluations\":4,\"why\":\"w\"," \
	"\"witnesses\":[1,2]," \
	"\"margin\":{\"used\":1,\"of\":2,\"unit\":\"ns\"},\"line\":5,\"column\":6}"
#define WHOLE "{\"polecat_properties\":1,\"verdict\":\"unknown\",\"properties\":[" ROW "]}\n"

static void a_row_is_read(void)
{
	struct facts f;
	CU_ASSERT_TRUE_FATAL(facts_parse_properties(&f, WHOLE, strlen(WHOLE), NULL));
	CU_ASSERT_TRUE(f.has_properties);
	CU_ASSERT_EQUAL(f.verdict, VERDICT_UNKNOWN);
	const struct fact_property *p = facts_property(&f, "a");
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(p->verdict, VERDICT_UNKNOWN);
	CU_ASSERT_EQUAL(p->decided_at, 3);
	CU_ASSERT_EQUAL(p->evaluations, 4);
	CU_ASSERT_EQUAL(p->witness_count, 2);
	CU_ASSERT_EQUAL(p->witnesses[1], 2);
	CU_ASSERT_TRUE(p->has_margin);
	CU_ASSERT_EQUAL(p->margin_of, 2);
	CU_ASSERT_STRING_EQUAL(p->margin_unit, "ns");
	CU_ASSERT_EQUAL(p->place.column, 6);
	CU_ASSERT_PTR_NULL(facts_property(&f, "b"));
	facts_finish(&f);
}

static void every_shorter_file_is_refused(void)
{
	bool good = true;
	for (size_t size = 0; size < strlen(WHOLE) - 1; size++) {
		struct facts f;
		struct err err = {0};
		good &= !facts_parse_properties(&f, WHOLE, size, &err) && err.code == ERR_INPUT &&
			strstr(err.text, "properties.json");
		good &= f.properties == NULL && !f.has_properties;
	}
	CU_ASSERT_TRUE(good);
}

static void refused(const char *old, const char *new, const char *expected)
{
	struct facts f;
	struct err err = {0};
	struct buf text = {0};
	const char *at = strstr(WHOLE, old);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	buf_add(&text, WHOLE, (size_t)(at - WHOLE));
	buf_str(&text, new);
	buf_str(&text, at + strlen(old));
	CU_ASSERT_FALSE(facts_parse_properties(&f, text.data, text.size, &err));
	if (!strstr(err.text, expected))
		printf("\n    said '%s', expected '%s'\n", err.text, expected);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, expected));
	buf_free(&text);
}

static void wrong_values_are_named(void)
{
	refused("\"polecat_properties\":1", "\"polecat_properties\":9",
		"this is version 9 of polecat_properties; version 1 is known");
	refused("\"verdict\":\"unknown\",\"properties\"", "\"verdict\":\"perhaps\",\"properties\"", "'perhaps' is not a verdict");
	refused("\"id\":\"a\"", "\"id\":7", "properties[0]: id");
	refused("\"decided_at\":3", "\"decided_at\":-3", "decided_at");
	refused("[1,2]", "[1,\"2\"]", "a witness");
	refused("\"unit\":\"ns\"", "\"unit\":null", "margin: unit");
	refused("\"line\":5", "\"line\":5000000000", "line and column are too large");
}

static void a_plan_in_words(void)
{
	struct err err = {0};
	int dir = file_open_dir("tests/screens/runs/fail", NULL);
	struct facts f;
	struct buf text = {0};
	if (!facts_read(&f, dir, &err))
		CU_FAIL_FATAL(err.text);
	const struct plan_fault *kill = facts_fault(&f, "kill#1"), *stop = facts_fault(&f, "stop#1");
	CU_ASSERT_PTR_NOT_NULL_FATAL(kill);
	CU_ASSERT_PTR_NOT_NULL_FATAL(stop);
	facts_put_trigger(f.plan, kill, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "after line 16 of client");
	buf_clear(&text);
	facts_put_params(kill, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "signal SIGKILL");
	buf_clear(&text);
	facts_put_params(stop, &text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "for "));
	buf_clear(&text);
	facts_put_choice(&f.plan->choices[0], &text);
	CU_ASSERT_STRING_EQUAL(text.data, "2 of 2..3");
	buf_clear(&text);
	struct plan_fault third = *kill;
	third.trigger = (struct plan_trigger){.on = TRIGGER_STARTED, .node = kill->node, .value = 3, .delay_ns = 5000000};
	facts_put_trigger(f.plan, &third, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "when server starts for the 3rd time, and then 5ms");
	buf_clear(&text);
	third.trigger = (struct plan_trigger){.on = TRIGGER_FAULT, .fault = 0, .stage = FAULT_HEALED};
	facts_put_trigger(f.plan, &third, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "after kill#1 is healed");
	buf_clear(&text);
	third.trigger = (struct plan_trigger){.on = TRIGGER_AT, .value = 1500000000};
	facts_put_trigger(f.plan, &third, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "at 1500ms");
	buf_free(&text);
	facts_finish(&f);
	close(dir);
}

const struct test suite_facts[] = {
	{"a row is read", a_row_is_read},
	{"every shorter file is refused", every_shorter_file_is_refused},
	{"wrong values are named", wrong_values_are_named},
	{"a plan in words", a_plan_in_words},
	{0},
};
