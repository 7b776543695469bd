#include "tui/rows.h"

#include <stdio.h>

/* ---- any list ---- */

void rows_draw(struct view *v, const struct model *m, const struct rows_look *look, struct canvas *c, struct rect area,
	bool marks, bool focused)
{
	list_reveal(&v->list, area.h, look->centre);
	for (int row = 0; row < area.h; row++) {
		size_t at = list_row(&v->list, v->list.top + (size_t)row);
		if (at == LIST_NONE)
			break;
		struct pen p = pen_at(c, view_list_area(&v->list, area), row);
		look->row(v, m, at, &p);
		pen_more(&p);
		if (at == v->list.selected && marks)
			view_mark_row(c, area, row, focused);
	}
	if (list_shown(&v->list) == 0) {
		struct pen p = pen_at(c, area, 0);
		look->empty(v, m, &p);
		pen_more(&p);
	}
	list_draw_bar(&v->list, c, area);
}

void rows_event_number(struct pen *p, const struct run *run, size_t event, int width)
{
	char text[24];
	snprintf(text, sizeof text, "%zu", event + 1);
	pen_number(p, event == run->playhead ? ROLE_PLAYHEAD : ROLE_NUMBER, text, width);
	if (event == run->playhead)
		pen_sign(p, ROLE_PLAYHEAD, GLYPH_LEFT);
}

/* ---- rows at events ---- */

static void make(struct rows_view *v, const struct model *m)
{
	v->count = v->ops->make(v);
	finder_apply(&v->view, m, v->count, v->ops->text);
}

void rows_view_sync(struct view *view, const struct model *m)
{
	struct rows_view *v = (struct rows_view *)view;
	const struct run *run = model_run(m);
	if (!run)
		return;
	size_t stamp = v->ops->stamp(run->timeline);
	bool other = v->timeline != run->timeline;
	if (other || v->stamp != stamp) {
		v->timeline = run->timeline;
		v->stamp = stamp;
		make(v, m);
	}
	size_t selected = view->list.selected;
	bool there = selected < v->count && v->ops->event(v, selected) == run->playhead;
	if ((other || view->seen != run->playhead) && !there)
		list_select(&view->list, v->ops->follow(v, run->playhead));
	view->seen = run->playhead;
}

/* Takes the playhead to where the row stands, if it stands anywhere. */
static void go_to_row(struct rows_view *v, size_t row, bool jump, struct request *ret)
{
	size_t event = row < v->count ? v->ops->event(v, row) : TIMELINE_NONE;
	if (event == TIMELINE_NONE)
		return;
	v->view.seen = event;
	*ret = (struct request){.kind = REQUEST_GOTO, .index = event, .jump = jump};
}

bool rows_view_act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct rows_view *v = (struct rows_view *)view;
	if (!model_run(m) || v->count == 0)
		return false;
	if (action == ACTION_SORT) {
		if (finder_order(view, argument, err))
			make(v, m);
		return err->code == ERR_NONE;
	}
	bool found = finder_act(view, m, v->ops->what, v->ops->text, action, argument, err);
	if (found && action == ACTION_FILTER)
		return true;
	if (action == ACTION_DETAIL && view->list.selected < v->count) {
		*ret = (struct request){
			.kind = REQUEST_DETAIL, .subject = v->ops->subject, .index = v->ops->about(v, view->list.selected)};
		return true;
	}
	if (!found && !view_list_act(&view->list, view->area.h, action))
		return false;
	go_to_row(v, view->list.selected, found, ret);
	return true;
}

void rows_view_press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	size_t row = list_row(&view->list, view->list.top + (size_t)(y - view->area.y));
	(void)m;
	(void)x;
	(void)drag;
	if (row == LIST_NONE)
		return;
	list_select(&view->list, row);
	go_to_row((struct rows_view *)view, row, false, ret);
}
