/* An open run: jumps, bookmarks, places to go; and what is kept about it. */
#include "made.h"
#include "tui/run.h"
#include "tui/state.h"
#include "unit.h"

static const char properties[] = "{\"polecat_properties\":1,\"verdict\":\"fail\",\"properties\":[{\"id\":\"lost\",\"type\":"
				 "\"checker\",\"verdict\":\"fail\",\"decided_at\":8,"
				 "\"evaluations\":3,\"why\":\"gone\",\"witnesses\":[3,8],\"margin\":null,\"line\":1,\"column\":1}"
				 ",{\"id\":\"fine\",\"type\":\"never\","
				 "\"verdict\":\"pass\",\"decided_at\":5,\"evaluations\":3,\"why\":\"\",\"witnesses\":[5],"
				 "\"margin\":null,\"line\":1,\"column\":1}]}\n";

/* Events 0 start, 1 and 2 lines of a, 3 selected, 4 applied, 5 line of b, 6 healed, 7 line of a, 8 end. */
static struct run *open_run(struct made *m, bool judged)
{
	made_init(m, "20261129T000000Z-made-1-abc");
	made_start(m, 10, 1000);
	made_line(m, 20, 2000, "a", "one");
	made_line(m, 30, 3000, "a", "two");
	made_fault(m, 40, 4000, EVENT_FAULT_SELECTED, "a", "kill#1");
	made_fault(m, 50, 5000, EVENT_FAULT_APPLIED, "a", "kill#1");
	made_line(m, 60, 6000, "b", "three");
	made_fault(m, 70, 7000, EVENT_FAULT_HEALED, "a", "kill#1");
	made_line(m, 80, 8000, "a", "four");
	made_end(m, 90, 9000);
	made_events(m);
	if (judged)
		made_text(m, "properties.json", properties);
	struct err err = {0};
	struct timeline *t = timeline_open(m->path, &err);
	if (!t)
		CU_FAIL_FATAL(err.text);
	return run_create(t);
}

static void opens_at_the_failure(void)
{
	struct made m;
	struct run *run = open_run(&m, true);
	struct buf text = {0};
	CU_ASSERT_EQUAL(run->playhead, 7);
	run_verdict_text(run, &text);
	CU_ASSERT_STRING_EQUAL(text.data, "FAIL lost");
	buf_free(&text);
	run_destroy(run);
	made_finish(&m);
	run = open_run(&m, false);
	CU_ASSERT_EQUAL(run->playhead, 0);
	run_destroy(run);
	made_finish(&m);
}

static void places_to_go(void)
{
	struct made m;
	struct run *run = open_run(&m, true);
	CU_ASSERT_EQUAL(run_failure_next(run, true), 2);
	CU_ASSERT_EQUAL(run_failure_next(run, false), TIMELINE_NONE);
	run_goto(run, 2, false);
	CU_ASSERT_EQUAL(run_failure_next(run, false), 7);
	CU_ASSERT_EQUAL(run_fault_next(run, false), 3);
	CU_ASSERT_EQUAL(run_fault_next(run, true), TIMELINE_NONE);
	CU_ASSERT_EQUAL(run_node_next(run, false), 3);
	run_goto(run, 5, false);
	CU_ASSERT_EQUAL(run_node_next(run, false), TIMELINE_NONE);
	CU_ASSERT_EQUAL(run_fault_next(run, true), 4);
	run_goto(run, TIMELINE_NONE, false);
	CU_ASSERT_EQUAL(run->playhead, TIMELINE_NONE);
	CU_ASSERT_EQUAL(run_fault_next(run, false), 3);
	CU_ASSERT_EQUAL(run_fault_next(run, true), TIMELINE_NONE);
	CU_ASSERT_EQUAL(run_icount(run), 0);
	run_destroy(run);
	made_finish(&m);
}

