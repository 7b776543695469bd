#include <fcntl.h>
#include <sys/stat.h>
#include "engine/indexfile.h"
#include "engine/timeline.h"
#include "made.h"

static const char scenario[] = "polecat: 1\n"
			       "name: made\n"
			       "about: For tests.\n"
			       "nodes:\n"
			       "  server: {workload: {binary: p}, command: [/p], restart: after-fault}\n"
			       "  client: {workload: {binary: p}, command: [/p]}\n"
			       "faults:\n"
			       "  - {kill: server, times: 1, after: {lines: 2, of: client}}\n"
			       "  - {stop: client, times: 1, for: 50ms, after: {lines: 900, of: client}}\n"
			       "properties:\n"
			       "  - {id: p, never: {node: server, line: 'panic'}}\n";

static const char properties[] = "{\"polecat_properties\":1,\"verdict\":\"fail\",\"properties\":["
				 "{\"id\":\"lost\",\"type\":\"checker\",\"verdict\":\"fail\",\"decided_at\":7,\"evaluations\":3,"
				 "\"why\":\"so\",\"witnesses\":[4,7],"
				 "\"margin\":{\"used\":1,\"of\":2,\"unit\":\"events\"},\"line\":11,\"column\":5},"
				 "{\"id\":\"ends\",\"type\":\"eventually\",\"verdict\":\"pass\",\"decided_at\":0,\"evaluations\":"
				 "1,\"why\":\"\",\"witnesses\":[],"
				 "\"margin\":null,\"line\":12,\"column\":5}]}\n";

/* 1 start, 2 3 client, 4 kill selected, 5 applied, 6 server dies, 7 observed, 8 client on stderr, 9 end. */
static void fill(struct made *m)
{
	made_start(m, 100, 1000);
	made_line(m, 200, 2000, "client", "one");
	made_line(m, 300, 3000, "client", "two");
	made_fault(m, 400, 4000, EVENT_FAULT_SELECTED, "server", "kill#1");
	made_fault(m, 400, 4000, EVENT_FAULT_APPLIED, "server", "kill#1");
	made_exit(m, 500, 5000, "server", true, 9);
	made_fault(m, 600, 6000, EVENT_FAULT_OBSERVED, "server", "kill#1");
	made_event(m, 700, 7000,
		(struct event){.kind = EVENT_IO_LINE,
			.node = "client",
			.invocation = 1,
			.line = 3,
			.is_stderr = true,
			.text = {"x", 1}});
	made_end(m, 800, 8000);
}

static struct timeline *open_made(struct made *m)
{
	struct err err = {0};
	struct timeline *t = timeline_open(m->path, &err);
	if (!t)
		CU_FAIL_FATAL(err.text);
	return t;
}

static void make_whole(struct made *m)
{
	made_init(m, "run");
	fill(m);
	made_events(m);
	made_plan(m, scenario, 1);
	made_text(m, "properties.json", properties);
}

static void events_are_found_by_place(void)
{
	struct made m;
	make_whole(&m);
	struct timeline *t = open_made(&m);
	CU_ASSERT_EQUAL(timeline_count(t), 9);
	CU_ASSERT_STRING_EQUAL(timeline_name(t), "run");
	CU_ASSERT_FALSE(timeline_incomplete(t));
	CU_ASSERT_EQUAL(timeline_end_icount(t), 800);
	CU_ASSERT_EQUAL(timeline_end_vtime(t), 8000);
	CU_ASSERT_EQUAL(timeline_at_icount(t, 99), TIMELINE_NONE);
	CU_ASSERT_EQUAL(timeline_at_icount(t, 100), 0);
	CU_ASSERT_EQUAL(timeline_at_icount(t, 399), 2);
	CU_ASSERT_EQUAL(timeline_at_icount(t, 400), 4); /* both events of that count have happened */
	CU_ASSERT_EQUAL(timeline_at_icount(t, UINT64_MAX), 8);
	CU_ASSERT_EQUAL(timeline_at_vtime(t, 5999), 5);
	CU_ASSERT_EQUAL(timeline_at_seq(t, 0), TIMELINE_NONE);
	CU_ASSERT_EQUAL(timeline_at_seq(t, 9), 8);
	CU_ASSERT_EQUAL(timeline_at_seq(t, 10), TIMELINE_NONE);
	struct timeline_event e = {0};
	CU_ASSERT_TRUE(timeline_event(t, 2, &e, NULL));
	CU_ASSERT_EQUAL(e.event.seq, 3);
	CU_ASSERT_EQUAL(e.event.text.size, 3);
	CU_ASSERT_EQUAL(memcmp(e.event.text.data, "two", 3), 0);
	CU_ASSERT_TRUE(timeline_event(t, 8, &e, NULL));
	CU_ASSERT_EQUAL(e.event.kind, EVENT_RUN_END);
	timeline_event_finish(&e);
	timeline_close(t);
	made_finish(&m);
}

