/* Where `next` and `prev` go in a run that is written by hand. */
#include "engine/moves.h"

#include "made.h"

struct fixture {
	struct made made;
	struct timeline *timeline;
};

/* Numbers of events from 0; two share a count. */
enum { START, HELLO, APPLIED, BYE, EXITED, LAST, END };

static void set_up(struct fixture *f)
{
	struct err err = {0};
	made_init(&f->made, "run");
	made_start(&f->made, 10, 1);
	made_line(&f->made, 20, 2, "client", "hello");
	made_fault(&f->made, 30, 3, EVENT_FAULT_APPLIED, "server", "kill#1");
	made_line(&f->made, 30, 3, "server", "bye");
	made_exit(&f->made, 40, 4, "server", true, 9);
	made_line(&f->made, 50, 5, "client", "hello again");
	made_end(&f->made, 60, 6);
	made_events(&f->made);
	f->timeline = timeline_open(f->made.path, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->timeline);
}

static void tear_down(struct fixture *f)
{
	timeline_close(f->timeline);
	made_finish(&f->made);
}

/* The event that the words find, or -1. */
static int find(const struct fixture *f, const char *words, uint64_t icount, bool backward)
{
	const char *list[4];
	char copy[64];
	size_t count = 0, event;
	struct moves_filter filter;
	struct err err = {0};
	snprintf(copy, sizeof copy, "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		list[count++] = word;
	CU_ASSERT_TRUE_FATAL(moves_parse(f->timeline, list, count, &filter, &err));
	if (moves_find(f->timeline, &filter, icount, backward, NULL, &event, &err))
		return (int)event;
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	return -1;
}

static void events_both_ways(void)
{
	struct fixture f;
	set_up(&f);
	CU_ASSERT_EQUAL(find(&f, "", 0, false), START);
	CU_ASSERT_EQUAL(find(&f, "", 10, false), HELLO);
	CU_ASSERT_EQUAL(find(&f, "event", 19, false), HELLO);
	CU_ASSERT_EQUAL(find(&f, "", 20, false), APPLIED);
	/* Both at 30 have happened there: on from 30 is behind both, back from 30 is before both. */
	CU_ASSERT_EQUAL(find(&f, "", 30, false), EXITED);
	CU_ASSERT_EQUAL(find(&f, "", 30, true), HELLO);
	CU_ASSERT_EQUAL(find(&f, "", 31, true), BYE);
	CU_ASSERT_EQUAL(find(&f, "", UINT64_MAX, true), END);
	/* Beyond the ends there is nothing. */
	CU_ASSERT_EQUAL(find(&f, "", 60, false), -1);
	CU_ASSERT_EQUAL(find(&f, "", 10, true), -1);
	CU_ASSERT_EQUAL(find(&f, "", 0, true), -1);
	tear_down(&f);
}

static void narrowed(void)
{
	struct fixture f;
	set_up(&f);
	CU_ASSERT_EQUAL(find(&f, "fault", 0, false), APPLIED);
	CU_ASSERT_EQUAL(find(&f, "fault", 30, false), -1);
	CU_ASSERT_EQUAL(find(&f, "kill#1", 60, true), APPLIED);
	CU_ASSERT_EQUAL(find(&f, "line", 20, false), BYE);
	CU_ASSERT_EQUAL(find(&f, "line client", 20, false), LAST);
	CU_ASSERT_EQUAL(find(&f, "server", 0, false), APPLIED);
	CU_ASSERT_EQUAL(find(&f, "node.exited", 0, false), EXITED);
	CU_ASSERT_EQUAL(find(&f, "line fault", 0, false), -1); /* nothing is both */
	CU_ASSERT_EQUAL(find(&f, "/again", 0, false), LAST);
	CU_ASSERT_EQUAL(find(&f, "/hello", 50, true), HELLO);
	CU_ASSERT_EQUAL(find(&f, "server /hello", 0, false), -1);
	CU_ASSERT_EQUAL(find(&f, "property", 0, false), -1);
	tear_down(&f);
}

static void mistakes(void)
{
	struct fixture f;
	struct err err = {0};
	struct moves_filter filter;
	struct cancel stop = {.fd = -1, .requested = true};
	const char *words[] = {"serverr"}, *text[] = {"/hello"};
	size_t event;
	set_up(&f);
	CU_ASSERT_FALSE(moves_parse(f.timeline, words, 1, &filter, &err));
	CU_ASSERT_EQUAL(err.code, ERR_USAGE);
	CU_ASSERT_EQUAL(strncmp(err.text, "'serverr' is no event: expected event, ", 38), 0);
	CU_ASSERT_TRUE(moves_parse(f.timeline, text, 1, &filter, &err));
	CU_ASSERT_FALSE(moves_find(f.timeline, &filter, 0, false, &stop, &event, &err));
	CU_ASSERT_EQUAL(err.code, ERR_CANCELLED);
	tear_down(&f);
}

const struct test suite_moves[] = {
	{"events both ways", events_both_ways},
	{"narrowed", narrowed},
	{"mistakes", mistakes},
	{0},
};
