/*
 * The client of a debug adapter: requests in the order they came, responses and events in the order they were sent. Knows the
 * messages of the protocol, nothing of what they ask for.
 */
#ifndef ENGINE_DAP_CLIENT_H
#define ENGINE_DAP_CLIENT_H

#include <poll.h>

#include "engine/cancel.h"
#include "engine/dap.h"
#include "engine/json.h"

#define DAP_QUEUE_MAX 256 /* requests that wait while one is answered; what comes after them stays unread */

struct dap_client {
	int in, out;
	/* Waits until one of fds is readable, and does something useful meanwhile. */
	bool (*wait)(void *data, struct pollfd *fds, size_t count, struct err *err);
	void *data;
	struct dap stream;
	struct json *queue[DAP_QUEUE_MAX]; /* requests, the oldest first; owned */
	size_t count;
	uint64_t seq;
	bool closed;       /* it has left, or does not listen any more */
	bool is_bad;       /* it does not speak the protocol: */
	struct err reason; /* why */
};

void dap_client_finish(struct dap_client *c);

/* Takes what has come, without waiting. */
void dap_client_hear(struct dap_client *c);
/* Waits for the next request, which becomes the caller's; *ret NULL when the client has left. False when it does not speak DAP
 * (ERR_INPUT) or the person stopped waiting (ERR_CANCELLED). */
bool dap_client_next(struct dap_client *c, struct cancel *cancel, struct json **ret, struct err *err);
/* Takes a waiting request out of the queue; owned by the caller. */
struct json *dap_client_take(struct dap_client *c, size_t index);

/* Each takes body (NULL: an empty one). message: why it failed; NULL: it did not. */
void dap_client_respond(struct dap_client *c, const struct json *request, const char *message, struct json *body);
void dap_client_event(struct dap_client *c, const char *name, struct json *body);

/* Members of a message: fallback or NULL when it has none of the kind. */
uint64_t dap_number(const struct json *object, const char *key, uint64_t fallback);
int64_t dap_signed(const struct json *object, const char *key, int64_t fallback);
const char *dap_string(const struct json *object, const char *key);
bool dap_bool(const struct json *object, const char *key);

#endif
