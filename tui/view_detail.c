/* Everything about one event, fault or property. The event is the one at the playhead and changes with it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/describe.h"
#include "tui/eventrow.h"
#include "tui/fmt.h"
#include "tui/source.h"
#include "tui/view.h"

#define NEIGHBOURS    3
#define HIT_ROWS_MAX  12
#define HEX_BYTES_MAX 4096 /* of an event's text that are shown as hex */
#define COLUMN        14

struct view_detail {
	struct doc_view text; /* first: is the view */
	enum subject subject;
	size_t index;
	const struct timeline *timeline;
	size_t count;
	bool made;
	struct source source;
};

static void event_line(struct doc *d, const struct run *run, size_t event, const char *label)
{
	struct timeline_event read = {0};
	struct err err = {0};
	char time[FMT_MAX];
	const struct entry *entry = &timeline_entries(run->timeline)[event];
	struct buf text = {0};
	if (timeline_event(run->timeline, event, &read, &err))
		eventrow_text(&read.event, &text);
	doc_line(d, COLUMN);
	doc_printf(d, ROLE_DIM, "%-*s", COLUMN, label);
	doc_printf(d, ROLE_NUMBER, "ev %zu  ", event + 1);
	doc_printf(d, ROLE_DIM, "%s  ", fmt_seconds(entry->vtime_ns, time));
	doc_printf(d, ROLE_NODE, "%s ", timeline_node(run->timeline, entry->node));
	doc_add(d, eventrow_role(entry), text.data ? text.data : err.text);
	buf_free(&text);
	timeline_event_finish(&read);
}

static void place_line(struct view_detail *v, struct doc *d, struct text_place place)
{
	if (place.line == 0)
		return;
	doc_line(d, COLUMN);
	doc_printf(d, ROLE_DIM, "%-*s", COLUMN, "scenario");
	doc_printf(d, ROLE_NUMBER, "line %u  ", place.line);
	if (place.line <= v->source.count) {
		struct source_line line = v->source.lines[place.line - 1];
		while (line.size && *line.text == ' ') {
			line.text++;
			line.size--;
		}
		doc_bytes(d, ROLE_CHOICE, line.text, line.size);
	}
}

/* ---- event ---- */

static void hex_dump(struct doc *d, const char *bytes, size_t size)
{
	size_t shown = size < HEX_BYTES_MAX ? size : HEX_BYTES_MAX;
	doc_heading(d, "bytes");
	for (size_t at = 0; at < shown; at += 16) {
		char plain[17] = {0};
		doc_line(d, -1);
		doc_printf(d, ROLE_NUMBER, "%06zx  ", at);
		for (size_t i = 0; i < 16; i++) {
			unsigned char b = at + i < shown ? (unsigned char)bytes[at + i] : 0;
			if (at + i < shown)
				doc_printf(d, ROLE_TEXT, "%02x ", b);
			else
				doc_add(d, ROLE_TEXT, "   ");
			plain[i] = at + i >= shown ? ' ' : b >= 0x20 && b < 0x7f ? (char)b : '.';
		}
		doc_printf(d, ROLE_DIM, " %s", plain);
	}
	if (shown < size) {
		doc_line(d, 0);
		doc_printf(d, ROLE_DIM, "and %zu more bytes", size - shown);
	}
}

static void active_faults(struct doc *d, const struct run *run, size_t event)
{
	bool any = false;
	for (size_t i = 0; i < timeline_fault_count(run->timeline); i++) {
		const struct timeline_fault *fault = timeline_fault(run->timeline, i);
		size_t first, last;
		timeline_fault_span(run->timeline, i, &first, &last);
		size_t applied = fault->stage[FAULT_APPLIED];
		if (applied == TIMELINE_NONE || applied > event || last == TIMELINE_NONE || last < event)
			continue;
		if (!any)
			doc_heading(d, "faults active here");
		any = true;
		event_line(d, run, applied, fault->id);
	}
}

