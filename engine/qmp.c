#include "engine/qmp.h"

#include <string.h>

void qmp_finish(struct qmp *q)
{
	buf_free(&q->in);
	*q = (struct qmp){0};
}

void qmp_feed(struct qmp *q, const void *bytes, size_t size)
{
	buf_add(&q->in, bytes, size);
}

static bool understand(struct qmp_message *m, struct err *err)
{
	struct err ignored;
	const struct json *id = json_member(m->root, "id"), *part;
	if (id && !json_as_u64(id, "id", &m->id, err))
		return false;
	if (json_get(m->root, "QMP", JSON_OBJECT, &m->data, &ignored)) {
		m->kind = QMP_GREETING;
		return true;
	}
	if (json_get_str(m->root, "event", &m->event, &ignored)) {
		m->kind = QMP_EVENT;
		m->data = json_member(m->root, "data");
		return true;
	}
	if (json_get(m->root, "error", JSON_OBJECT, &part, &ignored)) {
		m->kind = QMP_ERROR;
		return json_get_str(part, "desc", &m->description, err);
	}
	m->kind = QMP_RETURN;
	m->data = json_member(m->root, "return");
	return m->data || err_set(err, ERR_INPUT, "expected a member QMP, event, error or return");
}

enum qmp_result qmp_next(struct qmp *q, struct qmp_message *m, struct err *err)
{
	*m = (struct qmp_message){0};
	for (;;) {
		const char *start = q->in.data;
		const char *end = q->scanned < q->in.size ? memchr(start + q->scanned, '\n', q->in.size - q->scanned) : NULL;
		if (!end) {
			q->scanned = q->in.size;
			if (q->in.size <= QMP_LINE_MAX)
				return QMP_MORE;
			err_set(err, ERR_QEMU, "QEMU's monitor sent a message of more than %u bytes", QMP_LINE_MAX);
			return QMP_BAD;
		}
		size_t size = (size_t)(end - start);
		bool blank = strspn(start, " \t\r") >= size;
		if (!blank)
			m->root = json_parse(start, size, "QMP", err);
		buf_drop(&q->in, size + 1);
		q->scanned = 0;
		if (blank)
			continue;
		if (m->root && understand(m, err))
			return QMP_MESSAGE;
		if (err)
			err->code = ERR_QEMU;
		err_prefix(err, "QEMU's monitor sent something that is not QMP");
		qmp_message_finish(m);
		return QMP_BAD;
	}
}

void qmp_message_finish(struct qmp_message *m)
{
	json_destroy(m->root);
	*m = (struct qmp_message){0};
}

void qmp_command(struct buf *out, uint64_t id, const char *name, const struct json *arguments)
{
	buf_str(out, "{\"execute\":");
	json_quote(out, name, strlen(name));
	if (arguments) {
		buf_str(out, ",\"arguments\":");
		json_write(arguments, out);
	}
	buf_printf(out, ",\"id\":%llu}\n", (unsigned long long)id);
}
