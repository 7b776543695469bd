/* The properties and their verdicts; what did not pass shows why, its margin and its witnesses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/finder.h"

enum row_kind { ROW_HEAD, ROW_WHY, ROW_MARGIN, ROW_WITNESS };

struct property_row {
	size_t property;
	enum row_kind kind;
	size_t witness;
};

enum { ORDER_VERDICT, ORDER_NAME, ORDER_TIME };
static const char *const orders[] = {[ORDER_VERDICT] = "verdict", [ORDER_NAME] = "name", [ORDER_TIME] = "time", NULL};

struct view_properties {
	struct view view;
	const struct timeline *timeline;
	size_t made_for; /* properties when the rows were made; + 1, 0 for never */
	struct property_row *rows;
	size_t row_count, row_room;
};

static size_t event_of(const struct view_properties *v, size_t row)
{
	const struct property_row *r = &v->rows[row];
	const struct timeline_property *p = timeline_property(v->timeline, r->property);
	return r->kind == ROW_WITNESS ? p->witnesses[r->witness] : p->decided;
}

static void add(struct view_properties *v, size_t property, enum row_kind kind, size_t witness)
{
	ARRAY_PUSH(v->rows, v->row_count, v->row_room) = (struct property_row){property, kind, witness};
}

static int compare(const void *first, const void *second, void *data)
{
	/* Failures first: they are what one came for. */
	static const int severity[VERDICT_COUNT] = {
		[VERDICT_FAIL] = 0, [VERDICT_UNKNOWN] = 1, [VERDICT_UNEXERCISED] = 2, [VERDICT_PASS] = 3};
	const struct view_properties *v = data;
	size_t i = *(const size_t *)first, j = *(const size_t *)second;
	const struct timeline_property *a = timeline_property(v->timeline, i), *b = timeline_property(v->timeline, j);
	int order = 0;
	if (v->view.order == ORDER_VERDICT)
		order = severity[a->fact->verdict] - severity[b->fact->verdict];
	else if (v->view.order == ORDER_NAME)
		order = strcmp(a->fact->id, b->fact->id);
	else
		order = a->decided < b->decided ? -1 : a->decided > b->decided;
	return order ? order : i < j ? -1 : i > j;
}

/* Every row of a property says what the property says, so that a filter keeps it whole. */
static void row_text(const struct view *view, const struct model *m, size_t row, struct buf *out)
{
	const struct view_properties *v = (const struct view_properties *)view;
	const struct fact_property *fact = timeline_property(v->timeline, v->rows[row].property)->fact;
	(void)m;
	buf_printf(out, "%s verdict:%s type:%s %s", fact->id, verdict_name(fact->verdict), fact->type, fact->why);
}

static void make_rows(struct view_properties *v, const struct model *m)
{
	size_t count = timeline_property_count(v->timeline), *sorted = mem_array(count + 1, sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof *sorted, compare, v);
	v->row_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct fact_property *fact = timeline_property(v->timeline, sorted[i])->fact;
		add(v, sorted[i], ROW_HEAD, 0);
		if (fact->verdict != VERDICT_PASS && fact->why[0])
			add(v, sorted[i], ROW_WHY, 0);
		if (fact->has_margin)
			add(v, sorted[i], ROW_MARGIN, 0);
		for (size_t w = 0; fact->verdict == VERDICT_FAIL && w < fact->witness_count; w++)
			add(v, sorted[i], ROW_WITNESS, w);
	}
	free(sorted);
	v->made_for = count + 1;
	finder_apply(&v->view, m, v->row_count, row_text);
}

static void follow_playhead(struct view_properties *v, const struct run *run)
{
	size_t selected = v->view.list.selected;
	if (selected != LIST_NONE && selected < v->row_count && event_of(v, selected) == run->playhead)
		return;
	for (size_t row = 0; row < v->row_count; row++)
		if (event_of(v, row) == run->playhead && run->playhead != TIMELINE_NONE) {
			list_select(&v->view.list, row);
			return;
		}
	list_select(&v->view.list, 0); /* nothing was decided here: the failures, which stand first */
}

static void sync(struct view *view, const struct model *m)
{
	struct view_properties *v = (struct view_properties *)view;
	const struct run *run = model_run(m);
	if (!run)
		return;
	bool other = v->timeline != run->timeline;
	v->timeline = run->timeline;
	if (other || v->made_for != timeline_property_count(run->timeline) + 1)
		make_rows(v, m);
	if (other || view->seen != run->playhead)
		follow_playhead(v, run);
	view->seen = run->playhead;
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_properties *v = (struct view_properties *)view;
	if (!model_run(m) || v->row_count == 0)
		return false;
	if (action == ACTION_SORT) {
		if (finder_order(view, argument, err))
			make_rows(v, m);
		return err->code == ERR_NONE;
	}
	bool found = finder_act(view, m, "property", row_text, action, argument, err);
	if (found && action == ACTION_FILTER)
		return true;
	if (action == ACTION_DETAIL && view->list.selected < v->row_count) {
		*ret = (struct request){
			.kind = REQUEST_DETAIL, .subject = SUBJECT_PROPERTY, .index = v->rows[view->list.selected].property};
		return true;
	}
	if (!found && !view_list_act(&view->list, view->area.h, action))
		return false;
	size_t event = view->list.selected == LIST_NONE ? TIMELINE_NONE : event_of(v, view->list.selected);
	if (event != TIMELINE_NONE) {
		view->seen = event;
		*ret = (struct request){.kind = REQUEST_GOTO, .index = event, .jump = found};
	}
	return true;
}

