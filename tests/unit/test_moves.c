/* What `next` and `prev` go to, in a stored run: 300 events, two kills, two stops, a property that fails. */
#include "engine/moves.h"

#include "made.h"

static struct timeline *open_stored(void)
{
	struct err err = {0};
	struct timeline *t = timeline_open("tests/screens/runs/fail", &err);
	if (!t)
		CU_FAIL_FATAL(err.text);
	return t;
}

/* The event that the words lead to from a count; TIMELINE_NONE when there is none. */
static size_t find(const struct timeline *t, uint64_t icount, bool backward, const char *first, const char *second)
{
	const char *words[] = {first, second};
	struct moves_filter filter;
	struct err err = {0};
	size_t event = TIMELINE_NONE;
	if (!moves_parse(t, words, first ? second ? 2 : 1 : 0, &filter, &err))
		CU_FAIL_FATAL(err.text);
	if (moves_find(t, &filter, icount, backward, NULL, &event, &err))
		return event;
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, backward ? "before here" : "after here"));
	return TIMELINE_NONE;
}

static void every_event_is_passed_both_ways(void)
{
	struct timeline *t = open_stored();
	const struct entry *e = timeline_entries(t);
	size_t count = timeline_count(t), seen = 0;
	for (uint64_t at = 0;;) {
		size_t event = find(t, at, false, NULL, NULL);
		if (event == TIMELINE_NONE)
			break;
		CU_ASSERT(e[event].icount > at || (!at && !e[event].icount));
		CU_ASSERT(event == 0 || e[event - 1].icount <= at);
		at = e[event].icount;
		seen++;
	}
	CU_ASSERT(seen > 100);
	CU_ASSERT_EQUAL(find(t, e[count - 1].icount, false, NULL, NULL), TIMELINE_NONE);
	CU_ASSERT_EQUAL(find(t, 0, true, NULL, NULL), TIMELINE_NONE);
	/* Back from behind each is before it. */
	for (size_t i = 1; i < count; i++) {
		size_t event = find(t, e[i].icount, true, NULL, NULL);
		CU_ASSERT(event == TIMELINE_NONE ? e[0].icount == e[i].icount : e[event].icount < e[i].icount);
	}
	timeline_close(t);
}

static void words_narrow(void)
{
	struct timeline *t = open_stored();
	const struct entry *e = timeline_entries(t);
	const struct timeline_fault *kill = timeline_fault(t, (size_t)timeline_fault_find(t, "kill#1"));
	size_t decided = timeline_property(t, (size_t)timeline_property_find(t, "no-lost-ack"))->decided;
	uint64_t before = e[kill->stage[FAULT_APPLIED]].icount - 1;
	size_t fault = find(t, before, false, "fault", NULL);
	CU_ASSERT_EQUAL(e[fault].icount, before + 1);
	CU_ASSERT(TIMELINE_FAULT_KINDS >> e[fault].kind & 1);
	CU_ASSERT_EQUAL(find(t, before, false, "kill#1", NULL), kill->stage[FAULT_APPLIED]);
	CU_ASSERT_EQUAL(find(t, UINT64_MAX, true, "kill#1", "fault.applied"), kill->stage[FAULT_APPLIED]);
	CU_ASSERT_EQUAL(find(t, e[decided].icount - 1, false, "no-lost-ack", NULL), decided);
	CU_ASSERT_EQUAL(find(t, e[decided].icount + 1, true, "property", "no-lost-ack"), decided);
	/* A line of a node, in both orders of the words; and a text in it. */
	size_t line = find(t, 0, false, "line", "client");
	CU_ASSERT_NOT_EQUAL_FATAL(line, TIMELINE_NONE);
	CU_ASSERT_EQUAL(find(t, 0, false, "client", "io.line"), line);
	CU_ASSERT_EQUAL(e[line].kind, EVENT_IO_LINE);
	CU_ASSERT_STRING_EQUAL(timeline_node(t, e[line].node), "client");
	size_t acked = find(t, 0, false, "/acked", "line");
	CU_ASSERT_NOT_EQUAL_FATAL(acked, TIMELINE_NONE);
	CU_ASSERT_EQUAL(e[acked].kind, EVENT_IO_LINE);
	CU_ASSERT(acked >= line);
	CU_ASSERT_EQUAL(find(t, 0, false, "/there is no such text", NULL), TIMELINE_NONE);
	timeline_close(t);
}

static void other_words_are_refused(void)
{
	struct timeline *t = open_stored();
	static const char *const words[] = {"nobody", "", "/", "kill#99", "node.nothing"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct moves_filter filter;
		struct err err = {0};
		CU_ASSERT_FALSE(moves_parse(t, &words[i], 1, &filter, &err));
		CU_ASSERT_EQUAL(err.code, ERR_USAGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "is no event: expected event, fault, property, line"));
	}
	timeline_close(t);
}

const struct test suite_moves[] = {{"every event is passed both ways", every_event_is_passed_both_ways},
	{"words narrow", words_narrow}, {"other words are refused", other_words_are_refused}, {0}};
