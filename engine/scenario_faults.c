/* Reading a scenario: its faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/scenario_keys.h"
#include "engine/scenario_parts.h"

enum { EXTRA_MAX = 64 };

/* Used where a fault has neither `at` nor `after`. */
static const struct text_range default_delay_ns = {0, UINT64_C(1000000000)};

/* ---- kind, targets, parameters --------------------------------------------------------------------------- */

static void list_kinds(struct buf *out)
{
	for (size_t i = 0; i < fault_kind_count; i++)
		if (fault_kinds[i].is_applied)
			buf_printf(out, "%s`%s`", out->size ? ", " : "", fault_kinds[i].name);
}

/* The keys of an entry that are not in the table: kinds, and the parameters of its kind. */
static void list_extra(const struct fault_kind *kind, const char *extra[EXTRA_MAX])
{
	size_t count = 0;
	for (size_t i = 0; i < fault_kind_count && count < EXTRA_MAX - FAULT_PARAMS_MAX - 1; i++)
		extra[count++] = fault_kinds[i].name;
	for (const struct fault_param *p = kind ? kind->params : NULL; p && p->name; p++)
		extra[count++] = p->name;
	extra[count] = NULL;
}

/* The one key that is a kind of fault. *ret is NULL if there is none. */
static bool find_kind(const struct schema_reader *r, const struct yaml *entry, const struct yaml **ret)
{
	*ret = NULL;
	for (const struct yaml *value = entry->kind == YAML_MAP ? entry->first : NULL; value; value = value->next) {
		if (!fault_find(value->key->text))
			continue;
		if (*ret)
			return schema_fail(r, value->key->place, "a fault is of one kind: `%s` or `%s`?", (*ret)->key->text,
				value->key->text);
		*ret = value;
	}
	return true;
}

static bool read_param(const struct schema_reader *r, const struct fault_param *p, const struct yaml *value, char **ret)
{
	char what[64];

	snprintf(what, sizeof what, "`%s`", p->name);
	if (!value) {
		*ret = mem_str(p->fallback);
		return true;
	}
	if (!schema_text(r, value, what, ret))
		return false;
	return fault_param_check(p, *ret) ||
		schema_fail(r, value->place, "%s is `%s`; expected %s", what, *ret, fault_param_expected(p->type));
}

static bool read_params(const struct schema_reader *r, const struct yaml *entry, struct scenario_fault *f)
{
	for (const struct fault_param *p = f->kind->params; p->name; p++) {
		const struct yaml *value = yaml_get(entry, p->name);
		struct scenario_param *param = &f->params[f->param_count];
		if (!value && !p->fallback)
			return schema_fail(r, f->place, "a fault `%s` needs `%s`: %s", f->kind->name, p->name, p->about);
		param->param = p;
		f->param_count++;
		if (!read_param(r, p, value, &param->value))
			return false;
	}
	return true;
}

/* ---- triggers -------------------------------------------------------------------------------------------- */

/* How many faults of a kind the entries so far can give. */
static uint64_t planned_of(const struct scenario *s, const struct fault_kind *kind)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < s->fault_count; i++)
		if (s->faults[i].kind == kind)
			sum += s->faults[i].times.high;
	return sum;
}

static bool read_trigger_fault(const struct schema_reader *r, const struct yaml *value, struct scenario_trigger *t)
{
	if (!schema_scalar(r, value, "`fault`"))
		return false;
	t->kind = TRIGGER_FAULT;
	t->fault = fault_parse_id(value->text, &t->fault_ordinal);
	if (!t->fault)
		return schema_fail(
			r, value->place, "`fault` is `%s`; expected a kind such as kill, or an id such as kill#1", value->text);
	uint64_t planned = planned_of(r->scenario, t->fault);
	if (planned == 0)
		return schema_fail(r, value->place, "no entry above this one has a fault `%s`", t->fault->name);
	if (t->fault_ordinal > planned)
		return schema_fail(r, value->place, "the entries above give at most %llu faults `%s`",
			(unsigned long long)planned, t->fault->name);
	return true;
}

