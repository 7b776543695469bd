#include "tui/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tui/fmt.h"

void view_destroy(struct view *v)
{
	if (v)
		v->ops->destroy(v);
}

bool view_list_act(struct list *list, int height, enum action action)
{
	int page = height > 1 ? height - 1 : 1;
	switch (action) {
	case ACTION_UP:
		list_move(list, -1);
		return true;
	case ACTION_DOWN:
		list_move(list, 1);
		return true;
	case ACTION_PAGE_UP:
		list_move(list, -page);
		return true;
	case ACTION_PAGE_DOWN:
		list_move(list, page);
		return true;
	case ACTION_FIRST:
		list_first(list);
		return true;
	case ACTION_LAST:
		list_last(list);
		return true;
	default:
		return false;
	}
}

struct rect view_list_area(const struct list *list, struct rect area)
{
	if (area.h >= 3 && area.w >= 8 && list_shown(list) > (size_t)area.h)
		area.w--;
	return area;
}

void view_mark_row(struct canvas *c, struct rect area, int row, bool focused)
{
	canvas_overlay(c, rect_row(area, row), focused ? ROLE_SELECTED : ROLE_CURSOR);
}

bool view_text_has(const char *text, const char *wanted)
{
	for (const char *c = wanted; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, wanted) != NULL;
	return strcasestr(text, wanted) != NULL;
}

/* ---- docs ---- */

void doc_view_finish(struct doc_view *v)
{
	free(v->view.words);
	free(v->view.find);
	doc_finish(&v->doc);
	doc_finish(&v->wrapped);
}

void doc_view_changed(struct doc_view *v)
{
	v->wrapped_width = -1;
}

static void wrap(struct doc_view *v, int width)
{
	if (v->wrapped_width == width)
		return;
	doc_wrap(&v->doc, width, &v->wrapped);
	v->found = 0;
	v->wrapped_width = width;
}

/* Without the last column when a scroll mark is drawn there. */
static void fit(struct doc_view *v, struct rect area)
{
	bool has_bar = area.h >= 3 && area.w >= 8;
	if (has_bar && v->wrapped_width == area.w - 1 && v->wrapped.line_count > (size_t)area.h)
		return;
	wrap(v, area.w);
	if (has_bar && v->wrapped.line_count > (size_t)area.h)
		wrap(v, area.w - 1);
}

void doc_view_reveal(struct doc_view *v, struct rect area, size_t tag)
{
	size_t rows = area.h > 0 ? (size_t)area.h : 0;
	fit(v, area);
	for (size_t i = 0; i < v->wrapped.line_count; i++)
		if (v->wrapped.lines[i].tag == tag) {
			if (i < v->view.list.top || i + 3 >= v->view.list.top + rows)
				v->view.list.top = i > rows / 3 ? i - rows / 3 : 0;
			return;
		}
}

void doc_view_keep(struct doc_view *v, struct rect area, size_t tag)
{
	size_t rows = area.h > 0 ? (size_t)area.h : 1, first = SIZE_MAX, last = 0;
	fit(v, area);
	for (size_t i = 0; i < v->wrapped.line_count; i++)
		if (v->wrapped.lines[i].tag == tag) {
			first = first == SIZE_MAX ? i : first;
			last = i;
		}
	if (first == SIZE_MAX)
		return;
	if (last >= v->view.list.top + rows)
		v->view.list.top = last + 1 - rows;
	if (first < v->view.list.top)
		v->view.list.top = first;
}

void doc_view_draw(struct doc_view *v, struct canvas *c, struct rect area)
{
	v->view.area = area;
	fit(v, area);
	size_t rows = area.h > 0 ? (size_t)area.h : 0, count = v->wrapped.line_count;
	size_t last = count > rows ? count - rows : 0;
	if (v->view.list.top > last)
		v->view.list.top = last;
	for (int row = 0; row < area.h; row++) {
		struct rect text = {area.x, area.y, v->wrapped_width, area.h};
		struct pen p = pen_at(c, text, row);
		doc_draw_line(&v->wrapped, v->view.list.top + (size_t)row, &p);
		if (v->view.find && v->found == v->view.list.top + (size_t)row + 1)
			view_mark_row(c, area, row, true);
	}
	struct list bar = {.count = count, .top = v->view.list.top};
	list_draw_bar(&bar, c, area);
}

