#include "engine/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>

#include "engine/text.h"

/* ---- tables ---------------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
#define EVENT_NAME(id, name) [EVENT_##id] = name,
	EVENT_KINDS(EVENT_NAME)
#undef EVENT_NAME
};

#define FIELD(type, name, at) \
	{ \
		type, ",\"" name "\":", sizeof(",\"" name "\":") - 1, at \
	}
#define NUMBER(name, member) FIELD(FIELD_NUMBER, name, offsetof(struct event, member))
#define STRING(name, member) FIELD(FIELD_STRING, name, offsetof(struct event, member))
#define INV                  NUMBER("inv", invocation)
#define OF_A_FAULT           STRING("fault", fault), STRING("type", type), INV, STRING("why", why)

static const struct event_field fields[EVENT_KIND_COUNT][EVENT_FIELDS_MAX + 1] = {
	[EVENT_RUN_START] = {STRING("plan", plan)},
	[EVENT_RUN_END] = {STRING("reason", reason), STRING("why", why)},
	[EVENT_NODE_STARTED] = {INV, NUMBER("pid", pid)},
	[EVENT_NODE_READY] = {INV},
	[EVENT_NODE_LAUNCH_FAILED] = {INV, STRING("step", why), FIELD(FIELD_ERRNO, "errno", 0)},
	[EVENT_NODE_EXITED] = {INV, {.type = FIELD_STATUS}, NUMBER("out_bytes", out_bytes), NUMBER("err_bytes", err_bytes),
		STRING("out_sha256", out_sha256), STRING("err_sha256", err_sha256)},
	[EVENT_NODE_CLEANED] = {INV},
	[EVENT_PROC_OOM] = {INV, NUMBER("kills", kills)},
	[EVENT_IO_LINE] = {INV, FIELD(FIELD_STREAM, "stream", 0), NUMBER("line", line), {.type = FIELD_TEXT},
		FIELD(FIELD_CUT, "cut", 0)},
	[EVENT_FAULT_SELECTED] = {OF_A_FAULT},
	[EVENT_FAULT_APPLIED] = {OF_A_FAULT},
	[EVENT_FAULT_REJECTED] = {OF_A_FAULT},
	[EVENT_FAULT_OBSERVED] = {OF_A_FAULT},
	[EVENT_FAULT_HEALED] = {OF_A_FAULT},
	[EVENT_USER_EVENT] = {INV, {.type = FIELD_TEXT}},
	[EVENT_USER_INPUT] = {INV, {.type = FIELD_TEXT}},
	[EVENT_RUN_ENDING] = {STRING("reason", reason)},
};

const struct event_field *event_fields(enum event_kind kind)
{
	return fields[kind];
}

const char *event_kind_name(enum event_kind kind)
{
	return kind_names[kind];
}

bool event_kind_find(const char *name, enum event_kind *ret)
{
	for (int i = 0; i < EVENT_KIND_COUNT; i++)
		if (strcmp(kind_names[i], name) == 0) {
			*ret = (enum event_kind)i;
			return true;
		}
	return false;
}

bool event_is_fault(const struct event *e)
{
	return e->kind >= EVENT_FAULT_SELECTED && e->kind <= EVENT_FAULT_HEALED;
}

/* ---- names of signals and errors ------------------------------------------------------------------------- */

const char *event_signal_name(int signal, char buffer[16])
{
	const char *name = signal > 0 ? sigabbrev_np(signal) : NULL;
	if (name)
		snprintf(buffer, 16, "SIG%s", name);
	else
		snprintf(buffer, 16, "%d", signal);
	return buffer;
}

int event_signal_number(const char *name)
{
	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (int i = 1; i < NSIG; i++) {
		const char *known = sigabbrev_np(i);
		if (known && strcmp(known, name) == 0)
			return i;
	}
	return 0;
}

const char *event_errno_name(int number, char buffer[16])
{
	const char *name = number > 0 ? strerrorname_np(number) : NULL;
	if (name)
		snprintf(buffer, 16, "%s", name);
	else
		snprintf(buffer, 16, "%d", number);
	return buffer;
}

int event_errno_number(const char *name)
{
	for (int i = 1; i < 256; i++) {
		const char *known = strerrorname_np(i);
		if (known && strcmp(known, name) == 0)
			return i;
	}
	return 0;
}

/* ---- writing: into room that was reserved at once, for a million of these are written in a long run ------------- */

static char *put(char *p, const char *bytes, size_t size)
{
	if (size)
		memcpy(p, bytes, size);
	return p + size;
}
#define PUT(p, literal) put(p, literal, sizeof(literal) - 1)

