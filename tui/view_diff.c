/* Two runs side by side on one playhead: what they have in common folded, the story of the first difference above, choices,
 * faults and verdicts below; or both consoles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/diffrows.h"
#include "tui/eventrow.h"
#include "tui/view.h"

#define STORY_ROWS_MAX 8

struct view_diff {
	struct view view;
	const struct diff *diff; /* that the docs and rows were made of */
	struct diffrows rows;
	struct doc_view story;
	struct doc facts, facts_wrapped;
	int facts_width;
	struct view *consoles[2];
	bool show_consoles;
	bool show_all;      /* the story and the facts have the whole page */
	struct rect events; /* where the rows were drawn last */
};

/* ---- what is written about the difference ---- */

static void make_story(struct view_diff *v, const struct diff *d)
{
	struct doc *doc = &v->story.doc;
	doc_clear(doc);
	doc_line(doc, 2);
	doc_add(doc, d->identical ? ROLE_PASS : ROLE_WARN, d->headline);
	char *copy = mem_str(d->story), *save = NULL;
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		doc_line(doc, 2);
		enum role role = strncmp(line, "A", 1) == 0 ? ROLE_LEFT : strncmp(line, "B", 1) == 0 ? ROLE_RIGHT : ROLE_TEXT;
		doc_add(doc, role, line);
	}
	free(copy);
	doc_view_changed(&v->story);
}

static void put_both(
	struct doc *doc, int column, int value, const char *kind, const char *name, const char *a, const char *b, bool differs)
{
	char label[64];
	snprintf(label, sizeof label, "%s %s", kind, name);
	doc_line(doc, -1);
	doc_printf(doc, differs ? ROLE_WARN : ROLE_DIM, "%s ",
		differs ? glyph_sign(GLYPH_CHANGED, true) : glyph_sign(GLYPH_SAME, true));
	int name_width = column - 2, used = glyph_text_width(label);
	doc_printf(doc, differs ? ROLE_TEXT : ROLE_DIM, "%.*s%*s", name_width > 0 ? name_width : 0, label,
		used < name_width ? name_width - used : 0, "");
	doc_printf(doc, differs ? ROLE_LEFT : ROLE_DIM, " %-*.*s", value, value, a);
	doc_printf(doc, differs ? ROLE_RIGHT : ROLE_DIM, " %s", b);
}

static void put_fault_state(const struct timeline *t, int fault, struct buf *out)
{
	buf_clear(out);
	if (fault < 0) {
		buf_str(out, "not planned");
		return;
	}
	const struct timeline_fault *f = timeline_fault(t, (size_t)fault);
	int last = -1;
	for (int stage = 0; stage < FAULT_STAGES; stage++)
		if (f->stage[stage] != TIMELINE_NONE)
			last = stage;
	if (last < 0)
		buf_str(out, "not selected");
	else if (f->stage[FAULT_APPLIED] != TIMELINE_NONE)
		buf_printf(out, "ev %zu, %s", f->stage[FAULT_APPLIED] + 1, fault_stage_name((enum fault_stage)last));
	else
		buf_printf(out, "%s ev %zu", fault_stage_name((enum fault_stage)last), f->stage[last] + 1);
}

static void put_property_state(const struct timeline *t, int property, struct buf *out)
{
	buf_clear(out);
	if (property < 0) {
		buf_str(out, "none");
		return;
	}
	const struct timeline_property *p = timeline_property(t, (size_t)property);
	buf_str(out, verdict_name(p->fact->verdict));
	if (p->fact->decided_at)
		buf_printf(out, ", ev %llu", (unsigned long long)p->fact->decided_at);
}

static void put_choice_state(const struct plan_choice *choice, struct buf *out)
{
	buf_clear(out);
	if (choice)
		facts_put_choice(choice, out);
	else
		buf_str(out, "none");
}

/* Wide enough for the names of the choices, as long as both values have room too. */
static int facts_column(const struct diff *d, int width)
{
	int column = width / 3 - 1, most = width < 64 ? column : width * 2 / 5;
	for (size_t i = 0; i < d->choice_count; i++) {
		const struct plan_choice *choice = d->choices[i].a ? d->choices[i].a : d->choices[i].b;
		int w = glyph_text_width(choice->name) + 9;
		column = w > column ? w : column;
	}
	return column > most ? most : column;
}

