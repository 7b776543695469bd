/* Lines and the text in them, with the bytes arriving in every way they can. */
#include <string.h>
#include "agent/stream.h"
#include "unit.h"

struct seen {
	size_t lines, holding; /* holding: number of the first line that holds the text, from 1 */
};

static void feed(struct stream *s, const char *data, size_t size, struct wire_bytes text, struct seen *seen)
{
	for (size_t at = 0; at < size;) {
		struct stream_part part = stream_next(s, (const uint8_t *)data + at, size - at, text);
		CU_ASSERT_FATAL(part.size > 0 && part.size <= size - at);
		CU_ASSERT_EQUAL(part.line, data[at + part.size - 1] == '\n');
		at += part.size;
		seen->lines += part.line;
		if (part.holds && !seen->holding)
			seen->holding = seen->lines;
	}
}

static void split_everywhere(const char *data, const char *text, size_t lines, size_t holding, bool open_line)
{
	struct wire_bytes wanted = {(const uint8_t *)text, strlen(text)};
	size_t size = strlen(data);
	for (size_t a = 0; a <= size; a++) {
		for (size_t b = a; b <= size; b++) {
			struct seen seen = {0};
			struct stream s;
			stream_init(&s);
			feed(&s, data, a, wanted, &seen);
			feed(&s, data + a, b - a, wanted, &seen);
			feed(&s, data + b, size - b, wanted, &seen);
			CU_ASSERT_EQUAL(seen.lines, lines);
			CU_ASSERT_EQUAL(seen.holding, holding);
			CU_ASSERT_EQUAL(s.open_line, open_line);
		}
	}
}

static void lines_are_counted_and_searched(void)
{
	split_everywhere("one\ntwo\nready to go\nrest", "ready", 3, 3, true);
	split_everywhere("one\ntwo\n", "o", 2, 1, false);
	split_everywhere("\n\n\n", "x", 3, 0, false);
	split_everywhere("aab\naaab\n", "aaab", 2, 2, false);
	split_everywhere("rea\ndy\nready", "ready", 2, 0, true); /* not over a newline, not before the line ends */
	split_everywhere("ababac\n", "abac", 1, 1, false);
	split_everywhere("abc", "", 0, 0, true);
}

/* One byte at a time, and a line far longer than what is kept of it. */
static void a_long_line_is_searched_to_its_end(void)
{
	struct stream s;
	struct seen seen = {0};
	struct wire_bytes text = {(const uint8_t *)"needle", 6};
	stream_init(&s);
	for (int i = 0; i < 10 * STREAM_TEXT_MAX; i++)
		feed(&s, "n", 1, text, &seen);
	for (const char *p = "needle\n"; *p; p++)
		feed(&s, p, 1, text, &seen);
	CU_ASSERT_EQUAL(seen.holding, 1);
	feed(&s, "n\n", 2, text, &seen);
	CU_ASSERT_EQUAL(seen.lines, 2);
}

static void the_longest_text_is_found(void)
{
	char line[2 * STREAM_TEXT_MAX + 1];
	struct wire_bytes text = {(const uint8_t *)line + 700, STREAM_TEXT_MAX};
	for (size_t i = 0; i < sizeof line - 1; i++)
		line[i] = (char)('a' + i * i % 23);
	line[sizeof line - 1] = '\n';
	for (size_t cut = 1; cut < sizeof line; cut++) {
		struct stream s;
		struct seen seen = {0};
		stream_init(&s);
		feed(&s, line, cut, text, &seen);
		feed(&s, line + cut, sizeof line - cut, text, &seen);
		CU_ASSERT_EQUAL(seen.holding, 1);
	}
}

const struct test suite_stream[] = {
	{"lines are counted and searched", lines_are_counted_and_searched},
	{"a long line is searched to its end", a_long_line_is_searched_to_its_end},
	{"the longest text is found", the_longest_text_is_found},
	{0},
};