static void filters_walk_both_ways(void)
{
	struct made m;
	make_whole(&m);
	struct timeline *t = open_made(&m);
	struct timeline_filter all = {0}, faults = {.kinds = TIMELINE_FAULT_KINDS},
			       client = {.node = 1 + timeline_node_find(t, "client")},
			       bad = {.flags = ENTRY_SIGNAL | ENTRY_STDERR},
			       kill = {.fault = 1 + timeline_fault_find(t, "kill#1")};
	CU_ASSERT_EQUAL(timeline_next(t, TIMELINE_NONE, &all), 0);
	CU_ASSERT_EQUAL(timeline_next(t, 8, &all), TIMELINE_NONE);
	CU_ASSERT_EQUAL(timeline_prev(t, TIMELINE_NONE, &all), 8);
	CU_ASSERT_EQUAL(timeline_prev(t, 0, &all), TIMELINE_NONE);
	CU_ASSERT_EQUAL(timeline_next(t, TIMELINE_NONE, &faults), 3);
	CU_ASSERT_EQUAL(timeline_next(t, 4, &faults), 6);
	CU_ASSERT_EQUAL(timeline_prev(t, 6, &faults), 4);
	CU_ASSERT_EQUAL(timeline_prev(t, TIMELINE_NONE, &client), 7);
	CU_ASSERT_EQUAL(timeline_prev(t, 7, &client), 2);
	CU_ASSERT_EQUAL(timeline_next(t, TIMELINE_NONE, &bad), 5);
	CU_ASSERT_EQUAL(timeline_next(t, 5, &bad), 7);
	CU_ASSERT_EQUAL(timeline_next(t, 6, &kill), TIMELINE_NONE);
	CU_ASSERT_TRUE(timeline_matches(t, 6, &kill));
	CU_ASSERT_FALSE(timeline_matches(t, 5, &kill));
	timeline_close(t);
	made_finish(&m);
}

static void faults_have_stages_and_a_plan(void)
{
	struct made m;
	size_t first, last;
	make_whole(&m);
	struct timeline *t = open_made(&m);
	CU_ASSERT_EQUAL_FATAL(timeline_fault_count(t), 2);
	const struct timeline_fault *kill = timeline_fault(t, 0), *stop = timeline_fault(t, 1);
	CU_ASSERT_STRING_EQUAL(kill->id, "kill#1");
	CU_ASSERT_STRING_EQUAL(kill->type, "kill");
	CU_ASSERT_STRING_EQUAL(timeline_node(t, (size_t)kill->node), "server");
	CU_ASSERT_EQUAL(kill->stage[FAULT_SELECTED], 3);
	CU_ASSERT_EQUAL(kill->stage[FAULT_APPLIED], 4);
	CU_ASSERT_EQUAL(kill->stage[FAULT_REJECTED], TIMELINE_NONE);
	CU_ASSERT_EQUAL(kill->stage[FAULT_OBSERVED], 6);
	CU_ASSERT_PTR_NOT_NULL_FATAL(kill->plan);
	CU_ASSERT_EQUAL(kill->plan->place.line, 8);
	timeline_fault_span(t, 0, &first, &last);
	CU_ASSERT_EQUAL(first, 3);
	CU_ASSERT_EQUAL(last, 6);
	CU_ASSERT_STRING_EQUAL(stop->id, "stop#1"); /* never happened, but was planned */
	timeline_fault_span(t, 1, &first, &last);
	CU_ASSERT_EQUAL(first, TIMELINE_NONE);
	timeline_close(t);
	made_finish(&m);
}

static void a_lasting_fault_lasts_until_it_is_healed(void)
{
	struct made m;
	size_t first, last;
	made_init(&m, ".incomplete-run");
	made_fault(&m, 1, 1, EVENT_FAULT_APPLIED, "client", "stop#1");
	made_line(&m, 2, 2, "server", "a");
	made_events(&m);
	struct timeline *t = open_made(&m);
	timeline_fault_span(t, 0, &first, &last);
	CU_ASSERT_EQUAL(first, 0);
	CU_ASSERT_EQUAL(last, 1);
	made_fault(&m, 3, 3, EVENT_FAULT_HEALED, "client", "stop#1");
	made_line(&m, 4, 4, "server", "b");
	made_events(&m);
	timeline_close(t);
	t = open_made(&m);
	timeline_fault_span(t, 0, &first, &last);
	CU_ASSERT_EQUAL(last, 2);
	timeline_close(t);
	made_finish(&m);
}