static void make_facts(struct view_diff *v, const struct model *m, int width)
{
	const struct diff *d = m->diff;
	const struct timeline *ta = m->runs[0]->timeline, *tb = m->runs[1]->timeline;
	struct buf a = {0}, b = {0};
	int column = facts_column(d, width);
	doc_clear(&v->facts);
	for (int pass = 1; pass >= 0; pass--) { /* what differs first */
		for (size_t i = 0; pass && i < d->choice_count; i++) {
			put_choice_state(d->choices[i].a, &a);
			put_choice_state(d->choices[i].b, &b);
			put_both(&v->facts, column, (width - column) / 2 - 1, "choice",
				d->choices[i].a ? d->choices[i].a->name : d->choices[i].b->name, a.data, b.data, true);
		}
		for (size_t i = 0; i < d->property_count; i++) {
			const struct diff_property *p = &d->properties[i];
			put_property_state(ta, p->a, &a);
			put_property_state(tb, p->b, &b);
			const char *id = p->a >= 0 ? timeline_property(ta, (size_t)p->a)->fact->id
						   : timeline_property(tb, (size_t)p->b)->fact->id;
			if (p->differs == (pass == 1))
				put_both(&v->facts, column, (width - column) / 2 - 1, "", id, a.data, b.data, p->differs);
		}
		for (size_t i = 0; i < d->fault_count; i++) {
			const struct diff_fault *f = &d->faults[i];
			put_fault_state(ta, f->a, &a);
			put_fault_state(tb, f->b, &b);
			const char *id = f->a >= 0 ? timeline_fault(ta, (size_t)f->a)->id : timeline_fault(tb, (size_t)f->b)->id;
			if (f->differs == (pass == 1))
				put_both(&v->facts, column, (width - column) / 2 - 1, "fault", id, a.data, b.data, f->differs);
		}
	}
	v->facts_width = width;
	buf_free(&a);
	buf_free(&b);
}

/* ---- drawing ---- */

static void draw_side(const struct model *m, int side, size_t event, bool same, struct pen *p, int width)
{
	struct rect whole = p->clip;
	if (p->x + width < p->clip.x + p->clip.w)
		p->clip.w = p->x + width - p->clip.x;
	int end = p->x + width;
	const struct run *run = m->runs[side];
	if (event == TIMELINE_NONE) {
		pen_text(p, ROLE_DIM, "");
	} else {
		struct eventrow columns = eventrow_columns(run, width);
		columns.icount_width = 0;
		columns.ahead = same && event != run->playhead;
		columns.search = "";
		int from = p->x;
		eventrow_draw(p, run, event, &columns);
		if (!same)
			canvas_overlay(p->canvas, rect_both(p->clip, (struct rect){from, p->y, columns.seq_width, 1}),
				side ? ROLE_RIGHT : ROLE_LEFT);
	}
	p->clip = whole;
	p->x = end;
}

static void draw_row(
	const struct view_diff *v, const struct model *m, size_t at, struct canvas *c, struct rect area, int row, bool focused)
{
	struct diffrow r = diffrows_at(&v->rows, at);
	struct pen p = pen_at(c, area, row);
	if (r.folded) {
		for (int i = 0; i < 3; i++)
			pen_sign(&p, ROLE_BORDER, GLYPH_HLINE);
		pen_printf(&p, ROLE_DIM, " %zu events in common ", r.hidden);
		while (pen_left(&p) > 0)
			pen_sign(&p, ROLE_BORDER, GLYPH_HLINE);
		return;
	}
	int width = (area.w - 3) / 2;
	draw_side(m, 0, r.a, r.same, &p, width);
	pen_text(&p, ROLE_TEXT, " ");
	pen_sign(&p, r.same ? ROLE_BORDER : ROLE_WARN, r.same ? GLYPH_VLINE : GLYPH_CHANGED);
	pen_text(&p, ROLE_TEXT, " ");
	draw_side(m, 1, r.b, r.same, &p, area.w - 3 - width);
	size_t here = m->runs[m->side]->playhead, mine = m->side == 0 ? r.a : r.b;
	if (mine == here && here != TIMELINE_NONE) {
		int x = m->side == 0 ? area.x : area.x + width + 3;
		canvas_overlay(c,
			rect_both(
				rect_row(area, row), (struct rect){x, area.y, m->side == 0 ? width : area.w - 3 - width, area.h}),
			focused ? ROLE_SELECTED : ROLE_CURSOR);
	}
}

