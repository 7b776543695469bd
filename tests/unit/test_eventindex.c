#include "engine/eventindex.h"
#include "made.h"

/* One of every kind that the index looks into. */
static void fill(struct made *m)
{
	made_start(m, 10, 100);
	made_event(m, 20, 200, (struct event){.kind = EVENT_NODE_STARTED, .node = "server", .invocation = 1, .pid = 71});
	made_event(m, 30, 300, (struct event){.kind = EVENT_NODE_READY, .node = "server", .invocation = 1});
	made_line(m, 40, 400, "client", "say \"hi\"\\ \n");
	made_event(m, 45, 450,
		(struct event){.kind = EVENT_IO_LINE,
			.node = "client",
			.invocation = 1,
			.line = 2,
			.is_stderr = true,
			.cut = true,
			.text = {"\xff", 1}});
	made_fault(m, 50, 500, EVENT_FAULT_SELECTED, "server", "kill#1");
	made_fault(m, 50, 500, EVENT_FAULT_APPLIED, "server", "kill#1");
	made_exit(m, 60, 600, "server", true, 9);
	made_fault(m, 70, 700, EVENT_FAULT_SELECTED, "", "partition#2");
	made_exit(m, 80, 800, "client", false, 0);
	made_exit(m, 90, 900, "client", false, 3);
	made_end(m, 100, 1000);
}

static void check_filled(const struct eventindex *x)
{
	CU_ASSERT_EQUAL_FATAL(x->count, 12);
	CU_ASSERT_EQUAL(x->nodes.count, 3);
	CU_ASSERT_STRING_EQUAL(x->nodes.list[0], "");
	CU_ASSERT_EQUAL(eventindex_node(x, "server"), 1);
	CU_ASSERT_EQUAL(eventindex_node(x, "client"), 2);
	CU_ASSERT_EQUAL(eventindex_node(x, "serve"), -1);
	CU_ASSERT_EQUAL(eventindex_fault(x, "partition#2"), 1);
	CU_ASSERT_EQUAL(x->entries[0].offset, 0);
	CU_ASSERT_EQUAL(x->entries[3].kind, EVENT_IO_LINE);
	CU_ASSERT_EQUAL(x->entries[3].node, 2);
	CU_ASSERT_EQUAL(x->entries[3].icount, 40);
	CU_ASSERT_EQUAL(x->entries[3].vtime_ns, 400);
	CU_ASSERT_EQUAL(x->entries[3].flags, 0);
	CU_ASSERT_EQUAL(x->entries[4].flags, ENTRY_STDERR);
	CU_ASSERT_EQUAL(x->entries[5].fault, 1);
	CU_ASSERT_EQUAL(x->entries[7].flags, ENTRY_SIGNAL | ENTRY_BAD_END);
	CU_ASSERT_EQUAL(x->entries[8].fault, 2);
	CU_ASSERT_EQUAL(x->entries[9].flags, 0);
	CU_ASSERT_EQUAL(x->entries[10].flags, ENTRY_BAD_END);
}

static void split_at_every_byte(void)
{
	struct made m = {0};
	fill(&m);
	for (size_t cut = 0; cut <= m.events.size; cut++) {
		struct eventindex x;
		size_t first, second;
		CU_ASSERT_TRUE(eventindex_init(&x, NULL, 0, NULL, 0, NULL));
		CU_ASSERT_TRUE(eventindex_feed(&x, m.events.data, cut, &first, NULL));
		CU_ASSERT_EQUAL(first, x.end);
		CU_ASSERT_TRUE(eventindex_feed(&x, m.events.data + first, m.events.size - first, &second, NULL));
		CU_ASSERT_EQUAL(x.end, m.events.size);
		check_filled(&x);
		eventindex_finish(&x);
	}
	buf_free(&m.events);
}

static void names_of_the_plan_come_first(void)
{
	char server[] = "server", client[] = "client", partition[] = "partition#2";
	char *nodes[] = {client, server}, *faults[] = {partition};
	struct made m = {0};
	struct eventindex x;
	struct err err = {0};
	size_t used;
	fill(&m);
	CU_ASSERT_TRUE(eventindex_init(&x, nodes, 2, faults, 1, NULL));
	CU_ASSERT_TRUE(eventindex_feed(&x, m.events.data, m.events.size, &used, NULL));
	CU_ASSERT_EQUAL(eventindex_node(&x, "client"), 1);
	CU_ASSERT_EQUAL(eventindex_fault(&x, "partition#2"), 0);
	CU_ASSERT_EQUAL(eventindex_fault(&x, "kill#1"), 1);
	eventindex_finish(&x);
	char *twice[] = {client, client};
	CU_ASSERT_FALSE(eventindex_init(&x, twice, 2, NULL, 0, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "two of one name"));
	buf_free(&m.events);
}

