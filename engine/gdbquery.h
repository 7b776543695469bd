/* What gdb asks about the target: what it can do, what it is made of, and commands of `monitor`. */
#ifndef ENGINE_GDBQUERY_H
#define ENGINE_GDBQUERY_H

#include "engine/gdbstate.h"

/* Answers a packet that begins with "q" or "Q"; nothing for what is not known. */
void gdbquery_answer(struct gdbserver *g, const char *packet, size_t size, struct buf *out);

#endif
