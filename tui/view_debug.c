/* The panes of the debug view: texts of the picture that the session's thread made, and what commands printed. */
#include <stdlib.h>
#include <string.h>

#include "tui/view.h"

enum pane { PANE_CODE, PANE_WHERE, PANE_LOCALS, PANE_REGS, PANE_PROCESSES, PANE_OUTPUT };

#define CURRENT_TAG 1 /* of the line to keep in sight */

struct view_debug {
	struct doc_view text; /* first: is the view */
	enum pane pane;
	uint64_t seen; /* model.debug.shown that the doc was made from */
	bool reveal;
};

/* ---- the docs: pure ---- */

static void put_line(struct doc *d, enum pane pane, const char *line, size_t size)
{
	bool current = size >= 2 && !memcmp(line, "=>", 2), changed = size && *line == '*';
	doc_line(d, pane == PANE_OUTPUT || pane == PANE_LOCALS || pane == PANE_WHERE ? 4 : -1);
	if (pane == PANE_CODE && current) {
		doc_tag(d, CURRENT_TAG);
		doc_overlay(d, ROLE_CURSOR);
		doc_bytes(d, ROLE_PLAYHEAD, line, 2);
		doc_bytes(d, ROLE_TEXT, line + 2, size - 2);
	} else if (pane == PANE_REGS && changed) {
		doc_bytes(d, ROLE_WARN, line, size);
	} else if (pane == PANE_PROCESSES && changed) {
		doc_bytes(d, ROLE_HEADING, line, size);
	} else if (pane == PANE_OUTPUT && size && *line == '>') {
		doc_tag(d, CURRENT_TAG);
		doc_bytes(d, ROLE_HEADING, line, size);
	} else {
		doc_bytes(d, ROLE_TEXT, line, size);
	}
}

static void put_text(struct doc *d, enum pane pane, const char *text)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		put_line(d, pane, text, size);
		text += size + (text[size] == '\n');
	}
}

static const char *text_of(const struct view_debug *v, const struct model_debug *m)
{
	static const enum debug_pane texts[] = {[PANE_WHERE] = DEBUG_WHERE,
		[PANE_LOCALS] = DEBUG_LOCALS,
		[PANE_REGS] = DEBUG_REGS,
		[PANE_PROCESSES] = DEBUG_PROCESSES};
	if (v->pane == PANE_OUTPUT)
		return m->output.data ? m->output.data : "";
	if (!m->picture)
		return "";
	enum debug_pane which = v->pane != PANE_CODE ? texts[v->pane] : model_debug_source(m) ? DEBUG_SOURCE : DEBUG_DISASSEMBLY;
	return m->picture->text[which] ? m->picture->text[which] : "";
}

/* ---- the view ---- */

static void make(struct view_debug *v, const struct model *m)
{
	if (v->seen == m->debug.shown)
		return;
	v->seen = m->debug.shown;
	doc_clear(&v->text.doc);
	put_text(&v->text.doc, v->pane, text_of(v, &m->debug));
	if (v->pane == PANE_CODE && !m->debug.picture && m->debug.problem) {
		doc_line(&v->text.doc, 0);
		doc_add(&v->text.doc, ROLE_ERROR, m->debug.problem);
	}
	doc_view_changed(&v->text);
	v->reveal = v->pane == PANE_CODE || v->pane == PANE_OUTPUT;
}

/* The last command is at the top of the pane, as far as what it printed allows it. */
static void reveal_last(struct view_debug *v, struct rect area)
{
	const struct doc *d = &v->text.wrapped;
	doc_view_reveal(&v->text, area, DOC_NO_TAG - 1); /* wraps; there is no such line */
	for (size_t i = d->line_count; i-- > 0;)
		if (d->lines[i].tag == CURRENT_TAG) {
			v->text.view.list.top = i;
			return;
		}
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_debug *v = (struct view_debug *)view;
	(void)focused;
	make(v, m);
	if (v->reveal && area.h > 0) {
		if (v->pane == PANE_OUTPUT)
			reveal_last(v, area);
		else
			doc_view_reveal(&v->text, area, CURRENT_TAG);
		v->reveal = false;
	}
	doc_view_draw(&v->text, c, area);
	if (!m->debug.picture && !m->debug.problem && v->pane == PANE_CODE && area.h > 0) {
		struct pen p = pen_at(c, area, area.h / 2);
		pen_text(&p, ROLE_DIM, m->debug.alive ? " starting the machine ..." : " no machine: x on an event starts one");
	}
}

static void note(const struct view *view, const struct model *m, struct buf *out)
{
	const struct view_debug *v = (const struct view_debug *)view;
	const struct debug_picture *p = m->debug.picture;
	if (p && p->focus && (v->pane == PANE_WHERE || v->pane == PANE_LOCALS))
		buf_printf(out, "of %s%s", p->focus, p->on_processor ? "" : ", waiting");
	if (!p || v->pane != PANE_CODE)
		return;
	if (!model_debug_source(&m->debug))
		buf_str(out, "disassembly");
	else if (p->source_name)
		buf_printf(out, "%s%s", p->source_name, p->in_source ? "" : " (further out)");
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	(void)m, (void)argument, (void)ret, (void)err;
	return doc_view_act(&((struct view_debug *)view)->text, action);
}

static void destroy(struct view *view)
{
	struct view_debug *v = (struct view_debug *)view;
	doc_view_finish(&v->text);
	free(v);
}

static const struct view_ops ops[] = {
	[PANE_CODE] = {.name = "code", .draw = draw, .act = act, .note = note, .destroy = destroy},
	[PANE_WHERE] = {.name = "backtrace", .draw = draw, .act = act, .note = note, .destroy = destroy},
	[PANE_LOCALS] = {.name = "locals", .draw = draw, .act = act, .note = note, .destroy = destroy},
	[PANE_REGS] = {.name = "registers", .draw = draw, .act = act, .destroy = destroy},
	[PANE_PROCESSES] = {.name = "processes", .draw = draw, .act = act, .destroy = destroy},
	[PANE_OUTPUT] = {.name = "output", .draw = draw, .act = act, .destroy = destroy},
};

static struct view *create(enum pane pane)
{
	struct view_debug *v = mem_alloc(sizeof *v);
	v->text.view.ops = &ops[pane];
	v->pane = pane;
	v->seen = UINT64_MAX;
	return &v->text.view;
}

struct view *view_debug_code_create(void)
{
	return create(PANE_CODE);
}

struct view *view_debug_where_create(void)
{
	return create(PANE_WHERE);
}

struct view *view_debug_locals_create(void)
{
	return create(PANE_LOCALS);
}

struct view *view_debug_regs_create(void)
{
	return create(PANE_REGS);
}

struct view *view_debug_processes_create(void)
{
	return create(PANE_PROCESSES);
}

struct view *view_debug_output_create(void)
{
	return create(PANE_OUTPUT);
}
