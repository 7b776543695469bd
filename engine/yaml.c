#include "engine/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <libfyaml.h>

#include "engine/buf.h"

struct yaml_document {
	struct yaml *root;
	struct yaml **all; /* every value and key, to release them without walking the tree */
	size_t count, room;
};

/* Where the builder stands: the containers that are open, the innermost last. */
struct builder {
	const char *bytes, *name;
	size_t size;
	struct yaml_document *document;
	struct yaml *open[YAML_DEPTH_MAX];
	struct yaml *last[YAML_DEPTH_MAX]; /* the last value of each */
	struct yaml *key[YAML_DEPTH_MAX];  /* a map's key that waits for its value */
	size_t depth;
	struct text_place place; /* of the last thing seen */
	struct err *err;
};

/* ---- errors with a place --------------------------------------------------------------------------------- */

enum { WINDOW_COLUMNS = 100, SENTENCE_MAX = 1000 };

/* Appends the part of the line around the column, and a caret under it. */
static void put_window(struct buf *out, const char *line, size_t size, unsigned column)
{
	unsigned skip = column > WINDOW_COLUMNS - 20 ? column - WINDOW_COLUMNS / 2 : 0;
	unsigned at = 0, shown = 0;
	uint32_t c;

	buf_str(out, "\n    ");
	for (size_t i = 0; i < size && shown < WINDOW_COLUMNS; at++) {
		size_t length = text_utf8_next(line + i, size - i, &c);
		if (!length)
			length = 1;
		if (at >= skip) {
			text_put_masked(out, line + i, length);
			shown++;
		}
		i += length;
	}
	buf_str(out, "\n    ");
	for (unsigned i = skip + 1; i < column; i++)
		buf_char(out, ' ');
	buf_char(out, '^');
}