static void jumps_like_a_browser(void)
{
	struct made m;
	struct run *run = open_run(&m, true);
	CU_ASSERT_FALSE(run_jump_back(run));
	run_goto(run, 1, true);
	run_goto(run, 2, false); /* a step is no jump */
	run_goto(run, 5, true);
	CU_ASSERT_TRUE(run_jump_back(run));
	CU_ASSERT_EQUAL(run->playhead, 2);
	CU_ASSERT_TRUE(run_jump_back(run));
	CU_ASSERT_EQUAL(run->playhead, 7);
	CU_ASSERT_FALSE(run_jump_back(run));
	CU_ASSERT_TRUE(run_jump_forward(run));
	CU_ASSERT_EQUAL(run->playhead, 2);
	CU_ASSERT_TRUE(run_jump_forward(run));
	CU_ASSERT_EQUAL(run->playhead, 5);
	CU_ASSERT_FALSE(run_jump_forward(run));
	for (size_t i = 0; i < 3 * RUN_JUMPS_MAX; i++)
		run_goto(run, i % 8, true);
	size_t back = 0;
	while (run_jump_back(run))
		back++;
	CU_ASSERT_TRUE(back <= RUN_JUMPS_MAX && back > RUN_JUMPS_MAX / 2);
	run_destroy(run);
	made_finish(&m);
}

static void bookmarks(void)
{
	struct made m;
	struct run *run = open_run(&m, true);
	bool set;
	for (size_t i = 0; i < 3; i++) {
		run_goto(run, (i * 5 + 4) % 8, false); /* 4, 1, 6 */
		CU_ASSERT_TRUE(run_bookmark(run, i ? NULL : "middle", &set) && set);
	}
	CU_ASSERT_EQUAL(run->bookmark_count, 3);
	CU_ASSERT_EQUAL(run->bookmarks[0].event, 1);
	CU_ASSERT_STRING_EQUAL(run->bookmarks[1].name, "middle");
	CU_ASSERT_EQUAL(run_bookmark_next(run, true), 4);
	CU_ASSERT_EQUAL(run_bookmark_next(run, false), TIMELINE_NONE);
	CU_ASSERT_TRUE(run_bookmark(run, NULL, &set) && !set);
	CU_ASSERT_PTR_NULL(run_bookmark_at(run, 6));
	run_destroy(run);
	made_finish(&m);
}

static void state_there_and_back(void)
{
	struct made m;
	struct run *run = open_run(&m, true);
	bool set;
	run_goto(run, 4, false);
	run_bookmark(run, "here it is", &set);
	run_goto(run, 2, false);
	run_bookmark(run, NULL, &set);
	strcpy(run->search, "acked 7");
	run->window = lanes_whole(run->timeline, LANES_ICOUNT);
	struct buf text = {0}, again = {0};
	state_write(run, &text);
	run_destroy(run);
	run = run_create(timeline_open(m.path, NULL));
	struct err err = {0};
	CU_ASSERT_TRUE(state_parse(run, text.data, text.size, &err));
	CU_ASSERT_EQUAL(run->playhead, 2);
	CU_ASSERT_EQUAL(run->bookmark_count, 2);
	CU_ASSERT_STRING_EQUAL(run->search, "acked 7");
	state_write(run, &again);
	CU_ASSERT_STRING_EQUAL(again.data, text.data);
	run_destroy(run);
	/* Cut at every byte: no crash, and a sentence when it is refused. */
	for (size_t size = 0; size < text.size; size++) {
		run = run_create(timeline_open(m.path, NULL));
		err = (struct err){0};
		if (!state_parse(run, text.data, size, &err))
			CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		run_destroy(run);
	}
	buf_free(&text);
	buf_free(&again);
	made_finish(&m);
}

static void state_of_another_run_is_harmless(void)
{
	static const char *const texts[] = {"polecat_ui 2\n", "", "polecat_ui 1\nplayhead 99999\nbookmark 77777 x\n",
		"polecat_ui 1\nplayhead -1\n", "polecat_ui 1\nbookmark 0\n", "polecat_ui 1\naxis sideways\n",
		"polecat_ui 1\nnonsense\n", "polecat_ui 1\nplayhead 18446744073709551616\n"};
	struct made m;
	struct run *run = open_run(&m, true);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct err err = {0};
		state_parse(run, texts[i], strlen(texts[i]), &err);
		CU_ASSERT_EQUAL(run->playhead, 7);
		CU_ASSERT_EQUAL(run->bookmark_count, 0);
	}
	run_destroy(run);
	made_finish(&m);
}

const struct test suite_tui_run[] = {
	{"a failed run opens at its failure", opens_at_the_failure},
	{"next and previous fault, failure, event of a node", places_to_go},
	{"jumps go back and forward", jumps_like_a_browser},
	{"bookmarks are kept in order", bookmarks},
	{"what is kept, there and back, and cut at every byte", state_there_and_back},
	{"what was kept about another run is harmless", state_of_another_run_is_harmless},
	{0},
};
