/*
 * The panes of the debug view: texts of the picture that the session's thread made, and what commands printed. Code, calls,
 * variables and processes have a cursor: a line that keys are about.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/view_debug_parts.h"

#define PATH_SHOWN 36 /* bytes of a path in the head of the pane of code */

static bool has_cursor(const struct view_debug *v)
{
	return v->pane != PANE_REGS && v->pane != PANE_OUTPUT;
}

/* ---- the cursor ---- */

static void place_cursor(struct view_debug *v, const struct debug_picture *p)
{
	bool moved = !p || p->icount != v->icount;
	v->icount = p ? p->icount : 0;
	if (v->pane == PANE_WHERE && p)
		v->cursor = p->frame;
	else if (v->pane == PANE_CODE && v->current != DOC_NO_TAG)
		v->cursor = v->reveal ? v->current : v->cursor;
	else if (v->pane == PANE_PROCESSES && moved && p) {
		for (size_t i = 0; i < p->owner_count; i++)
			if (p->owners[i].pid == p->focus_pid && !p->owners[i].thread)
				v->cursor = i;
	}
	if (v->cursor >= v->rows)
		v->cursor = v->rows ? v->rows - 1 : 0;
}

static bool move_cursor(struct view_debug *v, enum action action)
{
	size_t page = v->text.view.area.h > 1 ? (size_t)v->text.view.area.h - 1 : 1, last = v->rows ? v->rows - 1 : 0;
	size_t at = v->cursor;
	switch (action) {
	case ACTION_UP:
		at -= at > 0;
		break;
	case ACTION_DOWN:
		at++;
		break;
	case ACTION_PAGE_UP:
		at -= at > page ? page : at;
		break;
	case ACTION_PAGE_DOWN:
		at += page;
		break;
	case ACTION_FIRST:
		at = 0;
		break;
	case ACTION_LAST:
		at = last;
		break;
	default:
		return false;
	}
	v->cursor = at < last ? at : last;
	v->text.found = 0;
	doc_view_keep(&v->text, v->text.view.area, v->cursor);
	return true;
}

/* ---- the view ---- */

static uint64_t place_of(const struct debug_picture *p)
{
	return p ? p->icount * 31 + p->frame * 2 + p->frame_chosen + (uint64_t)p->focus_pid * 7 : 0;
}

static void make(struct view_debug *v, const struct model *m)
{
	const struct debug_picture *p = m->debug.picture;
	if (v->seen == m->debug.shown)
		return;
	uint64_t place = place_of(p) + (v->pane == PANE_CODE && model_debug_source(&m->debug));
	v->seen = m->debug.shown;
	view_debug_write(v, m);
	v->reveal = v->pane == PANE_OUTPUT || place != v->place;
	v->place = place;
	place_cursor(v, p);
}

/* The last command is at the top of the pane, as far as what it printed allows it. */
static void reveal_last(struct view_debug *v, struct rect area)
{
	const struct doc *d = &v->text.wrapped;
	doc_view_reveal(&v->text, area, DOC_NO_TAG - 1); /* wraps; there is no such line */
	for (size_t i = 0; i < d->line_count && v->current != DOC_NO_TAG; i++)
		if (d->lines[i].tag == v->current) {
			v->text.view.list.top = i;
			return;
		}
}

static void reveal(struct view_debug *v, struct rect area)
{
	if (v->pane == PANE_OUTPUT)
		reveal_last(v, area);
	else if (v->pane == PANE_CODE)
		doc_view_reveal(&v->text, area, v->cursor);
	else if (has_cursor(v))
		doc_view_keep(&v->text, area, v->cursor);
	v->reveal = false;
}