static void refused(const char *line, const char *expected)
{
	struct eventindex x;
	struct err err = {0};
	struct buf text = {0};
	size_t used;
	buf_printf(&text, "{\"seq\":1,\"icount\":5,\"vtime_ns\":6,\"node\":\"\",\"kind\":\"run.start\",\"plan\":\"00\"}\n%s\n",
		line);
	CU_ASSERT_TRUE(eventindex_init(&x, NULL, 0, NULL, 0, NULL));
	CU_ASSERT_FALSE(eventindex_feed(&x, text.data, text.size, &used, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_EQUAL(x.count, 1); /* what came before it is kept */
	if (strcmp(err.text, expected) != 0)
		printf("\n    said '%s', expected '%s'\n", err.text, expected);
	CU_ASSERT_STRING_EQUAL(err.text, expected);
	eventindex_finish(&x);
	buf_free(&text);
}

static void what_is_no_event_is_refused_with_its_place(void)
{
	refused("", "line 2, column 1: expected {\"seq\":");
	refused("{\"seq\":3,\"icount\":7", "line 2, column 8: expected the number of this line");
	refused("{\"seq\":2,\"icount\":,", "line 2, column 19: expected a number");
	refused("{\"seq\":2,\"icount\":99999999999999999999,", "line 2, column 19: expected a number below 2^64");
	refused("{\"seq\":2,\"icount\":4,\"vtime_ns\":9,\"node\":\"\",\"kind\":\"run.end\"}",
		"line 2: its icount is less than that of the line before");
	refused("{\"seq\":2,\"icount\":7,\"vtime_ns\":9,\"node\":\"a\\u0041\",\"kind\":\"run.end\"}",
		"line 2, column 41: expected a name");
	refused("{\"seq\":2,\"icount\":7,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"run.away\"}",
		"line 2, column 52: expected a kind of event that this version knows");
	refused("{\"seq\":2,\"icount\":7,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"io.line\",\"text\":\"open",
		"line 2, column 69: expected a string, a number or true");
	refused("{\"seq\":2,\"icount\":7,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"io.line\"} ",
		"line 2, column 62: expected the end of the line");
	refused("{\"seq\":2,\"icount\":7,\"vtime_ns\":9,\"node\":\"a\",\"kind\":\"io.line\"", "line 2, column 61: expected }");
}

static void a_line_without_end_has_a_limit(void)
{
	struct eventindex x;
	struct err err = {0};
	size_t size = EVENT_LINE_MAX + 10, used;
	char *bytes = mem_alloc(size);
	memset(bytes, 'a', size);
	CU_ASSERT_TRUE(eventindex_init(&x, NULL, 0, NULL, 0, NULL));
	CU_ASSERT_TRUE(eventindex_feed(&x, bytes, EVENT_LINE_MAX - 1, &used, &err));
	CU_ASSERT_EQUAL(used, 0);
	CU_ASSERT_FALSE(eventindex_feed(&x, bytes, size, &used, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "line 1: longer than"));
	eventindex_finish(&x);
	free(bytes);
}

static void index_of(const struct made *m, struct eventindex *x)
{
	size_t used;
	CU_ASSERT_TRUE(eventindex_init(x, NULL, 0, NULL, 0, NULL));
	CU_ASSERT_TRUE_FATAL(eventindex_feed(x, m->events.data, m->events.size, &used, NULL));
}

static void content_is_what_and_gist_is_what_without_counters(void)
{
	struct made a = {0}, b = {0};
	struct eventindex x, y;
	made_event(&a, 1, 1, (struct event){.kind = EVENT_RUN_START, .plan = "aa"});
	made_event(&b, 2, 9, (struct event){.kind = EVENT_RUN_START, .plan = "bb"});
	made_event(&a, 3, 3, (struct event){.kind = EVENT_NODE_STARTED, .node = "n", .invocation = 1, .pid = 5});
	made_event(&b, 4, 9, (struct event){.kind = EVENT_NODE_STARTED, .node = "n", .invocation = 1, .pid = 6});
	made_event(&a, 5, 5, (struct event){.kind = EVENT_IO_LINE, .node = "n", .invocation = 1, .line = 7, .text = {"x", 1}});
	made_event(&b, 6, 9, (struct event){.kind = EVENT_IO_LINE, .node = "n", .invocation = 2, .line = 9, .text = {"x", 1}});
	made_line(&a, 7, 7, "n", "same");
	made_line(&b, 8, 9, "n", "same");
	made_line(&a, 9, 9, "n", "one");
	made_line(&b, 9, 9, "n", "other");
	index_of(&a, &x);
	index_of(&b, &y);
	static const bool same_content[] = {true, false, false, true, false}, same_gist[] = {true, true, true, true, false};
	for (size_t i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(x.entries[i].content == y.entries[i].content, same_content[i]);
		CU_ASSERT_EQUAL(x.entries[i].gist == y.entries[i].gist, same_gist[i]);
	}
	eventindex_finish(&x);
	eventindex_finish(&y);
	buf_free(&a.events);
	buf_free(&b.events);
}

static void time_never_goes_back(void)
{
	struct made m = {0};
	struct eventindex x;
	made_line(&m, 1, 100, "n", "a");
	made_line(&m, 2, 90, "n", "b");
	made_line(&m, 3, 110, "n", "c");
	index_of(&m, &x);
	CU_ASSERT_EQUAL(x.entries[1].vtime_ns, 100);
	CU_ASSERT_EQUAL(x.entries[2].vtime_ns, 110);
	eventindex_finish(&x);
	buf_free(&m.events);
}

static void many_names(void)
{
	struct made m = {0};
	struct eventindex x;
	char name[20];
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "node-%d", i);
		made_line(&m, (uint64_t)i, 0, name, "a");
	}
	index_of(&m, &x);
	CU_ASSERT_EQUAL(x.nodes.count, 1001);
	CU_ASSERT_EQUAL(eventindex_node(&x, "node-999"), 1000);
	eventindex_finish(&x);
	buf_free(&m.events);
}

const struct test suite_eventindex[] = {
	{"split at every byte", split_at_every_byte},
	{"names of the plan come first", names_of_the_plan_come_first},
	{"what is no event is refused with its place", what_is_no_event_is_refused_with_its_place},
	{"a line without end has a limit", a_line_without_end_has_a_limit},
	{"content is what, gist is what without counters", content_is_what_and_gist_is_what_without_counters},
	{"time never goes back", time_never_goes_back},
	{"many names", many_names},
	{0},
};
