/* Reading a scenario: matchers, which say what events are meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"
#include "engine/event.h"
#include "engine/json.h"
#include "engine/scenario_keys.h"
#include "engine/scenario_parts.h"

/* A key that says of which kind the event is must agree with those before it. */
static bool imply_kind(const struct schema_reader *r, const struct yaml *value, enum event_kind kind, struct matcher *m)
{
	if (m->has_kind && m->kind != kind)
		return schema_fail(r, value->key->place, "`%s` looks at %s events, but another key of this matcher at %s",
			value->key->text, event_kind_name(kind), event_kind_name(m->kind));
	m->has_kind = true;
	m->kind = kind;
	return true;
}

static bool read_event(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	const char *names[EVENT_KIND_COUNT + 1] = {0};
	char hint[SCHEMA_HINT_MAX];
	enum event_kind kind;

	if (!schema_scalar(r, value, "`event`"))
		return false;
	if (event_kind_find(value->text, &kind))
		return imply_kind(r, value, kind, m);
	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		names[i] = event_kind_name((enum event_kind)i);
	return schema_fail(r, value->place, "`event` is `%s`; expected a kind of event such as node.started%s", value->text,
		schema_hint(value->text, names, hint));
}

static bool read_pattern(const struct schema_reader *r, const struct yaml *value, enum event_kind kind, struct matcher *m)
{
	struct err why = {0};
	size_t at;

	if (!imply_kind(r, value, kind, m) || !schema_scalar(r, value, "an expression"))
		return false;
	m->pattern = pattern_create(value->text, &at, &why);
	if (m->pattern)
		return true;
	/* The column is exact for an expression on one line without escapes; else it is near. */
	struct text_place place = value->place;
	place.column += (unsigned)at + !value->plain;
	return schema_fail(r, place, "this expression cannot be compiled: %s", why.text);
}

static bool read_fault(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	const struct scenario *s = r->scenario;
	uint64_t planned = 0;

	if (!schema_scalar(r, value, "`fault`"))
		return false;
	m->is_fault = true;
	m->fault_type = fault_parse_id(value->text, &m->fault_ordinal);
	if (!m->fault_type)
		return schema_fail(
			r, value->place, "`fault` is `%s`; expected a kind such as kill, or an id such as kill#1", value->text);
	for (size_t i = 0; i < s->fault_count; i++)
		planned += s->faults[i].kind == m->fault_type ? s->faults[i].times.high : 0;
	if (planned == 0 || m->fault_ordinal > planned)
		return schema_fail(r, value->place, "the scenario has at most %llu faults `%s`", (unsigned long long)planned,
			m->fault_type->name);
	return true;
}

static bool read_exited(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	uint64_t status;

	if (!imply_kind(r, value, EVENT_NODE_EXITED, m) || !schema_scalar(r, value, "`exited`"))
		return false;
	m->has_exit = true;
	if (text_parse_u64(value->text, &status) && status <= 255) {
		m->status = (int)status;
		return true;
	}
	m->by_signal = true;
	m->status = event_signal_number(value->text);
	return m->status ||
		schema_fail(
			r, value->place, "`exited` is `%s`; expected a status 0 to 255 or a signal such as SIGKILL", value->text);
}

/* ---- json ------------------------------------------------------------------------------------------------ */

static bool is_integer(const char *text)
{
	uint64_t ignored;
	return text_parse_u64(text[0] == '-' ? text + 1 : text, &ignored) && strcmp(text, "-0") != 0;
}

/* The text that the value would have in JSON. */
static char *json_text_of(const struct yaml *value)
{
	static const char *const words[] = {"true", "false", "null"};
	struct buf out = {0};
	bool as_is = value->plain && is_integer(value->text);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		as_is = as_is || (value->plain && strcmp(value->text, words[i]) == 0);
	if (as_is)
		return mem_strn(value->text, value->size);
	json_quote(&out, value->text, value->size);
	return buf_take(&out);
}

static bool read_json(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	if (!(m->has_kind && m->kind == EVENT_USER_EVENT) && !imply_kind(r, value, EVENT_IO_LINE, m))
		return false;
	if (value->kind != YAML_MAP || value->count == 0 || value->count > PROPERTY_JSON_MAX)
		return schema_fail(r, value->place, "`json` must be a map of 1 to %d paths and values", PROPERTY_JSON_MAX);
	m->json = mem_array(value->count, sizeof *m->json);
	for (const struct yaml *item = value->first; item; item = item->next) {
		if (item->kind != YAML_SCALAR)
			return schema_fail(r, item->place, "expected a single value: text, number, true, false or null");
		m->json[m->json_count++] = (struct property_json){.path = mem_str(item->key->text), .value = json_text_of(item)};
	}
	return true;
}

/* ---- where ----------------------------------------------------------------------------------------------- */

