#include "engine/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 128 };

bool schema_fail(const struct schema_reader *r, struct text_place place, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	yaml_vfail(r->scenario->bytes, r->scenario->size, r->scenario->file, place, r->err, fmt, args);
	va_end(args);
	return false;
}

const char *schema_hint(const char *word, const char *const *words, char buffer[SCHEMA_HINT_MAX])
{
	size_t count = 0;
	while (words[count])
		count++;
	const char *near = text_nearest(word, words, count);
	buffer[0] = '\0';
	if (near)
		snprintf(buffer, SCHEMA_HINT_MAX, "; did you mean `%s`?", near);
	return buffer;
}

static enum text_unit unit_of(enum schema_type type)
{
	switch (type) {
	case SCHEMA_DURATION:
	case SCHEMA_DURATIONS:
		return TEXT_DURATION;
	case SCHEMA_SIZE:
		return TEXT_SIZE;
	case SCHEMA_COUNT:
		return TEXT_COUNT;
	default:
		return TEXT_NUMBER;
	}
}

const char *schema_type_text(enum schema_type type)
{
	switch (type) {
	case SCHEMA_TEXT:
		return "text";
	case SCHEMA_NAME:
		return "name";
	case SCHEMA_NUMBER:
		return "number";
	case SCHEMA_DURATION:
		return "duration";
	case SCHEMA_SIZE:
		return "size";
	case SCHEMA_COUNT:
		return "count";
	case SCHEMA_NUMBERS:
		return "number or range";
	case SCHEMA_DURATIONS:
		return "duration or range";
	case SCHEMA_WORD:
		return "word";
	case SCHEMA_BOOL:
		return "true or false";
	case SCHEMA_WORDS:
		return "list of texts";
	case SCHEMA_NODE:
		return "node";
	case SCHEMA_NODES:
		return "node or list of nodes";
	case SCHEMA_PATTERN:
		return "regular expression";
	case SCHEMA_FAULT:
		return "fault";
	case SCHEMA_MAP:
		return "map";
	case SCHEMA_LIST:
		return "list of maps";
	case SCHEMA_NAMED:
		return "map of maps";
	case SCHEMA_MATCHER:
		return "matcher";
	case SCHEMA_MATCHERS:
		return "list of matchers";
	case SCHEMA_OTHER:
		return "";
	}
	return "";
}

/* ---- single values --------------------------------------------------------------------------------------- */

bool schema_scalar(const struct schema_reader *r, const struct yaml *value, const char *what)
{
	if (value->kind != YAML_SCALAR)
		return schema_fail(
			r, value->place, "%s must be a single value, not a %s", what, value->kind == YAML_LIST ? "list" : "map");
	if (value->plain && (value->size == 0 || strcmp(value->text, "null") == 0 || strcmp(value->text, "~") == 0))
		return schema_fail(r, value->place, "%s has no value", what);
	return true;
}

bool schema_text(const struct schema_reader *r, const struct yaml *value, const char *what, char **ret)
{
	if (!schema_scalar(r, value, what))
		return false;
	if (value->size > SCENARIO_TEXT_MAX)
		return schema_fail(r, value->place, "%s has %zu bytes; at most %d", what, value->size, SCENARIO_TEXT_MAX);
	free(*ret);
	*ret = mem_strn(value->text, value->size);
	return true;
}

/* "1..3" is out of bounds, or is no range at all: says which, and what was expected. */
bool schema_range(const struct schema_reader *r, const struct yaml *value, const char *what, enum text_unit unit,
	struct text_range bounds, struct text_range *ret)
{
	struct text_range range;
	if (!schema_scalar(r, value, what))
		return false;
	if (!text_parse_range(value->text, unit, &range))
		return schema_fail(r, value->place, "%s is `%s`; expected %s, or a range LOW..HIGH of them", what, value->text,
			text_unit_expected(unit));
	if (bounds.high && (range.low < bounds.low || range.high > bounds.high)) {
		struct buf allowed = {0};
		text_put_range(&allowed, unit, bounds);
		schema_fail(r, value->place, "%s is `%s`; expected something within %s", what, value->text, allowed.data);
		buf_free(&allowed);
		return false;
	}
	*ret = range;
	return true;
}

