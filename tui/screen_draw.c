/* How the screen is shared out, and the lines around the views. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/fmt.h"
#include "tui/screen_parts.h"

#define TALL_ROWS     36 /* from this height on a run's page shows the console as well */
#define MATCH_ROWS    6  /* most rows of completions */
#define TIMELINE_MIN  4
#define KEY_WORDS_MAX 40
#define WORD_GAP      2 /* blanks behind a key's word */

/* ---- title ---- */

static enum role verdict_role(const struct run *run)
{
	const struct facts *facts = timeline_facts(run->timeline);
	return facts->has_properties ? view_verdict_role(facts->verdict) : ROLE_WARN;
}

static void put_name(struct buf *out, const struct run *run)
{
	const struct facts *facts = timeline_facts(run->timeline);
	if (facts->plan)
		buf_printf(out, "%s  seed %llu", facts->plan->scenario, (unsigned long long)facts->plan->seed);
	else
		buf_str(out, timeline_name(run->timeline));
}

static void draw_position(const struct run *run, uint64_t icount, struct pen *p)
{
	char a[FMT_MAX], b[FMT_MAX], full[200], brief[64];
	size_t event = run->playhead == TIMELINE_NONE ? 0 : run->playhead + 1, count = timeline_count(run->timeline);
	if (icount == run_icount(run))
		snprintf(full, sizeof full, "icount %s   t %s   ev %zu/%zu ", fmt_count(icount, a), fmt_time(run_vtime(run), b),
			event, count);
	else /* a machine between two events: its time is not that of the event */
		snprintf(full, sizeof full, "icount %s   after ev %zu/%zu ", fmt_count(icount, a), event, count);
	snprintf(brief, sizeof brief, "ev %zu/%zu ", event, count);
	int left = pen_left(p);
	const char *text = left > (int)strlen(full) + 1 ? full : left > (int)strlen(brief) ? brief : "";
	pen_number(p, ROLE_TITLE, text, left);
}

static void draw_run_title(const struct run *run, uint64_t icount, struct pen *p)
{
	struct buf name = {0}, verdict = {0};
	put_name(&name, run);
	run_verdict_text(run, &verdict);
	bool narrow = pen_left(p) < (int)(name.size + verdict.size) + 4;
	if (pen_left(p) > (int)(name.size + verdict.size) + 14)
		pen_text(p, ROLE_TITLE, "  ");
	if (narrow) { /* the verdict matters most */
		pen_layered(p, ROLE_TITLE, verdict_role(run), verdict.data);
		pen_text(p, ROLE_TITLE, "  ");
		pen_text(p, ROLE_TITLE, name.data);
	} else {
		pen_printf(p, ROLE_TITLE, "%s  ", name.data);
		pen_layered(p, ROLE_TITLE, verdict_role(run), verdict.data);
		draw_position(run, icount, p);
	}
	buf_free(&name);
	buf_free(&verdict);
}

static void draw_title(const struct screen *s, const struct model *m, struct canvas *c, struct rect row)
{
	canvas_fill(c, row, ROLE_TITLE);
	struct pen p = pen_at(c, row, 0);
	if (row.w >= 60)
		pen_text(&p, ROLE_TITLE, " polecat");
	const struct run *run = model_run(m);
	switch (screen_page(s)) {
	case PAGE_RUNS:
		pen_printf(&p, ROLE_TITLE, "  runs in %s", m->list ? m->list->path : "");
		break;
	case PAGE_RUN:
		if (run)
			draw_run_title(run, run_icount(run), &p);
		else
			pen_printf(&p, ROLE_TITLE, "  opening %s", s->opening ? s->opening : "");
		break;
	case PAGE_DIFF:
		pen_text(&p, ROLE_TITLE, "  diff");
		for (int side = 0; side < 2; side++)
			if (m->runs[side]) {
				struct buf name = {0};
				put_name(&name, m->runs[side]);
				pen_printf(&p, ROLE_TITLE, "  %s ", side ? "B" : "A");
				pen_layered(&p, ROLE_TITLE, side ? ROLE_RIGHT : ROLE_LEFT, name.data);
				buf_free(&name);
			}
		break;
	case PAGE_HELP:
		pen_text(&p, ROLE_TITLE, "  help");
		break;
	case PAGE_TOUR:
		pen_text(&p, ROLE_TITLE, "  tour");
		break;
	case PAGE_DEBUG:
		pen_text(&p, ROLE_TITLE, "  debug ");
		if (run)
			draw_run_title(run, m->debug.picture ? m->debug.picture->icount : run_icount(run), &p);
		break;
	}
}

