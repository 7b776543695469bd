#include "engine/diff.h"
#include "made.h"

static struct timeline *open_run(const char *path)
{
	struct err err = {0};
	struct timeline *t = timeline_open(path, &err);
	if (!t)
		CU_FAIL_FATAL(err.text);
	return t;
}

static bool has(const char *text, const char *part)
{
	if (!strstr(text, part))
		printf("\n    '%s' is not in:\n%s\n", part, text);
	return strstr(text, part) != NULL;
}

/* Hunks cover both, alternate, and what they call the same has equal gists. */
static bool is_sound(const struct diff *d, const struct timeline *a, const struct timeline *b)
{
	size_t at_a = 0, at_b = 0;
	bool good = true;
	for (size_t i = 0; i < d->hunk_count; i++) {
		const struct diff_hunk *h = &d->hunks[i];
		good &= h->a == at_a && h->b == at_b && (i == 0 || h->same != d->hunks[i - 1].same);
		for (size_t k = 0; h->same && k < h->a_count; k++)
			good &= timeline_entries(a)[h->a + k].gist == timeline_entries(b)[h->b + k].gist;
		good &= !h->same || h->a_count == h->b_count;
		at_a += h->a_count;
		at_b += h->b_count;
	}
	return good && at_a == timeline_count(a) && at_b == timeline_count(b);
}

static void one_run_with_itself(void)
{
	struct timeline *t = open_run("tests/screens/runs/fail");
	struct diff *d = diff_create(t, t, NULL, NULL, NULL);
	CU_ASSERT_TRUE(d->identical);
	CU_ASSERT_TRUE(d->same_plan && d->same_seed && d->same_scenario && d->same_events);
	CU_ASSERT_EQUAL(d->first, TIMELINE_NONE);
	CU_ASSERT_EQUAL(d->hunk_count, 1);
	CU_ASSERT_EQUAL(d->choice_count, 0);
	CU_ASSERT_EQUAL(strncmp(d->headline, "identical: 300 events, verdict fail, seed 42", 30), 0);
	CU_ASSERT_STRING_EQUAL(d->story, "");
	CU_ASSERT_EQUAL(diff_next(d, 0), 1);
	diff_destroy(d);
	timeline_close(t);
}

static void two_seeds(void)
{
	struct timeline *a = open_run("tests/screens/runs/fail"), *b = open_run("tests/screens/runs/other");
	struct diff *d = diff_create(a, b, NULL, NULL, NULL);
	CU_ASSERT_FALSE(d->identical);
	CU_ASSERT_TRUE(d->same_scenario);
	CU_ASSERT_FALSE(d->same_seed || d->same_plan || d->same_events);
	CU_ASSERT_TRUE(is_sound(d, a, b));
	CU_ASSERT_TRUE(has(d->headline, "differ: seed 42 and seed 43: they diverge at event 63"));
	CU_ASSERT_EQUAL(d->first, 62);
	CU_ASSERT_TRUE(has(d->story, "A     ev 63     t 0.485  server  fault.selected  kill#1"));
	CU_ASSERT_TRUE(has(d->story, "plan: A has seed 42, B has seed 43; 8 choices differ"));
	CU_ASSERT_TRUE(has(d->story, "most likely because of kill#1:"));
	CU_ASSERT_TRUE(has(d->story, "kill#1.after.lines: A 16 of 10..58, B 30 of 10..58 (scenario.yaml:18:48)"));
	CU_ASSERT_TRUE(has(d->story, "kill#3.after.lines: A has no such choice"));
	CU_ASSERT_EQUAL(d->fault_count, 5);
	CU_ASSERT_TRUE(d->faults[0].differs);
	CU_ASSERT_EQUAL(d->faults[4].a, -1);
	CU_ASSERT_EQUAL(d->property_count, 4);
	diff_destroy(d);
	timeline_close(a);
	timeline_close(b);
}

static void partners(void)
{
	struct timeline *a = open_run("tests/screens/runs/fail"), *b = open_run("tests/screens/runs/other");
	struct diff *d = diff_create(a, b, NULL, NULL, NULL);
	bool exact, good = true;
	size_t before = 0;
	for (size_t i = 0; i < timeline_count(a); i++) {
		size_t other = diff_to_b(d, i, &exact);
		good &= other != TIMELINE_NONE && other >= before;
		good &= !exact || diff_to_a(d, other, NULL) == i;
		before = other;
	}
	CU_ASSERT_TRUE(good);
	CU_ASSERT_EQUAL(diff_to_b(d, 61, &exact), 61);
	CU_ASSERT_TRUE(exact);
	CU_ASSERT_EQUAL(diff_to_b(d, 62, &exact), 61);
	CU_ASSERT_FALSE(exact);
	size_t first = diff_next(d, 0);
	CU_ASSERT_EQUAL(first, 1);
	CU_ASSERT_EQUAL(diff_hunk_of(d, 0, 62), first);
	CU_ASSERT_EQUAL(diff_prev(d, first), d->hunk_count);
	CU_ASSERT_EQUAL(diff_prev(d, diff_next(d, first)), first);
	CU_ASSERT_EQUAL(diff_next(d, d->hunk_count - 1), d->hunk_count);
	diff_destroy(d);
	timeline_close(a);
	timeline_close(b);
}

