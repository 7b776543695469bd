/* A conversation with one QEMU over its monitor socket: commands and their answers in order, events kept until asked for. */
#ifndef ENGINE_MONITOR_H
#define ENGINE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/json.h"
#include "engine/qmp.h"

#define MONITOR_PATIENCE_MS 50 /* for an answer, once it is wanted that everything stops */

struct monitor;

/* fd becomes owned. cancel_fd: readable when a wait shall end early; -1: none. */
struct monitor *monitor_create(int fd, int cancel_fd);
/* Who may ask to stop while an answer is waited for. A command that QEMU has got is not cut short by that, unless QEMU takes
 * longer than MONITOR_PATIENCE_MS: then the wait ends with ERR_CANCELLED, and the monitor is of no more use (monitor_lost). */
void monitor_set_cancel(struct monitor *m, struct cancel *cancel);
bool monitor_lost(const struct monitor *m);
void monitor_destroy(struct monitor *m);
int monitor_fd(const struct monitor *m);

/* Sends a command without waiting; its id goes to monitor_answer. arguments (may be NULL) become owned. */
uint64_t monitor_send(struct monitor *m, const char *name, struct json *arguments);
/* Waits for the answer to that id, and forgets answers to earlier ones. *result (may be NULL) is the message, to be finished by
 * the caller. False: QEMU refused (its sentence), was silent for timeout_ms, ended, or the wait was cancelled. */
bool monitor_answer(struct monitor *m, uint64_t id, int timeout_ms, struct qmp_message *result, struct err *err);
/* Both in one. */
bool monitor_call(
	struct monitor *m, const char *name, struct json *arguments, int timeout_ms, struct qmp_message *result, struct err *err);
/* A human monitor command; its text is appended to out (may be NULL). */
bool monitor_human(struct monitor *m, const char *line, int timeout_ms, struct buf *out, struct err *err);

/* Waits at most timeout_ms (-1: for ever) for an event. *got is false when there was none in time or QEMU has ended. */
bool monitor_event(struct monitor *m, int timeout_ms, bool *got, struct qmp_message *event, struct err *err);
/* QEMU has closed its end; all it said has been read. */
bool monitor_closed(const struct monitor *m);

#endif
