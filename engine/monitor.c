#include "engine/monitor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MAX 256
#define LOOK_MS    10 /* how often somebody who may ask to stop is asked */

struct monitor {
	int fd, cancel_fd;
	uint64_t last_id;
	struct qmp in;
	struct qmp_message events[EVENTS_MAX]; /* oldest first */
	size_t event_count;
	struct cancel *cancel;
	bool closed, lost;
};

struct monitor *monitor_create(int fd, int cancel_fd)
{
	struct monitor *m = mem_alloc(sizeof *m);
	m->fd = fd;
	m->cancel_fd = cancel_fd;
	return m;
}

void monitor_destroy(struct monitor *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->event_count; i++)
		qmp_message_finish(&m->events[i]);
	qmp_finish(&m->in);
	close(m->fd);
	free(m);
}

void monitor_set_cancel(struct monitor *m, struct cancel *cancel)
{
	m->cancel = cancel;
}

bool monitor_lost(const struct monitor *m)
{
	return m->lost;
}

int monitor_fd(const struct monitor *m)
{
	return m->fd;
}

bool monitor_closed(const struct monitor *m)
{
	return m->closed && m->event_count == 0;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

uint64_t monitor_send(struct monitor *m, const char *name, struct json *arguments)
{
	struct buf line = {0};
	qmp_command(&line, ++m->last_id, name, arguments);
	json_destroy(arguments);
	/* Commands are short and QEMU reads them at once, so this never waits; a QEMU that has gone is noticed by reading. */
	for (size_t at = 0; at < line.size;) {
		ssize_t put = send(m->fd, line.data + at, line.size - at, MSG_NOSIGNAL);
		if (put < 0 && errno != EINTR)
			break;
		at += put > 0 ? (size_t)put : 0;
	}
	buf_free(&line);
	return m->last_id;
}

static void receive(struct monitor *m)
{
	char block[16384];
	ssize_t got = recv(m->fd, block, sizeof block, MSG_DONTWAIT);
	if (got > 0)
		qmp_feed(&m->in, block, (size_t)got);
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		m->closed = true;
}

static bool cancelled(const struct monitor *m)
{
	struct pollfd p = {m->cancel_fd, POLLIN, 0};
	return m->cancel_fd >= 0 && poll(&p, 1, 0) > 0;
}

/* Waits until bytes came, QEMU ended, or end_ms (-1: never). False: cancelled. */
static bool wait_bytes(struct monitor *m, int64_t end_ms, struct err *err)
{
	struct pollfd p[2] = {{m->fd, POLLIN, 0}, {m->cancel_fd, POLLIN, 0}};
	int64_t left_ms = end_ms < 0 ? -1 : end_ms - now_ms();
	if (end_ms >= 0 && left_ms < 0)
		left_ms = 0;
	int got = poll(p, m->cancel_fd >= 0 ? 2 : 1, (int)left_ms);
	if (got > 0 && p[1].revents && m->cancel_fd >= 0)
		return err_set(err, ERR_CANCELLED, "cancelled");
	if (got > 0 && p[0].revents)
		receive(m);
	return true;
}

/* Next message of any kind. *got is false when time is over or QEMU has ended. */
static bool next(struct monitor *m, int64_t end_ms, bool *got, struct qmp_message *message, struct err *err)
{
	for (;;) {
		enum qmp_result r = qmp_next(&m->in, message, err);
		*got = r == QMP_MESSAGE;
		if (r == QMP_BAD)
			return false;
		if (*got || m->closed)
			return true;
		if (end_ms >= 0 && now_ms() >= end_ms) {
			/* One look without waiting, so that timeout 0 sees what is there. */
			receive(m);
			r = qmp_next(&m->in, message, err);
			*got = r == QMP_MESSAGE;
			return r != QMP_BAD;
		}
		if (!wait_bytes(m, end_ms, err))
			return false;
	}
}

static void keep_event(struct monitor *m, struct qmp_message *event)
{
	/* QEMU sends a handful of events a stop; a flood keeps the newest. */
	if (m->event_count == EVENTS_MAX) {
		qmp_message_finish(&m->events[0]);
		memmove(m->events, m->events + 1, --m->event_count * sizeof *m->events);
	}
	m->events[m->event_count++] = *event;
}

/* As next, with a look at who may ask to stop now and then. */
static bool next_patiently(struct monitor *m, int64_t end_ms, bool *got, struct qmp_message *message, struct err *err)
{
	int64_t asked_ms = 0;
	if (!m->cancel)
		return next(m, end_ms, got, message, err);
	for (;;) {
		int64_t look_ms = now_ms() + LOOK_MS;
		if (!next(m, end_ms >= 0 && end_ms < look_ms ? end_ms : look_ms, got, message, err))
			return false;
		int64_t now = now_ms();
		if (*got || m->closed || (end_ms >= 0 && now >= end_ms))
			return true;
		if (!asked_ms && cancel_requested(m->cancel))
			asked_ms = now;
		m->lost = asked_ms && now - asked_ms >= MONITOR_PATIENCE_MS;
		if (m->lost)
			return err_set(err, ERR_CANCELLED, "stopped on request, while QEMU did not answer");
	}
}

bool monitor_answer(struct monitor *m, uint64_t id, int timeout_ms, struct qmp_message *result, struct err *err)
{
	int64_t end_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	for (;;) {
		struct qmp_message got;
		bool any;
		if (!next_patiently(m, end_ms, &any, &got, err))
			return false;
		if (!any && m->closed)
			return err_set(err, ERR_QEMU, "QEMU ended by itself");
		m->lost = !any;
		if (!any)
			return err_set(err, ERR_QEMU, "QEMU did not answer within %d ms", timeout_ms);
		if (got.kind == QMP_EVENT) {
			keep_event(m, &got);
			continue;
		}
		bool mine = got.kind != QMP_GREETING && got.id == id;
		if (got.kind == QMP_ERROR && (mine || got.id < id)) {
			err_set(err, ERR_QEMU, "QEMU: %.900s", got.description);
			qmp_message_finish(&got);
			return false;
		}
		if (mine && result)
			*result = got;
		else
			qmp_message_finish(&got);
		if (mine)
			return true;
	}
}

bool monitor_call(
	struct monitor *m, const char *name, struct json *arguments, int timeout_ms, struct qmp_message *result, struct err *err)
{
	return monitor_answer(m, monitor_send(m, name, arguments), timeout_ms, result, err) || err_prefix(err, "%s", name);
}

bool monitor_human(struct monitor *m, const char *line, int timeout_ms, struct buf *out, struct err *err)
{
	struct json *arguments = json_new_object();
	json_put_str(arguments, "command-line", line);
	struct qmp_message answer;
	const char *text;
	size_t size;
	if (!monitor_call(m, "human-monitor-command", arguments, timeout_ms, &answer, err))
		return err_prefix(err, "%s", line);
	bool ok = json_as_str(answer.data, "answer", &text, &size, err);
	if (ok && out)
		buf_add(out, text, size);
	qmp_message_finish(&answer);
	return ok;
}

bool monitor_event(struct monitor *m, int timeout_ms, bool *got, struct qmp_message *event, struct err *err)
{
	int64_t end_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	if (m->event_count) {
		*event = m->events[0];
		memmove(m->events, m->events + 1, --m->event_count * sizeof *m->events);
		*got = true;
		return true;
	}
	for (;;) {
		if (cancelled(m))
			return err_set(err, ERR_CANCELLED, "cancelled");
		if (!next(m, end_ms, got, event, err))
			return false;
		if (!*got || event->kind == QMP_EVENT)
			return true;
		qmp_message_finish(event); /* an answer nobody waits for any more */
	}
}