/* Which of its keys says what it waits for; exactly one must. */
static const struct yaml *trigger_subject(const struct schema_reader *r, const struct yaml *map)
{
	static const char *const subjects[] = {"lines", "fault", "started", "ready", "exited"};
	const struct yaml *found = NULL;
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
		const struct yaml *value = yaml_get(map, subjects[i]);
		if (value && found) {
			schema_fail(r, value->key->place, "`after` waits for one thing: `%s` or `%s`?", found->key->text,
				subjects[i]);
			return NULL;
		}
		if (value)
			found = value;
	}
	if (!found)
		schema_fail(r, map->place, "`after` needs one of `lines`, `fault`, `started`, `ready` and `exited`");
	return found;
}

/* A key that goes only with some subjects. */
static bool goes_with(const struct schema_reader *r, const struct yaml *map, const char *key, bool allowed, const char *with)
{
	const struct yaml *value = yaml_get(map, key);
	return !value || allowed || schema_fail(r, value->key->place, "`%s` goes with %s", key, with);
}

static bool read_after(const struct schema_reader *r, const struct yaml *map, struct scenario_trigger *t)
{
	struct keys_trigger keys = {0};
	if (!schema_read(r, &keys_trigger, NULL, map, &keys))
		return false;
	const struct yaml *subject = trigger_subject(r, map);
	if (!subject)
		return false;
	const char *name = subject->key->text;
	bool is_lines = strcmp(name, "lines") == 0, is_fault = strcmp(name, "fault") == 0;
	t->value_place = subject->place;
	t->stage = (enum fault_stage)keys.stage;
	if (!goes_with(r, map, "of", is_lines, "`lines`") || !goes_with(r, map, "stage", is_fault, "`fault`") ||
		!goes_with(r, map, "nth", !is_lines && !is_fault, "`started`, `ready` and `exited`"))
		return false;
	if (is_fault)
		return read_trigger_fault(r, subject, t);
	if (is_lines) {
		const struct yaml *of = yaml_get(map, "of");
		t->kind = TRIGGER_LINES;
		t->value = keys.lines;
		return !of || schema_node(r, of, "`of`", &t->node);
	}
	t->kind = strcmp(name, "started") == 0 ? TRIGGER_STARTED : strcmp(name, "ready") == 0 ? TRIGGER_READY : TRIGGER_EXITED;
	t->value = keys.nth;
	if (yaml_get(map, "nth"))
		t->value_place = yaml_get(map, "nth")->place;
	return schema_node(r, subject, "the node of `after`", &t->node);
}