/* ---- status ---- */

static void put_active(struct buf *out, const struct run *run)
{
	int named = 0;
	for (size_t i = 0; i < timeline_fault_count(run->timeline); i++) {
		const struct timeline_fault *fault = timeline_fault(run->timeline, i);
		size_t first, last;
		timeline_fault_span(run->timeline, i, &first, &last);
		size_t applied = fault->stage[FAULT_APPLIED];
		if (applied == TIMELINE_NONE || run->playhead == TIMELINE_NONE || applied > run->playhead || last < run->playhead)
			continue;
		buf_printf(out, "%s%s", named++ ? ", " : "  in ", fault->id);
	}
}

static void put_where(struct buf *out, const struct run *run)
{
	char a[FMT_MAX], b[FMT_MAX];
	if (run->playhead == TIMELINE_NONE) {
		buf_str(out, timeline_count(run->timeline) ? "before the first event" : "no events yet");
		return;
	}
	size_t count = timeline_count(run->timeline);
	buf_printf(out, "ev %zu/%zu  t %s  icount %s", run->playhead + 1, count, fmt_time(run_vtime(run), b),
		fmt_count(run_icount(run), a));
	if (run->playhead == 0)
		buf_str(out, "  (begin)");
	if (run->playhead + 1 == count)
		buf_str(out, run->follow && timeline_incomplete(run->timeline) ? "  (following)" : "  (end)");
	put_active(out, run);
	const struct bookmark *bookmark = run_bookmark_at(run, run->playhead);
	if (bookmark)
		buf_printf(out, "  bookmark %s", bookmark->name);
}

/* About the selected run: what its row has no room for. */
static void put_selected(struct buf *out, const struct screen *s, const struct model *m)
{
	size_t at = view_runs_selected(s->views[SCREEN_RUNS]);
	if (!m->list || at >= m->list->count)
		return;
	const struct run_row *row = &m->list->rows[at];
	char text[FMT_MAX];
	buf_str(out, row->name);
	if (!row->loaded || row->problem) {
		buf_printf(out, row->problem ? ": %s" : "%s", row->problem ? row->problem : "");
		return;
	}
	for (int verdict = VERDICT_COUNT - 1; verdict >= 0; verdict--)
		if (row->counts[verdict])
			buf_printf(out, "  %zu %s", row->counts[verdict], verdict_name((enum verdict)verdict));
	buf_printf(out, "  %s events", fmt_count(row->events, text));
	if (row->reproducible[0])
		buf_printf(out, "  reproducible by %s", row->reproducible);
	if (row->parent)
		buf_printf(out, "  fork of %s at %s%s%s", row->parent, fmt_count(row->parent_icount, text),
			row->command ? ": " : "", row->command ? row->command : "");
}