static bool parse_comparison(const char *text, enum property_compare *ret, const char **ret_operand)
{
	static const struct {
		const char *text;
		enum property_compare compare;
	} signs[] = {{"<=", COMPARE_LE}, {">=", COMPARE_GE}, {"!=", COMPARE_NE}, {"==", COMPARE_EQ}, {"=", COMPARE_EQ},
		{"<", COMPARE_LT}, {">", COMPARE_GT}};
	*ret = COMPARE_EQ;
	*ret_operand = text;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (strncmp(text, signs[i].text, strlen(signs[i].text)) == 0) {
			*ret = signs[i].compare;
			*ret_operand = text + strlen(signs[i].text);
			break;
		}
	*ret_operand += strspn(*ret_operand, " ");
	return **ret_operand != '\0';
}

static bool read_comparison(
	const struct schema_reader *r, const struct yaml *item, const struct matcher *m, struct property_where *w)
{
	const char *operand;
	uint64_t number;

	if (!schema_scalar(r, item, "a comparison"))
		return false;
	w->left_group = pattern_capture_named(m->pattern, item->key->text);
	if (!w->left_group)
		return schema_fail(r, item->key->place, "the expression has no group (?<%s>...)", item->key->text);
	if (!parse_comparison(item->text, &w->compare, &operand))
		return schema_fail(r, item->place, "expected a comparison such as '>= 5' or '!= other'");
	if (is_integer(operand) && text_parse_u64(operand[0] == '-' ? operand + 1 : operand, &number) && number <= INT64_MAX) {
		w->number = operand[0] == '-' ? -(int64_t)number : (int64_t)number;
		return true;
	}
	w->right_group = pattern_capture_named(m->pattern, operand);
	return w->right_group ||
		schema_fail(r, item->place, "`%s` is neither a whole number nor a group of the expression", operand);
}

static bool read_where(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	if (!m->pattern)
		return schema_fail(
			r, value->key->place, "`where` needs `line` or `user`: it compares groups of their expression");
	if (value->kind != YAML_MAP || value->count == 0 || value->count > PROPERTY_WHERE_MAX)
		return schema_fail(
			r, value->place, "`where` must be a map of 1 to %d groups and comparisons", PROPERTY_WHERE_MAX);
	m->where = mem_array(value->count, sizeof *m->where);
	for (const struct yaml *item = value->first; item; item = item->next)
		if (!read_comparison(r, item, m, &m->where[m->where_count++]))
			return false;
	return true;
}

/* ---- matchers -------------------------------------------------------------------------------------------- */

static bool read_line(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	return read_pattern(r, value, EVENT_IO_LINE, m);
}

static bool read_user(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	return read_pattern(r, value, EVENT_USER_EVENT, m);
}

static bool read_node(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	size_t node;
	if (!schema_node(r, value, "`node`", &node))
		return false;
	m->node = mem_str(r->scenario->nodes[node].name);
	return true;
}

static bool read_stream(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	m->has_stream = true;
	return imply_kind(r, value, EVENT_IO_LINE, m);
}

static bool read_stage(const struct schema_reader *r, const struct yaml *value, struct matcher *m)
{
	m->has_stage = true;
	return m->is_fault || schema_fail(r, value->key->place, "`stage` goes with `fault`");
}

static bool is_fault_kind(enum event_kind kind)
{
	return event_is_fault(&(struct event){.kind = kind});
}

bool scenario_read_matcher(const struct schema_reader *r, const struct yaml *value, const char *what, struct matcher *m)
{
	/* In this order: later ones build on earlier ones. */
	static const struct {
		const char *key;
		bool (*read)(const struct schema_reader *r, const struct yaml *value, struct matcher *m);
	} parts[] = {{"node", read_node}, {"event", read_event}, {"fault", read_fault}, {"stage", read_stage},
		{"line", read_line}, {"user", read_user}, {"stream", read_stream}, {"json", read_json}, {"exited", read_exited},
		{"where", read_where}};
	struct keys_matcher keys = {0};

	m->place = value->place;
	if (value->kind == YAML_SCALAR) {
		struct yaml key = {.text = "line", .place = value->place}, line = *value;
		line.key = &key;
		return read_line(r, &line, m);
	}
	if (value->kind != YAML_MAP || value->count == 0)
		return schema_fail(r, value->place,
			"%s must be a map of tests such as {node: server, line: 'listening'}, or an expression", what);
	if (!schema_read(r, &keys_matcher, NULL, value, &keys))
		return false;
	m->is_stderr = keys.stream == 1;
	m->stage = (enum fault_stage)keys.stage;
	m->nth = keys.nth;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct yaml *part = yaml_get(value, parts[i].key);
		if (part && !parts[i].read(r, part, m))
			return false;
	}
	if (m->is_fault && m->has_kind && !is_fault_kind(m->kind))
		return schema_fail(r, yaml_get(value, "fault")->key->place,
			"`fault` looks at fault events, but another key of this matcher at %s", event_kind_name(m->kind));
	return true;
}