bool yaml_vfail(
	const char *bytes, size_t size, const char *name, struct text_place place, struct err *err, const char *fmt, va_list args)
{
	struct buf sentence = {0}, out = {0};

	buf_vprintf(&sentence, fmt, args);
	text_put_masked(&out, name, strlen(name));
	if (place.line)
		buf_printf(&out, ":%u:%u", place.line, place.column);
	buf_str(&out, ": ");
	text_put_masked(&out, sentence.data ? sentence.data : "", sentence.size < SENTENCE_MAX ? sentence.size : SENTENCE_MAX);
	const char *line = bytes, *end = bytes + size;
	for (unsigned i = 1; line && i < place.line; i++) {
		line = memchr(line, '\n', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	if (place.line && line && line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		put_window(&out, line, (size_t)((stop ? stop : end) - line), place.column);
	}
	err_set(err, ERR_INPUT, "%s", out.data);
	buf_free(&sentence);
	buf_free(&out);
	return false;
}

bool yaml_fail(const char *bytes, size_t size, const char *name, struct text_place place, struct err *err, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	yaml_vfail(bytes, size, name, place, err, fmt, args);
	va_end(args);
	return false;
}

static bool fail(struct builder *b, struct text_place place, const char *fmt, ...) PRINTF_LIKE(3, 4);

static bool fail(struct builder *b, struct text_place place, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	yaml_vfail(b->bytes, b->size, b->name, place, b->err, fmt, args);
	va_end(args);
	return false;
}

/* ---- building -------------------------------------------------------------------------------------------- */

static struct yaml *value_create(struct builder *b, enum yaml_kind kind, struct text_place place)
{
	struct yaml_document *d = b->document;
	if (d->count >= YAML_VALUES_MAX) {
		fail(b, place, "more than %d values in one file", YAML_VALUES_MAX);
		return NULL;
	}
	struct yaml *value = mem_alloc(sizeof *value);
	value->kind = kind;
	value->place = place;
	ARRAY_PUSH(d->all, d->count, d->room) = value;
	return value;
}

/* A key of the innermost map is kept until its value comes. */
static bool take_key(struct builder *b, struct yaml *value)
{
	const struct yaml *map = b->open[b->depth - 1];
	if (value->kind != YAML_SCALAR)
		return fail(b, value->place, "a key must be a word, not a list or a map");
	const struct yaml *other = yaml_get(map, value->text);
	if (other)
		return fail(b, value->place, "`%s` is here twice: first in line %u", value->text, other->key->place.line);
	if (map->count >= YAML_KEYS_MAX)
		return fail(b, value->place, "more than %d keys in one map", YAML_KEYS_MAX);
	b->key[b->depth - 1] = value;
	return true;
}

/* Puts a value where it belongs: the root, the end of a list, a key of a map or the value of the waiting key. */
static bool place_value(struct builder *b, struct yaml *value)
{
	if (b->depth == 0) {
		b->document->root = value;
		return true;
	}
	size_t top = b->depth - 1;
	struct yaml *parent = b->open[top];
	if (parent->kind == YAML_MAP && !b->key[top])
		return take_key(b, value);
	value->key = b->key[top];
	b->key[top] = NULL;
	if (b->last[top])
		b->last[top]->next = value;
	else
		parent->first = value;
	b->last[top] = value;
	parent->count++;
	return true;
}

static bool open_container(struct builder *b, enum yaml_kind kind)
{
	struct yaml *value = value_create(b, kind, b->place);
	if (!value || !place_value(b, value))
		return false;
	if (b->depth == YAML_DEPTH_MAX)
		return fail(b, b->place, "lists and maps are nested more than %d deep", YAML_DEPTH_MAX);
	b->open[b->depth] = value;
	b->last[b->depth] = NULL;
	b->key[b->depth] = NULL;
	b->depth++;
	return true;
}

static bool scalar(struct builder *b, const struct fy_event *e)
{
	size_t size = 0;
	const char *text = e->scalar.value ? fy_token_get_text(e->scalar.value, &size) : "";
	struct yaml *value = value_create(b, YAML_SCALAR, b->place);
	if (!value)
		return false;
	if (!text || size > YAML_TEXT_MAX)
		return fail(b, b->place, "a text of more than %d bytes", YAML_TEXT_MAX);
	value->plain = !e->scalar.value || fy_token_scalar_style(e->scalar.value) == FYSS_PLAIN;
	value->text = mem_strn(text, size);
	value->size = size;
	if (memchr(text, '\0', size) || !text_is_utf8(text, size))
		return fail(b, b->place, "a text holds a NUL character or is not UTF-8");
	return place_value(b, value);
}

static bool no_sharing(struct builder *b, const struct fy_token *anchor, const struct fy_token *tag)
{
	if (anchor)
		return fail(b, b->place, "anchors (&name) and aliases (*name) are not taken here: write the value out");
	if (tag)
		return fail(b, b->place, "tags (!name) are not taken here");
	return true;
}

static bool is_quoted(struct fy_token *token)
{
	enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
	return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static bool take_event(struct builder *b, struct fy_event *e)
{
	const struct fy_mark *mark = fy_event_start_mark(e);
	if (mark && mark->line >= 0 && mark->column >= 0)
		b->place = (struct text_place){(unsigned)mark->line + 1, (unsigned)mark->column + 1};
	if (e->type == FYET_SCALAR && is_quoted(e->scalar.value) && b->place.column > 1)
		b->place.column--; /* the mark stands behind the quote */
	switch (e->type) {
	case FYET_SCALAR:
		return no_sharing(b, e->scalar.anchor, e->scalar.tag) && scalar(b, e);
	case FYET_SEQUENCE_START:
		return no_sharing(b, e->sequence_start.anchor, e->sequence_start.tag) && open_container(b, YAML_LIST);
	case FYET_MAPPING_START:
		return no_sharing(b, e->mapping_start.anchor, e->mapping_start.tag) && open_container(b, YAML_MAP);
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		b->depth--;
		return true;
	case FYET_ALIAS:
		return no_sharing(b, e->alias.anchor, NULL);
	case FYET_DOCUMENT_START:
		return !b->document->root || fail(b, b->place, "a second document in one file");
	default:
		return true;
	}
}

/* libfyaml's own sentence and place. */
static bool syntax_error(struct builder *b, struct fy_diag *diag)
{
	void *at = NULL;
	const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
	if (!error)
		return fail(b, b->place, "this is not YAML");
	struct text_place place = {0};
	if (error->line > 0 && error->column > 0)
		place = (struct text_place){(unsigned)error->line, (unsigned)error->column};
	return fail(b, place, "this is not YAML: %s", error->msg ? error->msg : "syntax error");
}

static bool build(struct builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
	struct fy_event *e;
	bool ok = fy_parser_set_string(parser, b->bytes, b->size) == 0;
	while (ok && (e = fy_parser_parse(parser))) {
		ok = take_event(b, e);
		fy_parser_event_free(parser, e);
		if (!ok)
			return false;
	}
	if (!ok || fy_diag_got_error(diag))
		return syntax_error(b, diag);
	if (!b->document->root)
		return fail(b, (struct text_place){0}, "the file is empty");
	return true;
}

/* libfyaml takes NUL bytes for the end and guesses at encodings: only UTF-8 text reaches it. */
static bool is_text(struct builder *b)
{
	struct text_place place = {1, 1};
	uint32_t c;
	for (size_t i = 0; i < b->size;) {
		size_t length = text_utf8_next(b->bytes + i, b->size - i, &c);
		if (!length)
			return fail(b, place, "this byte (0x%02x) is not UTF-8", (unsigned char)b->bytes[i]);
		if (c == 0 || c == 0xfeff)
			return fail(b, place, c ? "a byte order mark is not taken here" : "a NUL character");
		place.column++;
		if (c == '\n')
			place = (struct text_place){place.line + 1, 1};
		i += length;
	}
	return true;
}

struct yaml_document *yaml_parse(const char *bytes, size_t size, const char *name, struct err *err)
{
	struct builder b = {.bytes = bytes, .size = size, .name = name, .err = err, .place = {1, 1}};
	if (!is_text(&b))
		return NULL;
	b.document = mem_alloc(sizeof *b.document);
	struct fy_diag_cfg diag_config = {.level = FYET_ERROR, .module_mask = ~0u};
	struct fy_diag *diag = fy_diag_create(&diag_config);
	bool ok = false;
	if (diag) {
		fy_diag_set_collect_errors(diag, true);
		struct fy_parse_cfg config = {
			.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE, .diag = diag};
		struct fy_parser *parser = fy_parser_create(&config);
		ok = parser ? build(&b, parser, diag) : err_set(err, ERR_SYSTEM, "%s: the YAML parser cannot start", name);
		fy_parser_destroy(parser);
		fy_diag_destroy(diag);
	}
	if (ok)
		return b.document;
	yaml_destroy(b.document);
	return NULL;
}

void yaml_destroy(struct yaml_document *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++) {
		free((char *)d->all[i]->text);
		free(d->all[i]);
	}
	free(d->all);
	free(d);
}

const struct yaml *yaml_root(const struct yaml_document *d)
{
	return d->root;
}

const struct yaml *yaml_get(const struct yaml *map, const char *key)
{
	for (const struct yaml *value = map->kind == YAML_MAP ? map->first : NULL; value; value = value->next)
		if (strcmp(value->key->text, key) == 0)
			return value;
	return NULL;
}