static void draw_status(const struct screen *s, const struct model *m, struct canvas *c, struct rect row)
{
	enum role role = s->message && s->message_is_error ? ROLE_ERROR : ROLE_STATUS;
	canvas_fill(c, row, role);
	struct pen p = pen_at(c, row, 0);
	pen_text(&p, role, " ");
	const struct run *run = model_run(m);
	struct buf text = {0};
	if (s->message)
		buf_str(&text, s->message);
	else if (screen_page(s) == PAGE_DEBUG && m->debug.picture)
		buf_printf(&text, "%s  %s", m->debug.picture->place, m->debug.picture->pc_text);
	else if ((screen_page(s) == PAGE_RUN || screen_page(s) == PAGE_DIFF || screen_page(s) == PAGE_DEBUG) && run)
		put_where(&text, run);
	else if (screen_page(s) == PAGE_RUNS)
		put_selected(&text, s, m);
	else if (screen_page(s) == PAGE_RUN && s->opening)
		buf_printf(&text, "opening %s ...", s->opening);
	if (s->progress && !s->message && screen_page(s) == PAGE_RUNS)
		buf_clear(&text); /* what is selected can be read above */
	int progress = s->progress ? glyph_text_width(s->progress) + 2 : 0;
	if (text.size == 0)
		progress = progress > row.w ? row.w : progress;
	else if (progress > row.w - row.w / 4 && screen_page(s) != PAGE_DEBUG) /* whose title says the place as well */
		progress = row.w - row.w / 4;
	progress = progress > row.w ? row.w : progress;
	if (text.size)
		pen_field(&p, role, text.data, pen_left(&p) - progress);
	if (s->progress && progress > 2)
		pen_field(&p, role, s->progress, progress - 1);
	buf_free(&text);
}

/* ---- the line of keys ---- */

struct key_word {
	char keys[24];
	const char *word;
};

/* Arrows are signs; other keys their names. */
static void put_key(const struct keymap *map, enum action action, bool utf8, struct buf *out)
{
	static const struct {
		const char *name;
		enum glyph glyph;
	} arrows[] = {{"Left", GLYPH_LEFT}, {"Right", GLYPH_ARROW}, {"Up", GLYPH_UP}, {"Down", GLYPH_DOWN}};
	struct buf key = {0};
	keymap_keys(map, action, true, &key);
	const char *text = key.data ? key.data : "";
	for (size_t i = 0; i < sizeof arrows / sizeof arrows[0]; i++)
		if (strcmp(text, arrows[i].name) == 0 && utf8)
			text = glyph_sign(arrows[i].glyph, true);
	buf_str(out, text);
	buf_free(&key);
}

static bool key_word(const struct keymap *map, enum action action, bool utf8, struct key_word *ret)
{
	struct buf keys = {0};
	put_key(map, action, utf8, &keys);
	bool ok = keys.size > 0;
	enum action back = (enum action)(action + 1);
	if (ok && back < ACTION_COUNT && strcmp(action_info(back)->brief, "<") == 0) {
		buf_char(&keys, '/');
		put_key(map, back, utf8, &keys);
	}
	if (ok)
		snprintf(ret->keys, sizeof ret->keys, "%s", keys.data);
	ret->word = action_info(action)->brief;
	buf_free(&keys);
	return ok;
}

static int word_width(const struct key_word *w)
{
	return glyph_text_width(w->keys) + 1 + glyph_text_width(w->word) + WORD_GAP;
}

static void draw_words(struct pen *p, const struct key_word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pen_text(p, ROLE_KEY, words[i].keys);
		pen_printf(p, ROLE_DIM, " %s%*s", words[i].word, WORD_GAP, "");
	}
}

/* Its first key does it here: no more special action has that key. */
static bool reachable(const struct keymap *map, enum action action, unsigned scopes)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->bindings[i].action == action)
			return keymap_find(map, map->bindings[i].key, scopes) == action;
	return false;
}

