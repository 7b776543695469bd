/* The lines around the views: title, status, the line of keys, the line to type on with what completes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/fmt.h"
#include "tui/screen_parts.h"

#define MATCH_ROWS    6 /* most rows of completions */
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

void screen_title(const struct screen *s, const struct model *m, struct canvas *c, struct rect row)
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

void screen_status(const struct screen *s, const struct model *m, struct canvas *c, struct rect row)
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
void screen_keys(const struct screen *s, const struct model *m, struct canvas *c, struct rect row)
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

void screen_matches(const struct screen_prompt *prompt, struct canvas *c, struct rect above)
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

void screen_prompt(const struct screen_prompt *prompt, struct canvas *c, struct rect row)
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