static void properties_point_to_events(void)
{
	struct made m;
	make_whole(&m);
	struct timeline *t = open_made(&m);
	CU_ASSERT_EQUAL_FATAL(timeline_property_count(t), 2);
	const struct timeline_property *lost = timeline_property(t, 0);
	CU_ASSERT_STRING_EQUAL(lost->fact->id, "lost");
	CU_ASSERT_EQUAL(lost->decided, 6);
	CU_ASSERT_EQUAL(lost->witnesses[0], 3);
	CU_ASSERT_EQUAL(lost->witnesses[1], 6);
	CU_ASSERT_EQUAL(timeline_property(t, 1)->decided, 8); /* the end decided */
	CU_ASSERT_EQUAL(timeline_property_find(t, "ends"), 1);
	CU_ASSERT_EQUAL(timeline_property_find(t, "end"), -1);
	CU_ASSERT_EQUAL(timeline_facts(t)->verdict, VERDICT_FAIL);
	timeline_close(t);
	made_finish(&m);
}

static void a_recording_is_followed_to_its_end(void)
{
	struct made m;
	bool changed;
	struct err err = {0};
	made_init(&m, ".incomplete-run");
	struct timeline *t = open_made(&m); /* nothing is there yet */
	CU_ASSERT_TRUE(timeline_incomplete(t));
	CU_ASSERT_EQUAL(timeline_count(t), 0);
	fill(&m);
	int dir = file_open_dir(m.path, NULL);
	int events = openat(dir, "events.jsonl", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	size_t lines = 0;
	bool good = true;
	/* Byte by byte: only a whole line counts. */
	for (size_t i = 0; i < m.events.size; i++) {
		good &= write(events, m.events.data + i, 1) == 1;
		good &= timeline_refresh(t, &changed, &err);
		lines += m.events.data[i] == '\n';
		good &= timeline_count(t) == lines && changed == (m.events.data[i] == '\n');
	}
	CU_ASSERT_TRUE(good);
	CU_ASSERT_EQUAL(lines, 9);
	CU_ASSERT_EQUAL(timeline_fault(t, 0)->stage[FAULT_OBSERVED], 6);
	CU_ASSERT_PTR_NULL(timeline_fault(t, 0)->plan);
	/* It becomes whole: a plan, verdicts, its name. */
	made_plan(&m, scenario, 1);
	made_text(&m, "properties.json", properties);
	char whole[160];
	snprintf(whole, sizeof whole, "%s/run", m.root);
	CU_ASSERT_EQUAL(rename(m.path, whole), 0);
	CU_ASSERT_TRUE(timeline_refresh(t, &changed, &err));
	CU_ASSERT_TRUE(changed);
	CU_ASSERT_FALSE(timeline_incomplete(t));
	CU_ASSERT_EQUAL(timeline_property_count(t), 2);
	CU_ASSERT_EQUAL(timeline_node_find(t, "server"), 1); /* the plan's order */
	CU_ASSERT_PTR_NOT_NULL(timeline_fault(t, 0)->plan);
	CU_ASSERT_TRUE(timeline_refresh(t, &changed, &err));
	CU_ASSERT_FALSE(changed);
	timeline_close(t);
	close(events);
	close(dir);
	made_finish(&m);
}

static void refused(const struct made *m, const char *expected)
{
	struct err err = {0};
	struct timeline *t = timeline_open(m->path, &err);
	CU_ASSERT_PTR_NULL(t);
	timeline_close(t);
	if (!strstr(err.text, expected))
		printf("\n    said '%s', expected '%s'\n", err.text, expected);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, expected));
}