static void neighbours(struct doc *d, const struct run *run, size_t event)
{
	const struct entry *entry = &timeline_entries(run->timeline)[event];
	struct timeline_filter same = {.node = entry->node + 1};
	size_t before[NEIGHBOURS], n = 0, at = event;
	while (n < NEIGHBOURS && (at = timeline_prev(run->timeline, at, &same)) != TIMELINE_NONE)
		before[n++] = at;
	const char *node = timeline_node(run->timeline, entry->node);
	char title[80];
	snprintf(title, sizeof title, "around it on %.60s", node[0] ? node : "the machine");
	doc_heading(d, title);
	while (n > 0)
		event_line(d, run, before[--n], "before");
	event_line(d, run, event, "this");
	doc_overlay(d, ROLE_CURSOR);
	at = event;
	for (n = 0; n < NEIGHBOURS && (at = timeline_next(run->timeline, at, &same)) != TIMELINE_NONE; n++)
		event_line(d, run, at, "after");
}

static void event_verdicts(struct doc *d, const struct run *run, size_t event)
{
	for (size_t i = 0; i < timeline_property_count(run->timeline); i++) {
		const struct timeline_property *p = timeline_property(run->timeline, i);
		bool decided = p->decided == event && p->fact->decided_at != 0, witness = false;
		for (size_t w = 0; w < p->fact->witness_count; w++)
			witness |= p->witnesses[w] == event;
		if (!decided && !witness)
			continue;
		doc_line(d, COLUMN);
		doc_printf(d, ROLE_DIM, "%-*s", COLUMN, decided ? "decides" : "witness of");
		doc_printf(d, view_verdict_role(p->fact->verdict), "%s %s", verdict_name(p->fact->verdict), p->fact->id);
		if (p->fact->why[0])
			doc_printf(d, ROLE_TEXT, ": %s", p->fact->why);
	}
}

/* A fault's transition: the plan entry and the scenario line that made it. */
static void event_fault(struct view_detail *v, struct doc *d, const struct run *run, const struct entry *entry)
{
	const struct timeline_fault *fault = entry->fault ? timeline_fault(run->timeline, entry->fault - 1) : NULL;
	if (!fault || !fault->plan)
		return;
	struct buf text = {0};
	facts_put_trigger(timeline_facts(run->timeline)->plan, fault->plan, &text);
	doc_pair(d, COLUMN, "planned", ROLE_FAULT, text.data);
	place_line(v, d, fault->plan->place);
	buf_free(&text);
}

static void make_event(struct view_detail *v, struct doc *d, const struct run *run)
{
	size_t event = run->playhead;
	if (event == TIMELINE_NONE) {
		doc_line(d, 0);
		doc_add(d, ROLE_DIM, "Before the first event.");
		return;
	}
	struct timeline_event read = {0};
	struct err err = {0};
	const struct entry *entry = &timeline_entries(run->timeline)[event];
	char text[FMT_MAX], title[80];
	snprintf(title, sizeof title, "event %zu of %zu", event + 1, timeline_count(run->timeline));
	doc_heading(d, title);
	doc_pair(d, COLUMN, "kind", ROLE_TEXT, event_kind_name((enum event_kind)entry->kind));
	doc_pair(d, COLUMN, "node", ROLE_NODE, entry->node ? timeline_node(run->timeline, entry->node) : "(the machine)");
	doc_pair(d, COLUMN, "icount", ROLE_NUMBER, fmt_count(entry->icount, text));
	doc_pair(d, COLUMN, "time", ROLE_NUMBER, fmt_time(entry->vtime_ns, text));
	if (!timeline_event(run->timeline, event, &read, &err)) {
		doc_pair(d, COLUMN, "error", ROLE_ERROR, err.text);
		return;
	}
	struct buf what = {0};
	describe_event(&read.event, &what);
	doc_pair(d, COLUMN, "what", eventrow_role(entry), what.data);
	const struct bookmark *bookmark = run_bookmark_at(run, event);
	doc_pair(d, COLUMN, "bookmark", ROLE_BOOKMARK, bookmark ? bookmark->name[0] ? bookmark->name : "(no name)" : NULL);
	event_fault(v, d, run, entry);
	event_verdicts(d, run, event);
	active_faults(d, run, event);
	neighbours(d, run, event);
	doc_heading(d, "the line in events.jsonl");
	doc_line(d, 0);
	doc_bytes(d, ROLE_TEXT, read.line.data, read.line.size);
	if (read.event.text.size)
		hex_dump(d, read.event.text.data, read.event.text.size);
	buf_free(&what);
	timeline_event_finish(&read);
}