static char *put_number(char *p, uint64_t n)
{
	char digits[20];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	return put(p, digits + at, sizeof digits - at);
}

static char *put_hex(char *p, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		*p++ = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
		*p++ = "0123456789abcdef"[(unsigned char)bytes[i] & 15];
	}
	return p;
}

static char *put_escape(char *p, char c)
{
	static const char short_names[] = "\"\"\\\\\nn\tt\rr\bb\ff";
	for (const char *s = short_names; *s; s += 2)
		if (c == s[0]) {
			*p++ = '\\';
			*p++ = s[1];
			return p;
		}
	return put_hex(PUT(p, "\\u00"), &c, 1);
}

/* bytes are UTF-8; what needs no escape is copied in one go. */
static char *put_string(char *p, const char *bytes, size_t size)
{
	size_t done = 0;
	*p++ = '"';
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		p = put_escape(put(p, bytes + done, i - done), bytes[i]);
		done = i + 1;
	}
	p = put(p, bytes + done, size - done);
	*p++ = '"';
	return p;
}

/* Text of the agent is UTF-8 unless the agent is broken: the line stays valid JSON even then. */
static char *put_name(char *p, const char *text)
{
	size_t size = strlen(text);
	if (text_is_utf8(text, size))
		return put_string(p, text, size);
	struct buf mended = {0};
	for (size_t i = 0; i < size;) {
		uint32_t c;
		size_t length = text_utf8_next(text + i, size - i, &c);
		if (length)
			buf_add(&mended, text + i, length);
		else
			buf_str(&mended, "\xef\xbf\xbd");
		i += length ? length : 1;
	}
	p = put_string(p, mended.data, mended.size);
	buf_free(&mended);
	return p;
}

static char *put_text(char *p, struct event_bytes text)
{
	if (text_is_utf8(text.data, text.size))
		return put_string(PUT(p, ",\"text\":"), text.data ? text.data : "", text.size);
	p = put_hex(PUT(p, ",\"hex\":\""), text.data, text.size);
	*p++ = '"';
	return p;
}

static char *put_status(char *p, const struct event *e)
{
	char name[16];
	if (e->by_signal)
		return put_name(PUT(p, ",\"signal\":"), event_signal_name(e->status, name));
	return put_number(PUT(p, ",\"exit\":"), (uint64_t)e->status);
}

static const char *string_at(const struct event *e, const struct event_field *f)
{
	const char *string;
	memcpy(&string, (const char *)e + f->offset, sizeof string);
	return string ? string : "";
}

static char *put_field(char *p, const struct event *e, const struct event_field *f)
{
	uint64_t number;
	char name[16];

	if (f->type == FIELD_CUT && !e->cut)
		return p;
	p = put(p, f->key, f->key_size);
	switch (f->type) {
	case FIELD_NUMBER:
		memcpy(&number, (const char *)e + f->offset, sizeof number);
		return put_number(p, number);
	case FIELD_STRING:
		return put_name(p, string_at(e, f));
	case FIELD_ERRNO:
		return put_name(p, event_errno_name(e->status, name));
	case FIELD_STREAM:
		return e->is_stderr ? PUT(p, "\"err\"") : PUT(p, "\"out\"");
	case FIELD_STATUS:
		return put_status(p, e);
	case FIELD_TEXT:
		return put_text(p, e->text);
	case FIELD_CUT:
		return PUT(p, "true");
	case FIELD_END:
		break;
	}
	return p;
}

/* No line is longer: each byte of a string becomes at most six, each number, name of a number and key fits its part of the rest.
 */
static size_t room_for(const struct event *e)
{
	size_t bytes = strlen(e->node) + e->text.size;
	for (const struct event_field *f = fields[e->kind]; f->type != FIELD_END; f++)
		bytes += f->type == FIELD_STRING ? strlen(string_at(e, f)) : 0;
	return 6 * bytes + 64 * (EVENT_FIELDS_MAX + 5);
}

void event_write(const struct event *e, struct buf *out)
{
	buf_reserve(out, room_for(e));
	char *p = out->data + out->size;
	p = put_number(PUT(p, "{\"seq\":"), e->seq);
	p = put_number(PUT(p, ",\"icount\":"), e->icount);
	p = put_number(PUT(p, ",\"vtime_ns\":"), e->vtime_ns);
	p = put_name(PUT(p, ",\"node\":"), e->node);
	p = put_name(PUT(p, ",\"kind\":"), kind_names[e->kind]);
	for (const struct event_field *f = fields[e->kind]; f->type != FIELD_END; f++)
		p = put_field(p, e, f);
	p = PUT(p, "}\n");
	*p = '\0';
	out->size = (size_t)(p - out->data);
}