/* The first actions of the table, as many as fit; help and the way out always. */
static void draw_keys(const struct screen *s, const struct model *m, struct canvas *c, struct rect row)
{
	static const enum action always[] = {ACTION_HELP, ACTION_QUIT};
	struct key_word words[KEY_WORDS_MAX], last[2];
	size_t count = 0, last_count = 0;
	int left = row.w - 1 + WORD_GAP; /* behind the last one none is needed */
	for (size_t i = 2; i-- > 0;) {
		struct key_word w;
		if (key_word(m->keys, always[i], m->utf8, &w) && word_width(&w) <= left) {
			left -= word_width(&w);
			last[last_count++] = w;
		}
	}
	unsigned scopes = screen_scopes(s);
	for (int action = 0; action < ACTION_COUNT && count < KEY_WORDS_MAX; action++) {
		const struct action_info *info = action_info((enum action)action);
		bool reserved = action == ACTION_HELP || action == ACTION_QUIT;
		if (!info->brief[0] || info->brief[0] == '<' || reserved || !(scopes >> info->scope & 1))
			continue;
		if ((action == ACTION_SORT && !screen_focus(s)->ops->orders) || !reachable(m->keys, (enum action)action, scopes))
			continue;
		struct key_word w;
		if (!key_word(m->keys, (enum action)action, m->utf8, &w) || word_width(&w) > left)
			continue;
		left -= word_width(&w);
		words[count++] = w;
	}
	struct pen p = pen_at(c, row, 0);
	pen_text(&p, ROLE_TEXT, " ");
	draw_words(&p, words, count);
	while (last_count > 0)
		draw_words(&p, &last[--last_count], 1);
}

/* ---- the prompt ---- */

static void draw_matches(const struct screen_prompt *prompt, struct canvas *c, struct rect above)
{
	int widest = 1;
	for (size_t i = 0; i < prompt->match_count; i++) {
		int w = glyph_text_width(prompt->matches[i]);
		widest = w > widest ? w : widest;
	}
	widest = widest + 2 < above.w ? widest + 2 : above.w;
	size_t across = widest > 0 && (above.w - 1) / widest > 0 ? (size_t)((above.w - 1) / widest) : 1;
	size_t rows = (prompt->match_count + across - 1) / across;
	int shown = rows < MATCH_ROWS ? (int)rows : MATCH_ROWS;
	struct rect area = rect_cut_bottom(&above, shown);
	canvas_fill(c, area, ROLE_STATUS);
	for (size_t i = 0; i < prompt->match_count && i < across * (size_t)shown; i++) {
		int x = 1 + (int)(i % across) * widest;
		struct pen p = pen_at(c, (struct rect){area.x + x, area.y, area.w - x, area.h}, (int)(i / across));
		bool last = i + 1 == across * (size_t)shown && i + 1 < prompt->match_count;
		pen_field(&p, ROLE_STATUS, last ? "..." : prompt->matches[i], widest - 1);
	}
}

static void draw_prompt(const struct screen_prompt *prompt, struct canvas *c, struct rect row)
{
	canvas_fill(c, row, ROLE_PROMPT);
	struct pen p = pen_at(c, row, 0);
	pen_text(&p, ROLE_KEY, prompt->label);
	int room = pen_left(&p) - 1;
	/* Scrolls sideways so that the cursor is always seen. */
	char *before = mem_strn(prompt->text, prompt->cursor);
	const char *from = prompt->text;
	int width = glyph_text_width(before);
	while (width >= room && room > 0 && *from) {
		uint32_t code;
		from += glyph_decode(from, strlen(from), &code);
		free(before);
		before = mem_strn(from, prompt->cursor - (size_t)(from - prompt->text));
		width = glyph_text_width(before);
	}
	free(before);
	int x = p.x + width;
	pen_text(&p, ROLE_PROMPT, from);
	if (rect_has(row, x, row.y)) {
		c->cursor_x = x;
		c->cursor_y = row.y;
	}
}

/* ---- panes ---- */