/* The frame that the other panes are about is marked always, what keys would be about only where they go. */
static void mark_cursor(const struct view_debug *v, struct canvas *c, struct rect area, bool focused)
{
	const struct doc *d = &v->text.wrapped;
	if (!has_cursor(v) || (!focused && v->pane != PANE_WHERE))
		return;
	for (int row = 0; row < area.h; row++) {
		size_t line = v->text.view.list.top + (size_t)row;
		if (line < d->line_count && d->lines[line].tag == v->cursor)
			view_mark_row(c, area, row, focused);
	}
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_debug *v = (struct view_debug *)view;
	make(v, m);
	v->reveal |= v->pane == PANE_OUTPUT && area.h != v->height;
	v->height = area.h;
	if (v->reveal && area.h > 0)
		reveal(v, area);
	doc_view_draw(&v->text, c, area);
	mark_cursor(v, c, area, focused);
	if (!m->debug.picture && !m->debug.problem && v->pane == PANE_CODE && area.h > 0) {
		struct pen p = pen_at(c, area, area.h / 2);
		pen_text(&p, ROLE_DIM, m->debug.alive ? " starting the machine ..." : " no machine: x on an event starts one");
	}
}

/* The name of the file with its line is what tells most: of a long path the beginning goes. */
static void put_source_name(const char *name, struct buf *out)
{
	size_t size = strlen(name);
	const char *from = size > PATH_SHOWN ? strchr(name + size - PATH_SHOWN, '/') : NULL;
	buf_printf(out, "%s%s", from ? "..." : "", from ? from : name);
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct view_debug *v = (const struct view_debug *)view;
	const struct debug_picture *p = m->debug.picture;
	bool of_frame = p && (v->pane == PANE_LOCALS || v->pane == PANE_REGS) && p->frame_chosen;
	if (of_frame)
		buf_printf(out, "of frame %zu", p->frame);
	if (p && p->focus && (v->pane == PANE_WHERE || v->pane == PANE_LOCALS))
		buf_printf(out, "%sof %s%s%s", of_frame ? " " : "", p->focus, p->focus_chosen ? " (chosen)" : "",
			p->on_processor ? "" : ", waiting");
	if (!p || v->pane != PANE_CODE)
		return;
	if (!model_debug_source(&m->debug)) {
		buf_str(out, "disassembly");
	} else if (p->source_name) {
		put_source_name(p->source_name, out);
		if (!p->in_source)
			buf_str(out, p->in_kernel && p->on_processor ? " (in the kernel)" : " (further out)");
	} else {
		buf_str(out, "no source");
	}
	if (p->break_count)
		buf_printf(out, ", %zu break%s", p->break_count, p->break_count == 1 ? "" : "s");
}

static void ask(struct view_debug *v, struct request *ret, enum request_kind kind, char *text)
{
	free(v->request);
	v->request = text;
	*ret = (struct request){.kind = kind, .text = text};
}

/* Enter: what is under the cursor. */
static bool enter(struct view_debug *v, const struct debug_picture *p, struct request *ret, struct err *err)
{
	if (!p) {
		return err_set(err, ERR_USAGE, "there is no machine: x on an event starts one");
	} else if (v->pane == PANE_WHERE && v->cursor < v->rows) {
		ask(v, ret, REQUEST_ASK, mem_printf("frame %zu", v->cursor));
	} else if (v->pane == PANE_LOCALS && v->cursor < p->locals.count) {
		const struct vartree_row *row = &p->locals.rows[v->cursor];
		if (!row->has_parts)
			return err_set(err, ERR_USAGE, "%s has no parts", row->name);
		ask(v, ret, REQUEST_TOGGLE, mem_str(row->expression));
	} else if (v->pane == PANE_PROCESSES && v->cursor < p->owner_count && p->owners[v->cursor].pid) {
		struct debug_owner owner = p->owners[v->cursor];
		bool again = p->focus_chosen && p->focus_pid == owner.pid && p->focus_thread == owner.thread;
		ask(v, ret, REQUEST_ASK,
			again                  ? mem_str("focus none")
				: owner.thread ? mem_printf("focus %" PRIu32 " %" PRIu32, owner.pid, owner.thread)
					       : mem_printf("focus %" PRIu32, owner.pid));
	} else {
		return err_set(err, ERR_USAGE, "there is nothing here to choose");
	}
	return true;
}

