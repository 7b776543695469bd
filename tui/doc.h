/* Text with roles for reading: lines of spans, wrapped to a width. Help, details, plans and stories are docs. */
#ifndef TUI_DOC_H
#define TUI_DOC_H

#include <stddef.h>

#include "tui/canvas.h"

struct doc_line {
	size_t first, count; /* spans */
	int hang;            /* columns that continuation lines are indented by; -1: do not wrap, cut */
	size_t tag;          /* what the line is about, for the view; DOC_NO_TAG if nothing */
	enum role overlay;   /* laid over the whole line */
};

#define DOC_NO_TAG    ((size_t)-1)
#define DOC_LINES_MAX 200000

struct doc_span {
	size_t offset, size; /* bytes in text */
	enum role role;
};

struct doc {
	struct doc_line *lines;
	size_t line_count, line_room;
	struct doc_span *spans;
	size_t span_count, span_room;
	struct buf text;
};

void doc_finish(struct doc *d);
void doc_clear(struct doc *d);
/* Starts a line; what is added goes there. */
void doc_line(struct doc *d, int hang);
void doc_tag(struct doc *d, size_t tag); /* of the current line */
void doc_overlay(struct doc *d, enum role overlay);
void doc_add(struct doc *d, enum role role, const char *text);
void doc_bytes(struct doc *d, enum role role, const char *bytes, size_t size);
void doc_printf(struct doc *d, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A heading line with an empty line before it, unless it is the first. */
void doc_heading(struct doc *d, const char *text);
/* "name   value" with the value at a column; a NULL value gives none. */
void doc_pair(struct doc *d, int column, const char *name, enum role role, const char *value);

/* Lines as wrapped to width: a copy that draws one row a line. */
void doc_wrap(const struct doc *d, int width, struct doc *ret);
void doc_draw_line(const struct doc *d, size_t line, struct pen *p);
/* The text of all lines, without roles. */
void doc_text(const struct doc *d, struct buf *out);

#endif
