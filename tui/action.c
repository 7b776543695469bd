#include "tui/action.h"

#include <stdio.h>
#include <string.h>

#include "engine/text.h"

static const struct action_info table[ACTION_COUNT] = {
#define ACTION_ROW(id, name, keys, scope, argument, brief, help) {name, keys, argument, brief, help, SCOPE_##scope},
	ACTIONS(ACTION_ROW)
#undef ACTION_ROW
};

static const struct {
	const char *name, *title;
} scopes[SCOPE_COUNT] = {
#define SCOPE_ROW(id, name, title) {name, title},
	SCOPES(SCOPE_ROW)
#undef SCOPE_ROW
};

const struct action_info *action_info(enum action action)
{
	return &table[action];
}

enum action action_find(const char *name, size_t size)
{
	for (int i = 0; i < ACTION_COUNT; i++)
		if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0)
			return (enum action)i;
	return ACTION_NONE;
}

const char *scope_title(enum key_scope scope)
{
	return scopes[scope].title;
}

const char *scope_name(enum key_scope scope)
{
	return scopes[scope].name;
}

bool action_asks(enum action action)
{
	const char *argument = table[action].argument;
	return argument[0] && argument[0] != '[';
}

bool action_needs_argument(enum action action)
{
	return action_asks(action) && table[action].argument[0] != '(';
}

/* ---- keymap ---- */

static bool bind(struct keymap *map, uint32_t key, enum action action)
{
	enum key_scope scope = table[action].scope;
	for (size_t i = 0; i < map->count; i++)
		if (map->bindings[i].key == key && map->bindings[i].scope == scope) {
			map->bindings[i].action = action;
			return true;
		}
	if (map->count == KEYMAP_BINDINGS_MAX)
		return false;
	map->bindings[map->count++] = (struct binding){key, scope, action};
	return true;
}

static void unbind(struct keymap *map, uint32_t key)
{
	size_t kept = 0;
	for (size_t i = 0; i < map->count; i++)
		if (map->bindings[i].key != key)
			map->bindings[kept++] = map->bindings[i];
	map->count = kept;
}

void keymap_init(struct keymap *map)
{
	map->count = 0;
	for (int action = 0; action < ACTION_COUNT; action++)
		for (const char *at = table[action].keys; *at;) {
			size_t size = strcspn(at, " ");
			uint32_t key;
			/* The unit test checks that every key of the table parses. */
			if (keys_parse(at, size, &key, NULL))
				bind(map, key, (enum action)action);
			at += size + (at[size] == ' ');
		}
}

struct token {
	const char *text;
	size_t size, column;
};

static size_t tokens_of(const char *line, size_t size, struct token tokens[3])
{
	size_t count = 0;
	for (size_t i = 0; i < size && count < 3;) {
		while (i < size && (line[i] == ' ' || line[i] == '\t'))
			i++;
		size_t start = i;
		while (i < size && line[i] != ' ' && line[i] != '\t')
			i++;
		if (i > start)
			tokens[count++] = (struct token){line + start, i - start, start + 1};
	}
	return count;
}

/* Bytes of a file in an error sentence: printable, short. */
static const char *quoted(struct token t, char out[48])
{
	size_t n = 0;
	for (; n < t.size && n < 47; n++)
		out[n] = t.text[n] >= ' ' && t.text[n] < 0x7f ? t.text[n] : '?';
	out[n] = '\0';
	return out;
}

static bool parse_line(struct keymap *map, const char *line, size_t size, const char *file, size_t number, struct err *err)
{
	struct token tokens[3];
	char shown[48];
	size_t count = tokens_of(line, size, tokens);
	if (count == 0 || tokens[0].text[0] == '#')
		return true;
	uint32_t key;
	if (!keys_parse(tokens[0].text, tokens[0].size, &key, err))
		return err_set(err, ERR_INPUT,
			"%s:%zu:%zu: '%s' is not a key: expected one character, C-letter, or a name like Left, S-Tab, F1", file,
			number, tokens[0].column, quoted(tokens[0], shown));
	if (count == 1)
		return err_set(err, ERR_INPUT, "%s:%zu:%zu: expected an action or `none` after the key", file, number, size + 1);
	if (count > 2)
		return err_set(err, ERR_INPUT, "%s:%zu:%zu: '%s': expected the end of the line", file, number, tokens[2].column,
			quoted(tokens[2], shown));
	if (tokens[1].size == 4 && memcmp(tokens[1].text, "none", 4) == 0) {
		unbind(map, key);
		return true;
	}
	enum action action = action_find(tokens[1].text, tokens[1].size);
	if (action == ACTION_NONE)
		return err_set(err, ERR_INPUT, "%s:%zu:%zu: there is no action '%s'; `?` lists them", file, number,
			tokens[1].column, quoted(tokens[1], shown));
	if (!bind(map, key, action))
		return err_set(err, ERR_INPUT, "%s:%zu:1: more than %d keys", file, number, KEYMAP_BINDINGS_MAX);
	return true;
}

bool keymap_parse(struct keymap *map, const char *bytes, size_t size, const char *file, struct err *err)
{
	if (size > KEYMAP_FILE_MAX)
		return err_set(err, ERR_INPUT, "%s: has %zu bytes, at most %d are read", file, size, KEYMAP_FILE_MAX);
	struct keymap work = *map;
	struct text_lines l = {.bytes = bytes, .size = size};
	while (text_next_line(&l)) {
		if (l.length > KEYMAP_LINE_MAX)
			return err_set(err, ERR_INPUT, "%s:%zu:%d: line is longer than %d bytes", file, l.number,
				KEYMAP_LINE_MAX + 1, KEYMAP_LINE_MAX);
		if (!parse_line(&work, l.line, l.length, file, l.number, err))
			return false;
	}
	*map = work;
	return true;
}

enum action keymap_find(const struct keymap *map, uint32_t key, unsigned now)
{
	for (int scope = 0; scope < SCOPE_COUNT; scope++)
		for (size_t i = 0; now >> scope & 1 && i < map->count; i++)
			if (map->bindings[i].key == key && map->bindings[i].scope == (enum key_scope)scope)
				return map->bindings[i].action;
	return ACTION_NONE;
}

void keymap_keys(const struct keymap *map, enum action action, bool first, struct buf *out)
{
	bool any = false;
	for (size_t i = 0; i < map->count && !(any && first); i++)
		if (map->bindings[i].action == action) {
			char name[KEYS_NAME_MAX];
			buf_printf(out, "%s%s", any ? " " : "", keys_name(map->bindings[i].key, name));
			any = true;
		}
	if (!any)
		buf_str(out, "");
}
