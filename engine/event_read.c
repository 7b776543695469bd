/* Reading events back: only what event_write writes, so that equal events have equal bytes. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/event.h"
#include "engine/text.h"

struct reader {
	const char *start, *p, *end;
	struct buf *arena;
	struct err *err;
};

static bool expected(struct reader *r, const char *at, const char *what)
{
	return err_set(r->err, ERR_INPUT, "column %zu: expected %s", (size_t)(at - r->start) + 1, what);
}

static bool starts_with(const struct reader *r, const char *text, size_t size)
{
	return (size_t)(r->end - r->p) >= size && memcmp(r->p, text, size) == 0;
}

static bool literal_of(struct reader *r, const char *text, size_t size)
{
	if (!starts_with(r, text, size))
		return expected(r, r->p, text);
	r->p += size;
	return true;
}
#define LITERAL(r, text) literal_of(r, text, sizeof(text) - 1)

static bool number(struct reader *r, uint64_t *ret)
{
	const char *start = r->p;
	uint64_t n = 0;
	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
		unsigned digit = (unsigned)(*r->p - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return expected(r, start, "a number below 2^64");
		n = 10 * n + digit;
	}
	if (r->p == start || (*start == '0' && r->p - start > 1))
		return expected(r, start, "a number without leading zeros");
	*ret = n;
	return true;
}

/* After a backslash: appends what it stands for. Only the escapes that event_write uses are taken. */
static bool escape(struct reader *r)
{
	static const char short_names[] = "\"\"\\\\n\nt\tr\rb\bf\f";
	const char *start = r->p - 1;
	if (r->p < r->end && *r->p != 'u')
		for (const char *p = short_names; *p; p += 2)
			if (*r->p == p[0]) {
				buf_char(r->arena, p[1]);
				r->p++;
				return true;
			}
	unsigned char c;
	char hex[3] = {0};
	if (r->end - r->p < 5 || memcmp(r->p, "u00", 3) != 0)
		return expected(r, start, "a canonical escape");
	memcpy(hex, r->p + 3, 2);
	if (!text_parse_hex(hex, &c, 1) || (c >= 0x20 && c != 0x7f) || (c && strchr("\n\t\r\b\f", c)) ||
		(hex[1] >= 'A' && hex[1] <= 'F'))
		return expected(r, start, "a canonical escape");
	buf_char(r->arena, (char)c);
	r->p += 5;
	return true;
}

/* Up to the next byte that is not itself in a string; *ret_high gathers the high bits of what was passed over. */
static void skip_plain(struct reader *r, unsigned char *ret_high)
{
	for (; r->p < r->end; r->p++) {
		unsigned char c = (unsigned char)*r->p;
		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			return;
		*ret_high |= c;
	}
}

/* The decoded bytes stand in the arena, followed by a NUL that is not counted. */
static bool string(struct reader *r, struct event_bytes *ret)
{
	if (!LITERAL(r, "\""))
		return false;
	const char *start = r->p;
	size_t from = r->arena->size;
	unsigned char high = 0;
	for (;;) {
		const char *run = r->p;
		skip_plain(r, &high);
		buf_add(r->arena, run, (size_t)(r->p - run));
		if (r->p == r->end || (*r->p != '"' && *r->p != '\\'))
			return expected(r, r->p, "the end of a string");
		if (*r->p++ == '"')
			break;
		if (!escape(r))
			return false;
	}
	ret->data = r->arena->data + from;
	ret->size = r->arena->size - from;
	if (high >= 0x80 && !text_is_utf8(ret->data, ret->size))
		return expected(r, start, "UTF-8");
	buf_char(r->arena, '\0');
	return true;
}

static bool name(struct reader *r, const char **ret)
{
	struct event_bytes text;
	const char *start = r->p;
	if (!string(r, &text))
		return false;
	if (memchr(text.data, '\0', text.size))
		return expected(r, start, "a string without NUL bytes");
	*ret = text.data;
	return true;
}

static bool hex_text(struct reader *r, struct event_bytes *ret)
{
	struct event_bytes digits;
	const char *start = r->p;
	if (!string(r, &digits))
		return false;
	size_t size = digits.size / 2;
	char *bytes = r->arena->data + (digits.data - r->arena->data); /* decoded in place: two digits make one byte */
	if (strpbrk(digits.data, "ABCDEF") || digits.size % 2)
		return expected(r, start, "pairs of lower case hex digits");
	for (size_t i = 0; i < size; i++) {
		char pair[3] = {digits.data[2 * i], digits.data[2 * i + 1], '\0'};
		if (!text_parse_hex(pair, bytes + i, 1))
			return expected(r, start, "pairs of lower case hex digits");
	}
	if (text_is_utf8(bytes, size))
		return expected(r, start, "bytes that are not UTF-8 (which would be written as text)");
	*ret = (struct event_bytes){bytes, size};
	return true;
}

