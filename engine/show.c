#include "engine/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/describe.h"
#include "engine/json.h"
#include "engine/output.h"
#include "engine/search.h"

#define WITNESSES_SHOWN 8

/* -- events -- */

static enum output_style event_style(const struct entry *e)
{
	switch (e->kind) {
	case EVENT_FAULT_SELECTED:
	case EVENT_FAULT_APPLIED:
	case EVENT_FAULT_REJECTED:
	case EVENT_FAULT_OBSERVED:
	case EVENT_FAULT_HEALED:
		return OUTPUT_WARN;
	case EVENT_NODE_LAUNCH_FAILED:
	case EVENT_PROC_OOM:
		return OUTPUT_BAD;
	case EVENT_NODE_EXITED:
		return e->flags & ENTRY_BAD_END ? OUTPUT_BAD : OUTPUT_PLAIN;
	default:
		return OUTPUT_PLAIN;
	}
}

static int node_width(const struct timeline *t)
{
	size_t width = strlen("machine");
	for (size_t i = 1; i < timeline_node_count(t); i++)
		width = strlen(timeline_node(t, i)) > width ? strlen(timeline_node(t, i)) : width;
	return width < 24 ? (int)width : 24;
}

static void print_event(const struct timeline *t, size_t index, const struct event *e, const char *mark, struct buf *line)
{
	buf_clear(line);
	buf_printf(line, "%s%6" PRIu64 "  ", mark, e->seq);
	describe_time(e->vtime_ns, line);
	buf_printf(line, "  %-*s  %-14s  ", node_width(t), e->node[0] ? e->node : "machine", event_kind_name(e->kind));
	describe_event(e, line);
	while (line->size > 0 && line->data[line->size - 1] == ' ')
		line->data[--line->size] = '\0';
	output_print(event_style(&timeline_entries(t)[index]), "%s", line->data);
	output_print(OUTPUT_PLAIN, "\n");
}

bool show_event(const struct timeline *t, size_t index, const char *mark, struct err *err)
{
	struct timeline_event e = {0};
	struct buf line = {0};
	bool ok = timeline_event(t, index, &e, err);
	if (ok)
		print_event(t, index, &e.event, mark, &line);
	timeline_event_finish(&e);
	buf_free(&line);
	return ok;
}

/* The next event to print, TIMELINE_NONE at the end. search is NULL when any text will do. */
static bool next_event(
	const struct timeline *t, const struct show_events *which, struct search *search, size_t *at, struct err *err)
{
	size_t found = TIMELINE_NONE;
	if (search) {
		enum search_result result = SEARCH_MORE;
		while (result == SEARCH_MORE)
			result = search_step(search, 1024 * 1024, &found, err);
		if (result == SEARCH_FAILED)
			return false;
	} else {
		found = timeline_next(t, *at, &which->filter);
	}
	*at = found < which->end ? found : TIMELINE_NONE;
	return true;
}

bool show_events(const struct timeline *t, const struct show_events *which, bool json, struct err *err)
{
	size_t at = which->first == 0 ? TIMELINE_NONE : which->first - 1;
	struct search *search = which->text ? search_create(t, which->text, at, false, &which->filter, err) : NULL;
	struct timeline_event e = {0};
	struct buf line = {0};
	bool ok = search || !which->text;
	while (ok && (ok = next_event(t, which, search, &at, err)) && at != TIMELINE_NONE) {
		ok = timeline_event(t, at, &e, err);
		if (ok && json) {
			buf_char(&e.line, '\n');
			output_bytes(e.line.data, e.line.size);
		} else if (ok) {
			print_event(t, at, &e.event, "", &line);
		}
	}
	search_destroy(search);
	timeline_event_finish(&e);
	buf_free(&line);
	return ok;
}

/* -- faults -- */

void show_put_place(struct buf *out, struct text_place place)
{
	if (place.line > 0)
		buf_printf(out, " (scenario.yaml:%u:%u)", place.line, place.column);
}

static void put_plan(const struct timeline *t, const struct plan_fault *plan, struct buf *out)
{
	struct buf params = {0};
	facts_put_trigger(timeline_facts(t)->plan, plan, out);
	facts_put_params(plan, &params);
	if (params.size > 0)
		buf_printf(out, "; %s", params.data);
	buf_free(&params);
	show_put_place(out, plan->place);
}

static void print_fault(const struct timeline *t, const struct timeline_fault *f)
{
	struct buf text = {0};
	bool rejected = f->stage[FAULT_REJECTED] != TIMELINE_NONE;
	bool unobserved = f->stage[FAULT_APPLIED] != TIMELINE_NONE && f->stage[FAULT_OBSERVED] == TIMELINE_NONE;
	output_print(OUTPUT_BOLD, "%-14s", f->id);
	output_print(OUTPUT_PLAIN, " %-12s ", f->node ? timeline_node(t, (size_t)f->node) : "machine");
	for (size_t stage = 0; stage < FAULT_STAGES; stage++)
		if (f->stage[stage] != TIMELINE_NONE) {
			buf_printf(&text, "  %s ev %zu t ", fault_stage_name((enum fault_stage)stage), f->stage[stage] + 1);
			describe_time(timeline_entries(t)[f->stage[stage]].vtime_ns, &text);
		}
	if (text.size == 0)
		buf_str(&text, "  never selected: what starts it did not come");
	if (unobserved)
		buf_str(&text, "  nobody observed it");
	output_print(rejected || unobserved ? OUTPUT_WARN : OUTPUT_PLAIN, "%s", text.data);
	output_print(OUTPUT_PLAIN, "\n");
	if (f->plan) {
		buf_clear(&text);
		put_plan(t, f->plan, &text);
		output_print(OUTPUT_DIM, "%15s%s", "", text.data);
		output_print(OUTPUT_PLAIN, "\n");
	}
	buf_free(&text);
}

