/* Any bytes, drawn and wrapped at any size: nothing is written outside, no cell holds what a terminal would obey, and no
 * character of the text is lost by wrapping. */
#include <locale.h>
#include <stdlib.h>

#include "tui/doc.h"
#include "tests/fuzz/fuzz.h"

static void check_cells(const struct canvas *c)
{
	for (int i = 0; i < c->width * c->height; i++)
		for (int k = 0; k < 3 && c->cells[i].code[k]; k++)
			if (glyph_width(c->cells[i].code[k]) < 0)
				__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4)
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8");
	struct canvas c;
	canvas_init(&c, data[0] & 1);
	canvas_resize(&c, data[1] % 50 + 1, data[2] % 8 + 1);
	struct rect area = {data[3] % 10 - 3, data[0] % 5 - 2, data[2] % 60, data[1] % 9};
	const char *text = (const char *)data + 4;
	size -= 4;
	for (int row = -1; row < 9; row++) {
		struct pen p = pen_at(&c, area, row);
		pen_bytes(&p, ROLE_TEXT, text, size / 2);
		char *field = mem_strn(text, size);
		pen_field(&p, ROLE_FAIL, field, data[3] % 30);
		pen_layered(&p, ROLE_TITLE, ROLE_PASS, field);
		free(field);
	}
	canvas_box(&c, area, ROLE_BORDER);
	canvas_overlay(&c, area, ROLE_SELECTED);
	check_cells(&c);
	struct doc doc = {0}, wrapped = {0};
	doc_line(&doc, data[0] % 9);
	doc_bytes(&doc, ROLE_TEXT, text, size / 3);
	doc_bytes(&doc, ROLE_FAIL, text + size / 3, size - size / 3);
	doc_wrap(&doc, c.width, &wrapped);
	size_t letters = 0, kept = 0;
	for (size_t i = 0; i < doc.text.size; i++)
		letters += doc.text.data[i] != ' ';
	for (size_t i = 0; i < wrapped.text.size; i++)
		kept += wrapped.text.data[i] != ' ';
	if (letters != kept)
		__builtin_trap();
	for (size_t i = 0; i < wrapped.line_count && i < 9; i++) {
		struct pen p = pen_at(&c, area, (int)i);
		doc_draw_line(&wrapped, i, &p);
	}
	check_cells(&c);
	doc_finish(&doc);
	doc_finish(&wrapped);
	canvas_finish(&c);
	return 0;
}
