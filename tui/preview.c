#include "tui/preview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app_data.h"

/* The action whose result is shown while it is typed; ACTION_NONE for any other line. *ret: its argument, which may be "". */
static enum action previewed(const char *line, const char **ret)
{
	line += strspn(line, " :");
	size_t size = strcspn(line, " ");
	enum action action = action_find(line, size);
	*ret = line[size] ? line + size + strspn(line + size, " ") : "";
	if (!line[size] || (action != ACTION_SEARCH && action != ACTION_SEARCH_BACK && action != ACTION_FILTER))
		return ACTION_NONE;
	return action;
}

static void begin(struct app *app, enum action action)
{
	struct preview *p = &app->preview;
	struct view *view = screen_focus(&app->screen);
	struct run *run = app_run(app);
	*p = (struct preview){.action = action, .view = view, .run = run, .selected = view->list.selected, .top = view->list.top};
	p->words = mem_str(view->words);
	p->find = mem_str(view->find);
	if (run) {
		p->playhead = run->playhead;
		p->follow = run->follow;
		snprintf(p->search, sizeof p->search, "%s", run->search);
	}
}

/* As it was when the line was opened. */
static void restore(struct app *app)
{
	struct preview *p = &app->preview;
	app_preview_stop(app);
	if (p->run && p->run == app_run(app)) {
		run_goto(p->run, p->playhead, false);
		p->run->follow = p->follow;
		snprintf(p->run->search, sizeof p->run->search, "%s", p->search);
		app_bring_other_side(app);
	}
	if (p->action != ACTION_FILTER) {
		p->view->list.selected = p->selected;
		p->view->list.top = p->top;
		free(p->view->find);
		p->view->find = mem_str(p->find);
	}
}

static void show_filter(struct app *app, const char *words)
{
	struct view *view = app->preview.view;
	struct request request = {0};
	struct err err = {0};
	view->ops->act(view, &app->model, ACTION_FILTER, words, &request, &err); /* half a word may be wrong: not said yet */
}

static void show_search(struct app *app, const char *text)
{
	struct preview *p = &app->preview;
	struct request request = {0};
	struct err err = {0};
	restore(app);
	if (!text[0])
		return;
	if (p->view->ops->act && p->view->ops->act(p->view, &app->model, p->action, text, &request, &err))
		app_request(app,
			&(struct request){
				.kind = request.kind, .index = request.index, .subject = request.subject, .text = request.text});
	else if (err.code != ERR_NONE)
		app_message(app, true, "%s", err.text);
	else if (p->run && p->run == app_run(app) && strlen(text) <= SEARCH_TEXT_MAX)
		app_preview_search(app, text, p->action == ACTION_SEARCH_BACK);
}

void preview_update(struct app *app, const char *line)
{
	struct preview *p = &app->preview;
	const char *text;
	enum action action = previewed(line, &text);
	if (action != p->action) {
		preview_end(app);
		if (action == ACTION_NONE || (action == ACTION_FILTER && !screen_focus(&app->screen)->ops->filters))
			return;
		begin(app, action);
	}
	if (p->action == ACTION_NONE || (p->text && strcmp(p->text, text) == 0))
		return;
	bool first = !p->text;
	free(p->text);
	p->text = mem_str(text);
	screen_message(&app->screen, false, NULL);
	if (first && !text[0])
		return; /* just opened: nothing was asked yet */
	if (action == ACTION_FILTER)
		show_filter(app, text);
	else
		show_search(app, text);
}

void preview_end(struct app *app)
{
	struct preview *p = &app->preview;
	if (p->action != ACTION_NONE && p->text) {
		screen_message(&app->screen, false, NULL);
		restore(app);
		if (p->action == ACTION_FILTER) {
			show_filter(app, p->words);
			p->view->list.selected = p->selected;
			p->view->list.top = p->top;
		}
	}
	free(p->words);
	free(p->find);
	free(p->text);
	*p = (struct preview){.action = ACTION_NONE};
}
