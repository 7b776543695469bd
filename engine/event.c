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

#define NUMBER(key, member) \
	{ \
		FIELD_NUMBER, key, offsetof(struct event, member) \
	}
#define STRING(key, member) \
	{ \
		FIELD_STRING, key, offsetof(struct event, member) \
	}
#define INV NUMBER("inv", invocation)
#define FAULT_FIELDS \
	{ \
		STRING("fault", fault), STRING("type", type), INV, STRING("why", why) \
	}

static const struct event_field fields[EVENT_KIND_COUNT][EVENT_FIELDS_MAX + 1] = {
	[EVENT_RUN_START] = {STRING("plan", plan)},
	[EVENT_RUN_END] = {STRING("reason", reason), STRING("why", why)},
	[EVENT_NODE_STARTED] = {INV, NUMBER("pid", pid)},
	[EVENT_NODE_READY] = {INV},
	[EVENT_NODE_LAUNCH_FAILED] = {INV, STRING("step", why), {FIELD_ERRNO, "errno", 0}},
	[EVENT_NODE_EXITED] = {INV, {FIELD_STATUS, NULL, 0}, NUMBER("out_bytes", out_bytes), NUMBER("err_bytes", err_bytes),
		STRING("out_sha256", out_sha256), STRING("err_sha256", err_sha256)},
	[EVENT_NODE_CLEANED] = {INV},
	[EVENT_PROC_OOM] = {INV, NUMBER("kills", kills)},
	[EVENT_IO_LINE] = {INV, {FIELD_STREAM, "stream", 0}, NUMBER("line", line), {FIELD_TEXT, NULL, 0}, {FIELD_CUT, "cut", 0}},
	[EVENT_FAULT_SELECTED] = FAULT_FIELDS,
	[EVENT_FAULT_APPLIED] = FAULT_FIELDS,
	[EVENT_FAULT_REJECTED] = FAULT_FIELDS,
	[EVENT_FAULT_OBSERVED] = FAULT_FIELDS,
	[EVENT_FAULT_HEALED] = FAULT_FIELDS,
	[EVENT_USER_EVENT] = {INV, {FIELD_TEXT, NULL, 0}},
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

/* ---- writing --------------------------------------------------------------------------------------------- */

static void put_number(struct buf *out, uint64_t n)
{
	char digits[20];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(out, digits + at, sizeof digits - at);
}

static void put_escape(struct buf *out, unsigned char c)
{
	static const char short_names[] = "\"\"\\\\\nn\tt\rr\bb\ff";
	for (const char *p = short_names; *p; p += 2)
		if (c == (unsigned char)p[0]) {
			buf_char(out, '\\');
			buf_char(out, p[1]);
			return;
		}
	buf_str(out, "\\u00");
	buf_hex(out, &c, 1);
}

/* bytes are UTF-8; runs without escapes are copied whole. */
static void put_string(struct buf *out, const char *bytes, size_t size)
{
	size_t done = 0;
	buf_char(out, '"');
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		buf_add(out, bytes + done, i - done);
		put_escape(out, c);
		done = i + 1;
	}
	buf_add(out, bytes + done, size - done);
	buf_char(out, '"');
}

/* Text of the agent is UTF-8 unless the agent is broken: the line stays valid JSON even then. */
static void put_name(struct buf *out, const char *text)
{
	size_t size = strlen(text);
	if (text_is_utf8(text, size)) {
		put_string(out, text, size);
		return;
	}
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
	put_string(out, mended.data, mended.size);
	buf_free(&mended);
}

static void put_key(struct buf *out, const char *key)
{
	buf_add(out, ",\"", 2);
	buf_str(out, key);
	buf_add(out, "\":", 2);
}

static void put_text(struct buf *out, struct event_bytes text)
{
	if (text_is_utf8(text.data, text.size)) {
		put_key(out, "text");
		put_string(out, text.data ? text.data : "", text.size);
		return;
	}
	put_key(out, "hex");
	buf_char(out, '"');
	buf_hex(out, text.data, text.size);
	buf_char(out, '"');
}

static void put_field(struct buf *out, const struct event *e, const struct event_field *f)
{
	const char *at = (const char *)e + f->offset;
	const char *string;
	uint64_t number;
	char name[16];

	if (f->type == FIELD_TEXT) {
		put_text(out, e->text);
		return;
	}
	if (f->type == FIELD_CUT && !e->cut)
		return;
	put_key(out, f->type == FIELD_STATUS ? (e->by_signal ? "signal" : "exit") : f->key);
	switch (f->type) {
	case FIELD_NUMBER:
		memcpy(&number, at, sizeof number);
		put_number(out, number);
		break;
	case FIELD_STRING:
		memcpy(&string, at, sizeof string);
		put_name(out, string ? string : "");
		break;
	case FIELD_ERRNO:
		put_name(out, event_errno_name(e->status, name));
		break;
	case FIELD_STREAM:
		buf_str(out, e->is_stderr ? "\"err\"" : "\"out\"");
		break;
	case FIELD_STATUS:
		if (e->by_signal)
			put_name(out, event_signal_name(e->status, name));
		else
			put_number(out, (uint64_t)e->status);
		break;
	case FIELD_CUT:
		buf_str(out, "true");
		break;
	case FIELD_TEXT:
	case FIELD_END:
		break;
	}
}

void event_write(const struct event *e, struct buf *out)
{
	buf_str(out, "{\"seq\":");
	put_number(out, e->seq);
	put_key(out, "icount");
	put_number(out, e->icount);
	put_key(out, "vtime_ns");
	put_number(out, e->vtime_ns);
	put_key(out, "node");
	put_name(out, e->node);
	put_key(out, "kind");
	put_name(out, kind_names[e->kind]);
	for (const struct event_field *f = fields[e->kind]; f->type != FIELD_END; f++)
		put_field(out, e, f);
	buf_str(out, "}\n");
}
