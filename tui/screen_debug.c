/* How the debug view shares its page out: the timeline, the code, what is known of this instant, each foldable to its head. */
#include <string.h>

#include "tui/screen_parts.h"

#define WIDE_COLUMNS 150 /* from this width on there are three columns */
#define TWO_COLUMNS  65  /* below this one pane has the page */

/* In the order of Tab. */
static const enum screen_view panes[] = {SCREEN_DEBUG_CODE, SCREEN_DEBUG_WHERE, SCREEN_DEBUG_LOCALS, SCREEN_DEBUG_REGS,
	SCREEN_DEBUG_PROCESSES, SCREEN_CONSOLE, SCREEN_DEBUG_OUTPUT};
enum { PANES = sizeof panes / sizeof panes[0] };

static bool folded(const struct screen *s, enum screen_view which)
{
	return s->folded >> which & 1;
}

void screen_debug_focus(struct screen *s, int direction)
{
	int at = 0;
	while (at < PANES - 1 && panes[at] != s->debug_focus)
		at++;
	s->debug_focus = panes[(at + direction + PANES) % PANES];
}

bool screen_debug_focus_view(struct screen *s, const struct view *view)
{
	for (int i = 0; i < PANES; i++)
		if (s->views[panes[i]] == view) {
			s->debug_focus = panes[i];
			return true;
		}
	return false;
}

bool screen_debug_fold(struct screen *s, const char *name)
{
	enum screen_view which = s->debug_focus;
	if (name) {
		int at = 0;
		while (at < PANES && strcmp(name, s->views[panes[at]]->ops->name) != 0)
			at++;
		if (at == PANES && strcmp(name, s->views[SCREEN_TIMELINE]->ops->name) != 0)
			return false;
		which = at == PANES ? SCREEN_TIMELINE : panes[at];
	}
	s->folded ^= 1u << which;
	return true;
}

const char *screen_debug_pane(const struct screen *s, size_t i)
{
	return i < PANES ? s->views[panes[i]]->ops->name : i == PANES ? s->views[SCREEN_TIMELINE]->ops->name : NULL;
}

bool screen_debug_folded(const struct screen *s, size_t i)
{
	return folded(s, i < PANES ? panes[i] : SCREEN_TIMELINE);
}

struct share {
	enum screen_view which;
	int weight, drop;
};

/* Panes above each other. Folded ones have one row; without room those of the highest drop go, the focused one never. */
static void draw_column(
	struct screen *s, const struct model *m, struct canvas *c, struct rect area, const struct share *shares, size_t count)
{
	struct layout_part parts[LAYOUT_PARTS_MAX];
	struct rect rects[LAYOUT_PARTS_MAX];
	bool open = false;
	for (size_t i = 0; i < count; i++) {
		bool focus = shares[i].which == s->debug_focus, closed = folded(s, shares[i].which);
		parts[i] = closed ? (struct layout_part){1, 1, 0, focus ? 0 : shares[i].drop}
				  : (struct layout_part){3, 0, shares[i].weight, focus ? 0 : shares[i].drop};
		open |= !closed;
	}
	if (!open) /* what all the folded ones leave is nobody's */
		area.h = area.h < (int)count ? area.h : (int)count;
	layout_rows(area, 0, parts, count, rects);
	for (size_t i = 0; i < count; i++) {
		bool focus = shares[i].which == s->debug_focus;
		if (folded(s, shares[i].which))
			screen_folded(s, shares[i].which, m, c, rects[i], focus);
		else
			screen_pane(s, shares[i].which, m, c, rects[i], focus);
	}
}

static void draw_two(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	static const struct share left[] = {{SCREEN_DEBUG_CODE, 6, 1}, {SCREEN_CONSOLE, 2, 3}, {SCREEN_DEBUG_OUTPUT, 3, 2}},
				  right[] = {{SCREEN_DEBUG_WHERE, 3, 2}, {SCREEN_DEBUG_LOCALS, 3, 3}, {SCREEN_DEBUG_REGS, 4, 1},
					  {SCREEN_DEBUG_PROCESSES, 2, 4}};
	static const struct layout_part parts[] = {{34, 0, 5, 0}, {30, 0, 4, 1}};
	struct rect rects[2];
	layout_columns(area, 1, parts, 2, rects);
	draw_column(s, m, c, rects[0], left, sizeof left / sizeof left[0]);
	screen_separator(c, (struct rect){rects[1].x - 1, area.y, 1, area.h}, true);
	draw_column(s, m, c, rects[1], right, sizeof right / sizeof right[0]);
}

static void draw_three(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	static const struct share columns[3][3] = {{{SCREEN_DEBUG_CODE, 3, 0}, {SCREEN_DEBUG_OUTPUT, 1, 1}},
		{{SCREEN_DEBUG_WHERE, 3, 0}, {SCREEN_DEBUG_LOCALS, 3, 1}, {SCREEN_CONSOLE, 3, 2}},
		{{SCREEN_DEBUG_REGS, 4, 0}, {SCREEN_DEBUG_PROCESSES, 3, 1}}};
	static const size_t counts[3] = {2, 3, 2};
	static const struct layout_part parts[3] = {{60, 0, 6, 0}, {40, 0, 4, 1}, {44, 60, 3, 2}};
	struct rect rects[3];
	layout_columns(area, 1, parts, 3, rects);
	for (int i = 0; i < 3; i++) {
		if (i > 0)
			screen_separator(c, (struct rect){rects[i].x - 1, area.y, 1, area.h}, true);
		draw_column(s, m, c, rects[i], columns[i], counts[i]);
	}
}

void screen_draw_debug(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	struct view *timeline = s->views[SCREEN_TIMELINE];
	bool wants = model_run(m) && area.h >= 12 && !folded(s, SCREEN_TIMELINE) && !s->wide;
	int rows = wants ? timeline->ops->rows(timeline, m, area.w, area.h / 3) : 0;
	struct rect top = rect_cut_top(&area, rows);
	if (top.h) {
		s->shown[SCREEN_TIMELINE] = true;
		timeline->ops->draw(timeline, m, c, top, false);
	}
	if (s->wide || area.w < TWO_COLUMNS || area.h < 4) /* one pane has it all, folded or not */
		screen_pane(s, s->debug_focus, m, c, area, true);
	else if (area.w >= WIDE_COLUMNS && area.h >= 9)
		draw_three(s, m, c, area);
	else
		draw_two(s, m, c, area);
}