/* ---- fault ---- */

static void fault_hits(struct doc *d, const struct run *run, const struct timeline_fault *fault)
{
	size_t from = fault->stage[FAULT_APPLIED];
	if (from == TIMELINE_NONE)
		return;
	size_t until =
		fault->stage[FAULT_HEALED] != TIMELINE_NONE ? fault->stage[FAULT_HEALED] : timeline_count(run->timeline) - 1;
	struct timeline_filter node = {.node = fault->node + 1};
	doc_heading(d, "what its target did meanwhile");
	size_t at = from, rows = 0;
	while (rows < HIT_ROWS_MAX && (at = timeline_next(run->timeline, at, &node)) != TIMELINE_NONE && at <= until) {
		event_line(d, run, at, "");
		rows++;
	}
	if (rows == 0) {
		doc_line(d, 0);
		doc_add(d, ROLE_DIM, "nothing");
	}
}

static void make_fault(struct view_detail *v, struct doc *d, const struct run *run)
{
	const struct timeline_fault *fault = timeline_fault(run->timeline, v->index);
	const struct facts *facts = timeline_facts(run->timeline);
	char title[80];
	snprintf(title, sizeof title, "fault %.60s", fault->id);
	doc_heading(d, title);
	doc_pair(d, COLUMN, "kind", ROLE_FAULT, fault->type);
	doc_pair(d, COLUMN, "target", ROLE_NODE,
		fault->node ? timeline_node(run->timeline, (size_t)fault->node) : "(the machine)");
	if (fault->plan) {
		struct buf text = {0};
		facts_put_trigger(facts->plan, fault->plan, &text);
		doc_pair(d, COLUMN, "when", ROLE_TEXT, text.data);
		buf_clear(&text);
		facts_put_params(fault->plan, &text);
		doc_pair(d, COLUMN, "with", ROLE_TEXT, text.size ? text.data : NULL);
		doc_pair(d, COLUMN, "from", ROLE_TEXT, fault->plan->path);
		place_line(v, d, fault->plan->place);
		doc_pair(d, COLUMN, "it does", ROLE_DIM, fault->plan->kind ? fault->plan->kind->about : NULL);
		doc_pair(d, COLUMN, "observed is", ROLE_DIM, fault->plan->kind ? fault->plan->kind->observed : NULL);
		buf_free(&text);
	}
	doc_heading(d, "its life");
	bool any = false;
	for (int stage = 0; stage < FAULT_STAGES; stage++)
		if (fault->stage[stage] != TIMELINE_NONE) {
			event_line(d, run, fault->stage[stage], fault_stage_name((enum fault_stage)stage));
			any = true;
		}
	if (!any) {
		doc_line(d, 0);
		doc_add(d, ROLE_WARN, "It was planned, and its moment never came.");
	} else if (fault->stage[FAULT_APPLIED] != TIMELINE_NONE && fault->stage[FAULT_OBSERVED] == TIMELINE_NONE) {
		doc_line(d, 0);
		doc_add(d, ROLE_WARN, "Nobody observed it: it may have had no effect.");
	}
	fault_hits(d, run, fault);
}

/* ---- property ---- */

