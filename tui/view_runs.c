/* The list of runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/fmt.h"
#include "tui/rows.h"

/* Their widths; 0: there is no room for it. */
struct columns {
	int scenario, seed, failed, faults, length, age, size;
};

struct view_runs {
	struct view view;
	struct columns columns;
	char *selected; /* name of the selected run: rows move when they are sorted */
	size_t count;
	uint64_t shown; /* the model's counter when the rows were looked at */
};

static void remember(struct view_runs *v, const struct model *m)
{
	free(v->selected);
	size_t row = v->view.list.selected;
	v->selected = m->list && row < m->list->count ? mem_str(m->list->rows[row].name) : NULL;
}

static bool shows(void *data, size_t row)
{
	const struct view_runs *v = ((void **)data)[0];
	const struct model *m = ((void **)data)[1];
	/* What a filter looks for is shown wherever it is. */
	return v->view.words ? runs_matches(&m->list->rows[row], v->view.words) : !m->list->rows[row].hidden;
}

static bool any_hidden(const struct runs *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].hidden)
			return true;
	return false;
}

static void sync(struct view *view, const struct model *m)
{
	struct view_runs *v = (struct view_runs *)view;
	if (!m->list || v->shown == m->shown)
		return;
	v->shown = m->shown;
	list_reset(&view->list, m->list->count);
	view->list.filtered = v->view.words || any_hidden(m->list);
	if (view->list.filtered) {
		void *data[2] = {v, (void *)m};
		list_filter_start(&view->list);
		list_filter_step(&view->list, SIZE_MAX, shows, data);
	}
	size_t row = v->selected ? runs_find(m->list, v->selected) : SIZE_MAX;
	if (row != SIZE_MAX)
		list_select(&view->list, row);
	else
		list_set_count(&view->list, m->list->count);
}

static const char *verdict_words(const struct run_row *row)
{
	return row->abandoned      ? "abandoned"
		: row->recording   ? "recording"
		: !row->loaded     ? "..."
		: row->problem     ? "damaged"
		: row->has_verdict ? verdict_name(row->verdict)
				   : "none";
}

/* What is seen in the row. */
static void row_text(const struct view *view, const struct model *m, size_t row, struct buf *out)
{
	const struct run_row *r = &m->list->rows[row];
	(void)view;
	buf_printf(out, "%s %s %s %" PRIu64 " %s %s %s", r->name, verdict_words(r), r->scenario ? r->scenario : "", r->seed,
		r->failed ? r->failed : "", r->problem ? r->problem : "", r->command ? r->command : "");
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_runs *v = (struct view_runs *)view;
	(void)ret;
	if (!m->list)
		return false;
	bool searches = action == ACTION_SEARCH || action == ACTION_SEARCH_BACK;
	bool repeats = action == ACTION_SEARCH_NEXT || action == ACTION_SEARCH_PREV;
	if (repeats && !view->find)
		return err_set(err, ERR_USAGE, "nothing to search for yet: / asks for a text");
	if (searches || repeats) {
		bool found = finder_act(view, m, "run", row_text, action, argument, err);
		if (found)
			remember(v, m);
		return found;
	}
	if (action == ACTION_FILTER) {
		free(v->view.words);
		v->view.words = argument && argument[strspn(argument, " ")] ? mem_str(argument) : NULL;
		view->list.filtered = v->view.words != NULL;
		v->shown = UINT64_MAX;
		sync(view, m);
		return true;
	}
	if (!view_list_act(&view->list, view->area.h - 1, action))
		return false;
	view->list.follow = false;
	remember(v, m);
	return true;
}

/* ---- drawing: columns that fit ---- */

/* widest: of the names of scenarios; they are made room for before the age and the rest. */
static struct columns columns_for(int width, int widest)
{
	int most = width >= 80 ? 20 : 14;
	struct columns c = {.scenario = widest < 14 ? 14 : widest > most ? most : widest, .seed = 6};
	int left = width - 2 - 12 - c.scenario - 1 - c.seed - 1;
	if (left >= 7) {
		c.age = 7;
		left -= 8;
	}
	if (left >= 24) {
		c.length = 9;
		left -= 10;
	}
	if (left >= 22) {
		c.faults = 6;
		left -= 7;
	}
	if (left >= 40) {
		c.size = 8;
		left -= 9;
	}
	int more = left > 30 ? (left - 24) / 2 : 0;
	int wanted = widest > c.scenario ? widest - c.scenario : 0;
	more = more > wanted ? wanted : more;
	c.scenario += more;
	c.failed = left - more > 4 ? left - more - 1 : 0;
	return c;
}

