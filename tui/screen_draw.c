/* How the screen is shared out among its lines and views. */
#include <string.h>

#include "tui/screen_parts.h"

#define TALL_ROWS    36 /* from this height on a run's page shows the console as well */
#define TIMELINE_MIN 4

/* ---- panes ---- */

static void draw_head(struct view *v, const struct model *m, struct canvas *c, struct rect row, bool focused, bool folded)
{
	struct buf note = {0};
	if (v->ops->note)
		v->ops->note(v, m, &note);
	canvas_hline(c, row, ROLE_BORDER);
	struct pen p = pen_at(c, row, 0);
	if (focused)
		pen_sign(&p, ROLE_PLAYHEAD, GLYPH_CURSOR);
	else
		pen_sign(&p, ROLE_BORDER, GLYPH_HLINE);
	pen_printf(&p, focused ? ROLE_HEADING : ROLE_DIM, "%s", v->ops->name);
	if (folded) /* before what a narrow pane cuts */
		pen_text(&p, ROLE_DIM, " [folded]");
	if (note.size)
		pen_printf(&p, ROLE_DIM, " %s", note.data);
	pen_text(&p, ROLE_DIM, " ");
	pen_more(&p);
	buf_free(&note);
}

void screen_pane(
	struct screen *s, enum screen_view which, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view *v = s->views[which];
	if (area.w < 1 || area.h < 1)
		return;
	s->shown[which] = true;
	struct rect head = rect_cut_top(&area, area.h > 2 ? 1 : 0);
	if (head.h)
		draw_head(v, m, c, head, focused, false);
	v->ops->draw(v, m, c, area, focused);
}

void screen_folded(
	struct screen *s, enum screen_view which, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct rect head = rect_cut_top(&area, 1);
	if (head.w > 0 && head.h > 0)
		draw_head(s->views[which], m, c, head, focused, true);
}

void screen_separator(struct canvas *c, struct rect line, bool tee)
{
	canvas_vline(c, line, ROLE_BORDER);
	struct pen p = pen_at(c, line, 0);
	if (tee)
		pen_sign(&p, ROLE_BORDER, GLYPH_TEE_DOWN);
}

/* A wide screen: events, faults and properties beside each other. */
static void draw_columns(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	static const enum screen_view which[3] = {SCREEN_EVENTS, SCREEN_FAULTS, SCREEN_PROPERTIES};
	static const struct layout_part parts[3] = {{46, 0, 6, 0}, {26, 40, 3, 2}, {30, 60, 4, 1}};
	struct rect rects[3];
	layout_columns(area, 1, parts, 3, rects);
	for (int i = 0; i < 3; i++) {
		if (rects[i].w && i > 0)
			screen_separator(c, (struct rect){rects[i].x - 1, area.y, 1, area.h}, true);
		screen_pane(s, which[i], m, c, rects[i], s->focus == which[i]);
	}
}

/* A narrow one: faults above properties, beside the events; both share what is there by what they need. */
static void draw_stacked(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	static const struct layout_part parts[2] = {{36, 0, 3, 0}, {28, 44, 2, 1}};
	struct rect rects[2], right[2];
	layout_columns(area, 1, parts, 2, rects);
	screen_pane(s, SCREEN_EVENTS, m, c, rects[0], s->focus == SCREEN_EVENTS);
	if (rects[1].w == 0)
		return;
	int faults = (int)s->views[SCREEN_FAULTS]->list.count + 1, properties = (int)s->views[SCREEN_PROPERTIES]->list.count + 1;
	int half = area.h / 2 > 4 ? area.h / 2 : 4;
	struct layout_part rows[2] = {
		{faults < half ? faults : half, 0, properties > half ? 0 : 1, s->focus == SCREEN_FAULTS ? 0 : 2},
		{properties < half ? properties : half, 0, 1, s->focus == SCREEN_PROPERTIES ? 0 : 1}};
	layout_rows(rects[1], 0, rows, 2, right);
	screen_separator(c, (struct rect){rects[1].x - 1, area.y, 1, area.h}, true);
	screen_pane(s, SCREEN_FAULTS, m, c, right[0], s->focus == SCREEN_FAULTS);
	screen_pane(s, SCREEN_PROPERTIES, m, c, right[1], s->focus == SCREEN_PROPERTIES);
}

