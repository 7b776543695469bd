#include <sys/file.h>

#include "made.h"
#include "engine/timeline.h"
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
	struct timeline *timeline = timeline_open(m.path, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(timeline);
	CU_ASSERT_TRUE(timeline_incomplete(timeline) && !timeline_abandoned(timeline));
	close(lock);
	bool changed = false;
	CU_ASSERT_TRUE(timeline_refresh(timeline, &changed, &err));
	CU_ASSERT_TRUE(changed && timeline_abandoned(timeline));
	timeline_close(timeline);
	CU_ASSERT_TRUE(runs_scan(runs, &err));
	runs_load(runs, 0);
	CU_ASSERT_TRUE(runs->rows[0].abandoned);
	CU_ASSERT_TRUE(runs_matches(&runs->rows[0], "verdict:abandoned"));
	runs_destroy(runs);
	made_finish(&m);
}

/* Rows as a list would have them, in an order that a tree does not have: name, parent. */
static void tree_order(const char *const pairs[][2], size_t count, const char *wanted)
{
	struct runs list = {.rows = mem_alloc(count * sizeof *list.rows), .count = count, .room = count};
	struct buf got = {0};
	for (size_t i = 0; i < count; i++)
		list.rows[i] = (struct run_row){.name = mem_str(pairs[i][0]), .parent = mem_str(pairs[i][1])};
	runs_arrange(&list);
	CU_ASSERT_EQUAL(list.count, count);
	for (size_t i = 0; i < list.count; i++)
		buf_printf(&got, "%s%u.%zu ", list.rows[i].name, list.rows[i].depth, list.rows[i].forks);
	CU_ASSERT_STRING_EQUAL(got.data, wanted);
	for (size_t i = 0; i < list.count; i++) {
		free(list.rows[i].name);
		free(list.rows[i].parent);
	}
	free(list.rows);
	buf_free(&got);
}

static void forks_follow_their_parents(void)
{
	static const char *const deep[][2] = {{"c", "b"}, {"x", NULL}, {"a", NULL}, {"b", "a"}, {"d", "a"}, {"e", "gone"}};
	static const char *const circle[][2] = {{"a", "b"}, {"b", "a"}, {"c", NULL}, {"d", "d"}, {"e", "b"}};
	static const char *const plain[][2] = {{"b", NULL}, {"a", NULL}};
	tree_order(deep, 6, "x0.0 a0.3 b1.1 c2.0 d1.0 e0.0 ");
	tree_order(circle, 5, "c0.0 d0.0 a0.0 b0.0 e0.0 ");
	tree_order(plain, 2, "b0.0 a0.0 ");
}

static void folded_forks_are_hidden(void)
{
	struct run_row rows[] = {{.name = (char[]){"a"}}, {.name = (char[]){"b"}, .depth = 1},
		{.name = (char[]){"c"}, .depth = 2}, {.name = (char[]){"d"}, .depth = 1}, {.name = (char[]){"e"}}};
	struct runs list = {.rows = rows, .count = 5, .room = 5};
	CU_ASSERT_FALSE(runs_fold(&list, 4)); /* no forks are known before they were counted */
	rows[0].forks = 3;
	rows[1].forks = 1;
	CU_ASSERT_TRUE(runs_fold(&list, 2)); /* of b, which c is a fork of */
	CU_ASSERT_TRUE(rows[2].hidden && !rows[1].hidden && !rows[3].hidden);
	CU_ASSERT_TRUE(runs_fold(&list, 0));
	CU_ASSERT_TRUE(rows[1].hidden && rows[2].hidden && rows[3].hidden && !rows[4].hidden);
	CU_ASSERT_TRUE(runs_fold(&list, 0));
	CU_ASSERT_TRUE(rows[2].hidden && !rows[1].hidden && !rows[3].hidden); /* b is folded still */
	CU_ASSERT_FALSE(runs_fold(&list, 4));
	CU_ASSERT_FALSE(runs_fold(&list, 5));
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
	{"forks follow what they were made from", forks_follow_their_parents},
	{"folded forks are hidden", folded_forks_are_hidden},
	{"no directory is an empty list", no_directory_is_an_empty_list},
	{"numbers as people read them", numbers},
	{0},
};
