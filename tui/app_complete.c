/* What the `:` line completes: actions and what they take; in the debug view also verbs, symbols, moments. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "engine/moment.h"
#include "tui/app_data.h"

#define COMPLETE_NAMES_MAX 200

struct completion {
	const char *prefix;
	void (*found)(void *data, const char *text);
	void *data;
};

static void offer(const struct completion *c, const char *text)
{
	if (strncmp(text, c->prefix, strlen(c->prefix)) == 0)
		c->found(c->data, text);
}

static void complete_runs(const struct app *app, const struct completion *c)
{
	for (size_t i = 0; i < app->runs->count && i < COMPLETE_NAMES_MAX; i++)
		offer(c, app->runs->rows[i].name);
}

static void complete_nodes(const struct app *app, const struct completion *c, const char *before)
{
	const struct run *run = app_run(app);
	for (size_t i = 1; run && i < timeline_node_count(run->timeline); i++) {
		char *text = mem_printf("%s%s", before, timeline_node(run->timeline, i));
		offer(c, text);
		free(text);
	}
}

static void complete_filter(const struct app *app, const struct completion *c)
{
	static const char *const of_runs[] = {
		"verdict:fail", "verdict:pass", "verdict:unexercised", "verdict:unknown", "scenario:", "seed:"};
	const struct run *run = app_run(app);
	if (screen_page(&app->screen) == PAGE_RUNS) {
		for (size_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++)
			offer(c, of_runs[i]);
		return;
	}
	complete_nodes(app, c, "node:");
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		char *text = mem_printf("kind:%s", event_kind_name((enum event_kind)kind));
		offer(c, text);
		free(text);
	}
	for (size_t i = 0; run && i < timeline_fault_count(run->timeline); i++) {
		char *text = mem_printf("fault:%s", timeline_fault(run->timeline, i)->id);
		offer(c, text);
		free(text);
	}
	offer(c, "stderr");
}

static void complete_words(const struct completion *c, const char *const *words)
{
	for (; *words; words++)
		offer(c, *words);
}

static void complete_orders(const struct app *app, const struct completion *c)
{
	const struct view *view = screen_focus(&app->screen);
	if (view->ops->orders)
		complete_words(c, view->ops->orders);
}

/* Scenarios where they usually are: *.yaml here and in scenarios/. */
static void complete_scenarios(const struct completion *c)
{
	static const char *const patterns[] = {"scenarios/*.yaml", "*.yaml"};
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
		glob_t found;
		if (glob(patterns[i], 0, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc && k < COMPLETE_NAMES_MAX; k++)
			offer(c, found.gl_pathv[k]);
		globfree(&found);
	}
}

static void complete_argument(const struct app *app, enum action action, const struct completion *c)
{
	static const char *const axes[] = {"time", "icount", "event", NULL};
	static const char *const codes[] = {"source", "disassembly", "auto", NULL};
	switch (action) {
	case ACTION_GOTO:
	case ACTION_DEBUG:
		if (app_run(app))
			moment_complete(app_run(app)->timeline, c->prefix, c->found, c->data);
		break;
	case ACTION_OPEN:
	case ACTION_DIFF_WITH:
		complete_runs(app, c);
		break;
	case ACTION_RECORD:
		complete_scenarios(c);
		break;
	case ACTION_CONSOLE:
		offer(c, "all");
		complete_nodes(app, c, "");
		break;
	case ACTION_FILTER:
		complete_filter(app, c);
		break;
	case ACTION_THEME:
		for (size_t i = 0; theme_builtin_name(i); i++)
			offer(c, theme_builtin_name(i));
		break;
	case ACTION_AXIS:
	case ACTION_ALIGN:
		complete_words(c, axes);
		break;
	case ACTION_DEBUG_CODE:
		complete_words(c, codes);
		break;
	case ACTION_DEBUG_FOLD:
		for (size_t i = 0; screen_debug_pane(&app->screen, i); i++)
			offer(c, screen_debug_pane(&app->screen, i));
		break;
	case ACTION_SORT:
		complete_orders(app, c);
		break;
	default:
		break;
	}
}

