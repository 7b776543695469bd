#include "tui/screen.h"

#include <stdlib.h>
#include <string.h>

void screen_init(struct screen *s, enum page page)
{
	*s = (struct screen){.pages = {page}, .page_count = 1, .focus = SCREEN_EVENTS, .debug_focus = SCREEN_DEBUG_CODE};
	s->views[SCREEN_TIMELINE] = view_timeline_create();
	s->views[SCREEN_EVENTS] = view_events_create();
	s->views[SCREEN_FAULTS] = view_faults_create();
	s->views[SCREEN_PROPERTIES] = view_properties_create();
	s->views[SCREEN_DETAIL] = view_detail_create();
	s->views[SCREEN_CONSOLE] = view_console_create();
	s->views[SCREEN_PLAN] = view_plan_create();
	s->views[SCREEN_RUNS] = view_runs_create();
	s->views[SCREEN_DIFF] = view_diff_create();
	s->views[SCREEN_HELP] = view_help_create();
	s->views[SCREEN_TOUR] = view_tour_create();
	s->views[SCREEN_DEBUG_CODE] = view_debug_code_create();
	s->views[SCREEN_DEBUG_WHERE] = view_debug_where_create();
	s->views[SCREEN_DEBUG_LOCALS] = view_debug_locals_create();
	s->views[SCREEN_DEBUG_REGS] = view_debug_regs_create();
	s->views[SCREEN_DEBUG_PROCESSES] = view_debug_processes_create();
	s->views[SCREEN_DEBUG_OUTPUT] = view_debug_output_create();
}

void screen_finish(struct screen *s)
{
	for (int i = 0; i < SCREEN_VIEWS; i++)
		view_destroy(s->views[i]);
	free(s->message);
	free(s->progress);
	free(s->opening);
	*s = (struct screen){0};
}

enum page screen_page(const struct screen *s)
{
	return s->pages[s->page_count - 1];
}

void screen_push(struct screen *s, enum page page)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->page_count; i++)
		if (s->pages[i] != page)
			s->pages[kept++] = s->pages[i];
	s->pages[kept] = page; /* there are fewer kinds of pages than places */
	s->page_count = kept + 1;
}

bool screen_pop(struct screen *s)
{
	if (s->page_count < 2)
		return false;
	s->page_count--;
	return true;
}

bool screen_has(const struct screen *s, enum page page)
{
	for (size_t i = 0; i < s->page_count; i++)
		if (s->pages[i] == page)
			return true;
	return false;
}

void screen_drop(struct screen *s, enum page page)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->page_count; i++)
		if (s->pages[i] != page)
			s->pages[kept++] = s->pages[i];
	if (kept == 0)
		s->pages[kept++] = PAGE_RUNS;
	s->page_count = kept;
}

struct view *screen_focus(const struct screen *s)
{
	static const enum screen_view bottoms[] = {
		[BOTTOM_DETAIL] = SCREEN_DETAIL, [BOTTOM_CONSOLE] = SCREEN_CONSOLE, [BOTTOM_PLAN] = SCREEN_PLAN};
	switch (screen_page(s)) {
	case PAGE_RUNS:
		return s->views[SCREEN_RUNS];
	case PAGE_DIFF:
		return s->views[SCREEN_DIFF];
	case PAGE_HELP:
		return s->views[SCREEN_HELP];
	case PAGE_TOUR:
		return s->views[SCREEN_TOUR];
	case PAGE_DEBUG:
		return s->views[s->debug_focus];
	case PAGE_RUN:
		break;
	}
	return s->views[s->bottom == BOTTOM_LISTS ? s->focus : bottoms[s->bottom]];
}

void screen_focus_next(struct screen *s, int direction)
{
	if (screen_page(s) == PAGE_DEBUG)
		screen_debug_focus(s, direction);
	if (screen_page(s) != PAGE_RUN)
		return;
	if (s->bottom != BOTTOM_LISTS) {
		s->bottom = BOTTOM_LISTS;
		return;
	}
	int at = (int)s->focus - SCREEN_EVENTS;
	s->focus = (enum screen_view)(SCREEN_EVENTS + (at + direction + 3) % 3);
}

unsigned screen_scopes(const struct screen *s)
{
	unsigned all = 1u << SCOPE_ALL | 1u << SCOPE_LIST;
	switch (screen_page(s)) {
	case PAGE_RUNS:
		return all | 1u << SCOPE_RUNS;
	case PAGE_DIFF:
		return all | 1u << SCOPE_DIFF | 1u << SCOPE_RUN;
	case PAGE_RUN:
		return all | 1u << SCOPE_RUN;
	case PAGE_DEBUG:
		return all | 1u << SCOPE_DEBUG | 1u << SCOPE_RUN;
	default:
		return all;
	}
}

struct view *screen_view_at(const struct screen *s, int x, int y)
{
	for (int i = 0; i < SCREEN_VIEWS; i++)
		if (s->shown[i] && rect_has(s->views[i]->area, x, y))
			return s->views[i];
	return NULL;
}

static void replace(char **text, const char *with)
{
	char *copy = mem_str(with);
	free(*text);
	*text = copy;
}

void screen_message(struct screen *s, bool is_error, const char *text)
{
	replace(&s->message, text);
	s->message_is_error = is_error;
}

void screen_progress(struct screen *s, const char *text)
{
	replace(&s->progress, text);
}

void screen_sync(struct screen *s, const struct model *m)
{
	for (int i = 0; i < SCREEN_VIEWS; i++)
		if (s->views[i]->ops->sync)
			s->views[i]->ops->sync(s->views[i], m);
}