static bool search(struct view_debug *v, enum action action, const char *argument, struct err *err)
{
	if (!doc_view_search(&v->text, action, argument, err))
		return false;
	if (has_cursor(v) && v->text.found)
		v->cursor = v->text.wrapped.lines[v->text.found - 1].tag;
	return true;
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_debug *v = (struct view_debug *)view;
	size_t before = v->cursor;
	if (action == ACTION_DETAIL)
		return enter(v, m->debug.picture, ret, err);
	if (search(v, action, argument, err))
		return true;
	if (err->code != ERR_NONE)
		return false;
	if (!has_cursor(v))
		return doc_view_act(&v->text, action);
	if (!move_cursor(v, action))
		return false;
	/* Source, variables and registers follow. */
	if (v->pane == PANE_WHERE && v->cursor != before && m->debug.picture)
		ask(v, ret, REQUEST_ASK, mem_printf("frame %zu", v->cursor));
	return true;
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	struct view_debug *v = (struct view_debug *)view;
	size_t line = v->text.view.list.top + (size_t)(y - view->area.y);
	struct err ignored = {0};
	(void)x;
	if (drag || !has_cursor(v) || line >= v->text.wrapped.line_count || !m->debug.picture)
		return;
	bool again = v->cursor == v->text.wrapped.lines[line].tag;
	v->cursor = v->text.wrapped.lines[line].tag;
	if (v->pane == PANE_WHERE || (again && v->pane != PANE_CODE))
		enter(v, m->debug.picture, ret, &ignored);
}

bool view_debug_break(const struct view *view, const struct model *m, struct buf *out, struct err *err)
{
	const struct view_debug *v = (const struct view_debug *)view;
	const struct debug_picture *p = m->debug.picture;
	const char *line = view_debug_text(v, &m->debug);
	for (size_t row = 0; *line && row < v->cursor; row++)
		line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
	size_t size = strcspn(line, "\n");
	bool source = model_debug_source(&m->debug);
	unsigned long long number = size > 2 ? strtoull(line + 2, NULL, source ? 10 : 16) : 0;
	if (!p || !number || (source && !p->source_file))
		return err_set(err, ERR_USAGE, "there is no code under the cursor of the pane of code");
	const struct debug_break *there = view_debug_break_of(&m->debug, line, size);
	if (there)
		buf_printf(out, "delete %u", there->number);
	else if (source)
		buf_printf(out, "break \"%s:%llu\"", p->source_file, number);
	else
		buf_printf(out, "break 0x%llx", number);
	return true;
}

static void destroy(struct view *view)
{
	struct view_debug *v = (struct view_debug *)view;
	free(v->request);
	doc_view_finish(&v->text);
	free(v);
}

#define OPS(title) \
	{ \
		.name = title, .draw = draw, .act = act, .press = press, .note = note, .destroy = destroy \
	}

static const struct view_ops ops[] = {
	[PANE_CODE] = OPS("code"),
	[PANE_WHERE] = OPS("backtrace"),
	[PANE_LOCALS] = OPS("locals"),
	[PANE_REGS] = OPS("registers"),
	[PANE_PROCESSES] = OPS("processes"),
	[PANE_OUTPUT] = OPS("output"),
};

static struct view *create(enum pane pane)
{
	struct view_debug *v = mem_alloc(sizeof *v);
	v->text.view.ops = &ops[pane];
	v->pane = pane;
	v->seen = v->place = UINT64_MAX;
	return &v->text.view;
}

struct view *view_debug_code_create(void)
{
	return create(PANE_CODE);
}

struct view *view_debug_where_create(void)
{
	return create(PANE_WHERE);
}

struct view *view_debug_locals_create(void)
{
	return create(PANE_LOCALS);
}

struct view *view_debug_regs_create(void)
{
	return create(PANE_REGS);
}

struct view *view_debug_processes_create(void)
{
	return create(PANE_PROCESSES);
}

struct view *view_debug_output_create(void)
{
	return create(PANE_OUTPUT);
}