static struct json *fault_json(const struct timeline *t, const struct timeline_fault *f)
{
	struct json *j = json_new_object(), *stages = json_new_object();
	json_put_str(j, "id", f->id);
	json_put_str(j, "type", f->type);
	json_put_str(j, "node", timeline_node(t, (size_t)f->node));
	for (size_t stage = 0; stage < FAULT_STAGES; stage++)
		if (f->stage[stage] != TIMELINE_NONE)
			json_put_u64(stages, fault_stage_name((enum fault_stage)stage), f->stage[stage] + 1);
	json_put(j, "stages", stages);
	if (!f->plan)
		return j;
	struct json *params = json_new_object();
	struct buf trigger = {0};
	for (size_t i = 0; i < f->plan->param_count; i++)
		json_put_str(params, f->plan->params[i].name, f->plan->params[i].value);
	facts_put_trigger(timeline_facts(t)->plan, f->plan, &trigger);
	json_put(j, "params", params);
	json_put_u64(j, "for_ns", f->plan->for_ns);
	json_put_str(j, "trigger", trigger.data);
	json_put_str(j, "path", f->plan->path);
	json_put_u64(j, "line", f->plan->place.line);
	json_put_u64(j, "column", f->plan->place.column);
	buf_free(&trigger);
	return j;
}

static void print_json(struct json *j)
{
	struct buf text = {0};
	json_write_pretty(j, &text);
	output_bytes(text.data, text.size);
	buf_free(&text);
	json_destroy(j);
}

void show_faults(const struct timeline *t, bool json)
{
	size_t count = timeline_fault_count(t);
	if (json) {
		struct json *top = json_new_object(), *list = json_new_array();
		for (size_t i = 0; i < count; i++)
			json_push(list, fault_json(t, timeline_fault(t, i)));
		json_put_u64(top, "polecat_faults", 1);
		json_put(top, "faults", list);
		print_json(top);
		return;
	}
	if (count == 0)
		output_print(OUTPUT_PLAIN, "no faults\n");
	for (size_t i = 0; i < count; i++)
		print_fault(t, timeline_fault(t, i));
}

/* -- properties -- */

static void put_margin(const struct fact_property *f, struct buf *out)
{
	if (!f->has_margin)
		return;
	char used[32], of[32];
	if (strcmp(f->margin_unit, "ns") == 0)
		buf_printf(out, "  %s of %s used", output_duration(f->margin_used, used), output_duration(f->margin_of, of));
	else
		buf_printf(out, "  %" PRIu64 " of %" PRIu64 " %s used", f->margin_used, f->margin_of, f->margin_unit);
}

static void print_property(const struct timeline_property *p)
{
	const struct fact_property *f = p->fact;
	struct buf text = {0};
	output_print(output_verdict_style(verdict_name(f->verdict)), "%-12s", verdict_name(f->verdict));
	output_print(OUTPUT_BOLD, " %s", f->id);
	buf_printf(&text, "  %s", f->type);
	if (f->decided_at > 0)
		buf_printf(&text, "  decided by ev %" PRIu64, f->decided_at);
	else if (f->verdict != VERDICT_UNEXERCISED)
		buf_str(&text, "  decided by the end");
	if (f->evaluations == 1)
		buf_str(&text, "  evaluated once");
	else
		buf_printf(&text, "  evaluated %" PRIu64 " times", f->evaluations);
	put_margin(f, &text);
	show_put_place(&text, f->place);
	if (f->why[0]) {
		buf_printf(&text, "\n%13s", "");
		text_put_safe(&text, f->why, strlen(f->why));
	}
	for (size_t i = 0; i < f->witness_count && i < WITNESSES_SHOWN; i++)
		buf_printf(&text, "%s ev %" PRIu64, i > 0 ? "," : "; witnesses", f->witnesses[i]);
	output_print(OUTPUT_PLAIN, "%s\n", text.data);
	buf_free(&text);
}

void show_properties(const struct timeline *t)
{
	if (!timeline_facts(t)->has_properties)
		output_print(OUTPUT_PLAIN, "no verdicts%s\n", timeline_incomplete(t) ? " yet" : "");
	for (size_t i = 0; i < timeline_property_count(t); i++)
		print_property(timeline_property(t, i));
}

/* -- plan and summary -- */