static void what_is_no_run_is_refused_by_name(void)
{
	struct made m;
	struct err err = {0};
	CU_ASSERT_PTR_NULL(timeline_open("/nowhere/at/all", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/nowhere/at/all"));
	made_init(&m, "run");
	refused(&m, "events.jsonl");
	made_text(&m, "events.jsonl", "{\"seq\":1}\n");
	refused(&m, "events.jsonl: line 1, column 9: expected ,\"icount\":");
	fill(&m);
	m.events.size -= 3;
	made_events(&m);
	refused(&m, "events.jsonl: line 9: has no end, though the run is whole");
	m.events.size += 3;
	made_events(&m);
	made_text(&m, "plan.json", "{}\n");
	refused(&m, "plan.json");
	made_plan(&m, scenario, 1);
	made_text(&m, "properties.json", "{\"polecat_properties\":2,\"verdict\":\"pass\",\"properties\":[]}\n");
	refused(&m, "properties.json: this is version 2 of polecat_properties; version 1 is known");
	struct buf text = {0};
	buf_str(&text, properties);
	*strchr(strstr(text.data, "decided_at"), '7') = '9';
	made_text(&m, "properties.json", text.data);
	struct timeline *t = open_made(&m);
	timeline_close(t);
	buf_clear(&text);
	buf_str(&text, properties);
	memcpy(strstr(text.data, "[4,7]"), "[0,7]", 5);
	made_text(&m, "properties.json", text.data);
	refused(&m, "properties.json: lost names event 0, but the run has events 1 to 9");
	buf_free(&text);
	made_finish(&m);
}

static void links_are_not_followed(void)
{
	struct made m;
	make_whole(&m);
	int dir = file_open_dir(m.path, NULL);
	CU_ASSERT_EQUAL(renameat(dir, "events.jsonl", dir, "../elsewhere"), 0);
	CU_ASSERT_EQUAL(symlinkat("../elsewhere", dir, "events.jsonl"), 0);
	refused(&m, "events.jsonl");
	CU_ASSERT_EQUAL(unlinkat(dir, "events.jsonl", 0), 0);
	CU_ASSERT_EQUAL(mkfifoat(dir, "events.jsonl", 0600), 0); /* must not hang either */
	refused(&m, "events.jsonl");
	close(dir);
	made_finish(&m);
}

static void a_file_that_shrinks_is_an_error(void)
{
	struct made m;
	struct err err = {0};
	bool changed;
	make_whole(&m);
	struct timeline *t = open_made(&m);
	int dir = file_open_dir(m.path, NULL);
	int events = openat(dir, "events.jsonl", O_WRONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(ftruncate(events, 300), 0);
	struct timeline_event e = {0};
	CU_ASSERT_FALSE(timeline_event(t, 8, &e, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "has become shorter"));
	CU_ASSERT_FALSE(timeline_refresh(t, &changed, &err));
	timeline_event_finish(&e);
	timeline_close(t);
	close(events);
	close(dir);
	made_finish(&m);
}

static void large_runs_keep_an_index(void)
{
	struct made m;
	struct stat st;
	made_init(&m, "run");
	made_start(&m, 1, 1);
	char text[1000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	for (uint64_t i = 0; m.events.size < INDEXFILE_EVENTS_SIZE_MIN; i++)
		made_line(&m, 2 + i, 2 + i, "client", text);
	made_events(&m);
	struct timeline *t = open_made(&m);
	size_t count = timeline_count(t);
	int dir = file_open_dir(m.path, NULL);
	CU_ASSERT_EQUAL(fstatat(dir, INDEXFILE_NAME, &st, AT_SYMLINK_NOFOLLOW), 0);
	timeline_close(t);
	t = open_made(&m);
	CU_ASSERT_EQUAL(timeline_count(t), count);
	CU_ASSERT_EQUAL(timeline_node_find(t, "client"), 1);
	timeline_close(t);
	/* More events than the index knows: another size, so it is made anew. */
	made_end(&m, 1000000, 1000000);
	made_events(&m);
	t = open_made(&m);
	CU_ASSERT_EQUAL(timeline_count(t), count + 1);
	timeline_close(t);
	close(dir);
	made_finish(&m);
}

const struct test suite_timeline[] = {
	{"events are found by place", events_are_found_by_place},
	{"filters walk both ways", filters_walk_both_ways},
	{"faults have stages and a plan", faults_have_stages_and_a_plan},
	{"a lasting fault lasts until it is healed", a_lasting_fault_lasts_until_it_is_healed},
	{"properties point to events", properties_point_to_events},
	{"a recording is followed to its end", a_recording_is_followed_to_its_end},
	{"what is no run is refused by name", what_is_no_run_is_refused_by_name},
	{"links are not followed", links_are_not_followed},
	{"a file that shrinks is an error", a_file_that_shrinks_is_an_error},
	{"large runs keep an index", large_runs_keep_an_index},
	{0},
};
