#include "tui/canvas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cell blank = {{' ', 0, 0}, 1, ROLE_TEXT, ROLE_TEXT};

void canvas_init(struct canvas *c, bool utf8)
{
	*c = (struct canvas){.utf8 = utf8, .cursor_x = -1, .cursor_y = -1};
	canvas_resize(c, 1, 1);
}

void canvas_finish(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

static int side(int n)
{
	return n < 1 ? 1 : n > CANVAS_SIDE_MAX ? CANVAS_SIDE_MAX : n;
}

void canvas_resize(struct canvas *c, int width, int height)
{
	c->width = side(width);
	c->height = side(height);
	c->cells = mem_grow(c->cells, (size_t)c->width * (size_t)c->height, sizeof *c->cells);
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	for (int i = 0; i < c->width * c->height; i++)
		c->cells[i] = blank;
	c->cursor_x = c->cursor_y = -1;
}

struct rect canvas_all(const struct canvas *c)
{
	return (struct rect){0, 0, c->width, c->height};
}

static struct cell *at(struct canvas *c, int x, int y)
{
	return &c->cells[y * c->width + x];
}

/* Overwriting one half of a wide character must not leave the other half standing. */
static void separate(struct canvas *c, int x, int y)
{
	struct cell *cell = at(c, x, y);
	if (cell->width == 0 && x > 0)
		*at(c, x - 1, y) = (struct cell){{' ', 0, 0}, 1, cell->role, cell->overlay};
	if (cell->width == 2 && x + 1 < c->width)
		*at(c, x + 1, y) = (struct cell){{' ', 0, 0}, 1, cell->role, cell->overlay};
}

static void put(struct canvas *c, int x, int y, uint32_t code, int width, enum role role)
{
	separate(c, x, y);
	*at(c, x, y) = (struct cell){{code, 0, 0}, (uint8_t)width, (uint8_t)role, ROLE_TEXT};
	if (width == 2) {
		separate(c, x + 1, y);
		*at(c, x + 1, y) = (struct cell){{0, 0, 0}, 0, (uint8_t)role, ROLE_TEXT};
	}
}

void canvas_fill(struct canvas *c, struct rect area, enum role role)
{
	area = rect_both(area, canvas_all(c));
	for (int y = area.y; y < area.y + area.h; y++)
		for (int x = area.x; x < area.x + area.w; x++)
			put(c, x, y, ' ', 1, role);
}

void canvas_overlay(struct canvas *c, struct rect area, enum role overlay)
{
	area = rect_both(area, canvas_all(c));
	for (int y = area.y; y < area.y + area.h; y++)
		for (int x = area.x; x < area.x + area.w; x++)
			at(c, x, y)->overlay = (uint8_t)overlay;
}

static void put_sign(struct canvas *c, struct rect clip, int x, int y, enum role role, enum glyph glyph)
{
	struct pen p = {c, clip, x, y, false};
	pen_sign(&p, role, glyph);
}

void canvas_hline(struct canvas *c, struct rect area, enum role role)
{
	for (int x = 0; x < area.w; x++)
		put_sign(c, area, area.x + x, area.y, role, GLYPH_HLINE);
}

void canvas_vline(struct canvas *c, struct rect area, enum role role)
{
	for (int y = 0; y < area.h; y++)
		put_sign(c, area, area.x, area.y + y, role, GLYPH_VLINE);
}

void canvas_box(struct canvas *c, struct rect area, enum role role)
{
	if (area.w < 2 || area.h < 2)
		return;
	int right = area.x + area.w - 1, bottom = area.y + area.h - 1;
	canvas_hline(c, (struct rect){area.x, area.y, area.w, 1}, role);
	canvas_hline(c, (struct rect){area.x, bottom, area.w, 1}, role);
	canvas_vline(c, (struct rect){area.x, area.y, 1, area.h}, role);
	canvas_vline(c, (struct rect){right, area.y, 1, area.h}, role);
	put_sign(c, area, area.x, area.y, role, GLYPH_TOP_LEFT);
	put_sign(c, area, right, area.y, role, GLYPH_TOP_RIGHT);
	put_sign(c, area, area.x, bottom, role, GLYPH_BOTTOM_LEFT);
	put_sign(c, area, right, bottom, role, GLYPH_BOTTOM_RIGHT);
}

/* ---- pens ---- */

struct pen pen_at(struct canvas *c, struct rect area, int row)
{
	struct rect clip = rect_both(rect_row(area, row), canvas_all(c));
	return (struct pen){c, clip, clip.x, clip.y, false};
}

int pen_left(const struct pen *p)
{
	int left = p->clip.h > 0 ? p->clip.x + p->clip.w - p->x : 0;
	return left < 0 ? 0 : left;
}

static void add_combining(struct pen *p, uint32_t code)
{
	if (p->x <= p->clip.x || p->clip.h == 0)
		return;
	struct cell *cell = at(p->canvas, p->x - 1, p->y);
	if (cell->width == 0 && p->x - 2 >= p->clip.x)
		cell = at(p->canvas, p->x - 2, p->y);
	if (cell->code[1] == 0)
		cell->code[1] = code;
	else if (cell->code[2] == 0)
		cell->code[2] = code;
}

/* Puts a printable character; once something was cut, nothing after it may slip in. */
static void put_printable(struct pen *p, enum role role, uint32_t code, int width)
{
	if (width == 0) {
		add_combining(p, code);
		return;
	}
	struct rect clip = rect_both(p->clip, canvas_all(p->canvas));
	if (rect_has(clip, p->x, p->y))
		put(p->canvas, p->x, p->y, p->x + width <= clip.x + clip.w ? code : ' ',
			p->x + width <= clip.x + clip.w ? width : 1, role);
	p->x += width;
}

static void put_any(struct pen *p, enum role role, uint32_t code, unsigned char byte)
{
	int width = code == GLYPH_BAD ? -1 : glyph_width(code);
	if (width >= 0 && (code < 0x80 || p->canvas->utf8)) {
		put_printable(p, role, code, width);
		return;
	}
	char escape[16];
	for (const char *e = glyph_escape(code, byte, escape); *e; e++)
		put_printable(p, role == ROLE_TEXT ? ROLE_DIM : role, (uint32_t)*e, 1);
}

static size_t blanks(const char *bytes, size_t size)
{
	size_t n = 0;
	while (n < size && bytes[n] == ' ')
		n++;
	return n;
}

void pen_bytes(struct pen *p, enum role role, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		if (pen_left(p) <= 0) {
			p->cut |= size > i + blanks(bytes + i, size - i);
			return;
		}
		uint32_t code;
		size_t took = glyph_decode(bytes + i, size - i, &code);
		put_any(p, role, code, (unsigned char)bytes[i]);
		i += took;
	}
	p->cut |= p->x > p->clip.x + p->clip.w;
}

