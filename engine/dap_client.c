#include "engine/dap_client.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine/file.h"

enum { READ_MAX = 4096, PREDEFINED_MAX = 32 };

void dap_client_finish(struct dap_client *c)
{
	while (c->count)
		json_destroy(c->queue[--c->count]);
	dap_finish(&c->stream);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void give_up(struct dap_client *c, const struct err *why)
{
	c->is_bad = true;
	c->reason = *why;
}

/* One message; a response to something that was never asked is left alone. */
static bool keep(struct dap_client *c, const struct buf *body, struct err *err)
{
	struct json *message = json_parse(body->data ? body->data : "", body->size, "the client's message", err);
	const char *type = dap_string(message, "type");
	if (message && type && !strcmp(type, "request") && dap_string(message, "command")) {
		c->queue[c->count++] = message;
		return true;
	}
	bool ok = message && type && !strcmp(type, "response");
	if (message && !ok)
		err_set(err, ERR_INPUT, "not DAP: expected a request with a command");
	json_destroy(message);
	return ok;
}

/* Messages out of the bytes that have come. */
static void take_in(struct dap_client *c)
{
	struct buf body = {0};
	struct err err = {0};
	while (!c->is_bad && c->count < DAP_QUEUE_MAX) {
		enum dap_result what = dap_next(&c->stream, &body, &err);
		if (what == DAP_MORE)
			break;
		if (what == DAP_BAD || !keep(c, &body, &err))
			give_up(c, &err);
	}
	buf_free(&body);
}

static void read_some(struct dap_client *c)
{
	char bytes[READ_MAX];
	ssize_t n = read(c->in, bytes, sizeof bytes);
	if (n > 0)
		dap_feed(&c->stream, bytes, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		c->closed = true;
}

void dap_client_hear(struct dap_client *c)
{
	struct pollfd fd = {.fd = c->in, .events = POLLIN};
	take_in(c);
	while (!c->closed && !c->is_bad && c->count < DAP_QUEUE_MAX && poll(&fd, 1, 0) > 0) {
		read_some(c);
		take_in(c);
	}
}

/* Waits for the client, or for Ctrl-C. */
static bool wait_for(struct dap_client *c, struct cancel *cancel, struct err *err)
{
	struct pollfd fds[] = {{.fd = c->in, .events = POLLIN}, {.fd = cancel ? cancel->fd : -1, .events = POLLIN}};
	if (!c->wait(c->data, fds, 2, err))
		return false;
	if (fds[1].revents)
		return cancel_check(cancel, err);
	if (fds[0].revents)
		read_some(c);
	return true;
}

bool dap_client_next(struct dap_client *c, struct cancel *cancel, struct json **ret, struct err *err)
{
	*ret = NULL;
	for (;;) {
		take_in(c);
		if (c->count) {
			*ret = dap_client_take(c, 0);
			return true;
		}
		if (c->is_bad) {
			*err = c->reason;
			return false;
		}
		if (c->closed)
			return true;
		if (!wait_for(c, cancel, err))
			return false;
	}
}

struct json *dap_client_take(struct dap_client *c, size_t index)
{
	struct json *message = c->queue[index];
	c->count--;
	memmove(&c->queue[index], &c->queue[index + 1], (c->count - index) * sizeof *c->queue);
	return message;
}

/* ---- responses and events ---------------------------------------------------------------------------------------- */

static void send_message(struct dap_client *c, struct json *message)
{
	struct buf text = {0}, framed = {0};
	struct err ignored;
	json_write(message, &text);
	dap_put(&framed, &text);
	if (!c->closed && !file_write_fd(c->out, framed.data, framed.size, "the client", &ignored))
		c->closed = true;
	buf_free(&text);
	buf_free(&framed);
	json_destroy(message);
}

static struct json *new_message(struct dap_client *c, const char *type)
{
	struct json *j = json_new_object();
	json_put_u64(j, "seq", ++c->seq);
	json_put_str(j, "type", type);
	return j;
}

/* What a client shows to the person. */
static struct json *error_body(const char *message)
{
	struct json *body = json_new_object(), *error = json_new_object(), *variables = json_new_object();
	json_put_u64(error, "id", 1);
	json_put_str(error, "format", "{sentence}");
	json_put_str(variables, "sentence", message);
	json_put(error, "variables", variables);
	json_put_bool(error, "showUser", true);
	json_put(body, "error", error);
	return body;
}

void dap_client_respond(struct dap_client *c, const struct json *request, const char *message, struct json *body)
{
	struct json *j = new_message(c, "response");
	json_put_u64(j, "request_seq", dap_number(request, "seq", 0));
	json_put_bool(j, "success", !message);
	json_put_str(j, "command", dap_string(request, "command"));
	if (message) {
		json_put_str(j, "message", message);
		json_destroy(body);
		body = error_body(message);
	}
	if (!body)
		body = json_new_object();
	json_put(j, "body", body);
	send_message(c, j);
}

void dap_client_event(struct dap_client *c, const char *name, struct json *body)
{
	struct json *j = new_message(c, "event");
	json_put_str(j, "event", name);
	json_put(j, "body", body ? body : json_new_object());
	send_message(c, j);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

uint64_t dap_number(const struct json *object, const char *key, uint64_t fallback)
{
	uint64_t value;
	return json_as_u64(json_member(object, key), key, &value, NULL) ? value : fallback;
}

int64_t dap_signed(const struct json *object, const char *key, int64_t fallback)
{
	int64_t value;
	return json_as_i64(json_member(object, key), key, &value, NULL) ? value : fallback;
}

const char *dap_string(const struct json *object, const char *key)
{
	const char *text;
	return json_as_str(json_member(object, key), key, &text, NULL, NULL) ? text : NULL;
}

bool dap_bool(const struct json *object, const char *key)
{
	bool value;
	return json_as_bool(json_member(object, key), key, &value, NULL) && value;
}