/* ---- the debug language ---- */

static void complete_verbs(const struct completion *c, bool all)
{
	const char *name;
	for (size_t i = 0; (name = debugger_verb(i, NULL, NULL)) != NULL; i++)
		if (all || action_find(name, strlen(name)) == ACTION_NONE)
			offer(c, name);
}

static void complete_locals(const struct app *app, const struct completion *c)
{
	const struct debug_picture *p = app->model.debug.picture;
	for (size_t i = 0; p && i < p->locals.count; i++)
		if (p->locals.rows[i].expression)
			offer(c, p->locals.rows[i].expression);
}

static void complete_moments(const struct app *app, const struct completion *c)
{
	if (app->debug.run)
		moment_complete(app->debug.run->timeline, c->prefix, c->found, c->data);
	debug_names_bookmarks(app->debug.names, c->prefix, c->found, c->data);
}

/* What an operand may be, by the words that the table of verbs has for it. first: it is the first word after the verb. */
static void complete_operand(const struct app *app, const char *operands, bool first, const struct completion *c)
{
	static const char *const conditions[] = {"pc", "write", "mem", "exit", "syscall", "switch", "event", NULL};
	static const char *const whats[] = {"fault", "property", "line", "switch", "syscall", NULL};
	if (strstr(operands, "MOMENT"))
		complete_moments(app, c);
	if (strstr(operands, "NODE") || strstr(operands, "WHAT"))
		complete_nodes(app, c, strstr(operands, "@NODE") ? "@" : "");
	if (strstr(operands, "WHAT"))
		complete_words(c, whats);
	if (strstr(operands, "CONDITION") && first)
		complete_words(c, conditions);
	if (strcmp(operands, "NAME") == 0)
		debug_names_bookmarks(app->debug.names, c->prefix, c->found, c->data);
	if (strcmp(operands, "[COMMAND]") == 0)
		complete_verbs(c, true);
	bool address = strstr(operands, "ADDRESS") || strstr(operands, "EXPRESSION") || strstr(operands, "CONDITION");
	if (!address || (strstr(operands, "CONDITION") && first))
		return;
	complete_locals(app, c);
	debug_names_symbols(app->debug.names, c->prefix, c->found, c->data);
}

/* False: the line does not begin with a verb of the debug session, or there is none. */
static bool complete_verb(const struct app *app, const char *line, size_t start, const struct completion *c)
{
	const char *name, *operands;
	size_t size = strcspn(line, " "), words = 0;
	if (screen_page(&app->screen) != PAGE_DEBUG)
		return false;
	for (size_t i = 0; i < start; i++)
		words += line[i] == ' ' && i > 0 && line[i - 1] != ' ';
	for (size_t i = 0; (name = debugger_verb(i, &operands, NULL)) != NULL; i++)
		if (strlen(name) == size && !memcmp(name, line, size)) {
			complete_operand(app, operands, words < 2, c);
			return true;
		}
	return false;
}

void app_complete(void *data, const char *line, size_t start, void (*found)(void *found_data, const char *text), void *found_data)
{
	struct app *app = data;
	struct completion c = {line + start, found, found_data};
	size_t skip = strspn(line, " :");
	if (start <= skip) {
		for (int i = 0; i < ACTION_COUNT; i++)
			offer(&c, action_info((enum action)i)->name);
		if (screen_page(&app->screen) == PAGE_DEBUG)
			complete_verbs(&c, false);
		return;
	}
	if (complete_verb(app, line + skip, start - skip, &c))
		return;
	enum action action = action_find(line + skip, strcspn(line + skip, " "));
	if (action != ACTION_NONE)
		complete_argument(app, action, &c);
}
