#include "tui/doc.h"

#include <stdlib.h>
#include <string.h>

void doc_finish(struct doc *d)
{
	free(d->lines);
	free(d->spans);
	buf_free(&d->text);
	*d = (struct doc){0};
}

void doc_clear(struct doc *d)
{
	d->line_count = d->span_count = 0;
	buf_clear(&d->text);
}

void doc_line(struct doc *d, int hang)
{
	if (d->line_count < DOC_LINES_MAX)
		ARRAY_PUSH(d->lines, d->line_count, d->line_room) =
			(struct doc_line){d->span_count, 0, hang, DOC_NO_TAG, ROLE_TEXT};
}

void doc_tag(struct doc *d, size_t tag)
{
	if (d->line_count)
		d->lines[d->line_count - 1].tag = tag;
}

void doc_overlay(struct doc *d, enum role overlay)
{
	if (d->line_count)
		d->lines[d->line_count - 1].overlay = overlay;
}

void doc_bytes(struct doc *d, enum role role, const char *bytes, size_t size)
{
	if (d->line_count == 0)
		doc_line(d, 0);
	if (size == 0)
		return;
	ARRAY_PUSH(d->spans, d->span_count, d->span_room) = (struct doc_span){d->text.size, size, role};
	buf_add(&d->text, bytes, size);
	d->lines[d->line_count - 1].count++;
}

void doc_add(struct doc *d, enum role role, const char *text)
{
	doc_bytes(d, role, text, strlen(text));
}

void doc_printf(struct doc *d, enum role role, const char *fmt, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	doc_bytes(d, role, text.data, text.size);
	buf_free(&text);
}

void doc_heading(struct doc *d, const char *text)
{
	if (d->line_count)
		doc_line(d, 0);
	doc_line(d, 0);
	doc_add(d, ROLE_HEADING, text);
}

void doc_pair(struct doc *d, int column, const char *name, enum role role, const char *value)
{
	if (!value)
		return;
	doc_line(d, column);
	doc_add(d, ROLE_DIM, name);
	int gap = column - glyph_text_width(name);
	doc_printf(d, ROLE_TEXT, "%*s", gap > 1 ? gap : 1, "");
	doc_add(d, role, value);
}

/* ---- wrapping ---- */

struct wrap {
	struct doc *out;
	int width, hang, column;
	bool fresh; /* nothing on this row yet but the indent */
};

static void break_row(struct wrap *w, const struct doc_line *line)
{
	doc_line(w->out, -1);
	doc_tag(w->out, line->tag);
	doc_overlay(w->out, line->overlay);
	int hang = w->hang < w->width / 2 ? w->hang : w->width / 4;
	if (hang > 0)
		doc_printf(w->out, ROLE_TEXT, "%*s", hang, "");
	w->column = hang > 0 ? hang : 0;
	w->fresh = true;
}

/* The width of the first size bytes as a pen draws them. */
static int width_of(const char *bytes, size_t size)
{
	int width = 0;
	for (size_t i = 0; i < size;) {
		uint32_t code;
		char escape[16];
		size_t took = glyph_decode(bytes + i, size - i, &code);
		int w = code == GLYPH_BAD ? -1 : glyph_width(code);
		width += w >= 0 ? w : (int)strlen(glyph_escape(code, (unsigned char)bytes[i], escape));
		i += took;
	}
	return width;
}

static void place_word(struct wrap *w, const struct doc_line *line, enum role role, const char *bytes, size_t size)
{
	int width = width_of(bytes, size);
	if (w->column + width > w->width && !w->fresh)
		break_row(w, line);
	while (w->column + width > w->width && size > 1) { /* a word wider than the row is cut where the row ends */
		size_t fits = 0;
		for (uint32_t code; fits < size;) {
			size_t took = glyph_decode(bytes + fits, size - fits, &code);
			if (width_of(bytes, fits + took) > w->width - w->column)
				break;
			fits += took;
		}
		if (fits == 0)
			break;
		doc_bytes(w->out, role, bytes, fits);
		bytes += fits;
		size -= fits;
		width = width_of(bytes, size);
		break_row(w, line);
	}
	doc_bytes(w->out, role, bytes, size);
	w->column += width;
	w->fresh = w->fresh && size == 0;
}

static void wrap_span(struct wrap *w, const struct doc_line *line, enum role role, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t start = i;
		while (i < size && bytes[i] == ' ')
			i++;
		size_t spaces = i - start;
		size_t word = i;
		while (i < size && bytes[i] != ' ')
			i++;
		int width = width_of(bytes + word, i - word);
		bool fits = w->column + (int)spaces + width <= w->width;
		if (spaces && (fits || w->fresh)) {
			doc_bytes(w->out, role, bytes + start, spaces);
			w->column += (int)spaces;
		} else if (spaces && word < i) {
			break_row(w, line);
		}
		place_word(w, line, role, bytes + word, i - word);
	}
}

void doc_wrap(const struct doc *d, int width, struct doc *ret)
{
	doc_clear(ret);
	for (size_t i = 0; i < d->line_count; i++) {
		const struct doc_line *line = &d->lines[i];
		doc_line(ret, -1);
		doc_tag(ret, line->tag);
		doc_overlay(ret, line->overlay);
		struct wrap w = {ret, width > 4 ? width : 4, line->hang, 0, true};
		for (size_t s = line->first; s < line->first + line->count; s++) {
			const struct doc_span *span = &d->spans[s];
			if (line->hang < 0)
				doc_bytes(ret, span->role, d->text.data + span->offset, span->size);
			else
				wrap_span(&w, line, span->role, d->text.data + span->offset, span->size);
		}
	}
}

void doc_draw_line(const struct doc *d, size_t line, struct pen *p)
{
	if (line >= d->line_count)
		return;
	const struct doc_line *l = &d->lines[line];
	for (size_t s = l->first; s < l->first + l->count; s++)
		pen_bytes(p, d->spans[s].role, d->text.data + d->spans[s].offset, d->spans[s].size);
	pen_more(p);
	if (l->overlay != ROLE_TEXT)
		canvas_overlay(p->canvas, p->clip, l->overlay);
}

void doc_text(const struct doc *d, struct buf *out)
{
	for (size_t i = 0; i < d->line_count; i++) {
		for (size_t s = d->lines[i].first; s < d->lines[i].first + d->lines[i].count; s++)
			buf_add(out, d->text.data + d->spans[s].offset, d->spans[s].size);
		buf_char(out, '\n');
	}
}
