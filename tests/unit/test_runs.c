#include <sys/file.h>

#include "made.h"
#include "tui/fmt.h"
#include "tui/runs.h"
#include "unit.h"

static void filter_words(void)
{
	char name[] = "20261129T000000Z-redis-acked-42-abc", scenario[] = "redis-acked", failed[] = "no-lost-ack";
	struct run_row row = {.name = name,
		.loaded = true,
		.scenario = scenario,
		.seed = 42,
		.has_verdict = true,
		.verdict = VERDICT_FAIL,
		.failed = failed};
	static const char *const yes[] = {
		"", "  ", "redis", "verdict:fail", "seed:42", "seed:40..50", "scenario:acked verdict:f", "no-lost", "REDIS fail"};
	static const char *const no[] = {"verdict:pass", "seed:43..50", "seed:x", "scenario:echo", "redis pass"};
	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		CU_ASSERT_TRUE(runs_matches(&row, yes[i]));
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		CU_ASSERT_FALSE(runs_matches(&row, no[i]));
}

static void deleted_and_brought_back(void)
{
	struct made m;
	struct err err = {0};
	made_init(&m, "20261129T000000Z-made-1-abc");
	made_start(&m, 1, 1);
	made_events(&m);
	struct runs *runs = runs_create(m.root);
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	CU_ASSERT_EQUAL(runs->count, 1);
	CU_ASSERT_TRUE(runs_step(runs));
	CU_ASSERT_FALSE(runs_step(runs));
	CU_ASSERT_PTR_NOT_NULL(runs->rows[0].problem); /* it has no manifest */
	CU_ASSERT_EQUAL(runs->rows[0].when, 1795910400);
	char *name;
	CU_ASSERT_FALSE(runs_undo(runs, &name, &err));
	CU_ASSERT_TRUE(runs_delete(runs, 0, &err));
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	CU_ASSERT_EQUAL(runs->count, 0);
	CU_ASSERT_TRUE(runs_undo(runs, &name, &err));
	CU_ASSERT_STRING_EQUAL(name, "20261129T000000Z-made-1-abc");
	free(name);
	CU_ASSERT_EQUAL(runs->count, 1);
	CU_ASSERT_TRUE(runs_delete(runs, 0, &err));
	runs_destroy(runs); /* for good now */
	runs = runs_create(m.root);
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	CU_ASSERT_EQUAL(runs->count, 0);
	CU_ASSERT_NOT_EQUAL(access(m.path, F_OK), 0);
	runs_destroy(runs);
	made_finish(&m);
}

/* A program that was killed deletes nothing for good: the next one can still undo, and deletes at its end. */
static void deleted_before_a_crash(void)
{
	struct made m;
	struct err err = {0};
	char *name, hidden[160];
	made_init(&m, ".deleted-20261129T000000Z-made-1-abc");
	made_start(&m, 1, 1);
	made_events(&m);
	snprintf(hidden, sizeof hidden, "%s", m.path);
	struct runs *runs = runs_create(m.root);
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	CU_ASSERT_TRUE(runs_scan(runs, &err)); /* taken over once */
	CU_ASSERT_EQUAL(runs->count, 0);
	CU_ASSERT_TRUE(runs_undo(runs, &name, &err));
	CU_ASSERT_STRING_EQUAL(name, "20261129T000000Z-made-1-abc");
	free(name);
	CU_ASSERT_EQUAL(runs->count, 1);
	CU_ASSERT_FALSE(runs_undo(runs, &name, &err));
	CU_ASSERT_TRUE(runs_delete(runs, 0, &err));
	runs_destroy(runs);
	CU_ASSERT_NOT_EQUAL(access(hidden, F_OK), 0);
	made_finish(&m);
}

/* A recording is one as long as somebody holds its lock. */
static void recording_or_abandoned(void)
{
	struct made m;
	struct err err = {0};
	made_init(&m, ".incomplete-20261129T000000Z-made-1-abc");
	made_start(&m, 1, 1);
	made_events(&m);
	int lock = file_open_dir(m.path, NULL);
	CU_ASSERT_EQUAL(flock(lock, LOCK_EX | LOCK_NB), 0);
	struct runs *runs = runs_create(m.root);
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	runs_load(runs, 0);
	CU_ASSERT_TRUE(runs->rows[0].recording && !runs->rows[0].abandoned);
	CU_ASSERT_TRUE(runs_matches(&runs->rows[0], "verdict:recording"));
	close(lock);
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	runs_load(runs, 0);
	CU_ASSERT_TRUE(runs->rows[0].abandoned);
	CU_ASSERT_TRUE(runs_matches(&runs->rows[0], "verdict:abandoned"));
	runs_destroy(runs);
	made_finish(&m);
}

static void no_directory_is_an_empty_list(void)
{
	struct err err = {0};
	struct runs *runs = runs_create("/nonexistent/polecat/runs");
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	CU_ASSERT_EQUAL(runs->count, 0);
	CU_ASSERT_FALSE(runs_step(runs));
	runs_destroy(runs);
}

static void numbers(void)
{
	char text[FMT_MAX];
	CU_ASSERT_STRING_EQUAL(fmt_count(3420118221, text), "3 420 118 221");
	CU_ASSERT_STRING_EQUAL(fmt_count(7, text), "7");
	CU_ASSERT_STRING_EQUAL(fmt_count(1000, text), "1 000");
	CU_ASSERT_STRING_EQUAL(fmt_time(999, text), "999 ns");
	CU_ASSERT_STRING_EQUAL(fmt_time(81234567, text), "81.2 ms");
	CU_ASSERT_STRING_EQUAL(fmt_time(4392000000, text), "4.392 s");
	CU_ASSERT_STRING_EQUAL(fmt_time(62500000000, text), "1:02.500");
	CU_ASSERT_STRING_EQUAL(fmt_size(25088, text), "24.5 K");
	CU_ASSERT_STRING_EQUAL(fmt_size(UINT64_MAX, text), "15.9 E");
	CU_ASSERT_STRING_EQUAL(fmt_age(-5, text), "0 s");
	CU_ASSERT_STRING_EQUAL(fmt_age(3600 * 5, text), "5 h");
}

const struct test suite_runs[] = {
	{"filter words", filter_words},
	{"deleted, brought back, deleted for good", deleted_and_brought_back},
	{"deleted before a crash, and brought back", deleted_before_a_crash},
	{"recording, or abandoned", recording_or_abandoned},
	{"no directory is an empty list", no_directory_is_an_empty_list},
	{"numbers as people read them", numbers},
	{0},
};
