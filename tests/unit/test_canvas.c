#include "tui/canvas.h"

#include <locale.h>
#include <stdlib.h>

#include "unit.h"

static struct canvas make(int width, int height)
{
	struct canvas c;
	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_init(&c, true);
	canvas_resize(&c, width, height);
	return c;
}

static void expect_row(const struct canvas *c, int row, const char *text)
{
	struct buf dump = {0};
	canvas_dump(c, &dump);
	const char *at = dump.data;
	for (int i = 0; i < row; i++)
		at = strchr(at, '\n') + 1;
	char *line = mem_strn(at, strcspn(at, "\n"));
	CU_ASSERT_STRING_EQUAL(line, text);
	free(line);
	buf_free(&dump);
}

static void cut_at_the_edge(void)
{
	struct canvas c = make(6, 1);
	struct pen p = pen_at(&c, canvas_all(&c), 0);
	pen_text(&p, ROLE_TEXT, "abcdefgh");
	pen_text(&p, ROLE_TEXT, "X");
	expect_row(&c, 0, "|abcdef");
	canvas_finish(&c);
}

static void wide_never_half(void)
{
	struct canvas c = make(4, 1);
	struct pen p = pen_at(&c, canvas_all(&c), 0);
	pen_text(&p, ROLE_TEXT, "abc\xe4\xb8\xad");
	expect_row(&c, 0, "|abc");
	p = pen_at(&c, canvas_all(&c), 0);
	pen_text(&p, ROLE_TEXT, "\xe4\xb8\xad\xe4\xb8\xad");
	p = pen_at(&c, (struct rect){1, 0, 2, 1}, 0);
	pen_text(&p, ROLE_TEXT, "xy");
	expect_row(&c, 0, "| xy");
	canvas_finish(&c);
}

static void combining_stays_with_its_letter(void)
{
	struct canvas c = make(3, 1);
	struct pen p = pen_at(&c, canvas_all(&c), 0);
	pen_text(&p, ROLE_TEXT, "e\xcc\x81x");
	expect_row(&c, 0, "|e\xcc\x81x");
	p = pen_at(&c, canvas_all(&c), 0);
	pen_text(&p, ROLE_TEXT, "\xcc\x81"); /* nothing to combine with */
	expect_row(&c, 0, "|e\xcc\x81x");
	canvas_finish(&c);
}

static void fields(void)
{
	struct canvas c = make(12, 1);
	struct pen p = pen_at(&c, canvas_all(&c), 0);
	pen_field(&p, ROLE_TEXT, "abcdef", 4);
	pen_field(&p, ROLE_TEXT, "x", 3);
	pen_number(&p, ROLE_TEXT, "42", 4);
	expect_row(&c, 0, "|abc…x    42");
	canvas_finish(&c);
}

static void ascii_only(void)
{
	struct canvas c = make(20, 1);
	c.utf8 = false;
	struct pen p = pen_at(&c, canvas_all(&c), 0);
	pen_sign(&p, ROLE_TEXT, GLYPH_CURSOR);
	pen_code(&p, ROLE_TEXT, 0x2502);
	pen_text(&p, ROLE_TEXT, "\xc3\xa9\x1b");
	expect_row(&c, 0, "|>|\\u{e9}\\x1b");
	canvas_finish(&c);
}

static void nothing_outside(void)
{
	for (int width = 1; width < 5; width++)
		for (int x = -3; x < 8; x++)
			for (int w = 0; w < 8; w++) {
				struct canvas c = make(width, 2);
				struct rect area = {x, -1, w, 5};
				for (int row = -1; row < 6; row++) {
					struct pen p = pen_at(&c, area, row);
					pen_field(&p, ROLE_FAIL,
						"a\xe4\xb8\xad"
						"bc",
						3);
					pen_layered(&p, ROLE_TITLE, ROLE_FAIL, "z");
				}
				canvas_box(&c, area, ROLE_BORDER);
				canvas_overlay(&c, area, ROLE_SELECTED);
				canvas_fill(&c, area, ROLE_STATUS);
				canvas_finish(&c);
			}
}

const struct test suite_canvas[] = {
	{"text is cut at the edge", cut_at_the_edge},
	{"a wide character is never shown by half", wide_never_half},
	{"a combining character stays with its letter", combining_stays_with_its_letter},
	{"fields are cut and padded", fields},
	{"ASCII only", ascii_only},
	{"nothing is drawn outside, whatever the area", nothing_outside},
	{0},
};
