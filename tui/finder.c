#include "tui/finder.h"

#include <stdlib.h>
#include <string.h>

bool finder_has(const char *text, const char *words)
{
	for (const char *at = words ? words : ""; *at;) {
		at += strspn(at, " ");
		size_t size = strcspn(at, " ");
		char *word = mem_strn(at, size);
		bool ok = view_text_has(text, word);
		free(word);
		if (!ok)
			return false;
		at += size;
	}
	return true;
}

struct rows {
	const struct view *view;
	const struct model *model;
	finder_text text;
	const char *words; /* all of them, or ... */
	const char *whole; /* ... this text as it is */
};

static bool shows(void *data, size_t row)
{
	const struct rows *r = data;
	struct buf text = {0};
	r->text(r->view, r->model, row, &text);
	const char *bytes = text.data ? text.data : "";
	bool ok = r->whole ? view_text_has(bytes, r->whole) : finder_has(bytes, r->words);
	buf_free(&text);
	return ok;
}

void finder_apply(struct view *v, const struct model *m, size_t count, finder_text text)
{
	struct rows rows = {v, m, text, v->words, NULL};
	size_t selected = v->list.selected;
	list_filter_stop(&v->list);
	list_reset(&v->list, count);
	if (v->words) {
		list_filter_start(&v->list);
		list_filter_step(&v->list, SIZE_MAX, shows, &rows);
	}
	if (selected < count)
		list_select(&v->list, selected);
	else
		list_set_count(&v->list, count);
}

/* The nearest shown row before or after the selected one that has v->find; goes on from the other end. */
static bool find(struct view *v, const struct model *m, const char *what, finder_text text, bool backward, struct err *err)
{
	struct rows rows = {v, m, text, NULL, v->find};
	size_t shown = list_shown(&v->list), at = list_place(&v->list, v->list.selected);
	for (size_t i = 1; i <= shown; i++) {
		size_t row = list_row(&v->list, (backward ? at + shown - i : at + i) % shown);
		if (shows(&rows, row)) {
			list_select(&v->list, row);
			return true;
		}
	}
	return err_set(err, ERR_USAGE, "'%s' is in no %s of this list", v->find, what);
}

static void keep(char **text, const char *argument)
{
	char *copy = argument && argument[strspn(argument, " ")] ? mem_str(argument) : NULL;
	free(*text);
	*text = copy;
}

bool finder_act(struct view *v, const struct model *m, const char *what, finder_text text, enum action action,
	const char *argument, struct err *err)
{
	switch (action) {
	case ACTION_FILTER:
		keep(&v->words, argument);
		finder_apply(v, m, v->list.count, text);
		return true;
	case ACTION_SEARCH:
	case ACTION_SEARCH_BACK:
		keep(&v->find, argument);
		return v->find && find(v, m, what, text, action == ACTION_SEARCH_BACK, err);
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_PREV:
		return v->find && find(v, m, what, text, action == ACTION_SEARCH_PREV, err);
	default:
		return false;
	}
}

bool finder_order(struct view *v, const char *argument, struct err *err)
{
	const char *const *orders = v->ops->orders;
	struct buf names = {0};
	size_t count = 0, found = SIZE_MAX;
	for (; orders[count]; count++) {
		buf_printf(&names, "%s%s", count == 0 ? "" : orders[count + 1] ? ", " : " or ", orders[count]);
		if (argument && strcmp(argument, orders[count]) == 0)
			found = count;
	}
	bool ok = !argument || found < count || err_set(err, ERR_USAGE, "'%s' is no order: expected %s", argument, names.data);
	if (ok)
		v->order = argument ? found : (v->order + 1) % count;
	buf_free(&names);
	return ok;
}

void finder_note(const struct view *v, struct buf *out)
{
	if (v->words)
		buf_printf(out, ", with %s", v->words);
	if (v->order)
		buf_printf(out, ", by %s", v->ops->orders[v->order]);
}

void finder_finish(struct view *v)
{
	free(v->words);
	free(v->find);
	list_finish(&v->list);
}
