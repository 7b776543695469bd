#include "tui/session.h"

#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

static const char *const names[SESSION_FIELD_COUNT] = {
#define SESSION_NAME(id, name) name,
	SESSION_FIELDS(SESSION_NAME)
#undef SESSION_NAME
};

void session_finish(struct session *s)
{
	for (int field = 0; field < SESSION_FIELD_COUNT; field++)
		for (int i = 0; i < SESSION_VALUES_MAX; i++)
			free(s->values[field][i]);
	*s = (struct session){0};
}

const char *session_value(const struct session *s, enum session_field field)
{
	return s->values[field][0] ? s->values[field][0] : "";
}

static bool twice(enum session_field field)
{
	return field == SESSION_OPEN || field == SESSION_MARK;
}

void session_add(struct session *s, enum session_field field, const char *value)
{
	if (!value || !value[0] || strchr(value, '\n') || strlen(value) > SESSION_LINE_MAX - 16)
		return;
	for (int i = 0; i < (twice(field) ? SESSION_VALUES_MAX : 1); i++)
		if (!s->values[field][i]) {
			s->values[field][i] = mem_str(value);
			return;
		}
}

void session_write(const struct session *s, struct buf *out)
{
	for (int field = 0; field < SESSION_FIELD_COUNT; field++)
		for (int i = 0; i < SESSION_VALUES_MAX; i++)
			if (s->values[field][i])
				buf_printf(out, "%s %s\n", names[field], s->values[field][i]);
}

static bool parse_line(struct session *s, const char *line)
{
	size_t size = strcspn(line, " ");
	for (int field = 0; field < SESSION_FIELD_COUNT; field++)
		if (strlen(names[field]) == size && memcmp(names[field], line, size) == 0 && line[size]) {
			session_add(s, (enum session_field)field, line + size + 1);
			return true;
		}
	return false;
}

bool session_parse(struct session *s, const char *bytes, size_t size, struct err *err)
{
	if (size > SESSION_FILE_MAX)
		return err_set(err, ERR_INPUT, "has %zu bytes, at most %d are read", size, SESSION_FILE_MAX);
	struct text_lines l = {.bytes = bytes, .size = size};
	while (text_next_line(&l)) {
		if (l.length > SESSION_LINE_MAX || memchr(l.line, '\0', l.length))
			return err_set(err, ERR_INPUT, "line %zu: expected text of at most %d bytes", l.number, SESSION_LINE_MAX);
		char *text = mem_strn(l.line, l.length);
		bool ok = parse_line(s, text);
		free(text);
		if (!ok)
			return err_set(
				err, ERR_INPUT, "line %zu: expected a name as `theme` or `open`, a space and a value", l.number);
	}
	return true;
}
