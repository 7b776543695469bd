/* The request of a visitor (agent/visit.h), as it lies in the header of the region for frames. Pure: bytes in, values out. */
#ifndef AGENT_VISIT_REQUEST_H
#define AGENT_VISIT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/outbox.h"
#include "agent/why.h"
#include "agent/wire.h"

#define VISIT_REQUEST     64 /* in the header of the region: u32le size, then one frame of type VISIT */
#define VISIT_REQUEST_MAX (OUTBOX_HEADER - VISIT_REQUEST - 4)
#define VISIT_STRINGS_MAX 256 /* arguments; entries of the environment */

/* argv and env borrow from the header. */
struct visit_request {
	size_t node; /* spec->count: the machine itself */
	const char *argv[VISIT_STRINGS_MAX + 1];
	const char *env[VISIT_STRINGS_MAX + 1];
	char cwd[256];
	enum wire_visit reads;
	bool hold;              /* the nodes stand still meanwhile */
	uint16_t rows, columns; /* of a terminal */
};

/* The size of the request in the header, OUTBOX_HEADER bytes; false, with why->text, if it cannot be one. */
bool visit_size(const uint8_t *header, size_t *ret, struct why *why);
bool visit_read(const uint8_t *header, size_t node_count, struct visit_request *ret, struct why *why);

#endif