static void make_property(struct view_detail *v, struct doc *d, const struct run *run)
{
	const struct timeline_property *p = timeline_property(run->timeline, v->index);
	const struct fact_property *fact = p->fact;
	char text[120];
	snprintf(text, sizeof text, "property %.60s", fact->id);
	doc_heading(d, text);
	doc_pair(d, COLUMN, "verdict", view_verdict_role(fact->verdict), verdict_name(fact->verdict));
	doc_pair(d, COLUMN, "why", ROLE_TEXT, fact->why[0] ? fact->why : NULL);
	doc_pair(d, COLUMN, "kind", ROLE_TEXT, fact->type);
	snprintf(text, sizeof text, "%" PRIu64 " times", fact->evaluations);
	doc_pair(d, COLUMN, "evaluated", ROLE_TEXT, text);
	if (fact->has_margin) {
		struct buf margin = {0};
		view_put_margin(fact, &margin);
		doc_pair(d, COLUMN, "margin", ROLE_TEXT, margin.data);
		buf_free(&margin);
	}
	place_line(v, d, fact->place);
	if (fact->decided_at && p->decided != TIMELINE_NONE)
		event_line(d, run, p->decided, "decided at");
	else
		doc_pair(d, COLUMN, "decided at", ROLE_DIM, "the end of the run");
	if (fact->witness_count)
		doc_heading(d, "witnesses");
	for (size_t w = 0; w < fact->witness_count; w++)
		if (p->witnesses[w] != TIMELINE_NONE)
			event_line(d, run, p->witnesses[w], "witness");
}

/* ---- the view ---- */

static void sync(struct view *view, const struct model *m)
{
	struct view_detail *v = (struct view_detail *)view;
	const struct run *run = model_run(m);
	if (!run)
		return;
	bool other = v->timeline != run->timeline;
	bool same = v->made && !other && v->count == timeline_count(run->timeline) &&
		(v->subject != SUBJECT_EVENT || view->seen == run->playhead);
	if (same && !run->changed)
		return;
	if (other) {
		source_read(&v->source, timeline_dir(run->timeline), NULL);
		if (v->timeline)
			v->subject = SUBJECT_EVENT;
	}
	v->timeline = run->timeline;
	v->count = timeline_count(run->timeline);
	view->seen = run->playhead;
	v->made = true;
	struct doc *d = &v->text.doc;
	doc_clear(d);
	if (v->subject == SUBJECT_FAULT && v->index < timeline_fault_count(run->timeline))
		make_fault(v, d, run);
	else if (v->subject == SUBJECT_PROPERTY && v->index < timeline_property_count(run->timeline))
		make_property(v, d, run);
	else
		make_event(v, d, run);
	doc_view_changed(&v->text);
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	(void)focused;
	sync(view, m);
	doc_view_draw(&((struct view_detail *)view)->text, c, area);
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	struct doc_view *text = &((struct view_detail *)view)->text;
	(void)m;
	(void)ret;
	/* Without a text of its own it follows the search through the events. */
	if ((action == ACTION_SEARCH_NEXT || action == ACTION_SEARCH_PREV) && !text->view.find)
		return false;
	return doc_view_search(text, action, argument, err) || doc_view_act(text, action);
}

static void destroy(struct view *view)
{
	struct view_detail *v = (struct view_detail *)view;
	doc_view_finish(&v->text);
	source_finish(&v->source);
	free(v);
}

static const struct view_ops ops = {.name = "detail", .sync = sync, .draw = draw, .act = act, .destroy = destroy};

void view_detail_show(struct view *view, enum subject subject, size_t index)
{
	struct view_detail *v = (struct view_detail *)view;
	v->subject = subject;
	v->index = index;
	v->made = false;
	v->text.view.list.top = 0;
}

struct view *view_detail_create(void)
{
	struct view_detail *v = mem_alloc(sizeof *v);
	v->text.view.ops = &ops;
	return &v->text.view;
}
