/* The events of a run as a list; its selection is the playhead. */
#include <stdlib.h>
#include <string.h>

#include "engine/search.h"
#include "tui/eventrow.h"
#include "tui/rows.h"

#define FILTER_ROWS_STEP  200000        /* records a step, well under 10 ms */
#define FILTER_BYTES_STEP (1024 * 1024) /* bytes a step when text is looked for ... */
#define FILTER_HITS_STEP  2000          /* ... and hits */

enum { ORDER_TIME, ORDER_NODE, ORDER_KIND };
static const char *const orders[] = {[ORDER_TIME] = "time", [ORDER_NODE] = "node", [ORDER_KIND] = "kind", NULL};

struct view_events {
	struct view view;
	const struct timeline *timeline; /* that the filter was made for */
	struct timeline_filter filter;
	char *text;
	struct search *search; /* finds the rows when there is text */
	struct eventrow columns;
};

static void drop_filter(struct view_events *v)
{
	free(v->view.words);
	free(v->text);
	search_destroy(v->search);
	v->view.words = v->text = NULL;
	v->search = NULL;
	v->filter = (struct timeline_filter){0};
	list_filter_stop(&v->view.list);
	if (v->view.order != ORDER_TIME) /* another order needs a list of rows, even if it is of all */
		list_filter_start(&v->view.list);
}

/* A new timeline has other node numbers: its filter starts from the words again. */
static bool start_filter(struct view_events *v, const struct timeline *t, const char *words, struct err *err);

static void sync(struct view *view, const struct model *m)
{
	struct view_events *v = (struct view_events *)view;
	const struct run *run = model_run(m);
	if (!run)
		return;
	if (v->timeline != run->timeline) {
		v->timeline = run->timeline;
		char *words = mem_str(v->view.words);
		drop_filter(v);
		list_reset(&view->list, timeline_count(run->timeline));
		if (words)
			start_filter(v, run->timeline, words, NULL);
		free(words);
		view->seen = TIMELINE_NONE;
	}
	list_set_count(&view->list, timeline_count(run->timeline));
	if (run->playhead == TIMELINE_NONE)
		list_first(&view->list);
	else
		list_select(&view->list, run->playhead);
}

/* ---- filter ---- */

static bool parse_kind(const char *value, uint64_t *kinds)
{
	uint64_t found = 0;
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		const char *name = event_kind_name((enum event_kind)kind), *dot = strchr(name, '.');
		if (strncmp(name, value, strlen(value)) == 0 || (dot && strncmp(dot + 1, value, strlen(value)) == 0))
			found |= 1ull << kind;
	}
	*kinds |= found;
	return found != 0;
}

static bool parse_word(
	struct timeline_filter *filter, const struct timeline *t, const char *word, struct buf *text, struct err *err)
{
	if (strncmp(word, "node:", 5) == 0) {
		int node = timeline_node_find(t, word + 5);
		if (node < 0)
			return err_set(err, ERR_USAGE, "there is no node '%s' in this run", word + 5);
		filter->node = node + 1;
		return true;
	}
	if (strncmp(word, "fault:", 6) == 0) {
		int fault = timeline_fault_find(t, word + 6);
		if (fault < 0)
			return err_set(err, ERR_USAGE, "there is no fault '%s' in this run", word + 6);
		filter->fault = fault + 1;
		return true;
	}
	if (strncmp(word, "kind:", 5) == 0)
		return parse_kind(word + 5, &filter->kinds) ||
			err_set(err, ERR_USAGE,
				"there is no kind of event '%s': they are run.*, node.*, proc.oom, io.line, fault.*, user.event",
				word + 5);
	if (strcmp(word, "stderr") == 0) {
		filter->flags = ENTRY_STDERR;
		return true;
	}
	buf_printf(text, "%s%s", text->size ? " " : "", word);
	return true;
}

/* Words that are not understood leave the filter as it was. */
static bool start_filter(struct view_events *v, const struct timeline *t, const char *words, struct err *err)
{
	char *copy = mem_str(words), *save = NULL;
	struct buf text = {0};
	struct timeline_filter filter = {0};
	struct search *search = NULL;
	bool ok = true;
	for (char *word = strtok_r(copy, " ", &save); word && ok; word = strtok_r(NULL, " ", &save))
		ok = parse_word(&filter, t, word, &text, err);
	free(copy);
	if (ok && text.size && text.size > SEARCH_TEXT_MAX)
		ok = err_set(err, ERR_USAGE, "a text to look for has at most %d bytes", SEARCH_TEXT_MAX);
	if (ok) {
		char *kept = mem_str(words);
		drop_filter(v);
		v->view.words = kept;
		v->filter = filter;
		v->text = text.size ? mem_str(text.data) : NULL;
		if (v->text)
			search = search_create(t, v->text, TIMELINE_NONE, false, &v->filter, err);
		v->search = search;
		list_filter_start(&v->view.list);
	}
	buf_free(&text);
	return ok;
}

static bool shows(void *data, size_t row)
{
	struct view_events *v = data;
	return timeline_matches(v->timeline, row, &v->filter);
}