static void draw_head(struct view *v, const struct model *m, struct canvas *c, struct rect row, bool focused, bool folded)
{
	struct buf note = {0};
	if (v->ops->note)
		v->ops->note(v, m, &note);
	canvas_hline(c, row, ROLE_BORDER);
	struct pen p = pen_at(c, row, 0);
	if (focused)
		pen_sign(&p, ROLE_PLAYHEAD, GLYPH_CURSOR);
	else
		pen_sign(&p, ROLE_BORDER, GLYPH_HLINE);
	pen_printf(&p, focused ? ROLE_HEADING : ROLE_DIM, "%s", v->ops->name);
	if (folded) /* before what a narrow pane cuts */
		pen_text(&p, ROLE_DIM, " [folded]");
	if (note.size)
		pen_printf(&p, ROLE_DIM, " %s", note.data);
	pen_text(&p, ROLE_DIM, " ");
	pen_more(&p);
	buf_free(&note);
}

void screen_pane(
	struct screen *s, enum screen_view which, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view *v = s->views[which];
	if (area.w < 1 || area.h < 1)
		return;
	s->shown[which] = true;
	struct rect head = rect_cut_top(&area, area.h > 2 ? 1 : 0);
	if (head.h)
		draw_head(v, m, c, head, focused, false);
	v->ops->draw(v, m, c, area, focused);
}

void screen_folded(
	struct screen *s, enum screen_view which, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct rect head = rect_cut_top(&area, 1);
	if (head.w > 0 && head.h > 0)
		draw_head(s->views[which], m, c, head, focused, true);
}

void screen_separator(struct canvas *c, struct rect line, bool tee)
{
	canvas_vline(c, line, ROLE_BORDER);
	struct pen p = pen_at(c, line, 0);
	if (tee)
		pen_sign(&p, ROLE_BORDER, GLYPH_TEE_DOWN);
}

/* A wide screen: events, faults and properties beside each other. */
static void draw_columns(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	static const enum screen_view which[3] = {SCREEN_EVENTS, SCREEN_FAULTS, SCREEN_PROPERTIES};
	static const struct layout_part parts[3] = {{46, 0, 6, 0}, {26, 40, 3, 2}, {30, 60, 4, 1}};
	struct rect rects[3];
	layout_columns(area, 1, parts, 3, rects);
	for (int i = 0; i < 3; i++) {
		if (rects[i].w && i > 0)
			screen_separator(c, (struct rect){rects[i].x - 1, area.y, 1, area.h}, true);
		screen_pane(s, which[i], m, c, rects[i], s->focus == which[i]);
	}
}

/* A narrow one: faults above properties, beside the events; both share what is there by what they need. */
static void draw_stacked(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	static const struct layout_part parts[2] = {{36, 0, 3, 0}, {28, 44, 2, 1}};
	struct rect rects[2], right[2];
	layout_columns(area, 1, parts, 2, rects);
	screen_pane(s, SCREEN_EVENTS, m, c, rects[0], s->focus == SCREEN_EVENTS);
	if (rects[1].w == 0)
		return;
	int faults = (int)s->views[SCREEN_FAULTS]->list.count + 1, properties = (int)s->views[SCREEN_PROPERTIES]->list.count + 1;
	int half = area.h / 2 > 4 ? area.h / 2 : 4;
	struct layout_part rows[2] = {
		{faults < half ? faults : half, 0, properties > half ? 0 : 1, s->focus == SCREEN_FAULTS ? 0 : 2},
		{properties < half ? properties : half, 0, 1, s->focus == SCREEN_PROPERTIES ? 0 : 1}};
	layout_rows(rects[1], 0, rows, 2, right);
	screen_separator(c, (struct rect){rects[1].x - 1, area.y, 1, area.h}, true);
	screen_pane(s, SCREEN_FAULTS, m, c, right[0], s->focus == SCREEN_FAULTS);
	screen_pane(s, SCREEN_PROPERTIES, m, c, right[1], s->focus == SCREEN_PROPERTIES);
}

/* What has no room gives way; the focused list never does. */
static void draw_lists(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	bool other = s->focus != SCREEN_EVENTS;
	if (s->wide || (other && area.w < 36 + 1 + 28) || area.h < 4)
		screen_pane(s, s->focus, m, c, area, true);
	else if (area.w >= 46 + 26 + 30 + 2 && s->views[SCREEN_FAULTS]->list.count) /* none need no column */
		draw_columns(s, m, c, area);
	else
		draw_stacked(s, m, c, area);
}

