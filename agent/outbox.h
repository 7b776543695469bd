/* Frames to the engine: appended to the region of memory that the host reads, one byte on the serial port for each. */
#ifndef AGENT_OUTBOX_H
#define AGENT_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/why.h"
#include "agent/wire.h"

#define OUTBOX_HEADER  4096         /* bytes of the region before the frames */
#define OUTBOX_RESERVE (128 * 1024) /* bytes kept for what ends a run: exits, rejected faults, the end itself */

struct outbox {
	uint8_t *region;            /* borrowed: header, then frames */
	uint64_t size;              /* of the frames' part */
	uint64_t tail, number;      /* bytes and frames so far */
	uint64_t epoch_ns;          /* CLOCK_MONOTONIC at the barrier, 0 before it */
	bool full;                  /* output no longer fits: the run has to end */
	void (*ring)(uint8_t byte); /* port_ring, or a test's */
	void (*stop)(void);         /* never comes back; called after FATAL */
};

/* Takes an empty region. Errors: the region is too small. */
bool outbox_init(struct outbox *r, void *region, uint64_t size, void (*ring)(uint8_t), void (*stop)(void), struct why *why);

/* Maps the region that `text`, "0x<base>,0x<size>", names in physical memory. The mapping is for ever. */
bool outbox_map(const char *text, void **ret_region, uint64_t *ret_size, struct why *why);

/* Guest CLOCK_MONOTONIC since the barrier. */
uint64_t outbox_now_ns(const struct outbox *r);

/* Stamps m with the time and sends it. OUTPUT and USER frames that would eat into the reserve are dropped and set r->full. */
void outbox_send(struct outbox *r, struct wire_message *m);

/* Says that the agent cannot go on, and stops the machine. errnum 0 for none. */
_Noreturn void outbox_fatal(struct outbox *r, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
