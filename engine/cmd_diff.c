/* `polecat diff`: where two runs part, for people or for programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/common.h"
#include "engine/describe.h"
#include "engine/diff.h"
#include "engine/json.h"
#include "engine/output.h"
#include "engine/runlist.h"
#include "engine/show.h"

#define HUNKS_SHOWN  20 /* differing stretches that are printed without --full */
#define SIDE_SHOWN   8  /* events of each side of one */
#define COMMON_SHOWN 3  /* common events in a row that are not folded */

struct both {
	struct timeline *a, *b;
};

/* -- for people -- */

static bool print_side(const struct timeline *t, size_t first, size_t count, const char *mark, bool full, struct err *err)
{
	size_t shown = full || count <= SIDE_SHOWN + 1 ? count : SIDE_SHOWN;
	for (size_t i = 0; i < shown; i++)
		if (!show_event(t, first + i, mark, err))
			return false;
	if (shown < count)
		output_print(OUTPUT_DIM, "%s       ... %zu more\n", mark, count - shown);
	return true;
}

static bool print_hunks(const struct diff *d, const struct both *runs, bool full, struct err *err)
{
	size_t shown = 0;
	for (size_t i = 0; i < d->hunk_count; i++) {
		const struct diff_hunk *h = &d->hunks[i];
		if (h->same && h->a_count > COMMON_SHOWN) {
			output_print(OUTPUT_DIM, "  ... %zu events in both\n", h->a_count);
			continue;
		}
		if (h->same) {
			if (!print_side(runs->a, h->a, h->a_count, "  ", true, err))
				return false;
			continue;
		}
		if (!full && shown++ == HUNKS_SHOWN) {
			output_print(OUTPUT_DIM, "... more; --full prints all\n");
			break;
		}
		if (!print_side(runs->a, h->a, h->a_count, "- ", full, err) ||
			!print_side(runs->b, h->b, h->b_count, "+ ", full, err))
			return false;
	}
	return true;
}

static void put_stages(const struct timeline *t, int fault, struct buf *out)
{
	size_t start = out->size;
	if (fault < 0) {
		buf_str(out, "not planned");
		return;
	}
	const struct timeline_fault *f = timeline_fault(t, (size_t)fault);
	for (size_t stage = 0; stage < FAULT_STAGES; stage++)
		if (f->stage[stage] != TIMELINE_NONE)
			buf_printf(out, "%s%s ev %zu", out->size > start ? ", " : "", fault_stage_name((enum fault_stage)stage),
				f->stage[stage] + 1);
	if (out->size == start)
		buf_str(out, "never selected");
}

static void print_faults(const struct diff *d, const struct both *runs)
{
	struct buf text = {0};
	for (size_t i = 0; i < d->fault_count; i++) {
		const struct diff_fault *f = &d->faults[i];
		const char *id =
			f->a >= 0 ? timeline_fault(runs->a, (size_t)f->a)->id : timeline_fault(runs->b, (size_t)f->b)->id;
		buf_clear(&text);
		buf_str(&text, "A ");
		put_stages(runs->a, f->a, &text);
		buf_str(&text, "; B ");
		put_stages(runs->b, f->b, &text);
		output_print(f->differs ? OUTPUT_WARN : OUTPUT_PLAIN, "  %s %-14s %s\n", f->differs ? "*" : " ", id, text.data);
	}
	buf_free(&text);
}

static const char *verdict_of(const struct timeline *t, int property)
{
	return property < 0 ? "absent" : verdict_name(timeline_property(t, (size_t)property)->fact->verdict);
}

static void print_properties(const struct diff *d, const struct both *runs)
{
	for (size_t i = 0; i < d->property_count; i++) {
		const struct diff_property *p = &d->properties[i];
		const struct timeline_property *any =
			p->a >= 0 ? timeline_property(runs->a, (size_t)p->a) : timeline_property(runs->b, (size_t)p->b);
		output_print(p->differs ? OUTPUT_WARN : OUTPUT_PLAIN, "  %s %-24s A %s; B %s\n", p->differs ? "*" : " ",
			any->fact->id, verdict_of(runs->a, p->a), verdict_of(runs->b, p->b));
	}
}