static void draw_run(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	const struct run *run = model_run(m);
	if (!run) {
		struct pen p = pen_at(c, area, area.h / 2);
		pen_text(&p, ROLE_DIM, s->opening ? "  opening ..." : "  no run is open: o shows the runs");
		return;
	}
	bool tall = area.h >= TALL_ROWS && s->bottom == BOTTOM_LISTS;
	struct view *timeline = s->views[SCREEN_TIMELINE];
	int most = area.h / 2 > TIMELINE_MIN ? area.h / 2 : TIMELINE_MIN;
	int rows = area.h > TIMELINE_MIN + 4 ? timeline->ops->rows(timeline, m, area.w, most) : 0;
	struct layout_part parts[3] = {{rows, rows, 0, 2}, {4, 0, 3, 0}, {tall ? 8 : 0, 0, tall ? 2 : 0, 3}};
	struct rect rects[3];
	layout_rows(area, 0, parts, 3, rects);
	if (rects[0].h) {
		s->shown[SCREEN_TIMELINE] = true;
		timeline->ops->draw(timeline, m, c, rects[0], false);
	}
	if (s->bottom == BOTTOM_LISTS)
		draw_lists(s, m, c, rects[1]);
	else
		screen_pane(s,
			s->bottom == BOTTOM_DETAIL            ? SCREEN_DETAIL
				: s->bottom == BOTTOM_CONSOLE ? SCREEN_CONSOLE
							      : SCREEN_PLAN,
			m, c, rects[1], true);
	if (tall)
		screen_pane(s, SCREEN_CONSOLE, m, c, rects[2], false);
}

static void draw_page(struct screen *s, const struct model *m, struct canvas *c, struct rect area)
{
	switch (screen_page(s)) {
	case PAGE_RUN:
		draw_run(s, m, c, area);
		break;
	case PAGE_RUNS:
		screen_pane(s, SCREEN_RUNS, m, c, area, true);
		break;
	case PAGE_DIFF:
		s->shown[SCREEN_DIFF] = true;
		s->views[SCREEN_DIFF]->ops->draw(s->views[SCREEN_DIFF], m, c, area, true);
		break;
	case PAGE_DEBUG:
		screen_draw_debug(s, m, c, area);
		break;
	case PAGE_HELP:
	case PAGE_TOUR: {
		enum screen_view which = screen_page(s) == PAGE_HELP ? SCREEN_HELP : SCREEN_TOUR;
		struct rect inside = {area.x + (area.w > 40), area.y, area.w - (area.w > 40), area.h};
		s->shown[which] = true;
		s->views[which]->ops->draw(s->views[which], m, c, inside, true);
		break;
	}
	}
}

void screen_draw(struct screen *s, const struct model *m, const struct screen_prompt *prompt, struct canvas *c)
{
	enum { TITLE, PAGE, STATUS, KEYS, PARTS };
	struct layout_part parts[PARTS] = {{1, 1, 0, 2}, {2, 0, 1, 0}, {1, 1, 0, 3}, {1, 1, 0, 4}};
	struct rect rects[PARTS];
	canvas_clear(c);
	memset(s->shown, 0, sizeof s->shown);
	layout_rows(canvas_all(c), 0, parts, PARTS, rects);
	if (rects[TITLE].h)
		draw_title(s, m, c, rects[TITLE]);
	draw_page(s, m, c, rects[PAGE]);
	if (rects[STATUS].h)
		draw_status(s, m, c, rects[STATUS]);
	if (!prompt) {
		if (rects[KEYS].h)
			draw_keys(s, m, c, rects[KEYS]);
		return;
	}
	struct rect above = canvas_all(c);
	struct rect row = rect_cut_bottom(&above, 1);
	if (prompt->match_count)
		draw_matches(prompt, c, above);
	draw_prompt(prompt, c, row);
}