static void draw_event_number(struct pen *p, const struct run *run, size_t event)
{
	char text[24];
	int width = pen_left(p) - 1;
	if (event == TIMELINE_NONE || width < 2)
		return;
	snprintf(text, sizeof text, "%zu", event + 1);
	pen_number(p, event == run->playhead ? ROLE_PLAYHEAD : ROLE_NUMBER, text, width < 6 ? width : 6);
	if (event == run->playhead)
		pen_sign(p, ROLE_PLAYHEAD, GLYPH_LEFT);
}

static void draw_row(const struct view_properties *v, const struct run *run, size_t row, struct pen *p)
{
	const struct property_row *r = &v->rows[row];
	const struct timeline_property *property = timeline_property(v->timeline, r->property);
	const struct fact_property *fact = property->fact;
	struct buf text = {0};
	switch (r->kind) {
	case ROW_HEAD: {
		int width = pen_left(p) - 2 - 7;
		view_verdict_sign(p, fact->verdict);
		pen_text(p, ROLE_TEXT, " ");
		pen_field(p, view_verdict_role(fact->verdict), fact->id, width < 6 ? pen_left(p) : width > 30 ? 30 : width);
		if (fact->decided_at)
			draw_event_number(p, run, property->decided);
		else
			pen_text(p, ROLE_DIM, fact->verdict == VERDICT_UNEXERCISED ? "  never" : " at end");
		break;
	}
	case ROW_WHY:
		pen_field(p, ROLE_TEXT, "  ", 2);
		pen_field(p, ROLE_TEXT, fact->why, pen_left(p));
		break;
	case ROW_MARGIN:
		buf_str(&text, "  ");
		view_put_margin(fact, &text);
		pen_field(p, ROLE_DIM, text.data, pen_left(p));
		break;
	case ROW_WITNESS:
		pen_field(p, ROLE_DIM, "  witness", pen_left(p) - 7 > 9 ? (pen_left(p) - 7 > 32 ? 32 : pen_left(p) - 7) : 9);
		draw_event_number(p, run, property->witnesses[r->witness]);
		break;
	}
	buf_free(&text);
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_properties *v = (struct view_properties *)view;
	const struct run *run = model_run(m);
	view->area = area;
	if (!run)
		return;
	list_reveal(&view->list, area.h, false);
	for (int row = 0; row < area.h; row++) {
		size_t at = list_row(&view->list, view->list.top + (size_t)row);
		if (at == LIST_NONE)
			break;
		struct pen p = pen_at(c, view_list_area(&view->list, area), row);
		draw_row(v, run, at, &p);
		pen_more(&p);
		if (at == view->list.selected && focused)
			view_mark_row(c, area, row, focused);
	}
	if (list_shown(&view->list) == 0) {
		struct pen p = pen_at(c, area, 0);
		pen_text(&p, ROLE_DIM,
			view->words                                  ? "nothing matches the filter"
				: timeline_abandoned(run->timeline)  ? "never judged: its recorder was killed"
				: timeline_incomplete(run->timeline) ? "judged at the end"
								     : "no properties");
		pen_more(&p);
	}
	list_draw_bar(&view->list, c, area);
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	struct view_properties *v = (struct view_properties *)view;
	(void)m;
	(void)x;
	(void)drag;
	size_t row = list_row(&view->list, view->list.top + (size_t)(y - view->area.y));
	if (row == LIST_NONE)
		return;
	list_select(&view->list, row);
	size_t event = event_of(v, row);
	if (event != TIMELINE_NONE) {
		view->seen = event;
		*ret = (struct request){.kind = REQUEST_GOTO, .index = event};
	}
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct run *run = model_run(m);
	size_t failed = 0, count = run ? timeline_property_count(run->timeline) : 0;
	for (size_t i = 0; i < count; i++)
		failed += timeline_property(run->timeline, i)->fact->verdict == VERDICT_FAIL;
	if (failed)
		buf_printf(out, "%zu of %zu fail", failed, count);
	else
		buf_printf(out, "%zu", count);
	finder_note(view, out);
}

static void destroy(struct view *view)
{
	struct view_properties *v = (struct view_properties *)view;
	free(v->rows);
	finder_finish(view);
	free(v);
}

static const struct view_ops ops = {
	.name = "properties",
	.sync = sync,
	.draw = draw,
	.act = act,
	.press = press,
	.note = note,
	.destroy = destroy,
	.filters = true,
	.orders = orders,
};

struct view *view_properties_create(void)
{
	struct view_properties *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	return &v->view;
}
