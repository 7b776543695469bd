/* QEMU's machine protocol as bytes: parse what QEMU sends, format what we send. No sockets, no blocking. */
#ifndef ENGINE_QMP_H
#define ENGINE_QMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/buf.h"
#include "engine/err.h"
#include "engine/json.h"

#define QMP_LINE_MAX (4u << 20) /* bytes of one message */

enum qmp_kind { QMP_GREETING, QMP_RETURN, QMP_ERROR, QMP_EVENT };

struct qmp_message {
	enum qmp_kind kind;
	uint64_t id;             /* RETURN and ERROR: the id of the command, 0 if it had none */
	const char *event;       /* EVENT: its name */
	const char *description; /* ERROR: QEMU's sentence */
	const struct json *data; /* RETURN: its value; EVENT: "data" or NULL; GREETING: the greeting */
	struct json *root;       /* owns all of the above */
};

/* Bytes received and not yet parsed. Zero is the start. */
struct qmp {
	struct buf in;
	size_t scanned;
};

void qmp_finish(struct qmp *q);
void qmp_feed(struct qmp *q, const void *bytes, size_t size);

enum qmp_result { QMP_MESSAGE, QMP_MORE, QMP_BAD };

/* Takes the next message out of what was fed; free it by qmp_message_finish. After BAD (ERR_QEMU) the stream cannot be used. */
enum qmp_result qmp_next(struct qmp *q, struct qmp_message *m, struct err *err);
void qmp_message_finish(struct qmp_message *m);

/* Appends one command line. arguments is NULL or an object (borrowed). */
void qmp_command(struct buf *out, uint64_t id, const char *name, const struct json *arguments);

#endif