static bool text_field(struct reader *r, struct event *e)
{
	static const char hex[] = ",\"hex\":";
	if (!starts_with(r, hex, sizeof hex - 1))
		return LITERAL(r, ",\"text\":") && string(r, &e->text);
	return LITERAL(r, ",\"hex\":") && hex_text(r, &e->text);
}

/* A signal or an error by name; by number only where there is no name. */
static bool by_name(struct reader *r, int (*find)(const char *), const char *(*name_of)(int, char[16]), int *ret)
{
	const char *start = r->p, *text;
	char again[16];
	uint64_t n;
	if (!name(r, &text))
		return false;
	*ret = find(text);
	if (*ret == 0 && text_parse_u64(text, &n) && n <= INT_MAX)
		*ret = (int)n;
	if (strcmp(name_of(*ret, again), text) != 0)
		return expected(r, start, "the name of a signal or an error");
	return true;
}

static bool status_field(struct reader *r, struct event *e)
{
	e->by_signal = starts_with(r, ",\"signal\":", 10);
	if (e->by_signal)
		return LITERAL(r, ",\"signal\":") && by_name(r, event_signal_number, event_signal_name, &e->status);
	uint64_t n;
	if (!LITERAL(r, ",\"exit\":"))
		return false;
	const char *start = r->p;
	if (!number(r, &n))
		return false;
	if (n > INT_MAX)
		return expected(r, start, "an exit status");
	e->status = (int)n;
	return true;
}

static bool stream_field(struct reader *r, struct event *e)
{
	e->is_stderr = starts_with(r, "\"err\"", 5);
	return literal_of(r, e->is_stderr ? "\"err\"" : "\"out\"", 5);
}

static bool field(struct reader *r, struct event *e, const struct event_field *f)
{
	char *at = (char *)e + f->offset;
	const char *text;
	uint64_t n;

	if (f->type == FIELD_CUT) {
		e->cut = starts_with(r, ",", 1);
		return !e->cut || (literal_of(r, f->key, f->key_size) && LITERAL(r, "true"));
	}
	if (f->key && !literal_of(r, f->key, f->key_size))
		return false;
	switch (f->type) {
	case FIELD_NUMBER:
		if (!number(r, &n))
			return false;
		memcpy(at, &n, sizeof n);
		return true;
	case FIELD_STRING:
		if (!name(r, &text))
			return false;
		memcpy(at, &text, sizeof text);
		return true;
	case FIELD_ERRNO:
		return by_name(r, event_errno_number, event_errno_name, &e->status);
	case FIELD_STREAM:
		return stream_field(r, e);
	case FIELD_TEXT:
		return text_field(r, e);
	case FIELD_STATUS:
		return status_field(r, e);
	case FIELD_CUT:
	case FIELD_END:
		break;
	}
	return false;
}

static bool kind(struct reader *r, enum event_kind *ret)
{
	const char *start = r->p, *text;
	if (!name(r, &text))
		return false;
	return event_kind_find(text, ret) || expected(r, start, "a kind of event");
}

static bool head(struct reader *r, uint64_t *seq, uint64_t *icount, uint64_t *vtime_ns)
{
	return LITERAL(r, "{\"seq\":") && number(r, seq) && LITERAL(r, ",\"icount\":") && number(r, icount) &&
		LITERAL(r, ",\"vtime_ns\":") && number(r, vtime_ns);
}

bool event_parse(const char *line, size_t size, struct buf *arena, struct event *e, struct err *err)
{
	struct reader reader = {line, line, line + size, arena, err}, *r = &reader;

	if (size > EVENT_LINE_MAX)
		return err_set(
			err, ERR_INPUT, "column %d: expected a line of at most %d bytes", EVENT_LINE_MAX + 1, EVENT_LINE_MAX);
	*e = (struct event){0};
	buf_clear(arena);
	buf_reserve(arena, size + 1); /* a string shrinks by its quotes and grows by a NUL: the arena never moves */
	if (!head(r, &e->seq, &e->icount, &e->vtime_ns))
		return false;
	if (!LITERAL(r, ",\"node\":") || !name(r, &e->node) || !LITERAL(r, ",\"kind\":") || !kind(r, &e->kind))
		return false;
	for (const struct event_field *f = event_fields(e->kind); f->type != FIELD_END; f++)
		if (!field(r, e, f))
			return false;
	if (!LITERAL(r, "}"))
		return false;
	return r->p == r->end || expected(r, r->p, "the end of the line");
}

bool event_content(const char *line, size_t size, struct event_bytes *ret)
{
	struct reader reader = {line, line, line + size, NULL, NULL}, *r = &reader;
	uint64_t ignored;

	if (!head(r, &ignored, &ignored, &ignored))
		return false;
	if (!starts_with(r, ",\"node\":", 8) || r->end[-1] != '}')
		return false;
	*ret = (struct event_bytes){r->p + 1, (size_t)(r->end - r->p) - 1};
	return true;
}
