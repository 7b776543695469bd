/* What the processor of a tracee looks like to gdb: the description of its registers, and their values. */
#ifndef ENGINE_GDBTARGET_H
#define ENGINE_GDBTARGET_H

#include "engine/buf.h"
#include "engine/tracee.h"

/*
 * XML. Besides those of the processor there are two registers of our own: $icount, the place in the run, and $event, the number
 * of the last event there.
 */
void gdbtarget_describe(bool machine, struct buf *out);

/* All registers of a thread in that order, in hexadecimal; what is not known is "xx". */
void gdbtarget_registers(struct tracee *t, uint32_t thread, const struct session *session, struct buf *out);

#endif
