/*
 * Ctrl-C as a value: SIGINT, SIGTERM and SIGHUP are held back and read from a descriptor, so that work stops between two
 * steps and cleans up after itself. One per process, made by the command; a forked child makes its own.
 */
#ifndef ENGINE_CANCEL_H
#define ENGINE_CANCEL_H

#include <stdbool.h>

#include "engine/err.h"

struct cancel {
	int fd; /* readable when asked to stop; may be given to poll */
	bool requested;
	bool (*also)(void *data); /* another way to ask, such as a byte in a socket; may be NULL */
	void *data;
};

bool cancel_init(struct cancel *c, struct err *err);
void cancel_finish(struct cancel *c); /* closes; the signals stay held back */
bool cancel_requested(struct cancel *c);
/* Fails with ERR_CANCELLED once stopping was asked for. NULL never was. */
bool cancel_check(struct cancel *c, struct err *err);

#endif