/* "at 9 591 449: ls /", with the verdict's reason before it when there is one. */
static void put_fork(const struct run_row *row, struct buf *out)
{
	char at[FMT_MAX];
	buf_printf(out, "at %s", fmt_count(row->parent_icount, at));
	if (row->command)
		buf_printf(out, ": %s", row->command);
	if (row->failed[0] && row->verdict != VERDICT_PASS)
		buf_printf(out, "; %s", row->failed);
}

/* Its scenario; of a fork, below what it was made from; with how many forks it has. */
static void draw_name(const struct run_row *row, int width, struct pen *p)
{
	int indent = row->depth < 8 ? (int)row->depth : 8;
	struct buf name = {0};
	for (int i = 1; i < indent && width > 4; i++, width--)
		pen_text(p, ROLE_TEXT, " ");
	if (indent && width > 4) {
		pen_sign(p, ROLE_DIM, GLYPH_BOTTOM_LEFT);
		width--;
	}
	buf_str(&name, row->parent ? "fork" : row->scenario);
	if (row->forks)
		buf_printf(&name, " %c%zu", row->folded ? '+' : '-', row->forks);
	pen_field(p, row->parent ? ROLE_DIM : ROLE_TEXT, name.data, width);
	buf_free(&name);
}

static void draw_row(const struct view *view, const struct model *m, size_t at, struct pen *p)
{
	const struct columns *w = &((const struct view_runs *)view)->columns;
	const struct run_row *row = &m->list->rows[at];
	char text[FMT_MAX];
	if (row->marked)
		pen_sign(p, ROLE_BOOKMARK, GLYPH_MARKED);
	else
		pen_text(p, ROLE_TEXT, " ");
	bool judged = row->loaded && row->has_verdict && !row->problem && !row->recording;
	if (judged)
		view_verdict_sign(p, row->verdict);
	else
		pen_sign(p, ROLE_DIM, row->problem ? GLYPH_UNKNOWN : GLYPH_PENDING);
	pen_field(p, judged ? view_verdict_role(row->verdict) : ROLE_DIM, verdict_words(row), 11);
	pen_text(p, ROLE_TEXT, " ");
	if (!row->loaded || row->problem || !row->scenario[0]) { /* all that is known is its name */
		pen_field(p, ROLE_DIM, row->name, w->scenario + w->seed + 1);
		if (row->problem)
			pen_printf(p, ROLE_WARN, " %s", row->problem);
		return;
	}
	draw_name(row, w->scenario, p);
	snprintf(text, sizeof text, "%" PRIu64, row->seed);
	pen_text(p, ROLE_TEXT, " ");
	pen_number(p, ROLE_NUMBER, text, w->seed);
	pen_text(p, ROLE_TEXT, " ");
	if (w->failed) {
		struct buf fork = {0};
		if (row->parent)
			put_fork(row, &fork);
		pen_field(p, row->parent ? ROLE_TEXT : ROLE_FAIL,
			row->parent                            ? fork.data
				: row->verdict == VERDICT_PASS ? ""
							       : row->failed,
			w->failed);
		buf_free(&fork);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (w->faults) {
		snprintf(text, sizeof text, "%zu", row->fault_count);
		pen_number(p, ROLE_FAULT, text, w->faults);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (w->length) {
		pen_number(p, ROLE_TEXT, fmt_time(row->vtime_ns, text), w->length);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (w->size) {
		pen_number(p, ROLE_DIM, fmt_size(row->size, text), w->size);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (w->age)
		pen_number(p, ROLE_DIM, row->when ? fmt_age(m->now_s - row->when, text) : "", w->age);
}

/* Of the rows on the screen. */
static int widest_scenario(const struct view *view, const struct model *m, int rows)
{
	int widest = 0;
	for (int row = 0; row < rows; row++) {
		size_t at = list_row(&view->list, view->list.top + (size_t)row);
		const char *name = at < m->list->count ? m->list->rows[at].scenario : NULL;
		int w = name ? glyph_text_width(name) + (m->list->rows[at].forks ? 4 : 0) : 0;
		widest = w > widest ? w : widest;
	}
	return widest;
}

static void draw_head(const struct model *m, const struct columns *w, struct pen *p)
{
	pen_field(p, ROLE_HEADING, "  verdict", 14);
	pen_field(p, ROLE_HEADING, "scenario", w->scenario);
	pen_text(p, ROLE_TEXT, " ");
	pen_number(p, ROLE_HEADING, "seed", w->seed);
	pen_text(p, ROLE_TEXT, " ");
	if (w->failed) {
		pen_field(p, ROLE_HEADING, "because of", w->failed);
		pen_text(p, ROLE_TEXT, " ");
	}
	if (w->faults)
		pen_number(p, ROLE_HEADING, "faults", w->faults);
	pen_text(p, ROLE_TEXT, w->faults ? " " : "");
	if (w->length)
		pen_number(p, ROLE_HEADING, "length", w->length);
	pen_text(p, ROLE_TEXT, w->length ? " " : "");
	if (w->size)
		pen_number(p, ROLE_HEADING, "size", w->size);
	pen_text(p, ROLE_TEXT, w->size ? " " : "");
	if (w->age)
		pen_number(p, ROLE_HEADING, "age", w->age);
	(void)m;
}

static void draw_empty(const struct view *view, const struct model *m, struct pen *p)
{
	if (view->words)
		pen_printf(p, ROLE_DIM, "  no run matches '%s'; & alone shows all", view->words);
	else
		pen_printf(
			p, ROLE_DIM, "  no runs yet: c records one of a scenario, Tab completes its name (in %s)", m->list->path);
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	static const struct rows_look look = {draw_row, draw_empty, .centre = false};
	struct view_runs *v = (struct view_runs *)view;
	view->area = area;
	if (!m->list)
		return;
	sync(view, m);
	struct rect head = rect_cut_top(&area, area.h > 1 ? 1 : 0);
	list_reveal(&view->list, area.h, false);
	v->columns = columns_for(head.w, widest_scenario(view, m, area.h));
	struct pen p = pen_at(c, head, 0);
	draw_head(m, &v->columns, &p);
	rows_draw(view, m, &look, c, area, true, focused);
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	struct view_runs *v = (struct view_runs *)view;
	(void)x;
	size_t row = y > view->area.y ? list_row(&view->list, view->list.top + (size_t)(y - view->area.y - 1)) : LIST_NONE;
	if (row == LIST_NONE || drag)
		return;
	if (row == view->list.selected)
		*ret = (struct request){.kind = REQUEST_OPEN, .index = row};
	list_select(&view->list, row);
	remember(v, m);
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct view_runs *v = (const struct view_runs *)view;
	if (!m->list)
		return;
	buf_printf(out, "%zu", m->list->count);
	if (v->view.words)
		buf_printf(out, ", %zu with %s", view->list.row_count, v->view.words);
	buf_printf(out, ", by %s", run_sort_name(m->list->sort));
}

static void destroy(struct view *view)
{
	struct view_runs *v = (struct view_runs *)view;
	free(v->selected);
	finder_finish(view);
	free(v);
}

static const struct view_ops ops = {
	.name = "runs",
	.sync = sync,
	.draw = draw,
	.act = act,
	.press = press,
	.note = note,
	.destroy = destroy,
	.filters = true,
	.orders = run_sort_names,
};

size_t view_runs_selected(const struct view *view)
{
	size_t row = view->list.selected;
	return row < view->list.count ? row : LIST_NONE;
}

void view_runs_select(struct view *view, const struct model *m, const char *name)
{
	struct view_runs *v = (struct view_runs *)view;
	free(v->selected);
	v->selected = mem_str(name);
	v->shown = UINT64_MAX;
	sync(view, m);
}

struct view *view_runs_create(void)
{
	struct view_runs *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	v->shown = UINT64_MAX;
	return &v->view;
}