static bool read_quantity(
	const struct schema_reader *r, const struct yaml *value, const struct schema_key *key, const char *what, uint64_t *ret)
{
	struct text_range range;
	enum text_unit unit = unit_of(key->type);
	if (!schema_scalar(r, value, what))
		return false;
	if (strstr(value->text, ".."))
		return schema_fail(
			r, value->place, "%s is `%s`; expected one value: the seed decides nothing here", what, value->text);
	if (!text_parse(value->text, unit, &range.low))
		return schema_fail(r, value->place, "%s is `%s`; expected %s", what, value->text, text_unit_expected(unit));
	if (!schema_range(r, value, what, unit, key->bounds, &range))
		return false;
	*ret = range.low;
	return true;
}

static bool read_name(const struct schema_reader *r, const struct yaml *value, const char *what, char **ret)
{
	if (!schema_scalar(r, value, what))
		return false;
	if (!text_is_name(value->text, SCENARIO_NAME_MAX))
		return schema_fail(r, value->place,
			"%s is `%s`; expected lower case letters, digits, `-`, `_` and `.`, at most %d, the first a "
			"letter or a digit",
			what, value->text, SCENARIO_NAME_MAX);
	return schema_text(r, value, what, ret);
}

static bool read_word(
	const struct schema_reader *r, const struct yaml *value, const struct schema_key *key, const char *what, int *ret)
{
	char hint[SCHEMA_HINT_MAX];
	if (!schema_scalar(r, value, what))
		return false;
	for (int i = 0; key->words[i]; i++)
		if (strcmp(key->words[i], value->text) == 0) {
			*ret = i;
			return true;
		}
	struct buf list = {0};
	for (int i = 0; key->words[i]; i++)
		buf_printf(&list, "%s`%s`", i == 0 ? "" : key->words[i + 1] ? ", " : " or ", key->words[i]);
	schema_fail(r, value->place, "%s is `%s`; expected %s%s", what, value->text, list.data,
		schema_hint(value->text, key->words, hint));
	buf_free(&list);
	return false;
}

static bool read_bool(const struct schema_reader *r, const struct yaml *value, const char *what, bool *ret)
{
	if (!schema_scalar(r, value, what))
		return false;
	if (!value->plain || (strcmp(value->text, "true") != 0 && strcmp(value->text, "false") != 0))
		return schema_fail(r, value->place, "%s is `%s`; expected true or false", what, value->text);
	*ret = strcmp(value->text, "true") == 0;
	return true;
}

bool schema_words(const struct schema_reader *r, const struct yaml *value, const char *what, struct scenario_words *ret)
{
	if (value->kind != YAML_LIST)
		return schema_fail(r, value->place, "%s must be a list such as [a, \"b c\"]", what);
	if (value->count > SCENARIO_WORDS_MAX)
		return schema_fail(r, value->place, "%s has %zu words; at most %d", what, value->count, SCENARIO_WORDS_MAX);
	for (const struct yaml *item = value->first; item; item = item->next) {
		if (!ret->items)
			ret->items = mem_array(value->count, sizeof *ret->items);
		if (!schema_text(r, item, what, &ret->items[ret->count]))
			return false;
		ret->count++;
	}
	return true;
}

bool schema_node(const struct schema_reader *r, const struct yaml *value, const char *what, size_t *ret)
{
	const char *names[SCENARIO_NODES_MAX + 1] = {0};
	char hint[SCHEMA_HINT_MAX];
	if (!schema_scalar(r, value, what))
		return false;
	*ret = scenario_node_index(r->scenario, value->text);
	if (*ret != SCENARIO_NONE)
		return true;
	for (size_t i = 0; i < r->scenario->node_count; i++)
		names[i] = r->scenario->nodes[i].name;
	return schema_fail(r, value->place, "%s is `%s`, but there is no node of that name%s", what, value->text,
		schema_hint(value->text, names, hint));
}

