#include "tests/unit/unit.h"

#include <string.h>

#include "engine/json.h"
#include "engine/report.h"

/* Words that the code under test takes as char * and does not change. */
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"

static struct report_property lost[] = {{"no-lost-ack", "fail", "'3' was added & <never> read"}};
static struct report_case cases[] = {
	{.scenario = "demo",
		.path = "scenarios/demo.yaml",
		.seed = 1,
		.ran = true,
		.status = 0,
		.verdict = "pass",
		.wall_ms = 1234},
	{.scenario = "demo",
		.path = "scenarios/demo.yaml",
		.seed = 2,
		.ran = true,
		.status = 1,
		.verdict = "fail",
		.properties = lost,
		.property_count = 1,
		.run = "runs/x"},
	{.scenario = "demo",
		.path = "scenarios/demo.yaml",
		.seed = 3,
		.ran = true,
		.status = 5,
		.verdict = "error",
		.error = "QEMU \"ended\"\nby itself # really"},
	{.scenario = "demo", .path = "scenarios/demo.yaml", .seed = 4, .verdict = "error"},
};

static void the_worst_decides_the_status(void)
{
	CU_ASSERT_EQUAL(report_status(&(struct report){cases, 1, false}), 0);
	CU_ASSERT_EQUAL(report_status(&(struct report){cases, 2, false}), 1);
	CU_ASSERT_EQUAL(report_status(&(struct report){cases, 3, false}), 5);
	CU_ASSERT_EQUAL(report_status(&(struct report){cases, 1, true}), 5);
	struct report_case unclear = {.scenario = "d", .path = "d", .ran = true, .status = 2, .verdict = "unknown"};
	CU_ASSERT_EQUAL(report_status(&(struct report){&unclear, 1, false}), 2);
}

static const struct report all = {cases, 4, true};

static void a_failure_has_one_reproduce_line(void)
{
	struct buf out = {0};
	report_table(&all, &out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "reproduce: polecat run scenarios/demo.yaml --seed 2\n"));
	CU_ASSERT_PTR_NULL(strstr(out.data, "--seed 1"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "3 runs: 1 pass, 1 fail, 0 unknown or unexercised, 1 errors, 1 not run\n"));
	buf_free(&out);
}

static void junit_is_xml(void)
{
	struct buf out = {0};
	report_junit(&all, &out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "added &amp; &lt;never&gt; read"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "time=\"1.234\""));
	buf_free(&out);
}

static void tap_has_a_line_a_case(void)
{
	struct buf out = {0};
	report_tap(&all, &out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "1..4\nok 1 - demo seed 1\nnot ok 2 - demo seed 2\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "ok 4 - demo seed 4 # SKIP not run\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "Bail out!"));
	buf_free(&out);
}

static void json_can_be_read_back(void)
{
	struct buf out = {0};
	struct err err = {0};
	report_json(&all, &out);
	struct json *j = json_parse(out.data, out.size, "report", &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	const struct json *runs = json_member(j, "runs");
	CU_ASSERT_EQUAL(json_count(runs), 4);
	const char *text;
	CU_ASSERT_TRUE(json_get_str(json_at(runs, 2), "error", &text, &err));
	CU_ASSERT_STRING_EQUAL(text, cases[2].error);
	json_destroy(j);
	buf_free(&out);
}

const struct test suite_report[] = {
	{"the worst decides the status", the_worst_decides_the_status},
	{"a failure has one reproduce line", a_failure_has_one_reproduce_line},
	{"JUnit is XML", junit_is_xml},
	{"TAP has a line a case", tap_has_a_line_a_case},
	{"JSON can be read back", json_can_be_read_back},
	{0},
};
