/* The bytes a node's processes write: lines are counted, matched and handed on. Pure: no descriptors, no frames. */
#ifndef AGENT_STREAM_H
#define AGENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/sha256.h"
#include "agent/wire.h"

#define STREAM_TEXT_MAX 1024 /* bytes of a text that is looked for */

/* One output of one invocation. */
struct stream {
	struct sha256 sha;
	uint64_t total;                 /* bytes handed on */
	bool open_line;                 /* bytes of a line without its end have been seen */
	bool holds;                     /* that line holds the text */
	uint8_t carry[STREAM_TEXT_MAX]; /* the last bytes of that line, so that a text across two reads is found */
	size_t carry_size;
};

void stream_init(struct stream *s);

/* What stream_next found. */
struct stream_part {
	size_t size; /* bytes up to and with the newline, or all that were left */
	bool line;   /* they complete a line */
	bool holds;  /* that line holds the text */
};

/* Looks at data up to the first newline. text of size 0 is never found; size > 0. */
struct stream_part stream_next(struct stream *s, const uint8_t *data, size_t size, struct wire_bytes text);

/* Counts bytes that are handed on into the total and the digest. */
void stream_account(struct stream *s, const uint8_t *data, size_t size);

#endif
