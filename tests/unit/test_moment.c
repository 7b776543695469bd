#include "engine/moment.h"
#include "made.h"

/* A stored run: 300 events, kill#1 kill#2 stop#1 stop#2, no-lost-ack fails. */
static struct timeline *open_stored(void)
{
	struct err err = {0};
	struct timeline *t = timeline_open("tests/screens/runs/fail", &err);
	if (!t)
		CU_FAIL_FATAL(err.text);
	return t;
}

static void is_event(const struct timeline *t, const char *text, size_t event)
{
	struct moment m = {0};
	struct err err = {0};
	bool ok = moment_parse(t, text, &m, &err);
	if (!ok || m.event != event)
		printf("\n    %s: event %zu, %s\n", text, m.event, err.text);
	CU_ASSERT_TRUE(ok);
	CU_ASSERT_EQUAL(m.event, event);
	CU_ASSERT_EQUAL(m.icount, event == TIMELINE_NONE ? 0 : timeline_entries(t)[event].icount);
}

static void every_form_is_understood(void)
{
	struct timeline *t = open_stored();
	const struct timeline_fault *kill = timeline_fault(t, (size_t)timeline_fault_find(t, "kill#1"));
	const struct timeline_fault *stop = timeline_fault(t, (size_t)timeline_fault_find(t, "stop#2"));
	is_event(t, "begin", TIMELINE_NONE);
	is_event(t, "end", 299);
	is_event(t, "ev:1", 0);
	is_event(t, "ev:300", 299);
	is_event(t, "fault:kill#1", kill->stage[FAULT_APPLIED]);
	is_event(t, "fault:kill#1.selected", kill->stage[FAULT_SELECTED]);
	is_event(t, "fault:kill#1.healed", kill->stage[FAULT_HEALED]);
	is_event(t, "fault:stop#2", stop->stage[FAULT_REJECTED]);
	is_event(t, "prop:no-lost-ack", timeline_property(t, 0)->decided);
	is_event(t, "prop:no-panic", 299);
	is_event(t, "t:0s", TIMELINE_NONE);
	is_event(t, "t:1s", timeline_at_vtime(t, 1000000000));
	is_event(t, "t:1000ms", timeline_at_vtime(t, 1000000000));
	timeline_close(t);
}

static void between_two_events_the_count_stays(void)
{
	struct timeline *t = open_stored();
	const struct entry *e = timeline_entries(t);
	struct moment m;
	char text[40];
	snprintf(text, sizeof text, "%" PRIu64, e[5].icount - 1);
	CU_ASSERT_TRUE(moment_parse(t, text, &m, NULL));
	CU_ASSERT_EQUAL(m.icount, e[5].icount - 1);
	CU_ASSERT_EQUAL(m.event, 4);
	CU_ASSERT_TRUE(moment_parse(t, "1_000", &m, NULL));
	CU_ASSERT_EQUAL(m.icount, 1000);
	CU_ASSERT_EQUAL(m.event, TIMELINE_NONE);
	timeline_close(t);
}

static void refused(const struct timeline *t, const char *text, const char *expected)
{
	struct moment m = {7, 7};
	struct err err = {0};
	CU_ASSERT_FALSE(moment_parse(t, text, &m, &err));
	CU_ASSERT_EQUAL(err.code, ERR_USAGE);
	CU_ASSERT_EQUAL(m.event, 7); /* not touched */
	if (!strstr(err.text, expected))
		printf("\n    said '%s', expected '%s'\n", err.text, expected);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, expected));
}

static void mistakes_are_explained(void)
{
	struct timeline *t = open_stored();
	refused(t, "", "'' is not a moment: expected an instruction count, ev:NUMBER");
	refused(t, "soon", "'soon' is not a moment");
	refused(t, "-5", "'-5' is not a moment");
	refused(t, "_", "is not a moment");
	refused(t, "99999999999", "the run ends at");
	refused(t, "99999999999999999999999999999999999999999999999", "is not a moment");
	refused(t, "ev:0", "there is no event 0: the run has events 1 to 300");
	refused(t, "ev:301", "there is no event 301");
	refused(t, "ev:x", "expected an event number");
	refused(t, "t:5", "expected a duration");
	refused(t, "t:1h", "is after the end: the run ends at t:");
	refused(t, "fault:kil#1", "did you mean 'kill#1'?");
	refused(t, "fault:partition#1", "there is kill#1, kill#2");
	refused(t, "fault:kill#1.heeled", "expected a stage after the dot");
	refused(t, "fault:stop#2.applied", "stop#2 was never applied in this run; it was selected, rejected");
	refused(t, "prop:no-lost-akc", "did you mean 'no-lost-ack'?");
	refused(t, "prop:zzzzzzzzz", "there is no-lost-ack, client-finishes");
	timeline_close(t);
}

static void what_is_written_is_read_back(void)
{
	struct timeline *t = open_stored();
	uint64_t end = timeline_end_icount(t);
	struct buf text = {0};
	bool good = true;
	for (uint64_t icount = 0; icount <= end; icount += end / 977 + 1) {
		struct moment m = {icount, timeline_at_icount(t, icount)}, back = {0};
		buf_clear(&text);
		moment_write(t, &m, &text);
		good &= moment_parse(t, text.data, &back, NULL) && back.icount == m.icount && back.event == m.event;
	}
	for (size_t i = 0; i < timeline_count(t); i++) {
		struct moment m = moment_of_event(t, i), back = {0};
		buf_clear(&text);
		moment_write(t, &m, &text);
		good &= moment_parse(t, text.data, &back, NULL) && back.event == i;
	}
	CU_ASSERT_TRUE(good);
	buf_free(&text);
	timeline_close(t);
}

struct offers {
	const struct timeline *t;
	size_t count;
	bool good;
};

static void take(void *data, const char *text)
{
	struct offers *o = data;
	struct moment m;
	o->count++;
	o->good &= moment_parse(o->t, text, &m, NULL);
}

static void what_is_offered_is_understood(void)
{
	struct timeline *t = open_stored();
	struct offers o = {t, 0, true};
	moment_complete(t, "", take, &o);
	CU_ASSERT_TRUE(o.good);
	CU_ASSERT_TRUE(o.count > 10);
	o.count = 0;
	moment_complete(t, "ev:", take, &o);
	CU_ASSERT_EQUAL(o.count, 300);
	o.count = 0;
	moment_complete(t, "fault:kill#1.a", take, &o);
	CU_ASSERT_EQUAL(o.count, 1);
	o.count = 0;
	moment_complete(t, "prop:no-", take, &o);
	CU_ASSERT_EQUAL(o.count, 2);
	CU_ASSERT_TRUE(o.good);
	timeline_close(t);
}

static void a_run_without_events_has_moments_too(void)
{
	struct made m;
	made_init(&m, ".incomplete-run");
	struct timeline *t = timeline_open(m.path, NULL);
	is_event(t, "begin", TIMELINE_NONE);
	is_event(t, "end", TIMELINE_NONE);
	is_event(t, "0", TIMELINE_NONE);
	refused(t, "ev:1", "there is no event 1");
	refused(t, "fault:kill#1", "this run has none");
	refused(t, "prop:x", "has no verdicts");
	timeline_close(t);
	made_finish(&m);
}

const struct test suite_moment[] = {
	{"every form is understood", every_form_is_understood},
	{"between two events the count stays", between_two_events_the_count_stays},
	{"mistakes are explained", mistakes_are_explained},
	{"what is written is read back", what_is_written_is_read_back},
	{"what is offered is understood", what_is_offered_is_understood},
	{"a run without events has moments too", a_run_without_events_has_moments_too},
	{0},
};