static bool step_search(struct view_events *v)
{
	struct list *list = &v->view.list;
	size_t found = TIMELINE_NONE, start = list->row_count;
	for (int hits = 0; hits < FILTER_HITS_STEP; hits++) {
		enum search_result result = search_step(v->search, FILTER_BYTES_STEP, &found, NULL);
		if (result == SEARCH_FOUND) {
			list_filter_add(list, found);
			continue;
		}
		bool more = result == SEARCH_MORE;
		size_t position = search_position(v->search);
		list_filter_scanned(list, more && position != TIMELINE_NONE ? position : list->count);
		return more || list->row_count != start;
	}
	return true;
}

static size_t key(void *data, size_t row)
{
	const struct view_events *v = data;
	const struct entry *entry = &timeline_entries(v->timeline)[row];
	return v->view.order == ORDER_NODE ? entry->node : entry->kind;
}

static bool step(struct view *view, const struct model *m)
{
	struct view_events *v = (struct view_events *)view;
	const struct run *run = model_run(m);
	if (!run || !view->list.filtered || run->timeline != v->timeline || view->list.scanned >= view->list.count)
		return false;
	if (v->search)
		step_search(v);
	else
		list_filter_step(&view->list, FILTER_ROWS_STEP, shows, v);
	if (view->order != ORDER_TIME && view->list.scanned >= view->list.count)
		list_order(&view->list, view->order == ORDER_NODE ? timeline_node_count(run->timeline) : (size_t)EVENT_KIND_COUNT,
			key, v);
	if (run->playhead != TIMELINE_NONE)
		list_select(&view->list, run->playhead);
	return view->list.scanned < view->list.count;
}

/* ---- acting and drawing ---- */

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_events *v = (struct view_events *)view;
	const struct run *run = model_run(m);
	if (!run)
		return false;
	if (action == ACTION_FILTER) {
		if (argument && argument[strspn(argument, " ")])
			return start_filter(v, run->timeline, argument, err);
		drop_filter(v);
		return true;
	}
	if (action == ACTION_SORT) {
		if (!finder_order(view, argument, err))
			return false;
		char *words = mem_str(view->words);
		drop_filter(v);
		bool ok = !words || start_filter(v, run->timeline, words, err);
		free(words);
		return ok;
	}
	if (!view_list_act(&view->list, view->area.h, action))
		return false;
	if (view->list.selected != LIST_NONE)
		*ret = (struct request){.kind = REQUEST_GOTO,
			.index = view->list.selected,
			.jump = action == ACTION_FIRST || action == ACTION_LAST};
	return true;
}

static void draw_row(const struct view *view, const struct model *m, size_t event, struct pen *p)
{
	const struct run *run = model_run(m);
	struct eventrow columns = ((const struct view_events *)view)->columns;
	columns.ahead = run->playhead == TIMELINE_NONE || event > run->playhead;
	eventrow_draw(p, run, event, &columns);
}

static void draw_empty(const struct view *view, const struct model *m, struct pen *p)
{
	bool looking = view->list.filtered && view->list.scanned < view->list.count;
	(void)m;
	pen_text(p, ROLE_DIM,
		looking                       ? "looking ..."
			: view->list.filtered ? "nothing matches the filter; & alone shows all"
					      : "no events yet");
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	static const struct rows_look look = {draw_row, draw_empty, .centre = true};
	const struct run *run = model_run(m);
	view->area = area;
	if (!run)
		return;
	((struct view_events *)view)->columns = eventrow_columns(run, area.w);
	rows_draw(view, m, &look, c, area, run->playhead != TIMELINE_NONE, focused);
}

static void press(struct view *view, const struct model *m, int x, int y, bool drag, struct request *ret)
{
	(void)m;
	(void)x;
	(void)drag;
	size_t event = list_row(&view->list, view->list.top + (size_t)(y - view->area.y));
	if (event != LIST_NONE)
		*ret = (struct request){.kind = REQUEST_GOTO, .index = event};
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct view_events *v = (const struct view_events *)view;
	(void)m;
	if (view->order != ORDER_TIME)
		buf_printf(out, "by %s%s", orders[view->order], view->words ? ", " : "");
	if (view->words)
		buf_printf(out, "%s: %zu", v->view.words, view->list.row_count);
	if (view->list.filtered && view->list.scanned < view->list.count)
		buf_printf(out, " (%zu%%)", view->list.scanned * 100 / view->list.count);
}

static void destroy(struct view *view)
{
	struct view_events *v = (struct view_events *)view;
	drop_filter(v);
	list_finish(&view->list);
	free(v);
}

static const struct view_ops ops = {
	.name = "events",
	.sync = sync,
	.draw = draw,
	.act = act,
	.step = step,
	.press = press,
	.note = note,
	.destroy = destroy,
	.filters = true,
	.orders = orders,
};

struct view *view_events_create(void)
{
	struct view_events *v = mem_alloc(sizeof *v);
	v->view.ops = &ops;
	return &v->view;
}
