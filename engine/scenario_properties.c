/* Reading a scenario: its properties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/scenario_keys.h"
#include "engine/scenario_parts.h"

/* Does the matcher ask anything that an event of its kind may fail? Else "always" would say nothing. */
static bool has_condition(const struct matcher *m)
{
	return m->pattern || m->json_count || m->has_exit || m->has_stage;
}

static bool read_single(const struct schema_reader *r, const struct yaml *value, struct property *p)
{
	char what[32];
	snprintf(what, sizeof what, "`%s`", property_form_name(p->form));
	p->matchers = mem_array(1, sizeof *p->matchers);
	p->matcher_count = 1;
	if (!scenario_read_matcher(r, value, what, p->matchers))
		return false;
	if (p->form != PROPERTY_ALWAYS)
		return true;
	if (p->matchers->nth)
		return schema_fail(r, value->place, "`always` cannot have `nth`: it is about every event");
	return has_condition(p->matchers) ||
		schema_fail(r, value->place,
			"`always` needs a test that an event may fail: `line`, `user`, `json`, `exited` or `stage`");
}

static bool read_ordered(const struct schema_reader *r, const struct yaml *value, struct property *p)
{
	if (value->kind != YAML_LIST || value->count < 2 || value->count > PROPERTY_ORDERED_MAX)
		return schema_fail(r, value->place, "`ordered` must be a list of 2 to %d matchers", PROPERTY_ORDERED_MAX);
	p->matchers = mem_array(value->count, sizeof *p->matchers);
	for (const struct yaml *item = value->first; item; item = item->next) {
		struct matcher *m = &p->matchers[p->matcher_count++];
		if (!scenario_read_matcher(r, item, "each of `ordered`", m))
			return false;
		if (p->each && (!m->pattern || !pattern_capture_named(m->pattern, p->each)))
			return schema_fail(r, item->place, "this matcher has no group (?<%s>...), which `each` names", p->each);
	}
	return true;
}

static bool read_set(const struct schema_reader *r, const struct yaml *value, struct property *p)
{
	static const char *const parts[PROPERTY_SET_MATCHERS] = {"added", "read", "lost", "attempted"};
	char what[32], none;

	if (!schema_read(r, &keys_set, NULL, value, &none))
		return false;
	p->matchers = mem_array(PROPERTY_SET_MATCHERS, sizeof *p->matchers);
	p->matcher_count = PROPERTY_SET_MATCHERS;
	for (int i = 0; i < PROPERTY_SET_MATCHERS; i++) {
		const struct yaml *part = yaml_get(value, parts[i]);
		if (!part)
			continue;
		snprintf(what, sizeof what, "`%s`", parts[i]);
		if (!scenario_read_matcher(r, part, what, &p->matchers[i]))
			return false;
		if (!p->matchers[i].pattern || !pattern_captures(p->matchers[i].pattern))
			return schema_fail(r, part->place,
				"`%s` needs an expression with a group: what it finds is the value, as in 'acked (\\d+)'",
				parts[i]);
	}
	return true;
}

static bool read_checker(const struct schema_reader *r, const struct yaml *value, struct property *p)
{
	char none; /* the tables of these sections fill in nothing themselves */
	p->form = PROPERTY_SET;
	return schema_read(r, &keys_checker, NULL, value, &none) && read_set(r, yaml_get(value, "set"), p);
}

/* ---- forms ----------------------------------------------------------------------------------------------- */

static const struct {
	const char *key;
	enum property_form form;
	bool (*read)(const struct schema_reader *r, const struct yaml *value, struct property *p);
} forms[] = {{"always", PROPERTY_ALWAYS, read_single}, {"never", PROPERTY_NEVER, read_single},
	{"sometimes", PROPERTY_SOMETIMES, read_single}, {"eventually", PROPERTY_EVENTUALLY, read_single},
	{"ordered", PROPERTY_ORDERED, read_ordered}, {"checker", PROPERTY_SET, read_checker}};