bool schema_nodes(const struct schema_reader *r, const struct yaml *value, const char *what, size_t *ret, size_t *ret_count,
	uint32_t *ret_mask)
{
	*ret_count = 0;
	*ret_mask = 0;
	if (value->kind == YAML_MAP || (value->kind == YAML_LIST && value->count == 0))
		return schema_fail(r, value->place, "%s must be a node's name, or a list of names", what);
	for (const struct yaml *item = value->kind == YAML_LIST ? value->first : value; item; item = item->next) {
		size_t node;
		if (!schema_node(r, item, what, &node))
			return false;
		if (*ret_mask >> node & 1)
			return schema_fail(r, item->place, "%s names `%s` twice", what, item->text);
		*ret_mask |= UINT32_C(1) << node;
		ret[(*ret_count)++] = node;
		if (value->kind != YAML_LIST)
			break;
	}
	return true;
}

/* ---- whole maps ------------------------------------------------------------------------------------------ */

static bool is_by_hand(enum schema_type type)
{
	return type >= SCHEMA_NODE;
}

static bool read_value(const struct schema_reader *r, const struct schema_key *key, const struct yaml *value, void *object)
{
	char what[64];
	void *member = (char *)object + key->offset;

	snprintf(what, sizeof what, "`%s`", key->name);
	switch (key->type) {
	case SCHEMA_TEXT:
		return schema_text(r, value, what, member);
	case SCHEMA_NAME:
		return read_name(r, value, what, member);
	case SCHEMA_NUMBER:
	case SCHEMA_DURATION:
	case SCHEMA_SIZE:
	case SCHEMA_COUNT:
		return read_quantity(r, value, key, what, member);
	case SCHEMA_NUMBERS:
	case SCHEMA_DURATIONS:
		return schema_range(r, value, what, unit_of(key->type), key->bounds, member);
	case SCHEMA_WORD:
		return read_word(r, value, key, what, member);
	case SCHEMA_BOOL:
		return read_bool(r, value, what, member);
	case SCHEMA_WORDS:
		return schema_words(r, value, what, member);
	default:
		return true;
	}
}

static bool read_fallback(const struct schema_reader *r, const struct schema_key *key, void *object)
{
	struct yaml value = {.kind = YAML_SCALAR, .plain = true, .text = key->fallback, .size = strlen(key->fallback)};
	return read_value(r, key, &value, object);
}

static bool unknown_key(
	const struct schema_reader *r, const struct schema_section *section, const char *const *extra, const struct yaml *value)
{
	const char *names[NAMES_MAX + 1] = {0};
	char hint[SCHEMA_HINT_MAX];
	size_t count = 0;
	for (const struct schema_key *k = section->keys; k->name && count < NAMES_MAX; k++)
		names[count++] = k->name;
	for (; extra && *extra && count < NAMES_MAX; extra++)
		names[count++] = *extra;
	return schema_fail(r, value->key->place, "%s has no key `%s`%s", section->name, value->key->text,
		schema_hint(value->key->text, names, hint));
}

static bool is_listed(const struct schema_section *section, const char *const *extra, const char *name)
{
	for (const struct schema_key *k = section->keys; k->name; k++)
		if (strcmp(k->name, name) == 0)
			return true;
	for (; extra && *extra; extra++)
		if (strcmp(*extra, name) == 0)
			return true;
	return false;
}

bool schema_read(const struct schema_reader *r, const struct schema_section *section, const char *const *extra,
	const struct yaml *map, void *object)
{
	if (map->kind != YAML_MAP)
		return schema_fail(r, map->place, "%s must be a map of keys and values", section->name);
	for (const struct yaml *value = map->first; value; value = value->next)
		if (!is_listed(section, extra, value->key->text))
			return unknown_key(r, section, extra, value);
	for (const struct schema_key *key = section->keys; key->name; key++) {
		const struct yaml *value = yaml_get(map, key->name);
		bool ok = true;
		if (!value && key->required)
			return schema_fail(r, map->place, "%s needs `%s`", section->name, key->name);
		if (value)
			ok = read_value(r, key, value, object);
		else if (key->fallback && !is_by_hand(key->type))
			ok = read_fallback(r, key, object);
		if (!ok)
			return false;
	}
	return true;
}