static void draw_head(const struct model *m, struct canvas *c, struct rect row)
{
	int width = (row.w - 3) / 2;
	for (int side = 0; side < 2; side++) {
		struct rect half = side ? (struct rect){row.x + width + 3, row.y, row.w - width - 3, 1}
					: (struct rect){row.x, row.y, width, 1};
		struct pen p = pen_at(c, half, 0);
		struct buf verdict = {0};
		const struct facts *facts = timeline_facts(m->runs[side]->timeline);
		run_verdict_text(m->runs[side], &verdict);
		if (m->side == side)
			pen_sign(&p, ROLE_PLAYHEAD, GLYPH_CURSOR);
		else
			pen_text(&p, ROLE_TEXT, " ");
		pen_text(&p, side ? ROLE_RIGHT : ROLE_LEFT, side ? "B " : "A ");
		if (facts->plan)
			pen_printf(&p, ROLE_HEADING, "seed %llu ", (unsigned long long)facts->plan->seed);
		pen_text(&p, facts->has_properties ? view_verdict_role(facts->verdict) : ROLE_WARN, verdict.data);
		buf_free(&verdict);
	}
}

static void draw_consoles(struct view_diff *v, const struct model *m, struct canvas *c, struct rect area)
{
	int width = (area.w - 3) / 2;
	canvas_vline(c, (struct rect){area.x + width + 1, area.y, area.w > width + 1 ? 1 : 0, area.h}, ROLE_BORDER);
	for (int side = 0; side < 2; side++) {
		struct model one = *m;
		struct rect half = side ? (struct rect){area.x + width + 3, area.y, area.w - width - 3, area.h}
					: (struct rect){area.x, area.y, width, area.h};
		one.side = side;
		if (half.w > 0)
			v->consoles[side]->ops->draw(v->consoles[side], &one, c, half, side == m->side);
	}
}

static void draw_rows(struct view_diff *v, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	const struct run *run = m->runs[m->side];
	size_t hunk = m->diff->hunk_count;
	if (run->playhead != TIMELINE_NONE && diffrows_hides(m->diff, m->side, run->playhead))
		hunk = diff_hunk_of(m->diff, m->side, run->playhead);
	diffrows_make(&v->rows, m->diff, m->fold, hunk);
	struct list *list = &v->view.list;
	list_set_count(list, diffrows_count(&v->rows));
	if (list->count == 0)
		return;
	list_select(list, diffrows_find(&v->rows, m->side, run->playhead));
	list_reveal(list, area.h, true);
	v->events = area;
	for (int row = 0; row < area.h; row++) {
		size_t at = list_row(list, list->top + (size_t)row);
		if (at == LIST_NONE)
			break;
		draw_row(v, m, at, c, view_list_area(list, area), row, focused);
	}
	list_draw_bar(list, c, area);
}

static void draw_facts(struct view_diff *v, const struct model *m, struct canvas *c, struct rect area)
{
	if (area.h < 2)
		return;
	struct rect head = rect_cut_top(&area, 1);
	canvas_hline(c, head, ROLE_BORDER);
	struct pen p = pen_at(c, head, 0);
	pen_sign(&p, ROLE_BORDER, GLYPH_HLINE);
	pen_text(&p, ROLE_DIM, "choices, verdicts, faults ");
	if (v->facts_width != area.w)
		make_facts(v, m, area.w);
	for (int row = 0; row < area.h; row++) {
		p = pen_at(c, area, row);
		doc_draw_line(&v->facts, (size_t)row, &p);
	}
}