static bool read_trigger(
	const struct schema_reader *r, const struct yaml *entry, const struct keys_fault *keys, struct scenario_fault *f)
{
	struct scenario_trigger *t = &f->trigger;
	const struct yaml *at = yaml_get(entry, "at"), *after = yaml_get(entry, "after"), *delay = yaml_get(entry, "delay");

	*t = (struct scenario_trigger){.kind = TRIGGER_READY, .node = SCENARIO_NONE, .place = f->place, .value_place = f->place};
	t->delay_place = delay ? delay->place : f->place;
	t->delay_ns = delay ? keys->delay_ns : (struct text_range){0};
	if (at && after)
		return schema_fail(r, after->key->place, "a fault comes either `at` a time or `after` something");
	if (at && delay)
		return schema_fail(r, delay->key->place, "`delay` goes with `after`: put it into `at`");
	if (at) {
		t->kind = TRIGGER_AT;
		t->value = keys->at_ns;
		t->place = t->value_place = at->place;
		return true;
	}
	if (after) {
		t->place = after->place;
		return read_after(r, after, t);
	}
	if (!delay)
		t->delay_ns = default_delay_ns;
	return true;
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static bool within_run(const struct schema_reader *r, struct text_place place, const char *what, uint64_t ns)
{
	struct buf limit = {0};
	if (ns <= r->scenario->limits.vtime_ns)
		return true;
	text_put(&limit, TEXT_DURATION, r->scenario->limits.vtime_ns);
	schema_fail(r, place, "%s is later than the run can last (`limits.vtime` or `until.vtime` is %s)", what, limit.data);
	buf_free(&limit);
	return false;
}

/* Windows that nothing could ever meet. */
static bool is_possible(const struct schema_reader *r, const struct scenario_fault *f)
{
	const struct scenario_trigger *t = &f->trigger;
	uint64_t width = t->value.high - t->value.low + 1;

	if (f->times.high > 1 && t->value.low != t->value.high && width < f->times.high)
		return schema_fail(r, t->value_place, "%llu faults get different values of this range, which has %llu",
			(unsigned long long)f->times.high, (unsigned long long)width);
	if (t->kind == TRIGGER_AT && !within_run(r, t->value_place, "the end of `at`", t->value.high))
		return false;
	return within_run(r, t->delay_place, "the end of `delay`", t->delay_ns.high) &&
		within_run(r, f->for_place, "the end of `for`", f->for_ns.high);
}

static bool read_values(
	const struct schema_reader *r, const struct yaml *entry, const struct keys_fault *keys, struct scenario_fault *f)
{
	const struct yaml *lasting = yaml_get(entry, "for"), *times = yaml_get(entry, "times");

	f->times = keys->times;
	f->times_place = times ? times->place : f->place;
	if (times && keys->times.high == 0)
		return schema_fail(r, times->place, "`times` is 0: the fault would never come; take the entry out");
	if (f->kind->lasts && !lasting)
		return schema_fail(r, f->place, "a fault `%s` needs `for`: how long it lasts", f->kind->name);
	if (!f->kind->lasts && lasting)
		return schema_fail(r, lasting->key->place, "a fault `%s` has no `for`: it is over at once", f->kind->name);
	f->for_ns = lasting ? keys->for_ns : (struct text_range){0};
	f->for_place = lasting ? lasting->place : f->place;
	return true;
}

static bool read_fault(const struct schema_reader *r, const struct yaml *entry, struct scenario_fault *f)
{
	struct keys_fault keys = {0};
	const char *extra[EXTRA_MAX];
	const struct yaml *target;
	struct buf kinds = {0};
	uint32_t mask;
	bool ok = find_kind(r, entry, &target);

	if (!ok)
		return false;
	f->place = target ? target->key->place : entry->place;
	f->kind = target ? fault_find(target->key->text) : NULL;
	list_kinds(&kinds);
	list_extra(f->kind, extra);
	if (f->kind && !f->kind->is_applied)
		ok = schema_fail(
			r, f->place, "faults `%s` cannot be applied yet; this version applies %s", f->kind->name, kinds.data);
	ok = ok && schema_read(r, &keys_fault, extra, entry, &keys);
	if (ok && !f->kind)
		ok = schema_fail(r, entry->place, "a fault needs a kind and its target, such as `kill: NODE`; the kinds are %s",
			kinds.data);
	buf_free(&kinds);
	return ok && schema_nodes(r, target, "the target of a fault", f->targets, &f->target_count, &mask) &&
		read_values(r, entry, &keys, f) && read_params(r, entry, f) && read_trigger(r, entry, &keys, f) &&
		is_possible(r, f);
}

bool scenario_read_faults(const struct schema_reader *r, const struct yaml *faults)
{
	struct scenario *s = r->scenario;
	uint64_t planned = 0;

	if (faults->kind != YAML_LIST)
		return schema_fail(r, faults->place, "`faults` must be a list of maps");
	if (faults->count > SCENARIO_FAULTS_MAX)
		return schema_fail(r, faults->place, "`faults` has %zu entries; at most %d", faults->count, SCENARIO_FAULTS_MAX);
	s->faults = mem_array(faults->count, sizeof *s->faults);
	for (const struct yaml *entry = faults->first; entry; entry = entry->next) {
		struct scenario_fault fault = {0};
		bool ok = read_fault(r, entry, &fault);
		planned += fault.times.high;
		s->faults[s->fault_count++] = fault; /* counted only now: an entry cannot follow itself */
		if (!ok)
			return false;
		if (planned > SCENARIO_PLANNED_MAX)
			return schema_fail(r, fault.times_place, "the entries give up to %llu faults; at most %d",
				(unsigned long long)planned, SCENARIO_PLANNED_MAX);
	}
	return true;
}
