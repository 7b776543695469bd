/* The properties and their verdicts; what did not pass shows why, its margin and its witnesses. */
#include <stdlib.h>
#include <string.h>

#include "tui/rows.h"

enum row_kind { ROW_HEAD, ROW_WHY, ROW_MARGIN, ROW_WITNESS };

struct property_row {
	size_t property;
	enum row_kind kind;
	size_t witness;
};

enum { ORDER_VERDICT, ORDER_NAME, ORDER_TIME };
static const char *const orders[] = {[ORDER_VERDICT] = "verdict", [ORDER_NAME] = "name", [ORDER_TIME] = "time", NULL};

struct view_properties {
	struct rows_view base; /* first: is the view */
	struct property_row *rows;
	size_t row_count, row_room;
};

static const struct property_row *row_of(const struct view *v, size_t row)
{
	return &((const struct view_properties *)v)->rows[row];
}

static size_t event(const struct rows_view *v, size_t row)
{
	const struct property_row *r = row_of(&v->view, row);
	const struct timeline_property *p = timeline_property(v->timeline, r->property);
	return r->kind == ROW_WITNESS ? p->witnesses[r->witness] : p->decided;
}

static size_t about(const struct rows_view *v, size_t row)
{
	return row_of(&v->view, row)->property;
}

static size_t stamp(const struct timeline *t)
{
	return timeline_property_count(t);
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
	const struct rows_view *v = data;
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
	const struct rows_view *v = (const struct rows_view *)view;
	const struct fact_property *fact = timeline_property(v->timeline, about(v, row))->fact;
	(void)m;
	buf_printf(out, "%s verdict:%s type:%s %s", fact->id, verdict_name(fact->verdict), fact->type, fact->why);
}

static size_t make(struct rows_view *base)
{
	struct view_properties *v = (struct view_properties *)base;
	size_t count = timeline_property_count(base->timeline), *sorted = mem_array(count + 1, sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof *sorted, compare, base);
	v->row_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct fact_property *fact = timeline_property(base->timeline, sorted[i])->fact;
		add(v, sorted[i], ROW_HEAD, 0);
		if (fact->verdict != VERDICT_PASS && fact->why[0])
			add(v, sorted[i], ROW_WHY, 0);
		if (fact->has_margin)
			add(v, sorted[i], ROW_MARGIN, 0);
		for (size_t w = 0; fact->verdict == VERDICT_FAIL && w < fact->witness_count; w++)
			add(v, sorted[i], ROW_WITNESS, w);
	}
	free(sorted);
	return v->row_count;
}

static size_t follow(const struct rows_view *v, size_t playhead)
{
	for (size_t row = 0; playhead != TIMELINE_NONE && row < v->count; row++)
		if (event(v, row) == playhead)
			return row;
	return 0; /* nothing was decided here: the failures, which stand first */
}

static void draw_event_number(struct pen *p, const struct run *run, size_t event)
{
	int width = pen_left(p) - 1;
	if (event != TIMELINE_NONE && width >= 2)
		rows_event_number(p, run, event, width < 6 ? width : 6);
}

static void draw_row(const struct view *view, const struct model *m, size_t row, struct pen *p)
{
	const struct run *run = model_run(m);
	const struct property_row *r = row_of(view, row);
	const struct timeline_property *property = timeline_property(((const struct rows_view *)view)->timeline, r->property);
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

static void draw_empty(const struct view *view, const struct model *m, struct pen *p)
{
	const struct run *run = model_run(m);
	pen_text(p, ROLE_DIM,
		view->words                                  ? "nothing matches the filter"
			: timeline_abandoned(run->timeline)  ? "never judged: its recorder was killed"
			: timeline_incomplete(run->timeline) ? "judged at the end"
							     : "no properties");
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	static const struct rows_look look = {draw_row, draw_empty, .centre = false};
	view->area = area;
	if (model_run(m))
		rows_draw(view, m, &look, c, area, focused, focused);
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
	.sync = rows_view_sync,
	.draw = draw,
	.act = rows_view_act,
	.press = rows_view_press,
	.note = note,
	.destroy = destroy,
	.filters = true,
	.orders = orders,
};

static const struct rows_ops rows_ops = {"property", SUBJECT_PROPERTY, stamp, make, event, about, follow, row_text};

struct view *view_properties_create(void)
{
	struct view_properties *v = mem_alloc(sizeof *v);
	v->base.view.ops = &ops;
	v->base.ops = &rows_ops;
	return &v->base.view;
}