static bool print_people(const struct diff *d, const struct both *runs, bool full, struct err *err)
{
	output_print(d->identical ? OUTPUT_GOOD : OUTPUT_BOLD, "%s\n", d->headline);
	if (d->identical)
		return true;
	output_print(OUTPUT_PLAIN, "A %s\nB %s\n\n%s", timeline_name(runs->a), timeline_name(runs->b), d->story);
	if (d->fault_count > 0) {
		output_print(OUTPUT_BOLD, "\nfaults\n");
		print_faults(d, runs);
	}
	if (d->property_count > 0) {
		output_print(OUTPUT_BOLD, "\nproperties\n");
		print_properties(d, runs);
	}
	if (d->same_events)
		return true;
	output_print(OUTPUT_BOLD, "\nevents\n");
	return print_hunks(d, runs, full, err);
}

/* -- for programs -- */

static void put_choice(struct json *j, const char *side, const struct plan_choice *c)
{
	struct json *choice = json_new_null();
	if (c) {
		json_destroy(choice);
		choice = json_new_object();
		json_put_u64(choice, "low", c->low);
		json_put_u64(choice, "high", c->high);
		json_put_u64(choice, "value", c->value);
		json_put_str(choice, "unit", c->unit);
		json_put_u64(choice, "line", c->place.line);
		json_put_u64(choice, "column", c->place.column);
	}
	json_put(j, side, choice);
}

static struct json *choices_json(const struct diff *d)
{
	struct json *list = json_new_array();
	for (size_t i = 0; i < d->choice_count; i++) {
		const struct diff_choice *c = &d->choices[i];
		struct json *j = json_new_object();
		json_put_str(j, "name", c->a ? c->a->name : c->b->name);
		put_choice(j, "a", c->a);
		put_choice(j, "b", c->b);
		json_push(list, j);
	}
	return list;
}

static struct json *hunks_json(const struct diff *d)
{
	struct json *list = json_new_array();
	for (size_t i = 0; i < d->hunk_count; i++) {
		const struct diff_hunk *h = &d->hunks[i];
		struct json *j = json_new_object();
		json_put_bool(j, "same", h->same);
		json_put_u64(j, "a", h->a + 1);
		json_put_u64(j, "a_count", h->a_count);
		json_put_u64(j, "b", h->b + 1);
		json_put_u64(j, "b_count", h->b_count);
		json_push(list, j);
	}
	return list;
}

static void put_fault(struct json *j, const char *side, const struct timeline *t, int fault)
{
	struct json *stages = json_new_null();
	if (fault >= 0) {
		const struct timeline_fault *f = timeline_fault(t, (size_t)fault);
		json_destroy(stages);
		stages = json_new_object();
		for (size_t stage = 0; stage < FAULT_STAGES; stage++)
			if (f->stage[stage] != TIMELINE_NONE)
				json_put_u64(stages, fault_stage_name((enum fault_stage)stage), f->stage[stage] + 1);
	}
	json_put(j, side, stages);
}

static struct json *faults_json(const struct diff *d, const struct both *runs)
{
	struct json *list = json_new_array();
	for (size_t i = 0; i < d->fault_count; i++) {
		const struct diff_fault *f = &d->faults[i];
		struct json *j = json_new_object();
		json_put_str(j, "id",
			f->a >= 0 ? timeline_fault(runs->a, (size_t)f->a)->id : timeline_fault(runs->b, (size_t)f->b)->id);
		json_put_bool(j, "differs", f->differs);
		put_fault(j, "a", runs->a, f->a);
		put_fault(j, "b", runs->b, f->b);
		json_push(list, j);
	}
	return list;
}

