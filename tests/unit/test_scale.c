#include "engine/lanes.h"
#include "made.h"

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Bursts of events with long pauses between them. */
static struct timeline *open_bursts(struct made *m, size_t count)
{
	uint32_t state = 5;
	uint64_t now = 3, icount = 5;
	made_init(m, "run");
	for (size_t i = 0; i < count; i++) {
		now += random_next(&state) % 40 == 0 ? 1000000 + random_next(&state) * 50 : random_next(&state) % 3000;
		icount += random_next(&state) % 500;
		made_line(m, icount, now, "n", "x");
	}
	made_events(m);
	return timeline_open(m->path, NULL);
}

/* Pieces and columns cover the window; every event of it is in the column that its value belongs to. */
static bool is_sound(const struct timeline *t, const struct scale *s)
{
	int column = 0;
	bool good = s->pieces[0].from == s->window.from && s->pieces[s->piece_count - 1].to == s->window.to;
	for (size_t i = 0; i < s->piece_count; i++) {
		const struct scale_piece *p = &s->pieces[i];
		good &= p->column == column && p->columns > 0 && p->from <= p->to && p->folded == i % 2;
		good &= i == 0 || p->from == s->pieces[i - 1].to + 1 || p->from == s->pieces[i - 1].to;
		column += p->columns;
		for (size_t e = 0; e < timeline_count(t); e++) {
			uint64_t value = scale_value(t, s->window.axis, e);
			if (value < p->from || value > p->to)
				continue;
			good &= !p->folded && scale_column(s, e) == scale_piece_column(p, value);
		}
	}
	for (int c = 0; c < s->columns; c++)
		good &= s->first[c] <= s->first[c + 1];
	for (size_t e = 0; e < timeline_count(t); e++) {
		uint64_t value = scale_value(t, s->window.axis, e);
		int at = scale_column(s, e);
		good &= value < s->window.from ? at == -1 : value > s->window.to ? at == s->columns : at >= 0 && at < s->columns;
	}
	return good && column == s->columns;
}

static void every_event_is_in_its_column(void)
{
	struct made m;
	struct timeline *t = open_bursts(&m, 300);
	uint32_t state = 1;
	bool good = true, folded = false;
	for (int round = 0; round < 600; round++) {
		enum lanes_axis axis = (enum lanes_axis)(round % 3);
		struct lanes_window w = lanes_whole(t, axis);
		if (round >= 100) {
			size_t a = random_next(&state) % 300, b = random_next(&state) % 300;
			w.from = scale_value(t, axis, a < b ? a : b);
			w.to = scale_value(t, axis, a < b ? b : a) + random_next(&state) % 3;
		}
		struct scale s;
		scale_init(&s, t, w, 1 + (int)(random_next(&state) % 300), round % 5 != 0);
		good &= is_sound(t, &s);
		folded |= s.piece_count > 1;
		scale_finish(&s);
	}
	CU_ASSERT_TRUE(good);
	CU_ASSERT_TRUE(folded);
	timeline_close(t);
	made_finish(&m);
}

static void extremes(void)
{
	struct made m;
	struct scale s;
	made_init(&m, "run");
	made_line(&m, 0, 0, "n", "x");
	made_line(&m, UINT64_MAX, UINT64_MAX, "n", "x");
	made_events(&m);
	struct timeline *t = timeline_open(m.path, NULL);
	for (int axis = 0; axis < 3; axis++)
		for (int columns = 1; columns < 200; columns += 33) {
			scale_init(&s, t, lanes_whole(t, (enum lanes_axis)axis), columns, true);
			CU_ASSERT_TRUE(is_sound(t, &s));
			scale_finish(&s);
			scale_init(&s, t, lanes_whole(t, (enum lanes_axis)axis), columns, false);
			CU_ASSERT_EQUAL(scale_column(&s, 0), 0);
			CU_ASSERT_EQUAL(scale_column(&s, 1), columns == 1 ? 0 : axis == LANES_EVENT ? columns / 2 : columns - 1);
			CU_ASSERT_TRUE(scale_step(&s, 12) > 0);
			scale_finish(&s);
		}
	scale_init(&s, t, lanes_whole(t, LANES_VTIME), 0, true);
	CU_ASSERT_EQUAL(scale_column(&s, 0), -1);
	scale_finish(&s);
	timeline_close(t);
	made_finish(&m);
}

