#include "engine/search.h"
#include "made.h"

static void fill(struct made *m)
{
	made_start(m, 1, 1);
	made_line(m, 2, 2, "client", "acked 1");
	made_line(m, 3, 3, "client", "Acked 2 \"quoted\" back\\slash\ttab");
	made_line(m, 4, 4, "server", "seq icount text");
	made_event(m, 5, 5,
		(struct event){
			.kind = EVENT_IO_LINE, .node = "client", .invocation = 1, .line = 9, .text = {"\xff hexed ACKED", 13}});
	made_fault(m, 6, 6, EVENT_FAULT_APPLIED, "server", "kill#1");
	made_exit(m, 7, 7, "server", true, 9);
	made_line(m, 8, 8, "client", "gr\xc3\xbc\xc3\x9f gott");
	made_end(m, 9, 9);
}

struct fixture {
	struct made made;
	struct timeline *t;
};

static void set_up(struct fixture *f)
{
	made_init(&f->made, "run");
	fill(&f->made);
	made_events(&f->made);
	f->t = timeline_open(f->made.path, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->t);
}

static void tear_down(struct fixture *f)
{
	timeline_close(f->t);
	made_finish(&f->made);
}

/* Bit i: event i + 1 was found. Each must be found once, in order. */
static unsigned hits(const struct timeline *t, const char *text, size_t from, bool backward, size_t budget)
{
	struct search *s = search_create(t, text, from, backward, NULL, NULL);
	unsigned found = 0;
	size_t at, last = TIMELINE_NONE;
	enum search_result result;
	while ((result = search_step(s, budget, &at, NULL)) != SEARCH_END) {
		CU_ASSERT_NOT_EQUAL_FATAL(result, SEARCH_FAILED);
		if (result != SEARCH_FOUND)
			continue;
		CU_ASSERT_TRUE(last == TIMELINE_NONE || (backward ? at < last : at > last));
		last = at;
		found |= 1u << at;
	}
	CU_ASSERT_EQUAL(search_position(s), TIMELINE_NONE);
	search_destroy(s);
	return found;
}

static void values_are_searched_and_nothing_else(void)
{
	static const struct {
		const char *text;
		unsigned hits;
	} cases[] = {
		{"acked", 1u << 1 | 1u << 2 | 1u << 4}, /* also where the text stands as hex digits */
		{"Acked", 1u << 2},
		{"ACKED", 1u << 4},
		{"acked 1", 1u << 1},
		{"\"quoted\" back\\slash\t", 1u << 2},
		{"\xff hex", 1u << 4},
		{"gr\xc3\xbc\xc3\x9f", 1u << 7},
		{"seq", 1u << 3},
		{"icount", 1u << 3},
		{"\"seq\"", 0},
		{"kill", 1u << 5 | 1u << 6}, /* kill#1 and SIGKILL */
		{"sigkill", 1u << 6},
		{"node.exited", 1u << 6},
		{"client", 1u << 1 | 1u << 2 | 1u << 4 | 1u << 7},
		{"done", 1u << 8},
		{"not there", 0},
	};
	struct fixture f;
	set_up(&f);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned forward = hits(f.t, cases[i].text, TIMELINE_NONE, false, 1);
		if (forward != cases[i].hits)
			printf("\n    '%s' is found in %x, expected %x\n", cases[i].text, forward, cases[i].hits);
		CU_ASSERT_EQUAL(forward, cases[i].hits);
		CU_ASSERT_EQUAL(hits(f.t, cases[i].text, TIMELINE_NONE, true, 1000000), cases[i].hits);
	}
	tear_down(&f);
}

static void it_starts_beside_an_event(void)
{
	struct fixture f;
	set_up(&f);
	CU_ASSERT_EQUAL(hits(f.t, "client", 2, false, 1), 1u << 4 | 1u << 7);
	CU_ASSERT_EQUAL(hits(f.t, "client", 4, true, 1), 1u << 1 | 1u << 2);
	CU_ASSERT_EQUAL(hits(f.t, "client", 0, true, 1), 0);
	CU_ASSERT_EQUAL(hits(f.t, "client", 8, false, 1), 0);
	CU_ASSERT_EQUAL(hits(f.t, "client", 100, false, 1), 0);
	tear_down(&f);
}

static void filters_hold(void)
{
	struct fixture f;
	size_t at;
	set_up(&f);
	struct timeline_filter filter = {.kinds = 1ull << EVENT_NODE_EXITED};
	struct search *s = search_create(f.t, "kill", TIMELINE_NONE, false, &filter, NULL);
	CU_ASSERT_EQUAL(search_step(s, 1000000, &at, NULL), SEARCH_FOUND);
	CU_ASSERT_EQUAL(at, 6);
	CU_ASSERT_EQUAL(search_step(s, 1000000, &at, NULL), SEARCH_END);
	search_destroy(s);
	tear_down(&f);
}

static void bad_texts_are_refused(void)
{
	struct fixture f;
	struct err err = {0};
	char text[SEARCH_TEXT_MAX + 2];
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	set_up(&f);
	CU_ASSERT_PTR_NULL(search_create(f.t, "", TIMELINE_NONE, false, NULL, &err));
	CU_ASSERT_EQUAL(err.code, ERR_USAGE);
	CU_ASSERT_PTR_NULL(search_create(f.t, text, TIMELINE_NONE, false, NULL, &err));
	text[SEARCH_TEXT_MAX] = '\0';
	CU_ASSERT_EQUAL(hits(f.t, text, TIMELINE_NONE, false, 1), 0);
	tear_down(&f);
}

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Against looking at every event, with texts from a small alphabet so that there are many near misses. */
static void it_finds_what_looking_at_every_event_finds(void)
{
	enum { LINES = 3000 };
	struct made m;
	uint32_t state = 7;
	char(*lines)[24] = mem_array(LINES, sizeof *lines);
	made_init(&m, "run");
	for (int i = 0; i < LINES; i++) {
		size_t size = random_next(&state) % 20;
		for (size_t k = 0; k < size; k++)
			lines[i][k] = "abAB"[random_next(&state) % 4];
		made_line(&m, (uint64_t)i, (uint64_t)i, "z", lines[i]);
	}
	made_events(&m);
	struct timeline *t = timeline_open(m.path, NULL);
	for (int round = 0; round < 40; round++) {
		char text[8] = {0};
		bool capital = false;
		for (size_t k = 0; k < 1 + (size_t)round % 6; k++) {
			text[k] = "abAB"[random_next(&state) % (round % 2 ? 4 : 2)];
			capital |= text[k] < 'a';
		}
		struct search *s = search_create(t, text, TIMELINE_NONE, round % 3 == 0, NULL, NULL);
		size_t expected = 0, found = 0, at;
		for (int i = 0; i < LINES; i++)
			expected += (capital ? strstr(lines[i], text) : strcasestr(lines[i], text)) != NULL;
		enum search_result result;
		while ((result = search_step(s, 5000, &at, NULL)) != SEARCH_END)
			found += result == SEARCH_FOUND;
		CU_ASSERT_EQUAL(found, expected);
		search_destroy(s);
	}
	timeline_close(t);
	free(lines);
	made_finish(&m);
}

const struct test suite_search[] = {
	{"values are searched and nothing else", values_are_searched_and_nothing_else},
	{"it starts beside an event", it_starts_beside_an_event},
	{"filters hold", filters_hold},
	{"bad texts are refused", bad_texts_are_refused},
	{"it finds what looking at every event finds", it_finds_what_looking_at_every_event_finds},
	{0},
};
