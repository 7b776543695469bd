/* QEMU's replay log as the index of a run: the instruction count of every byte written to the serial port.
 *
 * A log is 12 bytes of header (version, big endian; zero while it is being recorded) and events: a kind byte and its data.
 * The layout belongs to the version; this decoder knows 0xe0200c (QEMU 7.2 to 10.0) and refuses others. */
#ifndef ENGINE_REPLAYLOG_H
#define ENGINE_REPLAYLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/err.h"

#define REPLAYLOG_VERSION     0x00e0200cu
#define REPLAYLOG_HEADER_SIZE 12
#define REPLAYLOG_ARRAY_MAX   (16u << 20) /* bytes in one event's data */

enum replaylog_kind {
	REPLAYLOG_INSTRUCTIONS,
	REPLAYLOG_INTERRUPT,
	REPLAYLOG_EXCEPTION,
	REPLAYLOG_ASYNC, /* bottom halves, input, block, network, host characters */
	REPLAYLOG_SHUTDOWN,
	REPLAYLOG_CHAR_WRITE, /* one write to the serial port */
	REPLAYLOG_CHAR_READ,
	REPLAYLOG_AUDIO,
	REPLAYLOG_RANDOM,
	REPLAYLOG_CLOCK,
	REPLAYLOG_CHECKPOINT,
	REPLAYLOG_END,
};

struct replaylog_event {
	enum replaylog_kind kind;
	uint8_t code;     /* the kind byte in the log */
	uint64_t offset;  /* of the kind byte in the log */
	uint64_t icount;  /* instructions since the start of the log, this event's own included */
	uint32_t written; /* CHAR_WRITE: bytes the host took (1 for a byte that was written) */
};

/* State of an incremental decoder; zero is the start. Fields are private except the totals. */
struct replaylog {
	uint64_t icount; /* instructions of the events decoded so far */
	uint64_t offset; /* bytes decoded so far */
	uint64_t serial; /* bytes written to the serial port so far */
	bool ended;      /* the END event was decoded */
	bool header_done;
	bool open; /* the header was zeros: still being recorded */
};

enum replaylog_result { REPLAYLOG_EVENT, REPLAYLOG_MORE, REPLAYLOG_BAD };

/* Decodes the next event from bytes, which start at log offset r->offset; *used is how many of them were consumed (the header
 * is consumed with the first event). MORE: not a whole event yet, nothing is consumed. BAD: *err names offset and reason. */
enum replaylog_result replaylog_next(
	struct replaylog *r, const uint8_t *bytes, size_t size, size_t *used, struct replaylog_event *e, struct err *err);

/* Decodes a whole log. Appends the icount (relative to the start) of every serial byte to *icounts (owned by the caller, free
 * it; may be NULL on entry) and sets *count and *total (instructions in the log; may be NULL). A log without END is an error. */
bool replaylog_serial(const uint8_t *bytes, size_t size, uint64_t **icounts, size_t *count, uint64_t *total, struct err *err);

/* Instructions in a whole log. */
bool replaylog_total(const uint8_t *bytes, size_t size, uint64_t *total, struct err *err);

/* Adds to the count of the log's first instructions event, which is at *offset then (may be NULL). False if there is no such
 * event in bytes (ERR_INPUT if they are a whole or damaged log), or the sum is impossible. */
bool replaylog_shift(uint8_t *bytes, size_t size, int64_t instructions, uint64_t *offset, struct err *err);

/* Takes the SHUTDOWN events out that QEMU's own `quit` recorded: they would end a replaying QEMU at about the guest's last stop.
 * Shortens bytes in place. False with ERR_INPUT if the log is not whole. */
bool replaylog_close(uint8_t *bytes, size_t size, size_t *new_size, struct err *err);

const char *replaylog_kind_name(enum replaylog_kind kind);

#endif
