#include "engine/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#define KEYS_ON_STACK 64

/* A struct json * is a json-c object, and NULL is the JSON null, as in json-c. */
static struct json_object *in(const struct json *j)
{
	return (struct json_object *)(uintptr_t)j;
}

static struct json *out_of(struct json_object *o)
{
	return (struct json *)o;
}

/* ---- parsing ---- */

static void fail_at(const char *bytes, size_t at, const char *name, const char *why, struct err *err)
{
	size_t line = 1, column = 1;
	for (size_t i = 0; i < at; i++) {
		if (bytes[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	err_set(err, ERR_INPUT, "%s:%zu:%zu: %s", name, line, column, why);
}

/* json-c reads NaN, Infinity and 1e999 as numbers; JSON has no such values. */
static bool all_finite(struct json_object *o)
{
	if (json_object_is_type(o, json_type_double))
		return isfinite(json_object_get_double(o));
	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			if (!all_finite(json_object_array_get_idx(o, i)))
				return false;
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, value)
		{
			(void)key;
			if (!all_finite(value))
				return false;
		}
	}
	return true;
}

/* json-c takes 'single quotes' and comments even when told to be strict. Gives the offset of the first, or size. */
static size_t find_loose(const char *bytes, size_t size)
{
	bool quoted = false;
	for (size_t i = 0; i < size; i++) {
		if (quoted && bytes[i] == '\\')
			i++;
		else if (bytes[i] == '"')
			quoted = !quoted;
		else if (!quoted && (bytes[i] == '\'' || bytes[i] == '/'))
			return i;
	}
	return size;
}

struct json *json_parse(const char *bytes, size_t size, const char *name, struct err *err)
{
	if (size > INT32_MAX) {
		err_set(err, ERR_INPUT, "%s: %zu bytes are too many for one JSON text", name, size);
		return NULL;
	}
	struct json_tokener *t = json_tokener_new_ex(JSON_DEPTH_MAX);
	if (!t) {
		err_set(err, ERR_SYSTEM, "json-c has no memory");
		return NULL;
	}
	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	struct json_object *o = json_tokener_parse_ex(t, bytes, (int)size);
	enum json_tokener_error why = json_tokener_get_error(t);
	size_t end = json_tokener_get_parse_end(t);
	json_tokener_free(t);
	const char *sentence = NULL;
	if (why == json_tokener_continue) {
		sentence = "the text ends in the middle of a JSON value";
		end = size;
	} else if (why == json_tokener_error_depth)
		sentence = "values are nested too deeply";
	else if (why != json_tokener_success)
		sentence = json_tokener_error_desc(why);
	else if (!json_object_is_type(o, json_type_object) && !json_object_is_type(o, json_type_array))
		sentence = "expected an object or an array";
	else if (!all_finite(o))
		sentence = "a number is not finite";
	size_t loose = find_loose(bytes, size);
	if (loose < size && (!sentence || loose < end)) {
		sentence = "unexpected character";
		end = loose;
	}
	/* The tokener stops at a NUL byte or the end of the value. */
	for (size_t i = end; !sentence && i < size; i++)
		if (!strchr(" \t\r\n", bytes[i]) || !bytes[i]) {
			sentence = "unexpected text after the end of the value";
			end = i;
		}
	if (!sentence)
		return out_of(o);
	fail_at(bytes, end, name, sentence, err);
	json_object_put(o);
	return NULL;
}

void json_destroy(struct json *j)
{
	json_object_put(in(j));
}

/* ---- reading ---- */

enum json_kind json_kind(const struct json *j)
{
	switch (json_object_get_type(in(j))) {
	case json_type_boolean:
		return JSON_BOOL;
	case json_type_int:
		return JSON_NUMBER;
	case json_type_double:
		return JSON_REAL;
	case json_type_string:
		return JSON_STRING;
	case json_type_array:
		return JSON_ARRAY;
	case json_type_object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

const char *json_kind_name(enum json_kind type)
{
	static const char *const names[] = {
		"null", "a truth value", "a whole number", "a number", "a string", "an array", "an object"};
	return (size_t)type < sizeof names / sizeof *names ? names[type] : "?";
}

const struct json *json_member(const struct json *j, const char *key)
{
	struct json_object *found = NULL;
	if (json_kind(j) == JSON_OBJECT)
		json_object_object_get_ex(in(j), key, &found);
	return out_of(found);
}

size_t json_count(const struct json *j)
{
	if (json_kind(j) == JSON_ARRAY)
		return json_object_array_length(in(j));
	return json_kind(j) == JSON_OBJECT ? (size_t)json_object_object_length(in(j)) : 0;
}

const struct json *json_at(const struct json *array, size_t index)
{
	return json_kind(array) == JSON_ARRAY ? out_of(json_object_array_get_idx(in(array), index)) : NULL;
}

const struct json *json_member_at(const struct json *object, size_t index, const char **key)
{
	if (json_kind(object) == JSON_OBJECT) {
		json_object_object_foreach(in(object), name, value)
		{
			if (index-- == 0) {
				*key = name;
				return out_of(value);
			}
		}
	}
	*key = NULL;
	return NULL;
}

static bool wrong(const struct json *j, const char *what, const char *expected, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: expected %s, found %s", what, expected, json_kind_name(json_kind(j)));
}

bool json_as_str(const struct json *j, const char *what, const char **out, size_t *size, struct err *err)
{
	if (json_kind(j) != JSON_STRING)
		return wrong(j, what, "a string", err);
	*out = json_object_get_string(in(j));
	if (size)
		*size = (size_t)json_object_get_string_len(in(j));
	else if (strlen(*out) != (size_t)json_object_get_string_len(in(j)))
		return err_set(err, ERR_INPUT, "%s: has a NUL character in it", what);
	return true;
}

bool json_as_u64(const struct json *j, const char *what, uint64_t *out, struct err *err)
{
	if (json_kind(j) != JSON_NUMBER)
		return wrong(j, what, "a whole number", err);
	if (json_object_get_int64(in(j)) < 0)
		return err_set(err, ERR_INPUT, "%s: expected a number that is not negative, found %" PRId64, what,
			json_object_get_int64(in(j)));
	*out = json_object_get_uint64(in(j));
	return true;
}

bool json_as_i64(const struct json *j, const char *what, int64_t *out, struct err *err)
{
	if (json_kind(j) != JSON_NUMBER)
		return wrong(j, what, "a whole number", err);
	if (json_object_get_uint64(in(j)) > INT64_MAX && json_object_get_int64(in(j)) > 0)
		return err_set(err, ERR_INPUT, "%s: %" PRIu64 " is too large", what, json_object_get_uint64(in(j)));
	*out = json_object_get_int64(in(j));
	return true;
}

bool json_as_real(const struct json *j, const char *what, double *out, struct err *err)
{
	if (json_kind(j) != JSON_NUMBER && json_kind(j) != JSON_REAL)
		return wrong(j, what, "a number", err);
	*out = json_object_get_double(in(j));
	return true;
}

bool json_as_bool(const struct json *j, const char *what, bool *out, struct err *err)
{
	if (json_kind(j) != JSON_BOOL)
		return wrong(j, what, "true or false", err);
	*out = json_object_get_boolean(in(j));
	return true;
}

static bool find(const struct json *object, const char *key, const struct json **out, struct err *err)
{
	struct json_object *found = NULL;
	if (json_kind(object) != JSON_OBJECT)
		return wrong(object, key, "to find it in an object", err);
	if (!json_object_object_get_ex(in(object), key, &found))
		return err_set(err, ERR_INPUT, "%s: is missing", key);
	*out = out_of(found);
	return true;
}

bool json_get_str(const struct json *object, const char *key, const char **out, struct err *err)
{
	const struct json *j = NULL;
	return find(object, key, &j, err) && json_as_str(j, key, out, NULL, err);
}

bool json_get_u64(const struct json *object, const char *key, uint64_t *out, struct err *err)
{
	const struct json *j = NULL;
	return find(object, key, &j, err) && json_as_u64(j, key, out, err);
}

bool json_get_i64(const struct json *object, const char *key, int64_t *out, struct err *err)
{
	const struct json *j = NULL;
	return find(object, key, &j, err) && json_as_i64(j, key, out, err);
}

bool json_get_bool(const struct json *object, const char *key, bool *out, struct err *err)
{
	const struct json *j = NULL;
	return find(object, key, &j, err) && json_as_bool(j, key, out, err);
}

bool json_get(const struct json *object, const char *key, enum json_kind type, const struct json **out, struct err *err)
{
	if (!find(object, key, out, err))
		return false;
	return json_kind(*out) == type || wrong(*out, key, json_kind_name(type), err);
}

bool json_only(const struct json *object, const char *const *keys, struct err *err)
{
	if (json_kind(object) != JSON_OBJECT)
		return wrong(object, "value", "an object", err);
	json_object_object_foreach(in(object), name, value)
	{
		(void)value;
		size_t i = 0;
		while (keys[i] && strcmp(keys[i], name))
			i++;
		if (!keys[i])
			return err_set(err, ERR_INPUT, "%s: is not a known member", name);
	}
	return true;
}

/* ---- building ---- */

static struct json *made(struct json_object *o)
{
	if (!o) {
		fputs("polecat: out of memory\n", stderr);
		abort();
	}
	return out_of(o);
}

struct json *json_new_object(void)
{
	return made(json_object_new_object());
}

struct json *json_new_array(void)
{
	return made(json_object_new_array());
}

struct json *json_new_str(const char *text)
{
	return text ? made(json_object_new_string(text)) : NULL;
}

struct json *json_new_strn(const char *text, size_t size)
{
	return made(json_object_new_string_len(text, (int)size));
}

struct json *json_new_u64(uint64_t value)
{
	return made(json_object_new_uint64(value));
}

struct json *json_new_i64(int64_t value)
{
	return made(json_object_new_int64(value));
}

struct json *json_new_real(double value)
{
	return made(json_object_new_double(value));
}

struct json *json_new_bool(bool value)
{
	return made(json_object_new_boolean(value));
}

struct json *json_new_null(void)
{
	return NULL;
}

void json_put(struct json *object, const char *key, struct json *value)
{
	json_object_object_add(in(object), key, in(value));
}

void json_put_str(struct json *object, const char *key, const char *text)
{
	json_put(object, key, json_new_str(text));
}

void json_put_u64(struct json *object, const char *key, uint64_t value)
{
	json_put(object, key, json_new_u64(value));
}

void json_put_i64(struct json *object, const char *key, int64_t value)
{
	json_put(object, key, json_new_i64(value));
}

void json_put_bool(struct json *object, const char *key, bool value)
{
	json_put(object, key, json_new_bool(value));
}

void json_push(struct json *array, struct json *value)
{
	json_object_array_add(in(array), in(value));
}

struct json *json_copy(const struct json *j)
{
	struct json_object *copy = NULL;
	if (j && json_object_deep_copy(in(j), &copy, NULL) < 0)
		made(NULL);
	return out_of(copy);
}

/* ---- writing: done here and not by json-c, so that every byte is decided by this file ---- */

struct style {
	bool pretty, sorted;
};

/* Bytes of the UTF-8 character at p, 0 if it is none. */
static size_t utf8_size(const unsigned char *p, size_t size)
{
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
	if (n == 0 || n > size)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates and numbers above U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
		(p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void json_quote(struct buf *out, const char *text, size_t size)
{
	static const char shorts[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
	const unsigned char *p = (const unsigned char *)text;
	buf_char(out, '"');
	for (size_t i = 0; i < size;) {
		size_t n = utf8_size(p + i, size - i);
		const char *special = p[i] ? strchr(shorts, p[i]) : NULL;
		if (n == 0)
			buf_str(out, "\xef\xbf\xbd");
		else if (special) {
			buf_char(out, '\\');
			buf_char(out, letters[special - shorts]);
		} else if (p[i] < 0x20 || p[i] == 0x7f)
			buf_printf(out, "\\u%04x", p[i]);
		else
			buf_add(out, p + i, n);
		i += n ? n : 1;
	}
	buf_char(out, '"');
}

/* The shortest of %.15g to %.17g that reads back as the same number, with a point whatever the locale says. */
static void write_real(double value, struct buf *out)
{
	char text[40];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (char *p = text; *p; p++)
		if (*p == ',')
			*p = '.';
	buf_str(out, text);
	if (!strpbrk(text, ".e"))
		buf_str(out, ".0");
}

static void new_line(struct buf *out, const struct style *style, int depth)
{
	if (style->pretty)
		buf_printf(out, "\n%*s", 2 * depth, "");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_value(struct json_object *o, struct buf *out, const struct style *style, int depth);

static void write_object(struct json_object *o, struct buf *out, const struct style *style, int depth)
{
	size_t count = (size_t)json_object_object_length(o), n = 0;
	const char **keys = mem_array(count, sizeof *keys);
	json_object_object_foreach(o, name, unused)
	{
		(void)unused;
		keys[n++] = name;
	}
	if (style->sorted)
		qsort(keys, count, sizeof *keys, by_name);
	buf_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_char(out, ',');
		new_line(out, style, depth + 1);
		json_quote(out, keys[i], strlen(keys[i]));
		buf_str(out, style->pretty ? ": " : ":");
		write_value(json_object_object_get(o, keys[i]), out, style, depth + 1);
	}
	if (count)
		new_line(out, style, depth);
	buf_char(out, '}');
	free(keys);
}

static void write_array(struct json_object *o, struct buf *out, const struct style *style, int depth)
{
	size_t count = json_object_array_length(o);
	buf_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_char(out, ',');
		new_line(out, style, depth + 1);
		write_value(json_object_array_get_idx(o, i), out, style, depth + 1);
	}
	if (count)
		new_line(out, style, depth);
	buf_char(out, ']');
}

static void write_value(struct json_object *o, struct buf *out, const struct style *style, int depth)
{
	switch (json_kind(out_of(o))) {
	case JSON_NULL:
		buf_str(out, "null");
		break;
	case JSON_BOOL:
		buf_str(out, json_object_get_boolean(o) ? "true" : "false");
		break;
	case JSON_NUMBER:
		if (json_object_get_int64(o) < 0)
			buf_printf(out, "%" PRId64, json_object_get_int64(o));
		else
			buf_printf(out, "%" PRIu64, json_object_get_uint64(o));
		break;
	case JSON_REAL:
		write_real(json_object_get_double(o), out);
		break;
	case JSON_STRING:
		json_quote(out, json_object_get_string(o), (size_t)json_object_get_string_len(o));
		break;
	case JSON_ARRAY:
		write_array(o, out, style, depth);
		break;
	case JSON_OBJECT:
		write_object(o, out, style, depth);
		break;
	}
}

void json_write(const struct json *j, struct buf *out)
{
	write_value(in(j), out, &(struct style){0}, 0);
}

void json_write_pretty(const struct json *j, struct buf *out)
{
	write_value(in(j), out, &(struct style){.pretty = true}, 0);
	buf_char(out, '\n');
}

void json_write_canonical(const struct json *j, struct buf *out)
{
	write_value(in(j), out, &(struct style){.sorted = true}, 0);
}