static void values_are_short(void)
{
	static const struct {
		enum lanes_axis axis;
		uint64_t value;
		const char *text;
	} cases[] = {{LANES_VTIME, 0, "0s"}, {LANES_VTIME, 1500000000, "1.5s"}, {LANES_VTIME, 20000000, "20ms"},
		{LANES_VTIME, 1001, "1.001us"}, {LANES_VTIME, 7, "7ns"}, {LANES_ICOUNT, 0, "0"},
		{LANES_ICOUNT, 200000000, "200M"}, {LANES_ICOUNT, 1250, "1.25k"}, {LANES_EVENT, 16, "17"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf text = {0};
		scale_put_value(cases[i].axis, cases[i].value, &text);
		CU_ASSERT_STRING_EQUAL(text.data, cases[i].text);
		buf_free(&text);
	}
}

/* -- windows -- */

static bool inside(const struct timeline *t, struct lanes_window w)
{
	struct lanes_window whole = lanes_whole(t, w.axis);
	return w.from <= w.to && w.to <= whole.to;
}

static void zooming_in_and_out_stays_inside_and_around_the_event(void)
{
	struct made m;
	struct timeline *t = open_bursts(&m, 300);
	bool good = true;
	for (int axis = 0; axis < 3; axis++)
		for (size_t event = 0; event < 300; event += 23) {
			struct lanes_window w = lanes_whole(t, (enum lanes_axis)axis);
			uint64_t value = scale_value(t, w.axis, event);
			for (int i = 0; i < 60; i++) {
				struct lanes_window before = w;
				w = lanes_zoom(t, w, event, 0.5);
				good &= inside(t, w) && w.to - w.from <= before.to - before.from;
				good &= value + 1 >= w.from && value <= w.to + 1; /* to the rounding */
			}
			good &= w.to - w.from <= 1;
			for (int i = 0; i < 60; i++)
				w = lanes_zoom(t, w, event, 2);
			good &= w.from == 0 && w.to == lanes_whole(t, w.axis).to;
		}
	CU_ASSERT_TRUE(good);
	timeline_close(t);
	made_finish(&m);
}

static void moving_stops_at_the_ends(void)
{
	struct made m;
	struct timeline *t = open_bursts(&m, 300);
	struct lanes_window w = {LANES_EVENT, 100, 119};
	struct lanes_window right = lanes_move(t, w, 1), left = lanes_move(t, w, -0.5);
	CU_ASSERT_EQUAL(right.from, 120);
	CU_ASSERT_EQUAL(right.to, 139);
	CU_ASSERT_EQUAL(left.from, 90);
	CU_ASSERT_EQUAL(left.to, 109);
	CU_ASSERT_EQUAL(lanes_move(t, w, -100).from, 0);
	CU_ASSERT_EQUAL(lanes_move(t, w, -100).to, 19);
	CU_ASSERT_EQUAL(lanes_move(t, w, 100).to, 299);
	CU_ASSERT_EQUAL(lanes_move(t, w, 100).from, 280);
	timeline_close(t);
	made_finish(&m);
}

static void revealing_moves_as_little_as_needed(void)
{
	struct made m;
	struct timeline *t = open_bursts(&m, 300);
	struct lanes_window w = {LANES_EVENT, 100, 119};
	CU_ASSERT_EQUAL(lanes_reveal(t, w, 110).from, 100);
	CU_ASSERT_EQUAL(lanes_reveal(t, w, 99).from, 99);
	CU_ASSERT_EQUAL(lanes_reveal(t, w, 99).to, 118);
	CU_ASSERT_EQUAL(lanes_reveal(t, w, 125).to, 125);
	CU_ASSERT_EQUAL(lanes_reveal(t, w, 125).from, 106);
	CU_ASSERT_EQUAL(lanes_reveal(t, w, TIMELINE_NONE).from, 100);
	timeline_close(t);
	made_finish(&m);
}

static void another_axis_shows_the_same_events(void)
{
	struct made m;
	struct timeline *t = open_bursts(&m, 300);
	struct lanes_window w = {LANES_EVENT, 40, 80};
	struct lanes_window time = lanes_convert(t, w, LANES_VTIME), back = lanes_convert(t, time, LANES_EVENT);
	CU_ASSERT_EQUAL(time.from, timeline_entries(t)[40].vtime_ns);
	CU_ASSERT_EQUAL(time.to, timeline_entries(t)[80].vtime_ns);
	CU_ASSERT_EQUAL(back.from, 40);
	CU_ASSERT_EQUAL(back.to, 80);
	struct lanes_window whole = lanes_convert(t, lanes_whole(t, LANES_VTIME), LANES_ICOUNT);
	CU_ASSERT_EQUAL(whole.from, 0);
	CU_ASSERT_EQUAL(whole.to, timeline_end_icount(t));
	/* Between two events there is none; the one before it is shown. */
	struct lanes_window empty = {LANES_VTIME, 0, 1};
	CU_ASSERT_EQUAL(lanes_convert(t, empty, LANES_EVENT).from, 0);
	timeline_close(t);
	made_finish(&m);
}

const struct test suite_scale[] = {
	{"every event is in its column", every_event_is_in_its_column},
	{"extremes", extremes},
	{"values are short", values_are_short},
	{"zooming in and out stays inside and around the event", zooming_in_and_out_stays_inside_and_around_the_event},
	{"moving stops at the ends", moving_stops_at_the_ends},
	{"revealing moves as little as needed", revealing_moves_as_little_as_needed},
	{"another axis shows the same events", another_axis_shows_the_same_events},
	{0},
};
