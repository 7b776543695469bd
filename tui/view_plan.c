/* The scenario as it was written, each line that the seed decided something for marked with what it decided; then the plan. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/fmt.h"
#include "tui/source.h"
#include "tui/view.h"

struct view_plan {
	struct doc_view text; /* first: is the view */
	const struct timeline *timeline;
	size_t focus_line; /* of the scenario: of the fault at the playhead; 0 none */
	bool reveal;       /* scroll there when it is drawn next */
};

static void annotations(struct doc *d, const struct facts *facts, unsigned line)
{
	struct buf text = {0};
	for (size_t i = 0; i < facts->plan->choice_count; i++) {
		const struct plan_choice *choice = &facts->plan->choices[i];
		if (choice->place.line != line)
			continue;
		buf_clear(&text);
		facts_put_choice(choice, &text);
		doc_line(d, 9);
		doc_printf(d, ROLE_BORDER, "%*s", 7, "");
		doc_printf(d, ROLE_CHOICE, " %s = %s ", choice->name, text.data);
	}
	for (size_t i = 0; i < facts->plan->fault_count; i++) {
		const struct plan_fault *fault = &facts->plan->faults[i];
		if (fault->place.line != line)
			continue;
		buf_clear(&text);
		facts_put_trigger(facts->plan, fault, &text);
		doc_line(d, 9);
		doc_printf(d, ROLE_BORDER, "%*s", 7, "");
		doc_printf(d, ROLE_FAULT, " %s ", fault->id);
		doc_add(d, ROLE_TEXT, text.data ? text.data : "");
	}
	buf_free(&text);
}

static void property_notes(struct doc *d, const struct facts *facts, unsigned line)
{
	for (size_t i = 0; i < facts->property_count; i++) {
		const struct fact_property *p = &facts->properties[i];
		if (p->place.line != line)
			continue;
		doc_line(d, 9);
		doc_printf(d, ROLE_BORDER, "%*s", 7, "");
		doc_printf(d, view_verdict_role(p->verdict), " %s", verdict_name(p->verdict));
		if (p->why[0])
			doc_printf(d, ROLE_TEXT, ": %s", p->why);
	}
}

static void make_scenario(struct doc *d, const struct run *run, size_t focus_line)
{
	const struct facts *facts = timeline_facts(run->timeline);
	struct source source = {0};
	struct err err = {0};
	doc_heading(d, "scenario.yaml");
	if (!source_read(&source, timeline_dir(run->timeline), &err)) {
		doc_line(d, 0);
		doc_add(d, ROLE_WARN, err.text);
	}
	for (size_t i = 0; i < source.count; i++) {
		doc_line(d, 7);
		doc_tag(d, i + 1);
		doc_printf(d, ROLE_NUMBER, "%5zu  ", i + 1);
		doc_bytes(d, ROLE_TEXT, source.lines[i].text, source.lines[i].size);
		if (i + 1 == focus_line)
			doc_overlay(d, ROLE_CURSOR);
		if (facts->plan)
			annotations(d, facts, (unsigned)i + 1);
		property_notes(d, facts, (unsigned)i + 1);
	}
	source_finish(&source);
}

static void make_plan(struct doc *d, const struct facts *facts)
{
	const struct plan *plan = facts->plan;
	struct buf text = {0};
	char title[80];
	if (!plan)
		return;
	snprintf(title, sizeof title, "the plan of seed %" PRIu64, plan->seed);
	doc_heading(d, title);
	for (size_t i = 0; i < plan->choice_count; i++) {
		buf_clear(&text);
		facts_put_choice(&plan->choices[i], &text);
		doc_pair(d, 30, plan->choices[i].name, ROLE_CHOICE, text.data);
	}
	for (size_t i = 0; i < plan->fault_count; i++) {
		const struct plan_fault *fault = &plan->faults[i];
		buf_clear(&text);
		buf_printf(&text, "%s ", fault->node < plan->node_count ? plan->nodes[fault->node].name : "");
		facts_put_trigger(plan, fault, &text);
		buf_str(&text, "  ");
		facts_put_params(fault, &text);
		doc_pair(d, 30, fault->id, ROLE_FAULT, text.data);
	}
	buf_free(&text);
}

static void sync(struct view *view, const struct model *m)
{
	struct view_plan *v = (struct view_plan *)view;
	const struct run *run = model_run(m);
	if (!run)
		return;
	size_t event, line = 0;
	int fault = run_latest_fault(run, &event);
	const struct timeline_fault *f = fault >= 0 ? timeline_fault(run->timeline, (size_t)fault) : NULL;
	if (f && f->plan)
		line = f->plan->place.line;
	if (v->timeline == run->timeline && v->focus_line == line)
		return;
	v->timeline = run->timeline;
	v->focus_line = line;
	v->reveal = true;
	doc_clear(&v->text.doc);
	make_scenario(&v->text.doc, run, line);
	make_plan(&v->text.doc, timeline_facts(run->timeline));
	doc_view_changed(&v->text);
}

static void draw(struct view *view, const struct model *m, struct canvas *c, struct rect area, bool focused)
{
	struct view_plan *v = (struct view_plan *)view;
	(void)focused;
	sync(view, m);
	if (v->reveal && v->focus_line)
		doc_view_reveal(&v->text, area, v->focus_line);
	v->reveal = false;
	doc_view_draw(&v->text, c, area);
}

static bool act(
	struct view *view, const struct model *m, enum action action, const char *argument, struct request *ret, struct err *err)
{
	(void)m;
	struct doc_view *text = &((struct view_plan *)view)->text;
	(void)ret;
	return doc_view_search(text, action, argument, err) || doc_view_act(text, action);
}

static void destroy(struct view *view)
{
	doc_view_finish(&((struct view_plan *)view)->text);
	free(view);
}

static const struct view_ops ops = {.name = "scenario and plan", .sync = sync, .draw = draw, .act = act, .destroy = destroy};

struct view *view_plan_create(void)
{
	struct view_plan *v = mem_alloc(sizeof *v);
	v->text.view.ops = &ops;
	return &v->text.view;
}
