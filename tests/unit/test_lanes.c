#include "engine/lanes.h"
#include "made.h"

static const char scenario[] = "polecat: 1\n"
			       "name: made\n"
			       "about: For tests.\n"
			       "nodes:\n"
			       "  server: {workload: {binary: p}, command: [/p], restart: after-fault}\n"
			       "  client-of-a-long-name: {workload: {binary: p}, command: [/p]}\n"
			       "faults:\n"
			       "  - {kill: server, times: 2, after: {lines: 2, of: client-of-a-long-name}}\n"
			       "  - {stop: server, times: 1, for: 50ms, after: {lines: 900, of: server}}\n"
			       "properties:\n"
			       "  - {id: p, never: {node: server, line: 'panic'}}\n";

#define PROPERTY(id, verdict, at) \
	"{\"id\":\"" id "\",\"type\":\"never\",\"verdict\":\"" verdict "\",\"decided_at\":" at \
	",\"evaluations\":1,\"why\":\"\",\"witnesses\":[],\"margin\":null,\"line\":1,\"column\":1}"

#define MS 1000000u

static struct event started(const char *node, uint64_t invocation)
{
	return (struct event){.kind = EVENT_NODE_STARTED, .node = node, .invocation = invocation, .pid = 70};
}

/* A start, lines, a kill that heals, one that is rejected, an idle time, a stop that lasts to the end. */
static void fill(struct made *m)
{
	const char *client = "client-of-a-long-name";
	made_start(m, 1000, 1 * MS);
	made_event(m, 2000, 2 * MS, started("server", 1));
	made_event(m, 3000, 4 * MS, (struct event){.kind = EVENT_NODE_READY, .node = "server", .invocation = 1});
	made_event(m, 4000, 6 * MS, started(client, 1));
	for (uint64_t i = 0; i < 20; i++)
		made_line(m, 5000 + i * 1000, (10 + i * (i % 3)) * MS, client, "line");
	made_event(m, 30000, 50 * MS,
		(struct event){
			.kind = EVENT_IO_LINE, .node = client, .invocation = 1, .line = 30, .is_stderr = true, .text = {"e", 1}});
	made_fault(m, 31000, 60 * MS, EVENT_FAULT_SELECTED, "server", "kill#1");
	made_fault(m, 32000, 62 * MS, EVENT_FAULT_APPLIED, "server", "kill#1");
	made_exit(m, 33000, 63 * MS, "server", true, 9);
	made_fault(m, 34000, 66 * MS, EVENT_FAULT_OBSERVED, "server", "kill#1");
	made_fault(m, 35000, 70 * MS, EVENT_FAULT_SELECTED, "server", "kill#2");
	made_fault(m, 36000, 71 * MS, EVENT_FAULT_REJECTED, "server", "kill#2");
	made_event(m, 37000, 90 * MS, started("server", 2));
	made_fault(m, 38000, 92 * MS, EVENT_FAULT_HEALED, "server", "kill#1");
	made_line(m, 39000, 100 * MS, "server", "again");
	made_line(m, 40000, 900 * MS, "server", "after an idle time");
	made_fault(m, 41000, 910 * MS, EVENT_FAULT_SELECTED, "server", "stop#1");
	made_fault(m, 42000, 912 * MS, EVENT_FAULT_APPLIED, "server", "stop#1");
	made_exit(m, 43000, 950 * MS, client, false, 2);
	made_end(m, 44000, 1000 * MS);
}

static struct timeline *open_filled(struct made *m)
{
	struct err err = {0};
	made_init(m, "run");
	fill(m);
	made_events(m);
	made_plan(m, scenario, 1);
	made_text(m, "properties.json",
		"{\"polecat_properties\":1,\"verdict\":\"fail\",\"properties\":[" PROPERTY("early", "pass", "5") "," PROPERTY(
			"no-lost-ack", "fail", "35") "," PROPERTY("never-seen", "unexercised", "0") "," PROPERTY("vague",
			"unknown", "30") "]}\n");
	struct timeline *t = timeline_open(m->path, &err);
	if (!t)
		CU_FAIL_FATAL(err.text);
	return t;
}

static void drawn(const struct timeline *t, struct lanes_options o, const char *expected, const char *expected_roles)
{
	struct lanes *l = lanes_create(t, &o);
	struct buf text = {0}, roles = {0};
	lanes_text(l, &text);
	lanes_roles(l, &roles);
	if (strcmp(text.data, expected) != 0)
		printf("\n%s", text.data);
	CU_ASSERT_STRING_EQUAL(text.data, expected);
	if (expected_roles && strcmp(roles.data, expected_roles) != 0)
		printf("\n%s", roles.data);
	if (expected_roles)
		CU_ASSERT_STRING_EQUAL(roles.data, expected_roles);
	buf_free(&text);
	buf_free(&roles);
	lanes_destroy(l);
}

