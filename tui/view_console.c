/*
 * What the nodes printed, up to the playhead: a function of the position, never a log that only grows. Moving in it moves the
 * playhead from line to line.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/describe.h"
#include "tui/fmt.h"
#include "tui/view.h"

struct view_console {
	struct view view;
	int node; /* 0: all; else number of the node */
};

static struct timeline_filter filter_of(const struct view_console *v)
{
	return (struct timeline_filter){.kinds = 1ull << EVENT_IO_LINE, .node = v->node ? v->node + 1 : 0};
}

/* The last line at or before the playhead. */
static size_t last_line(const struct view_console *v, const struct run *run)
{
	struct timeline_filter filter = filter_of(v);
	if (run->playhead == TIMELINE_NONE)
		return TIMELINE_NONE;
	if (timeline_matches(run->timeline, run->playhead, &filter))
		return run->playhead;
	return timeline_prev(run->timeline, run->playhead, &filter);
}

static int label_width(const struct run *run)
{
	int width = 0;
	for (size_t i = 1; i < timeline_node_count(run->timeline); i++) {
		int w = glyph_text_width(timeline_node(run->timeline, i));
		width = w > width ? w : width;
	}
	return width > 12 ? 12 : width;
}

static void draw_line(const struct view_console *v, const struct run *run, size_t event, struct pen *p, int label)
{
	const struct entry *entry = &timeline_entries(run->timeline)[event];
	struct timeline_event read = {0};
	struct err err = {0};
	bool is_error = entry->flags & ENTRY_STDERR;
	if (!v->node && label && pen_left(p) > label + 12) {
		pen_field(p, ROLE_NODE, timeline_node(run->timeline, entry->node), label);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (is_error)
		pen_text(p, ROLE_STDERR, "! ");
	else {
		pen_sign(p, ROLE_BORDER, GLYPH_VLINE);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (timeline_event(run->timeline, event, &read, &err)) {
		struct buf text = {0};
		glyph_show(read.event.text.data, read.event.text.size, p->canvas->utf8, &text);
		view_text_matches(p, is_error ? ROLE_STDERR : ROLE_TEXT, text.data ? text.data : "", run->search);
		if (read.event.cut)
			pen_sign(p, ROLE_DIM, GLYPH_MORE);
		buf_free(&text);
	} else {
		pen_text(p, ROLE_ERROR, err.text);
	}
	timeline_event_finish(&read);
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_console *v = (struct view_console *)view;
	const struct run *run = model_run(m);
	view->area = area;
	if (!run || area.h < 1)
		return;
	struct timeline_filter filter = filter_of(v);
	size_t line = last_line(v, run);
	int label = label_width(run), row = 0;
	/* Short output starts at the top; long output ends at the bottom. */
	size_t first = line;
	for (int i = 1; i < area.h && first != TIMELINE_NONE; i++) {
		size_t before = timeline_prev(run->timeline, first, &filter);
		if (before == TIMELINE_NONE)
			break;
		first = before;
	}
	for (size_t at = first; at != TIMELINE_NONE && row < area.h; row++) {
		struct pen p = pen_at(c, area, row);
		draw_line(v, run, at, &p, label);
		pen_more(&p);
		if (at == line) {
			if (at == run->playhead)
				view_mark_row(c, area, row, focused);
			return;
		}
		at = timeline_next(run->timeline, at, &filter);
	}
	struct pen p = pen_at(c, area, 0);
	pen_text(&p, ROLE_DIM, "nothing was printed yet");
}

static bool choose_node(struct view_console *v, const struct run *run, const char *argument, struct err *err)
{
	if (argument && argument[0]) {
		int node = strcmp(argument, "all") == 0 ? 0 : timeline_node_find(run->timeline, argument);
		if (node < 0)
			return err_set(err, ERR_USAGE, "there is no node '%s' in this run", argument);
		v->node = node;
		return true;
	}
	v->node = (size_t)v->node + 1 < timeline_node_count(run->timeline) ? v->node + 1 : 0;
	return true;
}

/* Where moving by delta lines leads. */
static size_t lines_away(const struct view_console *v, const struct run *run, long delta)
{
	struct timeline_filter filter = filter_of(v);
	size_t at = last_line(v, run), found = at;
	bool between = at != run->playhead; /* the playhead stands after the line: up goes to that line first */
	if (delta < 0 && between && at != TIMELINE_NONE)
		delta++;
	for (; delta < 0 && at != TIMELINE_NONE; delta++)
		if ((at = timeline_prev(run->timeline, at, &filter)) != TIMELINE_NONE)
			found = at;
	for (at = run->playhead; delta > 0; delta--) {
		at = timeline_next(run->timeline, at, &filter);
		if (at == TIMELINE_NONE)
			break;
		found = at;
	}
	return found;
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_console *v = (struct view_console *)view;
	const struct run *run = model_run(m);
	int page = view->area.h > 1 ? view->area.h - 1 : 1;
	if (!run)
		return false;
	size_t target;
	switch (action) {
	case ACTION_CONSOLE:
		return choose_node(v, run, argument, err);
	case ACTION_UP:
	case ACTION_DOWN:
		target = lines_away(v, run, action == ACTION_UP ? -1 : 1);
		break;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
		target = lines_away(v, run, action == ACTION_PAGE_UP ? -page : page);
		break;
	default:
		return false;
	}
	if (target != TIMELINE_NONE)
		*ret = (struct request){.kind = REQUEST_GOTO, .index = target};
	return true;
}

static void sync(struct view *view, const struct model *m)
{
	struct view_console *v = (struct view_console *)view;
	const struct run *run = model_run(m);
	if (run && (size_t)v->node >= timeline_node_count(run->timeline))
		v->node = 0;
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct view_console *v = (const struct view_console *)view;
	const struct run *run = model_run(m);
	if (run)
		buf_str(out, v->node ? timeline_node(run->timeline, (size_t)v->node) : "all nodes");
}

static void destroy(struct view *view)
{
	free(view);
}

static const struct view_ops ops = {.name = "console", .sync = sync, .draw = draw, .act = act, .note = note, .destroy = destroy};

struct view *view_console_create(void)
{
	struct view_console *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	return &v->view;
}