bool doc_view_act(struct doc_view *v, enum action action)
{
	size_t page = v->view.area.h > 1 ? (size_t)v->view.area.h - 1 : 1;
	switch (action) {
	case ACTION_UP:
		v->view.list.top -= v->view.list.top > 0;
		return true;
	case ACTION_DOWN:
		v->view.list.top++;
		return true;
	case ACTION_PAGE_UP:
		v->view.list.top -= v->view.list.top > page ? page : v->view.list.top;
		return true;
	case ACTION_PAGE_DOWN:
		v->view.list.top += page;
		return true;
	case ACTION_FIRST:
		v->view.list.top = 0;
		return true;
	case ACTION_LAST:
		v->view.list.top = v->wrapped.line_count;
		return true;
	default:
		return false;
	}
}

static bool line_has(const struct doc *d, size_t line, const char *text)
{
	struct buf words = {0};
	for (size_t i = 0; i < d->lines[line].count; i++) {
		const struct doc_span *span = &d->spans[d->lines[line].first + i];
		buf_add(&words, d->text.data + span->offset, span->size);
	}
	bool ok = words.size && view_text_has(words.data, text);
	buf_free(&words);
	return ok;
}

bool doc_view_search(struct doc_view *v, enum action action, const char *argument, struct err *err)
{
	bool starts = action == ACTION_SEARCH || action == ACTION_SEARCH_BACK;
	bool backward = action == ACTION_SEARCH_BACK || action == ACTION_SEARCH_PREV;
	size_t count = v->wrapped.line_count;
	if (starts) {
		char *copy = mem_str(argument);
		free(v->view.find);
		v->view.find = copy;
	} else if (action != ACTION_SEARCH_NEXT && action != ACTION_SEARCH_PREV) {
		return false;
	}
	if (!v->view.find)
		return err_set(err, ERR_USAGE, "nothing to search for yet: / asks for a text");
	size_t from = v->found ? v->found - 1 : v->view.list.top + count - !backward;
	for (size_t i = 1; i <= count; i++) {
		size_t line = (backward ? from + count - i : from + i) % count;
		if (!line_has(&v->wrapped, line, v->view.find))
			continue;
		v->found = line + 1;
		size_t rows = v->view.area.h > 0 ? (size_t)v->view.area.h : 1;
		if (line < v->view.list.top || line >= v->view.list.top + rows)
			v->view.list.top = line > rows / 3 ? line - rows / 3 : 0;
		return true;
	}
	v->found = 0;
	return err_set(err, ERR_USAGE, "'%s' is not on this page", v->view.find);
}

/* ---- shared drawing ---- */

enum role view_verdict_role(enum verdict verdict)
{
	static const enum role roles[VERDICT_COUNT] = {ROLE_PASS, ROLE_FAIL, ROLE_WARN, ROLE_WARN};
	return roles[verdict];
}

void view_verdict_sign(struct pen *p, enum verdict verdict)
{
	static const enum glyph signs[VERDICT_COUNT] = {GLYPH_PASS, GLYPH_FAIL, GLYPH_UNEXERCISED, GLYPH_UNKNOWN};
	pen_sign(p, view_verdict_role(verdict), signs[verdict]);
}

void view_put_margin(const struct fact_property *fact, struct buf *out)
{
	char used[FMT_MAX], of[FMT_MAX];
	if (strcmp(fact->margin_unit, "ns") == 0)
		buf_printf(out, "%s of %s used", fmt_time(fact->margin_used, used), fmt_time(fact->margin_of, of));
	else
		buf_printf(out, "%s of %s %s used", fmt_count(fact->margin_used, used), fmt_count(fact->margin_of, of),
			fact->margin_unit);
}

void view_text_matches(struct pen *p, enum role role, const char *text, const char *search)
{
	size_t size = strlen(search);
	bool exact = false;
	for (const char *c = search; *c; c++)
		exact |= isupper((unsigned char)*c) != 0;
	while (size > 0 && *text) {
		const char *hit = exact ? strstr(text, search) : strcasestr(text, search);
		if (!hit)
			break;
		pen_bytes(p, role, text, (size_t)(hit - text));
		pen_bytes(p, ROLE_MATCH, hit, size);
		text = hit + size;
	}
	pen_text(p, role, text);
}