/* What has no room gives way; the focused list never does. */
static void draw_lists(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	bool other = s->focus != SCREEN_EVENTS;
	if (s->wide || (other && area.w < 36 + 1 + 28) || area.h < 4)
		screen_pane(s, s->focus, m, c, area, true);
	else if (area.w >= 46 + 26 + 30 + 2 && s->views[SCREEN_FAULTS]->list.count) /* none need no column */
		draw_columns(s, m, c, area);
	else
		draw_stacked(s, m, c, area);
}

static void draw_run(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	const struct run *run = model_run(m);
	if (!run) {
		struct pen p = pen_at(c, area, area.h / 2);
		pen_text(&p, ROLE_DIM, s->opening ? "  opening ..." : "  no run is open: o shows the runs");
		return;
	}
	bool tall = area.h >= TALL_ROWS && s->bottom == BOTTOM_LISTS;
	struct view *timeline = s->views[SCREEN_TIMELINE];
	int most = area.h / 2 > TIMELINE_MIN ? area.h / 2 : TIMELINE_MIN;
	int rows = area.h > TIMELINE_MIN + 4 ? timeline->ops->rows(timeline, m, area.w, most) : 0;
	struct layout_part parts[3] = {{rows, rows, 0, 2}, {4, 0, 3, 0}, {tall ? 8 : 0, 0, tall ? 2 : 0, 3}};
	struct rect rects[3];
	layout_rows(area, 0, parts, 3, rects);
	if (rects[0].h) {
		s->shown[SCREEN_TIMELINE] = true;
		timeline->ops->draw(timeline, m, c, rects[0], false);
	}
	if (s->bottom == BOTTOM_LISTS)
		draw_lists(s, m, c, rects[1]);
	else
		screen_pane(s,
			s->bottom == BOTTOM_DETAIL            ? SCREEN_DETAIL
				: s->bottom == BOTTOM_CONSOLE ? SCREEN_CONSOLE
							      : SCREEN_PLAN,
			m, c, rects[1], true);
	if (tall)
		screen_pane(s, SCREEN_CONSOLE, m, c, rects[2], false);
}

static void draw_page(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	switch (screen_page(s)) {
	case PAGE_RUN:
		draw_run(s, m, c, area);
		break;
	case PAGE_RUNS:
		screen_pane(s, SCREEN_RUNS, m, c, area, true);
		break;
	case PAGE_DIFF:
		s->shown[SCREEN_DIFF] = true;
		s->views[SCREEN_DIFF]->ops->draw(s->views[SCREEN_DIFF], m, c, area, true);
		break;
	case PAGE_DEBUG:
		screen_draw_debug(s, m, c, area);
		break;
	case PAGE_HELP:
	case PAGE_TOUR: {
		enum screen_view which = screen_page(s) == PAGE_HELP ? SCREEN_HELP : SCREEN_TOUR;
		struct rect inside = {area.x + (area.w > 40), area.y, area.w - (area.w > 40), area.h};
		s->shown[which] = true;
		s->views[which]->ops->draw(s->views[which], m, c, inside, true);
		break;
	}
	}
}

void screen_draw(struct screen *s, const struct model *m, const struct screen_prompt *prompt, struct canvas *c)
{
	enum { TITLE, PAGE, STATUS, KEYS, PARTS };
	struct layout_part parts[PARTS] = {{1, 1, 0, 2}, {2, 0, 1, 0}, {1, 1, 0, 3}, {1, 1, 0, 4}};
	struct rect rects[PARTS];
	canvas_clear(c);
	memset(s->shown, 0, sizeof s->shown);
	layout_rows(canvas_all(c), 0, parts, PARTS, rects);
	if (rects[TITLE].h)
		screen_title(s, m, c, rects[TITLE]);
	draw_page(s, m, c, rects[PAGE]);
	if (rects[STATUS].h)
		screen_status(s, m, c, rects[STATUS]);
	if (!prompt) {
		if (rects[KEYS].h)
			screen_keys(s, m, c, rects[KEYS]);
		return;
	}
	struct rect above = canvas_all(c);
	struct rect row = rect_cut_bottom(&above, 1);
	if (prompt->match_count)
		screen_matches(prompt, c, above);
	screen_prompt(prompt, c, row);
}
