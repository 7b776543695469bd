/* The lanes of a run, drawn by engine/lanes; this view gives them roles, bookmarks and the mouse. */
#include <stdlib.h>
#include <string.h>

#include "tui/view.h"

struct view_timeline {
	struct view view;
	struct lanes *lanes;          /* of the last draw */
	struct lanes_options options; /* that they were made with */
	const struct timeline *timeline;
	size_t count;
	bool incomplete;
};

static enum role role_of(enum lane_role role)
{
	static const enum role roles[LANE_ROLE_COUNT] = {[LANE_BLANK] = ROLE_TEXT,
		[LANE_FRAME] = ROLE_BORDER,
		[LANE_LABEL] = ROLE_NODE,
		[LANE_AXIS] = ROLE_DIM,
		[LANE_GAP] = ROLE_DIM,
		[LANE_PLAYHEAD] = ROLE_PLAYHEAD,
		[LANE_START] = ROLE_PASS,
		[LANE_READY] = ROLE_PASS,
		[LANE_LINE] = ROLE_TEXT,
		[LANE_ERRLINE] = ROLE_STDERR,
		[LANE_EXIT] = ROLE_HEALED,
		[LANE_CRASH] = ROLE_FAIL,
		[LANE_MINOR] = ROLE_DIM,
		[LANE_FAULT] = ROLE_FAULT,
		[LANE_FAULT_EDGE] = ROLE_FAULT,
		[LANE_FAULT_REJECTED] = ROLE_WARN,
		[LANE_PASS] = ROLE_PASS,
		[LANE_FAIL] = ROLE_FAIL,
		[LANE_UNDECIDED] = ROLE_WARN};
	return roles[role];
}

/* Lanes are made anew only when something that they show has changed: a redraw for a message costs nothing. */
static const struct lanes *lanes_for(struct view_timeline *v, const struct run *run, struct rect area, bool utf8)
{
	struct lanes_options options;
	memset(&options, 0, sizeof options);
	options.window = run->window;
	options.width = area.w < LANES_WIDTH_MAX ? area.w : LANES_WIDTH_MAX;
	/* The rows that were asked for first fit exactly: the same lanes serve both questions. */
	options.height = v->lanes && v->lanes->height == area.h ? v->options.height : area.h;
	options.ascii = !utf8;
	options.keep_gaps = run->keep_gaps;
	options.playhead = TIMELINE_NONE; /* drawn here, so that moving it costs nothing */
	bool same = v->lanes && v->timeline == run->timeline && v->count == timeline_count(run->timeline) &&
		v->incomplete == timeline_incomplete(run->timeline) && memcmp(&options, &v->options, sizeof options) == 0;
	if (!same) {
		lanes_destroy(v->lanes);
		v->lanes = lanes_create(run->timeline, &options);
		v->options = options;
		v->timeline = run->timeline;
		v->count = timeline_count(run->timeline);
		v->incomplete = timeline_incomplete(run->timeline);
	}
	return v->lanes;
}

static int rows(struct view *view, const struct model *m, int width, int most)
{
	const struct run *run = model_run(m);
	if (!run || width < 1)
		return 0;
	struct view_timeline *v = (struct view_timeline *)view;
	return lanes_for(v, run, (struct rect){0, 0, width, most}, m->utf8)->height;
}

static void draw_bookmarks(const struct run *run, const struct lanes *lanes, struct canvas *c, struct rect area)
{
	for (size_t i = 0; i < run->bookmark_count; i++) {
		int column = lanes_column(lanes, run->bookmarks[i].event);
		if (column < 0 || column >= area.w)
			continue;
		struct pen p = pen_at(c, (struct rect){area.x + column, area.y, 1, area.h}, 0);
		pen_sign(&p, ROLE_BOOKMARK, GLYPH_BOOKMARK);
	}
}

/* Its column, from the first row to the last: a line where nothing else is, and a ground under what is there. */
static void draw_playhead(const struct run *run, const struct lanes *lanes, struct canvas *c, struct rect area)
{
	int column = run->playhead == TIMELINE_NONE ? -1 : lanes_column(lanes, run->playhead);
	if (column < 0 || column >= area.w)
		return;
	for (int y = 0; y < lanes->height && y < area.h; y++) {
		const struct lane_cell *cell = &lanes->rows[y].cells[column];
		struct pen p = pen_at(c, (struct rect){area.x + column, area.y, 1, area.h}, y);
		if (lanes->rows[y].kind == LANE_ROW_FOOT)
			pen_sign(&p, ROLE_PLAYHEAD, GLYPH_PLAYHEAD);
		else if (lanes->rows[y].kind != LANE_ROW_AXIS && cell->role == LANE_BLANK)
			pen_sign(&p, ROLE_PLAYHEAD, GLYPH_VLINE);
		else if (lanes->rows[y].kind != LANE_ROW_AXIS)
			canvas_overlay(c, (struct rect){area.x + column, area.y + y, 1, 1}, ROLE_SELECTED);
	}
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_timeline *v = (struct view_timeline *)view;
	const struct run *run = model_run(m);
	(void)focused;
	view->area = area;
	if (!run || area.w < 1 || area.h < 1)
		return;
	const struct lanes *lanes = lanes_for(v, run, area, m->utf8);
	for (int y = 0; y < lanes->height && y < area.h; y++) {
		struct pen p = pen_at(c, area, y);
		for (int x = 0; x < lanes->width && x < area.w; x++) {
			const struct lane_cell *cell = &lanes->rows[y].cells[x];
			pen_code(&p, role_of((enum lane_role)cell->role), cell->glyph);
		}
	}
	draw_playhead(run, lanes, c, area);
	draw_bookmarks(run, lanes, c, area);
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	struct view_timeline *v = (struct view_timeline *)view;
	(void)m;
	(void)y;
	if (!v->lanes)
		return;
	size_t event = lanes_event(v->lanes, x - view->area.x);
	if (event != TIMELINE_NONE)
		*ret = (struct request){.kind = REQUEST_GOTO, .index = event, .jump = !drag};
}

static void destroy(struct view *view)
{
	struct view_timeline *v = (struct view_timeline *)view;
	lanes_destroy(v->lanes);
	free(v);
}

static const struct view_ops ops = {.name = "timeline", .rows = rows, .draw = draw, .press = press, .destroy = destroy};

struct view *view_timeline_create(void)
{
	struct view_timeline *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	return &v->view;
}
