#include "engine/dap.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

void dap_finish(struct dap *d)
{
	buf_free(&d->in);
}

void dap_feed(struct dap *d, const void *bytes, size_t size)
{
	buf_add(&d->in, bytes, size);
}

static bool number(const char *at, const char *end, size_t *ret)
{
	size_t value = 0, digits = 0;
	while (at < end && *at == ' ')
		at++;
	for (; at < end && *at >= '0' && *at <= '9' && value <= DAP_BODY_MAX; at++, digits++)
		value = value * 10 + (size_t)(*at - '0');
	*ret = value;
	return digits && at == end;
}

/* The length that a header of these bytes promises; lines that are not known are skipped. */
static bool header(const char *bytes, size_t size, size_t *ret, struct err *err)
{
	static const char name[] = "Content-Length:";
	bool found = false;
	for (size_t at = 0; at < size;) {
		const char *newline = memmem(bytes + at, size - at, "\r\n", 2);
		size_t end = newline ? (size_t)(newline - bytes) : size;
		if (end - at >= sizeof name - 1 && !strncasecmp(bytes + at, name, sizeof name - 1)) {
			found = number(bytes + at + sizeof name - 1, bytes + end, ret);
			if (!found)
				return err_set(err, ERR_INPUT, "not DAP: expected a number after %s", name);
		}
		at = end + 2;
	}
	if (!found)
		return err_set(err, ERR_INPUT, "not DAP: expected a header with Content-Length");
	return *ret <= DAP_BODY_MAX || err_set(err, ERR_INPUT, "not DAP: a message of more than %u bytes", DAP_BODY_MAX);
}

enum dap_result dap_next(struct dap *d, struct buf *body, struct err *err)
{
	const char *empty = d->in.size ? memmem(d->in.data, d->in.size, "\r\n\r\n", 4) : NULL;
	size_t size = empty ? (size_t)(empty - d->in.data) : d->in.size, length = 0;
	if (size > DAP_HEADER_MAX + (empty ? 0 : 3)) {
		err_set(err, ERR_INPUT, "not DAP: expected a header of at most %u bytes and an empty line", DAP_HEADER_MAX);
		return DAP_BAD;
	}
	if (!empty)
		return DAP_MORE;
	if (!header(d->in.data, size, &length, err))
		return DAP_BAD;
	if (d->in.size - size - 4 < length)
		return DAP_MORE;
	buf_clear(body);
	buf_add(body, d->in.data + size + 4, length);
	buf_drop(&d->in, size + 4 + length);
	return DAP_MESSAGE;
}

void dap_put(struct buf *out, const struct buf *body)
{
	buf_printf(out, "Content-Length: %zu\r\n\r\n", body->size);
	buf_add(out, body->data, body->size);
}