static void by_time_with_the_idle_time_folded(void)
{
	struct made m;
	struct timeline *t = open_filled(&m);
	drawn(t, (struct lanes_options){.window = lanes_whole(t, LANES_VTIME), .width = 80, .ascii = true, .playhead = 20},
		"+--------------++0s----------+50ms-----------800ms--+900ms-------+950ms--------+\n"
		"| faults       |          |     [*------]kill#1    ~  o[stop#1-----------------|\n"
		"|              |          |       oxkill#2 ~       ~                           |\n"
		"| server       |SR        |      K      S .~       ~.                          |\n"
		"| client-of-a~ | S:: : :: :: ,             ~       ~             X             |\n"
		"| props        |  v       |       ?        ~       ~X no-lost-ack             0|\n"
		"+--------------+----------^----------------------------------------------------+\n",
		"ffffffffffffffffaaaffffffffffaaaaafffffffffffgggggffaaaaaafffffffaaaaaafffffffff\n"
		"f llllll       f          h     EEFFFFFFEFFFFFF    g  EEFFFFFFFFFFFFFFFFFFFFFFFf\n"
		"f              f          h       EJFFFFFF g       g                           f\n"
		"f llllll       fsr        h      k      s og       go                          f\n"
		"f llllllllllll f soo o oo oo e             g       g             k             f\n"
		"f lllll        f  p       h       u        g       gX XXXXXXXXXXX             uf\n"
		"ffffffffffffffffffffffffffhfffffffffffffffffffffffffffffffffffffffffffffffffffff\n");
	timeline_close(t);
	made_finish(&m);
}

static void in_unicode(void)
{
	struct made m;
	struct timeline *t = open_filled(&m);
	drawn(t,
		(struct lanes_options){
			.window = lanes_whole(t, LANES_VTIME), .width = 80, .keep_gaps = true, .playhead = TIMELINE_NONE},
		"┌──────────────┬┬0s─────────┬200ms───────┬400ms──────┬600ms───────┬800ms───────┐\n"
		"│ faults       │   ├◆┤kill#1                                             ├─────│\n"
		"│              │    ⊘kill#2                                                    │\n"
		"│ server       │S  ✝ S·                                                 ·      │\n"
		"│ client-of-a… │S▂▃,                                                       X   │\n"
		"│ props        │✓   ?                                       no-lost-ack ✗     –│\n"
		"└──────────────┴───────────────────────────────────────────────────────────────┘\n",
		NULL);
	timeline_close(t);
	made_finish(&m);
}

static void by_event_one_column_each(void)
{
	struct made m;
	struct timeline *t = open_filled(&m);
	drawn(t, (struct lanes_options){.window = {LANES_EVENT, 20, 39}, .width = 58, .ascii = true, .playhead = 25},
		"+--------------+--------+25-------+30-------+35-------+40+\n"
		"| faults       |          o [---*kill#1-]     o [----    |\n"
		"|              |          |       o xkill#2              |\n"
		"| server       |          |   K       S   . .            |\n"
		"| client-of-a~ |. . . . , |                       X      |\n"
		"| props        |          |       ?         X       0    |\n"
		"+--------------+----------^------------------------------+\n",
		NULL);
	timeline_close(t);
	made_finish(&m);
}

static void narrow_and_low(void)
{
	struct made m;
	struct timeline *t = open_filled(&m);
	struct lanes_options o = {.window = lanes_whole(t, LANES_ICOUNT), .width = 24, .ascii = true, .playhead = 39};
	drawn(t, o,
		"+0----------------------\n"
		"                o[*-]\n"
		"                   x\n"
		"                      [-\n"
		" S               K  S:\n"
		"  S:::.:::::..  ,      X\n"
		"  v                ? X 0\n"
		"------------------------\n",
		NULL);
	o.height = 3;
	drawn(t, o,
		"                o[*x] [-\n"
		" S               K  S:\n"
		"  v                ? X 0\n",
		NULL);
	timeline_close(t);
	made_finish(&m);
}

/* Columns and events belong to each other, in pictures of every size. */
static void every_size(void)
{
	struct made m;
	struct timeline *t = open_filled(&m);
	bool good = true;
	for (int width = 1; width < 130; width++)
		for (int height = 0; height < 12; height++) {
			struct lanes_options o = {.window = lanes_whole(t, LANES_VTIME),
				.width = width,
				.height = height,
				.playhead = 30,
				.first_node = height % 3};
			struct lanes *l = lanes_create(t, &o);
			good &= l->width == width && (height == 0 || l->height <= height) && l->height > 0;
			for (int r = 0; r < l->height; r++)
				for (int c = 0; c < width; c++)
					good &= l->rows[r].cells[c].glyph >= ' ' && l->rows[r].cells[c].role < LANE_ROLE_COUNT;
			for (size_t e = 0; e < timeline_count(t); e++) {
				int column = lanes_column(l, e);
				good &= column >= l->left && column < l->left + l->columns && lanes_event(l, column) <= e;
			}
			good &= lanes_event(l, width) != TIMELINE_NONE && l->nodes_above + l->nodes_below <= 2;
			lanes_destroy(l);
		}
	CU_ASSERT_TRUE(good);
	timeline_close(t);
	made_finish(&m);
}

static void without_events_there_is_a_frame(void)
{
	struct made m;
	made_init(&m, ".incomplete-run");
	struct timeline *t = timeline_open(m.path, NULL);
	for (int width = 1; width < 60; width++) {
		struct lanes_options o = {.window = lanes_whole(t, LANES_VTIME), .width = width, .playhead = 5};
		struct lanes *l = lanes_create(t, &o);
		CU_ASSERT_EQUAL(lanes_column(l, 0), -1);
		CU_ASSERT_EQUAL(lanes_event(l, width), TIMELINE_NONE);
		lanes_destroy(l);
	}
	timeline_close(t);
	made_finish(&m);
}

const struct test suite_lanes[] = {
	{"by time, with the idle time folded", by_time_with_the_idle_time_folded},
	{"in unicode", in_unicode},
	{"by event, one column each", by_event_one_column_each},
	{"narrow and low", narrow_and_low},
	{"every size", every_size},
	{"without events there is a frame", without_events_there_is_a_frame},
	{0},
};