static bool ready(struct view_diff *v, const struct model *m, struct canvas *c, struct rect area)
{
	if (m->diff && m->runs[0] && m->runs[1])
		return true;
	v->diff = NULL;
	struct pen p = pen_at(c, area, area.h / 2);
	if (m->diff_problem)
		pen_printf(&p, ROLE_ERROR, "  %s", m->diff_problem);
	else
		pen_text(&p, ROLE_DIM, m->runs[0] && m->runs[1] ? "  comparing ...  Esc stops" : "  opening two runs ...");
	return false;
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_diff *v = (struct view_diff *)view;
	view->area = area;
	if (!ready(v, m, c, area))
		return;
	if (v->diff != m->diff) {
		v->diff = m->diff;
		v->facts_width = -1;
		make_story(v, m->diff);
		make_facts(v, m, area.w);
		v->story.view.list.top = 0;
	}
	if (v->show_all) {
		struct rect half = rect_cut_bottom(&area, area.h / 2);
		v->story.wrapped_width = -1;
		doc_view_draw(&v->story, c, area);
		draw_facts(v, m, c, half);
		return;
	}
	doc_wrap(&v->story.doc, area.w > 2 ? area.w - 1 : 1, &v->story.wrapped);
	v->story.wrapped_width = area.w > 2 ? area.w - 1 : 1;
	int story = (int)v->story.wrapped.line_count, facts = (int)v->facts.line_count + 1;
	int story_max = area.h / 3 < STORY_ROWS_MAX ? area.h / 3 : STORY_ROWS_MAX;
	struct layout_part parts[4] = {{story < story_max ? story : story_max, 0, 0, 2}, {1, 1, 0, 1}, {3, 0, 1, 0},
		{facts < area.h / 4 ? facts : area.h / 4, 0, 0, 3}};
	struct rect rects[4];
	layout_rows(area, 0, parts, 4, rects);
	if (rects[0].h) {
		struct rect inside = {rects[0].x + 1, rects[0].y, rects[0].w > 1 ? rects[0].w - 1 : 0, rects[0].h};
		v->story.wrapped_width = inside.w;
		doc_view_draw(&v->story, c, inside);
	}
	if (rects[1].h) {
		canvas_hline(c, rects[1], ROLE_BORDER);
		draw_head(m, c, rects[1]);
	}
	if (v->show_consoles)
		draw_consoles(v, m, c, rects[2]);
	else
		draw_rows(v, m, c, rects[2], focused);
	draw_facts(v, m, c, rects[3]);
}

/* ---- acting ---- */

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_diff *v = (struct view_diff *)view;
	const struct run *run = model_run(m);
	if (!run)
		return false;
	if (action == ACTION_DETAIL) {
		v->show_all = !v->show_all;
		v->story.view.list.top = 0;
		return true;
	}
	if (v->show_all && doc_view_act(&v->story, action))
		return true;
	if (action == ACTION_CONSOLE && !argument) {
		v->show_all = false;
		v->show_consoles = !v->show_consoles;
		return true;
	}
	if (action == ACTION_EVENTS) {
		v->show_consoles = v->show_all = false;
		return true;
	}
	if (v->show_consoles)
		return v->consoles[m->side]->ops->act(v->consoles[m->side], m, action, argument, ret, err);
	size_t count = timeline_count(run->timeline), here = run->playhead == TIMELINE_NONE ? 0 : run->playhead;
	size_t page = v->events.h > 1 ? (size_t)v->events.h - 1 : 1, target = here;
	switch (action) {
	case ACTION_UP:
		target = here > 0 ? here - 1 : 0;
		break;
	case ACTION_DOWN:
		target = here + 1;
		break;
	case ACTION_PAGE_UP:
		target = here > page ? here - page : 0;
		break;
	case ACTION_PAGE_DOWN:
		target = here + page;
		break;
	case ACTION_FIRST:
		target = 0;
		break;
	case ACTION_LAST:
		target = count;
		break;
	default:
		return false;
	}
	if (count)
		*ret = (struct request){.kind = REQUEST_GOTO, .index = target < count ? target : count - 1};
	return true;
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	struct view_diff *v = (struct view_diff *)view;
	(void)drag;
	if (!m->diff || v->show_consoles || !rect_has(v->events, x, y))
		return;
	size_t row = list_row(&view->list, view->list.top + (size_t)(y - v->events.y));
	if (row == LIST_NONE)
		return;
	struct diffrow r = diffrows_at(&v->rows, row);
	size_t event = m->side == 0 ? r.a : r.b;
	if (event != TIMELINE_NONE)
		*ret = (struct request){.kind = REQUEST_GOTO, .index = event};
}

static void destroy(struct view *view)
{
	struct view_diff *v = (struct view_diff *)view;
	diffrows_finish(&v->rows);
	doc_view_finish(&v->story);
	doc_finish(&v->facts);
	for (int side = 0; side < 2; side++)
		view_destroy(v->consoles[side]);
	list_finish(&view->list);
	free(v);
}

static const struct view_ops ops = {.name = "diff", .draw = draw, .act = act, .press = press, .destroy = destroy};

struct view *view_diff_create(void)
{
	struct view_diff *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	v->consoles[0] = view_console_create();
	v->consoles[1] = view_console_create();
	return &v->view;
}