/* Two hand-made runs, compared; both are closed again. */
struct pair {
	struct made a, b;
	struct timeline *ta, *tb;
	struct diff *d;
};

static void pair_open(struct pair *p)
{
	made_events(&p->a);
	made_events(&p->b);
	p->ta = open_run(p->a.path);
	p->tb = open_run(p->b.path);
	p->d = diff_create(p->ta, p->tb, NULL, NULL, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p->d);
	CU_ASSERT_TRUE(is_sound(p->d, p->ta, p->tb));
}

static void pair_close(struct pair *p)
{
	diff_destroy(p->d);
	timeline_close(p->ta);
	timeline_close(p->tb);
	made_finish(&p->a);
	made_finish(&p->b);
}

static void an_inserted_line_does_not_shift_the_rest(void)
{
	struct pair p;
	made_init(&p.a, "run");
	made_init(&p.b, "run");
	for (uint64_t i = 0; i < 20; i++) {
		char text[16];
		snprintf(text, sizeof text, "line %u", (unsigned)i);
		made_line(&p.a, i * 10, i, "n", text);
		if (i == 7)
			made_line(&p.b, i * 10, i, "n", "inserted");
		made_line(&p.b, i * 10 + 1, i, "n", text); /* from here on with other line numbers */
	}
	pair_open(&p);
	CU_ASSERT_EQUAL(p.d->hunk_count, 3);
	CU_ASSERT_EQUAL(p.d->hunks[1].a_count, 0);
	CU_ASSERT_EQUAL(p.d->hunks[1].b_count, 1);
	CU_ASSERT_EQUAL(p.d->first, 7);
	CU_ASSERT_EQUAL(p.d->first_icount, 0);
	CU_ASSERT_TRUE(has(p.d->story, "at other instruction counts from the start"));
	CU_ASSERT_TRUE(has(p.d->story, "plan: neither has one"));
	pair_close(&p);
}

static void same_words_at_other_times_are_not_identical(void)
{
	struct pair p;
	made_init(&p.a, "run");
	made_init(&p.b, "run");
	made_line(&p.a, 10, 1, "n", "x");
	made_line(&p.b, 10, 1, "n", "x");
	made_line(&p.a, 20, 2, "n", "y");
	made_line(&p.b, 21, 2, "n", "y");
	pair_open(&p);
	CU_ASSERT_FALSE(p.d->identical);
	CU_ASSERT_TRUE(p.d->same_events);
	CU_ASSERT_EQUAL(p.d->first_icount, 1);
	CU_ASSERT_STRING_EQUAL(p.d->headline, "differ: the same plan and events, but at other instruction counts");
	pair_close(&p);
}

static void one_that_ends_early(void)
{
	struct pair p;
	made_init(&p.a, ".incomplete-run");
	made_init(&p.b, ".incomplete-run");
	made_line(&p.a, 10, 1, "n", "x");
	made_line(&p.b, 10, 1, "n", "x");
	made_line(&p.b, 20, 2, "n", "y");
	pair_open(&p);
	CU_ASSERT_EQUAL(p.d->first, 1);
	CU_ASSERT_TRUE(has(p.d->story, "A     has no more events"));
	pair_close(&p);
	made_init(&p.a, ".incomplete-run");
	made_init(&p.b, ".incomplete-run");
	pair_open(&p);
	CU_ASSERT_EQUAL(p.d->hunk_count, 0);
	CU_ASSERT_TRUE(p.d->identical);
	CU_ASSERT_EQUAL(diff_to_b(p.d, 0, NULL), TIMELINE_NONE);
	pair_close(&p);
}

static void a_number_that_counts(void)
{
	struct pair p;
	made_init(&p.a, "run");
	made_init(&p.b, "run");
	made_event(&p.a, 1, 1, (struct event){.kind = EVENT_NODE_STARTED, .node = "n", .invocation = 1, .pid = 5});
	made_event(&p.b, 1, 1, (struct event){.kind = EVENT_NODE_STARTED, .node = "n", .invocation = 1, .pid = 6});
	pair_open(&p);
	CU_ASSERT_FALSE(p.d->same_events);
	CU_ASSERT_EQUAL(p.d->first, 0);
	CU_ASSERT_EQUAL(p.d->hunk_count, 1);
	CU_ASSERT_TRUE(has(p.d->story, "but for a number that counts"));
	pair_close(&p);
}

static bool always(void *data)
{
	++*(int *)data;
	return true;
}

static void it_can_be_cancelled(void)
{
	struct timeline *a = open_run("tests/screens/runs/fail"), *b = open_run("tests/screens/runs/other");
	struct err err = {0};
	int asked = 0;
	CU_ASSERT_PTR_NULL(diff_create(a, b, always, &asked, &err));
	CU_ASSERT_EQUAL(err.code, ERR_CANCELLED);
	CU_ASSERT_TRUE(asked > 0);
	timeline_close(a);
	timeline_close(b);
}

const struct test suite_diff[] = {
	{"one run with itself", one_run_with_itself},
	{"two seeds", two_seeds},
	{"partners", partners},
	{"an inserted line does not shift the rest", an_inserted_line_does_not_shift_the_rest},
	{"same words at other times are not identical", same_words_at_other_times_are_not_identical},
	{"one that ends early", one_that_ends_early},
	{"a number that counts", a_number_that_counts},
	{"it can be cancelled", it_can_be_cancelled},
	{0},
};
