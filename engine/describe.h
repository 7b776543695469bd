/* What events say, in words for people. */
#ifndef ENGINE_DESCRIBE_H
#define ENGINE_DESCRIBE_H

#include <stdint.h>

#include "engine/buf.h"
#include "engine/event.h"

/*
 * Appends what an event says without its node and kind: "acked 87", "exit 0", "kill#1: no such process". One line of printable
 * UTF-8: control characters and bytes that are not UTF-8 are shown as escapes (text_put_safe).
 */
void describe_event(const struct event *e, struct buf *out);

/* Seconds with milliseconds, "4.391"; and with thousands apart, "3 420 118 221". */
void describe_time(uint64_t vtime_ns, struct buf *out);
void describe_count(uint64_t count, struct buf *out);

#endif
