/* The lives of the faults: one row a stage, in the plan's order, on the shared playhead. */
#include <stdio.h>
#include <stdlib.h>

#include "tui/finder.h"

struct fault_row {
	size_t fault;
	int stage;    /* -1: planned, and nothing happened */
	size_t event; /* TIMELINE_NONE then */
};

enum { ORDER_PLAN, ORDER_TIME, ORDER_STAGE };
static const char *const orders[] = {[ORDER_PLAN] = "plan", [ORDER_TIME] = "time", [ORDER_STAGE] = "stage", NULL};

struct view_faults {
	struct view view;
	const struct timeline *timeline;
	size_t count; /* events when the rows were made */
	struct fault_row *rows;
	size_t row_count, row_room;
};

static size_t event_of(const struct view_faults *v, size_t row)
{
	return v->rows[row].event;
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
	const struct view_faults *v = (const struct view_faults *)view;
	const struct fault_row *r = &v->rows[row];
	const struct timeline_fault *fault = timeline_fault(v->timeline, r->fault);
	(void)m;
	buf_printf(out, "fault:%s kind:fault.%s type:%s node:%s", fault->id,
		r->stage < 0 ? "not selected" : fault_stage_name((enum fault_stage)r->stage), fault->type,
		timeline_node(v->timeline, (size_t)fault->node));
}

static void make_rows(struct view_faults *v, const struct model *m)
{
	v->row_count = 0;
	for (size_t i = 0; i < timeline_fault_count(v->timeline); i++) {
		const struct timeline_fault *fault = timeline_fault(v->timeline, i);
		size_t before = v->row_count;
		for (int stage = 0; stage < FAULT_STAGES; stage++)
			if (fault->stage[stage] != TIMELINE_NONE)
				ARRAY_PUSH(v->rows, v->row_count, v->row_room) =
					(struct fault_row){i, stage, fault->stage[stage]};
		if (v->row_count == before)
			ARRAY_PUSH(v->rows, v->row_count, v->row_room) = (struct fault_row){i, -1, TIMELINE_NONE};
	}
	if (v->row_count && v->view.order != ORDER_PLAN)
		qsort(v->rows, v->row_count, sizeof *v->rows, v->view.order == ORDER_TIME ? by_time : by_stage);
	finder_apply(&v->view, m, v->row_count, row_text);
}

/* Selects the latest transition at or before the playhead, unless the selection is at the playhead already. */
static void follow_playhead(struct view_faults *v, const struct run *run)
{
	size_t best = LIST_NONE, best_event = 0, selected = v->view.list.selected;
	if (selected != LIST_NONE && selected < v->row_count && event_of(v, selected) == run->playhead)
		return;
	for (size_t row = 0; row < v->row_count; row++) {
		size_t event = event_of(v, row);
		if (event == TIMELINE_NONE || run->playhead == TIMELINE_NONE || event > run->playhead)
			continue;
		if (best == LIST_NONE || event >= best_event) {
			best = row;
			best_event = event;
		}
	}
	list_select(&v->view.list, best == LIST_NONE ? 0 : best);
}

static void sync(struct view *view, const struct model *m)
{
	struct view_faults *v = (struct view_faults *)view;
	const struct run *run = model_run(m);
	if (!run)
		return;
	bool other = v->timeline != run->timeline;
	if (other || v->count != timeline_count(run->timeline)) {
		v->timeline = run->timeline;
		v->count = timeline_count(run->timeline);
		make_rows(v, m);
	}
	if (other || view->seen != run->playhead)
		follow_playhead(v, run);
	view->seen = run->playhead;
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_faults *v = (struct view_faults *)view;
	if (!model_run(m) || v->row_count == 0)
		return false;
	if (action == ACTION_SORT) {
		if (finder_order(view, argument, err))
			make_rows(v, m);
		return err->code == ERR_NONE;
	}
	bool found = finder_act(view, m, "fault", row_text, action, argument, err);
	if (found && action == ACTION_FILTER)
		return true;
	if (action == ACTION_DETAIL && view->list.selected < v->row_count) {
		*ret = (struct request){
			.kind = REQUEST_DETAIL, .subject = SUBJECT_FAULT, .index = v->rows[view->list.selected].fault};
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

static enum role stage_role(int stage)
{
	return stage == FAULT_HEALED ? ROLE_HEALED : stage == FAULT_REJECTED ? ROLE_WARN : ROLE_FAULT;
}

static void draw_row(const struct view_faults *v, const struct run *run, size_t row, bool first, struct pen *p)
{
	const struct fault_row *r = &v->rows[row];
	const struct timeline_fault *fault = timeline_fault(v->timeline, r->fault);
	size_t event = event_of(v, row);
	bool happened = event != TIMELINE_NONE && run->playhead != TIMELINE_NONE && event <= run->playhead;
	int left = pen_left(p), id_width = 4;
	for (size_t i = 0; i < timeline_fault_count(v->timeline); i++) {
		int w = glyph_text_width(timeline_fault(v->timeline, i)->id);
		id_width = w > id_width ? w : id_width;
	}
	int most = left - 1 - 8 - 6 > 4 ? left - 1 - 8 - 6 : 4;
	id_width = id_width > most ? most : id_width;
	pen_field(p, happened ? ROLE_FAULT : ROLE_DIM, first ? fault->id : "", id_width);
	pen_text(p, ROLE_TEXT, " ");
	if (r->stage < 0) {
		pen_text(p, ROLE_DIM, "not selected");
		return;
	}
	pen_field(p, happened ? stage_role(r->stage) : ROLE_DIM, fault_stage_name((enum fault_stage)r->stage), 8);
	char text[24];
	snprintf(text, sizeof text, "%zu", event + 1);
	pen_number(p, event == run->playhead ? ROLE_PLAYHEAD : ROLE_NUMBER, text,
		left - id_width - 9 < 9 ? left - id_width - 10 : 8);
	if (event == run->playhead)
		pen_sign(p, ROLE_PLAYHEAD, GLYPH_LEFT);
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_faults *v = (struct view_faults *)view;
	const struct run *run = model_run(m);
	view->area = area;
	if (!run)
		return;
	list_reveal(&view->list, area.h, true);
	size_t previous = list_row(&view->list, view->list.top - 1); /* LIST_NONE at the top */
	for (int row = 0; row < area.h; row++) {
		size_t at = list_row(&view->list, view->list.top + (size_t)row);
		if (at == LIST_NONE)
			break;
		struct pen p = pen_at(c, view_list_area(&view->list, area), row);
		draw_row(v, run, at, previous == LIST_NONE || v->rows[previous].fault != v->rows[at].fault, &p);
		pen_more(&p);
		previous = at;
		if (at == view->list.selected && focused)
			view_mark_row(c, area, row, focused);
	}
	if (list_shown(&view->list) == 0) {
		struct pen p = pen_at(c, area, 0);
		pen_text(&p, ROLE_DIM, view->words ? "nothing matches the filter" : "no faults in this run");
	}
	list_draw_bar(&view->list, c, area);
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	struct view_faults *v = (struct view_faults *)view;
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
	.sync = sync,
	.draw = draw,
	.act = act,
	.press = press,
	.note = note,
	.destroy = destroy,
	.filters = true,
	.orders = orders,
};

struct view *view_faults_create(void)
{
	struct view_faults *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	return &v->view;
}
