/* The panes of the debug view: what they say. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/view_debug_parts.h"

#define HANG 4 /* columns that what does not fit is indented by */

const struct debug_break *view_debug_break_of(const struct model_debug *m, const char *line, size_t size)
{
	const struct debug_picture *p = m->picture;
	bool source = model_debug_source(m);
	unsigned long long number = size > 2 ? strtoull(line + 2, NULL, source ? 10 : 16) : 0;
	for (size_t i = 0; number && i < p->break_count; i++)
		if (source ? (unsigned long long)p->breaks[i].line == number : p->breaks[i].address == number)
			return &p->breaks[i];
	return NULL;
}

static void put_code(struct view_debug *v, const struct model_debug *m, const char *line, size_t size)
{
	struct doc *d = &v->text.doc;
	bool current = size >= 2 && !memcmp(line, "=>", 2);
	if (current) {
		v->current = v->rows;
		doc_overlay(d, ROLE_CURSOR);
	}
	/* A letter, not only a colour. */
	const struct debug_break *there = view_debug_break_of(m, line, size);
	doc_add(d, there && !there->disabled ? ROLE_FAIL : ROLE_DIM, !there ? " " : there->disabled ? "-" : "b");
	doc_bytes(d, current ? ROLE_PLAYHEAD : ROLE_TEXT, line, size < 2 ? size : 2);
	if (size > 2)
		doc_bytes(d, ROLE_TEXT, line + 2, size - 2);
}

static void put_line(struct view_debug *v, const struct model_debug *m, const char *line, size_t size)
{
	struct doc *d = &v->text.doc;
	bool marked = size && *line == '*', command = size && *line == '>';
	bool missing = v->pane == PANE_CODE && model_debug_source(m) && !m->picture->source_name; /* a sentence, no code */
	bool cut = (v->pane == PANE_CODE && !missing) || v->pane == PANE_REGS || v->pane == PANE_PROCESSES;
	doc_line(d, missing ? 1 : cut ? -1 : HANG);
	/* What is inlined belongs to the frame above it, and so does why there are no more. */
	if (v->pane == PANE_WHERE && *line == '#' && d->line_count > 1)
		v->rows++;
	doc_tag(d, v->rows);
	if (v->pane == PANE_CODE)
		put_code(v, m, line, size);
	else if (v->pane == PANE_REGS && marked)
		doc_bytes(d, ROLE_WARN, line, size);
	else if (v->pane == PANE_PROCESSES && (marked || (size > 1 && line[1] == '>')))
		doc_bytes(d, ROLE_HEADING, line, size);
	else if (v->pane == PANE_OUTPUT && command) {
		v->current = v->rows;
		doc_bytes(d, ROLE_HEADING, line, size);
	} else
		doc_bytes(d, ROLE_TEXT, line, size);
	v->rows += v->pane != PANE_WHERE;
}

static void put_text(struct view_debug *v, const struct model_debug *m, const char *text)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		put_line(v, m, text, size);
		text += size + (text[size] == '\n');
	}
	v->rows += v->pane == PANE_WHERE;
}

static void put_locals(struct view_debug *v, const struct debug_picture *p)
{
	struct doc *d = &v->text.doc;
	for (size_t i = 0; i < p->locals.count; i++) {
		const struct vartree_row *row = &p->locals.rows[i];
		const char *was = p->was ? p->was[i] : NULL;
		int indent = (int)row->depth * 2;
		doc_line(d, indent + HANG);
		doc_tag(d, v->rows++);
		doc_printf(d, was ? ROLE_WARN : ROLE_TEXT, "%c%*s", was ? '*' : ' ', indent, "");
		doc_add(d, ROLE_DIM, !row->has_parts ? "  " : row->is_open ? "- " : "+ ");
		doc_add(d, was ? ROLE_WARN : ROLE_TEXT, row->name);
		doc_printf(d, was ? ROLE_WARN : ROLE_TEXT, " = %s", row->value);
		if (was)
			doc_printf(d, ROLE_DIM, " (was %s)", was);
	}
}

/* Signals whose default is a core dump: what `until signal` stops at. */
static bool dumps(int signal)
{
	static const int list[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (list[i] == signal)
			return true;
	return false;
}

static void put_hint(struct view_debug *v, const char *command, const char *about)
{
	struct doc *d = &v->text.doc;
	doc_line(d, HANG);
	doc_tag(d, v->rows++);
	doc_printf(d, ROLE_KEY, ":%s", command);
	doc_printf(d, ROLE_DIM, "  %s", about);
}

/* Before anything was printed the pane says what would be a next step from here. */
static void put_hints(struct view_debug *v, const struct model *m)
{
	const struct debug_picture *p = m->debug.picture;
	const struct run *run = m->debug.run;
	struct timeline_event event = {0};
	struct err ignored = {0};
	if (!p || !run)
		return;
	if (p->event != TIMELINE_NONE && timeline_event(run->timeline, p->event, &event, &ignored) &&
		event.event.kind == EVENT_NODE_EXITED && event.event.by_signal && dumps(event.event.status))
		put_hint(v, "runtil signal", "back to what the program was killed for");
	timeline_event_finish(&event);
	put_hint(v, "last VARIABLE", "who wrote it last before here");
	put_hint(v, "runtil write VARIABLE", "back to where that was");
	put_hint(v, "print EXPRESSION", "what it is here; also mem, ps, breaks, gdb, ...");
	put_hint(v, "help", "all commands; Tab completes them, their answers stand here");
}

const char *view_debug_text(const struct view_debug *v, const struct model_debug *m)
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

void view_debug_write(struct view_debug *v, const struct model *m)
{
	const struct debug_picture *p = m->debug.picture;
	doc_clear(&v->text.doc);
	v->rows = 0;
	v->current = DOC_NO_TAG;
	put_text(v, &m->debug, view_debug_text(v, &m->debug));
	if (v->pane == PANE_LOCALS && p)
		put_locals(v, p);
	if (v->pane == PANE_OUTPUT && !m->debug.output.size)
		put_hints(v, m);
	if (v->pane == PANE_CODE && !p && m->debug.problem) {
		doc_line(&v->text.doc, 0);
		doc_add(&v->text.doc, ROLE_ERROR, m->debug.problem);
	}
	doc_view_changed(&v->text);
}