enum { FORMS = sizeof forms / sizeof *forms };

/* Index of the one form it has, or FORMS after an error. */
static size_t find_form(const struct schema_reader *r, const struct yaml *entry)
{
	size_t found = FORMS;
	for (size_t i = 0; i < FORMS; i++) {
		const struct yaml *value = yaml_get(entry, forms[i].key);
		if (value && found < FORMS) {
			schema_fail(
				r, value->key->place, "a property has one form: `%s` or `%s`?", forms[found].key, forms[i].key);
			return FORMS;
		}
		if (value)
			found = i;
	}
	if (found == FORMS)
		schema_fail(r, entry->place,
			"a property needs one of `always`, `never`, `sometimes`, `eventually`, `ordered` and `checker`");
	return found;
}

/* Keys that go with one form only. */
static bool keys_fit(const struct schema_reader *r, const struct yaml *entry, enum property_form form)
{
	static const struct {
		const char *key;
		enum property_form form;
	} rules[] = {{"within", PROPERTY_EVENTUALLY}, {"after", PROPERTY_EVENTUALLY}, {"each", PROPERTY_ORDERED}};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const struct yaml *value = yaml_get(entry, rules[i].key);
		if (value && rules[i].form != form)
			return schema_fail(
				r, value->key->place, "`%s` goes with `%s`", rules[i].key, property_form_name(rules[i].form));
	}
	return true;
}

static bool is_possible(const struct schema_reader *r, const struct yaml *entry, const struct property *p)
{
	struct buf limit = {0};
	if (p->within_ns <= r->scenario->limits.vtime_ns)
		return true;
	text_put(&limit, TEXT_DURATION, r->scenario->limits.vtime_ns);
	schema_fail(r, yaml_get(entry, "within")->place,
		"`within` is longer than the run can last (`limits.vtime` or `until.vtime` is %s)", limit.data);
	buf_free(&limit);
	return false;
}

static bool read_property(const struct schema_reader *r, const struct yaml *entry, struct property *p)
{
	struct keys_property keys = {0};
	bool ok = schema_read(r, &keys_property, NULL, entry, &keys);

	p->id = keys.id;
	p->about = keys.about;
	p->each = keys.each;
	p->within_ns = keys.within_ns;
	p->place = entry->place;
	if (!ok)
		return false;
	for (const struct property *other = r->scenario->properties; other < p; other++)
		if (strcmp(other->id, p->id) == 0)
			return schema_fail(r, yaml_get(entry, "id")->place, "a property `%s` is already in line %u", p->id,
				other->place.line);
	size_t form = find_form(r, entry);
	if (form == FORMS || !keys_fit(r, entry, forms[form].form))
		return false;
	p->form = forms[form].form;
	if (!forms[form].read(r, yaml_get(entry, forms[form].key), p) || !is_possible(r, entry, p))
		return false;
	const struct yaml *after = yaml_get(entry, "after");
	if (!after)
		return true;
	p->after = mem_alloc(sizeof *p->after);
	return scenario_read_matcher(r, after, "`after`", p->after);
}

bool scenario_read_properties(const struct schema_reader *r, const struct yaml *properties)
{
	struct scenario *s = r->scenario;

	if (properties->kind != YAML_LIST || properties->count == 0)
		return schema_fail(r, properties->place,
			"`properties` must be a list of at least one property, such as {id: client-finishes, "
			"eventually: {node: client, exited: 0}}");
	if (properties->count > PROPERTY_MAX)
		return schema_fail(
			r, properties->place, "`properties` has %zu entries; at most %d", properties->count, PROPERTY_MAX);
	s->properties = mem_array(properties->count, sizeof *s->properties);
	for (const struct yaml *entry = properties->first; entry; entry = entry->next)
		if (!read_property(r, entry, &s->properties[s->property_count++]))
			return false;
	return true;
}
