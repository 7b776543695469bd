/* Help, made from the table of actions, and the tour. */
#include <stdlib.h>
#include <string.h>

#include "tui/view.h"

#define KEYS_COLUMN 18
#define NAME_COLUMN 20

static void action_line(struct doc *d, const struct keymap *keys, enum action action)
{
	const struct action_info *info = action_info(action);
	struct buf key = {0}, name = {0};
	keymap_keys(keys, action, false, &key);
	buf_printf(&name, ":%s%s%s", info->name, info->argument[0] ? " " : "", info->argument);
	doc_line(d, KEYS_COLUMN);
	doc_printf(d, ROLE_KEY, "%-*s", KEYS_COLUMN - 1, key.data ? key.data : "");
	doc_add(d, ROLE_TEXT, " ");
	doc_add(d, ROLE_TEXT, info->help);
	doc_printf(d, ROLE_DIM, "  %s", name.data);
	buf_free(&key);
	buf_free(&name);
}

static bool shows(enum action action, const char *words)
{
	const struct action_info *info = action_info(action);
	return !words || strcasestr(info->name, words) || strcasestr(info->help, words);
}

static void make_help(struct doc *d, const struct keymap *keys, const char *words)
{
	static const enum key_scope order[] = {SCOPE_RUN, SCOPE_DEBUG, SCOPE_ALL, SCOPE_LIST, SCOPE_RUNS, SCOPE_DIFF};
	doc_heading(d, "Keys and commands");
	doc_line(d, 0);
	doc_add(d, ROLE_TEXT, "Every command can be typed after ");
	doc_add(d, ROLE_KEY, ":");
	doc_add(d, ROLE_TEXT,
		" by its name; Tab completes. The same key with Shift goes backwards. Keys can be changed in "
		"~/.config/polecat/keys.conf. Esc or q closes this.");
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		doc_heading(d, scope_title(order[i]));
		for (int action = 0; action < ACTION_COUNT; action++)
			if (action_info((enum action)action)->scope == order[i] && shows((enum action)action, words))
				action_line(d, keys, (enum action)action);
	}
	doc_heading(d, "Signs");
	static const struct {
		enum role role;
		enum glyph glyph;
		const char *text;
	} signs[] = {{ROLE_PASS, GLYPH_PASS, "passed"}, {ROLE_FAIL, GLYPH_FAIL, "failed"},
		{ROLE_WARN, GLYPH_UNEXERCISED, "never evaluated"}, {ROLE_WARN, GLYPH_UNKNOWN, "nobody can say"},
		{ROLE_PLAYHEAD, GLYPH_CURSOR, "the playhead: where you stand in time"},
		{ROLE_BOOKMARK, GLYPH_BOOKMARK, "bookmark"}, {ROLE_BOOKMARK, GLYPH_MARKED, "marked for comparing"}};
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		doc_line(d, KEYS_COLUMN);
		doc_printf(d, signs[i].role, "%s", glyph_sign(signs[i].glyph, true));
		doc_printf(d, ROLE_TEXT, "%*s%s", KEYS_COLUMN - 1, "", signs[i].text);
	}
	doc_heading(d, "Signs of the timeline");
	static const char *const lanes[] = {"S started, R ready, E exited, c cleaned up; a cross: killed or ended badly",
		"dots and blocks: lines of output, higher where more share a cell; a comma: on standard error",
		"faults: a circle selected, a bar from applied to healed, a diamond observed, a struck circle rejected",
		"dotted lines: idle time between them is folded"};
	for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
		doc_line(d, 2);
		doc_add(d, ROLE_TEXT, lanes[i]);
	}
}

struct tour_step {
	const char *title, *text;
	enum action actions[4]; /* ACTION_NONE ends */
};