void show_plan(const struct timeline *t)
{
	const struct plan *plan = timeline_facts(t)->plan;
	struct buf text = {0};
	if (!plan) {
		output_print(OUTPUT_PLAIN, "no plan\n");
		return;
	}
	output_print(OUTPUT_BOLD, "%s seed %" PRIu64 "\n", plan->scenario, plan->seed);
	output_print(OUTPUT_PLAIN, "choices\n");
	for (size_t i = 0; i < plan->choice_count; i++) {
		buf_clear(&text);
		facts_put_choice(&plan->choices[i], &text);
		show_put_place(&text, plan->choices[i].place);
		output_print(OUTPUT_PLAIN, "  %-28s %s\n", plan->choices[i].name, text.data);
	}
	output_print(OUTPUT_PLAIN, "faults\n");
	for (size_t i = 0; i < plan->fault_count; i++) {
		buf_clear(&text);
		put_plan(t, &plan->faults[i], &text);
		output_print(OUTPUT_PLAIN, "  %-14s %-12s %s\n", plan->faults[i].id, plan->nodes[plan->faults[i].node].name,
			text.data);
	}
	buf_free(&text);
}

void show_summary(const struct timeline *t)
{
	const struct facts *facts = timeline_facts(t);
	struct buf text = {0};
	output_print(OUTPUT_BOLD, "%s\n", timeline_name(t));
	if (facts->plan)
		output_print(OUTPUT_PLAIN, "scenario  %s, seed %" PRIu64 "\n", facts->plan->scenario, facts->plan->seed);
	if (facts->manifest.parent)
		output_print(OUTPUT_PLAIN, "fork of   %s at instruction %" PRIu64 "\n", facts->manifest.parent,
			facts->manifest.parent_icount);
	output_print(OUTPUT_PLAIN, "verdict   ");
	const char *verdict = facts->has_properties ? verdict_name(facts->verdict) : "unknown";
	output_print(output_verdict_style(verdict), "%s", verdict);
	output_print(OUTPUT_PLAIN, "%s\n", timeline_incomplete(t) ? "  (not whole: still being recorded, or cut short)" : "");
	buf_printf(&text, "length    %zu events, ", timeline_count(t));
	describe_count(timeline_end_icount(t), &text);
	buf_str(&text, " instructions, ");
	describe_time(timeline_end_vtime(t), &text);
	output_print(OUTPUT_PLAIN, "%s s\n", text.data);
	buf_free(&text);
	if (timeline_property_count(t) > 0)
		output_print(OUTPUT_PLAIN, "\n");
	show_properties(t);
	if (timeline_fault_count(t) > 0) {
		output_print(OUTPUT_PLAIN, "\n");
		show_faults(t, false);
	}
}

/* -- lanes -- */

static enum output_style lane_style(enum lane_role role)
{
	switch (role) {
	case LANE_FRAME:
	case LANE_AXIS:
	case LANE_GAP:
	case LANE_MINOR:
		return OUTPUT_DIM;
	case LANE_LABEL:
	case LANE_PLAYHEAD:
		return OUTPUT_BOLD;
	case LANE_START:
	case LANE_READY:
	case LANE_PASS:
		return OUTPUT_GOOD;
	case LANE_CRASH:
	case LANE_FAIL:
		return OUTPUT_BAD;
	case LANE_FAULT:
	case LANE_FAULT_EDGE:
	case LANE_FAULT_REJECTED:
	case LANE_UNDECIDED:
		return OUTPUT_WARN;
	default:
		return OUTPUT_PLAIN;
	}
}

static void print_row(const struct lanes *l, int row)
{
	const struct lane_cell *cells = l->rows[row].cells;
	int end = l->width;
	while (end > 0 && cells[end - 1].glyph == ' ')
		end--;
	struct buf text = {0};
	for (int c = 0; c < end;) {
		enum output_style style = lane_style(cells[c].role);
		buf_clear(&text);
		for (; c < end && lane_style(cells[c].role) == style; c++)
			lanes_put_glyph(&text, cells[c].glyph);
		output_print(style, "%s", text.data);
	}
	output_print(OUTPUT_PLAIN, "\n");
	buf_free(&text);
}

static void put_rows(struct json *top, const char *key, const struct lanes *l, void (*write)(const struct lanes *, struct buf *))
{
	struct buf text = {0};
	struct json *rows = json_new_array();
	write(l, &text);
	for (char *at = text.data, *end; (end = strchr(at, '\n')); at = end + 1)
		json_push(rows, json_new_strn(at, (size_t)(end - at)));
	json_put(top, key, rows);
	buf_free(&text);
}

void show_lanes(const struct timeline *t, const struct lanes_options *options, bool json)
{
	struct lanes *l = lanes_create(t, options);
	if (json) {
		struct json *top = json_new_object();
		json_put_u64(top, "polecat_timeline", 1);
		json_put_u64(top, "width", (uint64_t)l->width);
		json_put_u64(top, "from", options->window.from);
		json_put_u64(top, "to", options->window.to);
		put_rows(top, "rows", l, lanes_text);
		put_rows(top, "roles", l, lanes_roles);
		print_json(top);
	} else {
		for (int row = 0; row < l->height; row++)
			print_row(l, row);
	}
	lanes_destroy(l);
}
