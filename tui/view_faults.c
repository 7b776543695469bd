/* The lives of the faults: one row a stage, in the plan's order, on the shared playhead. */
#include <stdlib.h>

#include "tui/rows.h"

struct fault_row {
	size_t fault;
	int stage;    /* -1: planned, and nothing happened */
	size_t event; /* TIMELINE_NONE then */
};

enum { ORDER_PLAN, ORDER_TIME, ORDER_STAGE };
static const char *const orders[] = {[ORDER_PLAN] = "plan", [ORDER_TIME] = "time", [ORDER_STAGE] = "stage", NULL};

struct view_faults {
	struct rows_view base; /* first: is the view */
	struct fault_row *rows;
	size_t row_count, row_room;
};

static const struct fault_row *row_of(const struct view *v, size_t row)
{
	return &((const struct view_faults *)v)->rows[row];
}

static size_t event(const struct rows_view *v, size_t row)
{
	return row_of(&v->view, row)->event;
}

static size_t about(const struct rows_view *v, size_t row)
{
	return row_of(&v->view, row)->fault;
}

static int compare_size(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

/* What did not happen has the largest event number there is, and comes last. */
static int by_time(const void *first, const void *second)
{
	const struct fault_row *a = first, *b = second;
	int order = compare_size(a->event, b->event);
	return order ? order : compare_size(a->fault, b->fault);
}

static int by_stage(const void *first, const void *second)
{
	const struct fault_row *a = first, *b = second;
	int order = a->stage < 0 || b->stage < 0 ? b->stage - a->stage : a->stage - b->stage;
	return order ? order : by_time(first, second);
}

static void row_text(const struct view *view, const struct model *m, size_t row, struct buf *out)
{
	const struct timeline *t = ((const struct rows_view *)view)->timeline;
	const struct fault_row *r = row_of(view, row);
	const struct timeline_fault *fault = timeline_fault(t, r->fault);
	(void)m;
	buf_printf(out, "fault:%s kind:fault.%s type:%s node:%s", fault->id,
		r->stage < 0 ? "not selected" : fault_stage_name((enum fault_stage)r->stage), fault->type,
		timeline_node(t, (size_t)fault->node));
}

static size_t make(struct rows_view *base)
{
	struct view_faults *v = (struct view_faults *)base;
	v->row_count = 0;
	for (size_t i = 0; i < timeline_fault_count(base->timeline); i++) {
		const struct timeline_fault *fault = timeline_fault(base->timeline, i);
		size_t before = v->row_count;
		for (int stage = 0; stage < FAULT_STAGES; stage++)
			if (fault->stage[stage] != TIMELINE_NONE)
				ARRAY_PUSH(v->rows, v->row_count, v->row_room) =
					(struct fault_row){i, stage, fault->stage[stage]};
		if (v->row_count == before)
			ARRAY_PUSH(v->rows, v->row_count, v->row_room) = (struct fault_row){i, -1, TIMELINE_NONE};
	}
	if (v->row_count && base->view.order != ORDER_PLAN)
		qsort(v->rows, v->row_count, sizeof *v->rows, base->view.order == ORDER_TIME ? by_time : by_stage);
	return v->row_count;
}

/* The latest transition at or before the playhead. */
static size_t follow(const struct rows_view *v, size_t playhead)
{
	size_t best = LIST_NONE, best_event = 0;
	for (size_t row = 0; row < v->count; row++) {
		size_t at = event(v, row);
		if (at == TIMELINE_NONE || playhead == TIMELINE_NONE || at > playhead)
			continue;
		if (best == LIST_NONE || at >= best_event) {
			best = row;
			best_event = at;
		}
	}
	return best == LIST_NONE ? 0 : best;
}

static enum role stage_role(int stage)
{
	return stage == FAULT_HEALED ? ROLE_HEALED : stage == FAULT_REJECTED ? ROLE_WARN : ROLE_FAULT;
}

/* Of the column of names: that of the longest, as far as there is room. */
static int id_width(const struct timeline *t, int left)
{
	int width = 4, most = left - 1 - 8 - 6 > 4 ? left - 1 - 8 - 6 : 4;
	for (size_t i = 0; i < timeline_fault_count(t); i++) {
		int w = glyph_text_width(timeline_fault(t, i)->id);
		width = w > width ? w : width;
	}
	return width > most ? most : width;
}

static void draw_row(const struct view *view, const struct model *m, size_t row, struct pen *p)
{
	const struct run *run = model_run(m);
	const struct timeline *t = ((const struct rows_view *)view)->timeline;
	const struct fault_row *r = row_of(view, row);
	const struct timeline_fault *fault = timeline_fault(t, r->fault);
	bool happened = r->event != TIMELINE_NONE && run->playhead != TIMELINE_NONE && r->event <= run->playhead;
	size_t place = list_place(&view->list, row), before = place ? list_row(&view->list, place - 1) : LIST_NONE;
	bool first = before == LIST_NONE || row_of(view, before)->fault != r->fault;
	int left = pen_left(p), width = id_width(t, left);
	pen_field(p, happened ? ROLE_FAULT : ROLE_DIM, first ? fault->id : "", width);
	pen_text(p, ROLE_TEXT, " ");
	if (r->stage < 0) {
		pen_text(p, ROLE_DIM, "not selected");
		return;
	}
	pen_field(p, happened ? stage_role(r->stage) : ROLE_DIM, fault_stage_name((enum fault_stage)r->stage), 8);
	rows_event_number(p, run, r->event, left - width - 9 < 9 ? left - width - 10 : 8);
}

static void draw_empty(const struct view *view, const struct model *m, struct pen *p)
{
	(void)m;
	pen_text(p, ROLE_DIM, view->words ? "nothing matches the filter" : "no faults in this run");
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	static const struct rows_look look = {draw_row, draw_empty, .centre = true};
	view->area = area;
	if (model_run(m))
		rows_draw(view, m, &look, c, area, focused, focused);
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct run *run = model_run(m);
	if (!run)
		return;
	buf_printf(out, "%zu", timeline_fault_count(run->timeline));
	finder_note(view, out);
}

static void destroy(struct view *view)
{
	struct view_faults *v = (struct view_faults *)view;
	free(v->rows);
	finder_finish(view);
	free(v);
}

static const struct view_ops ops = {
	.name = "faults",
	.sync = rows_view_sync,
	.draw = draw,
	.act = rows_view_act,
	.press = rows_view_press,
	.note = note,
	.destroy = destroy,
	.filters = true,
	.orders = orders,
};

static const struct rows_ops rows_ops = {"fault", SUBJECT_FAULT, timeline_count, make, event, about, follow, row_text};

struct view *view_faults_create(void)
{
	struct view_faults *v = mem_alloc(sizeof *v);
	v->base.view.ops = &ops;
	v->base.ops = &rows_ops;
	return &v->base.view;
}