static const struct tour_step tour[] = {
	{"The line at the top",
		"It names the run: its scenario, its seed, and its verdict with the properties that failed. The line at the "
		"bottom but one says "
		"where you stand: event, guest time, instruction count.",
		{ACTION_NONE}},
	{"The playhead",
		"All panes show the same instant. Walk it event by event; what has not happened yet is dim. The timeline above "
		"shows the whole "
		"run: a lane for each node, one for the faults, one for the properties.",
		{ACTION_EVENT_NEXT, ACTION_EVENT_PREV, ACTION_ZOOM_IN, ACTION_ZOOM_OUT}},
	{"To the failure",
		"A failed run opens at the event that decided its failure. Go on to the witnesses: the events that prove it.",
		{ACTION_FAIL_NEXT, ACTION_FAIL_PREV, ACTION_NONE}},
	{"To the faults",
		"What did the machine do to the program just before? Each fault has stages: selected, applied, observed, healed.",
		{ACTION_FAULT_NEXT, ACTION_FAULT_PREV, ACTION_NONE}},
	{"Look closer",
		"Enter shows everything about what is selected; the console shows what the nodes had printed by then - going "
		"back takes lines "
		"away; the scenario shows which of its lines the seed decided.",
		{ACTION_DETAIL, ACTION_CONSOLE, ACTION_PLAN, ACTION_EVENTS}},
	{"Find", "Search in everything the events say. Bookmark a place, and come back to where you were.",
		{ACTION_SEARCH, ACTION_SEARCH_NEXT, ACTION_BOOKMARK, ACTION_JUMP_BACK}},
	{"Stand in the machine",
		"The run is replayed to the playhead and stopped there: code, calls, variables, registers, processes. Step both "
		"ways; the playhead comes along. The command line takes all that `polecat debug` knows: try :help there.",
		{ACTION_DEBUG, ACTION_DEBUG_OVER, ACTION_DEBUG_OVER_BACK, ACTION_DEBUG_FORK}},
	{"Compare",
		"Open a second run beside this one, and go from difference to difference. The story of the first one is told in "
		"words.",
		{ACTION_DIFF_WITH, ACTION_RUNS_VIEW, ACTION_NONE}},
	{"Everything else", "All keys are in the help, and every action can be typed by its name.",
		{ACTION_HELP, ACTION_COMMAND, ACTION_QUIT, ACTION_NONE}},
};

static void make_tour(struct doc *d, const struct keymap *keys)
{
	doc_heading(d, "A tour of this screen");
	doc_line(d, 0);
	doc_add(d, ROLE_DIM, "Esc or q closes the tour; F1 or :tour brings it back.");
	for (size_t i = 0; i < sizeof tour / sizeof tour[0]; i++) {
		doc_line(d, 0);
		doc_line(d, 3);
		doc_printf(d, ROLE_HEADING, "%zu. %s", i + 1, tour[i].title);
		doc_line(d, 3);
		doc_printf(d, ROLE_TEXT, "   %s", tour[i].text);
		for (size_t a = 0; a < 4 && tour[i].actions[a] != ACTION_NONE; a++) {
			struct buf key = {0};
			keymap_keys(keys, tour[i].actions[a], true, &key);
			doc_line(d, 16);
			doc_printf(d, ROLE_KEY, "   %-12s ", key.data ? key.data : "");
			doc_add(d, ROLE_TEXT, action_info(tour[i].actions[a])->help);
			buf_free(&key);
		}
	}
}

struct view_help {
	struct doc_view text; /* first: is the view */
};

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_help *v = (struct view_help *)view;
	(void)focused;
	if (v->text.doc.line_count == 0) {
		if (strcmp(view->ops->name, "tour") == 0)
			make_tour(&v->text.doc, m->keys);
		else
			make_help(&v->text.doc, m->keys, v->text.view.words);
		doc_view_changed(&v->text);
	}
	doc_view_draw(&v->text, c, area);
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct view_help *v = (struct view_help *)view;
	(void)m;
	(void)ret;
	if (action == ACTION_FILTER) {
		free(v->text.view.words);
		v->text.view.words = argument ? mem_str(argument) : NULL;
		doc_clear(&v->text.doc); /* made anew when it is drawn */
		return true;
	}
	return doc_view_search(&v->text, action, argument, err) || doc_view_act(&v->text, action);
}

static void destroy(struct view *view)
{
	struct view_help *v = (struct view_help *)view;
	doc_view_finish(&v->text);
	free(v);
}

static const struct view_ops help_ops = {.name = "help", .draw = draw, .act = act, .destroy = destroy, .filters = true};
static const struct view_ops tour_ops = {.name = "tour", .draw = draw, .act = act, .destroy = destroy};

static struct view *create(const struct view_ops *ops)
{
	struct view_help *v = mem_alloc(sizeof *v);
	v->text.view.ops = ops;
	return &v->text.view;
}

struct view *view_help_create(void)
{
	return create(&help_ops);
}

struct view *view_tour_create(void)
{
	return create(&tour_ops);
}