void pen_text(struct pen *p, enum role role, const char *text)
{
	pen_bytes(p, role, text, strlen(text));
}

void pen_printf(struct pen *p, enum role role, const char *fmt, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	pen_bytes(p, role, text.data, text.size);
	buf_free(&text);
}

void pen_layered(struct pen *p, enum role base, enum role over, const char *text)
{
	int from = p->x;
	pen_text(p, base, text);
	canvas_overlay(p->canvas, rect_both(p->clip, (struct rect){from, p->y, p->x - from, 1}), over);
}

void pen_sign(struct pen *p, enum role role, enum glyph glyph)
{
	const char *sign = glyph_sign(glyph, p->canvas->utf8);
	uint32_t code;
	glyph_decode(sign, strlen(sign), &code);
	put_printable(p, role, code, 1);
}

void pen_code(struct pen *p, enum role role, uint32_t code)
{
	if (!p->canvas->utf8)
		code = (unsigned char)glyph_ascii(code);
	put_any(p, role, code, '?');
}

void pen_field(struct pen *p, enum role role, const char *text, int width)
{
	if (width <= 0)
		return;
	struct rect whole = p->clip;
	int end = p->x + width;
	bool before = p->cut, cut = glyph_text_width(text) > width;
	int stop = cut ? end - 1 : end;
	if (stop < whole.x + whole.w)
		p->clip.w = stop > whole.x ? stop - whole.x : 0;
	pen_text(p, role, text);
	p->clip = whole;
	p->cut = before; /* it says so itself */
	if (p->x > stop)
		p->x = stop;
	while (p->x < stop)
		put_printable(p, role, ' ', 1);
	if (cut)
		pen_sign(p, role, GLYPH_MORE);
}

void pen_more(struct pen *p)
{
	if (!p->cut || p->clip.w < 1 || p->clip.h < 1)
		return;
	struct rect last = {p->clip.x + p->clip.w - 1, p->y, 1, 1};
	if (!rect_has(canvas_all(p->canvas), last.x, last.y))
		return;
	enum role role = (enum role)at(p->canvas, last.x, last.y)->role;
	p->x = last.x;
	pen_sign(p, role, GLYPH_MORE);
}

void pen_number(struct pen *p, enum role role, const char *text, int width)
{
	for (int pad = width - glyph_text_width(text); pad > 0; pad--)
		put_printable(p, role, ' ', 1);
	pen_text(p, role, text);
}

/* ---- dump ---- */

static bool is_blank(const struct cell *cell)
{
	return cell->code[0] == ' ' && cell->role == ROLE_TEXT && cell->overlay == ROLE_TEXT;
}

static int used_width(const struct cell *row, int width)
{
	while (width > 0 && is_blank(&row[width - 1]))
		width--;
	return width;
}

static void dump_text(const struct cell *row, int width, struct buf *out)
{
	while (width > 0 && row[width - 1].code[0] == ' ')
		width--;
	buf_char(out, '|');
	for (int x = 0; x < width; x++)
		for (int i = 0; i < 3 && row[x].code[i]; i++) {
			char text[4];
			buf_add(out, text, glyph_encode(row[x].code[i], text));
		}
	buf_char(out, '\n');
}

/* A role's letter, followed by how often it stands there unless once; an overlay's letter in its place, after a '^'. */
static void dump_roles(const struct cell *row, int width, struct buf *out)
{
	buf_char(out, '|');
	for (int x = 0; x < width;) {
		int n = 1;
		while (x + n < width && row[x + n].role == row[x].role && row[x + n].overlay == row[x].overlay)
			n++;
		if (row[x].overlay != ROLE_TEXT)
			buf_printf(out, "^%c", theme_role_letter((enum role)row[x].overlay));
		else
			buf_char(out, theme_role_letter((enum role)row[x].role));
		if (n > 1)
			buf_printf(out, "%d", n);
		x += n;
	}
	buf_char(out, '\n');
}

void canvas_dump(const struct canvas *c, struct buf *out)
{
	for (int y = 0; y < c->height; y++)
		dump_text(&c->cells[y * c->width], used_width(&c->cells[y * c->width], c->width), out);
	buf_str(out, "roles\n");
	for (int y = 0; y < c->height; y++)
		dump_roles(&c->cells[y * c->width], used_width(&c->cells[y * c->width], c->width), out);
}