static struct json *properties_json(const struct diff *d, const struct both *runs)
{
	struct json *list = json_new_array();
	for (size_t i = 0; i < d->property_count; i++) {
		const struct diff_property *p = &d->properties[i];
		const struct timeline_property *any =
			p->a >= 0 ? timeline_property(runs->a, (size_t)p->a) : timeline_property(runs->b, (size_t)p->b);
		struct json *j = json_new_object();
		json_put_str(j, "id", any->fact->id);
		json_put_bool(j, "differs", p->differs);
		json_put_str(j, "a", p->a >= 0 ? verdict_of(runs->a, p->a) : NULL);
		json_put_str(j, "b", p->b >= 0 ? verdict_of(runs->b, p->b) : NULL);
		json_push(list, j);
	}
	return list;
}

static void print_json(const struct diff *d, const struct both *runs)
{
	struct json *top = json_new_object();
	struct buf text = {0};
	json_put_u64(top, "polecat_diff", 1);
	json_put_bool(top, "identical", d->identical);
	json_put_str(top, "headline", d->headline);
	json_put_str(top, "story", d->story);
	json_put_bool(top, "same_scenario", d->same_scenario);
	json_put_bool(top, "same_seed", d->same_seed);
	json_put_bool(top, "same_plan", d->same_plan);
	json_put_bool(top, "same_events", d->same_events);
	json_put(top, "first", d->first == TIMELINE_NONE ? json_new_null() : json_new_u64(d->first + 1));
	json_put(top, "choices", choices_json(d));
	json_put(top, "faults", faults_json(d, runs));
	json_put(top, "properties", properties_json(d, runs));
	json_put_bool(top, "work_limit", d->work_limit);
	json_put(top, "hunks", hunks_json(d));
	json_write_pretty(top, &text);
	output_bytes(text.data, text.size);
	buf_free(&text);
	json_destroy(top);
}

/* -- the command -- */

static struct timeline *open_run(const struct args *args, const char *word, struct err *err)
{
	char *path = runlist_find(common_runs(args), word, err);
	struct timeline *t = path ? timeline_open(path, err) : NULL;
	free(path);
	return t;
}

static bool cancelled(void *data)
{
	return cancel_requested(data);
}

static bool compare(const struct args *args, const struct both *runs, struct err *err)
{
	struct cancel cancel;
	if (!cancel_init(&cancel, err))
		return false;
	struct diff *d = diff_create(runs->a, runs->b, cancelled, &cancel, err);
	bool ok = d != NULL;
	if (ok && args_has(args, "json"))
		print_json(d, runs);
	else if (ok)
		ok = print_people(d, runs, args_has(args, "full"), err);
	diff_destroy(d);
	cancel_finish(&cancel);
	return ok;
}

static bool diff(const struct args *args, int *status, struct err *err)
{
	const char *const *operands;
	(void)status;
	args_operands(args, &operands);
	struct both runs = {.a = open_run(args, operands[0], err)};
	runs.b = runs.a ? open_run(args, operands[1], err) : NULL;
	bool ok = runs.b && compare(args, &runs, err);
	timeline_close(runs.a);
	timeline_close(runs.b);
	return ok;
}

static const struct args_option diff_options[] = {
	{"full", 0, NULL, false, "Print every event that differs, not only the first of them."},
	COMMON_OPTION_RUNS,
	COMMON_OPTION_JSON,
	{0},
};

const struct command command_diff = {
	.name = "diff",
	.operands = "RUN_A RUN_B",
	.least = 2,
	.most = 2,
	.about = "Tell where two runs part, and which choice made the difference.",
	.more = "The first line says \"identical\" or \"differ\". Plans are compared choice by choice, events by what they say; "
		"common\n"
		"stretches are folded. Events of A alone are marked -, those of B alone +.",
	.options = diff_options,
	.run = diff,
};
