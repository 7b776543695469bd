/*
 * What gdb asks of a remote target, answered about processes of a recorded run, or its machine: gdb's steps and breakpoints are
 * moves of the session, both ways. Nothing can be written: it is the past.
 */
#ifndef ENGINE_GDBANSWER_H
#define ENGINE_GDBANSWER_H

#include "engine/gdbstate.h"

/* Answers one packet: appends what to say to gdb, without its frame. False when nothing is to be said (the connection ends). */
bool gdbanswer(struct gdbserver *g, const char *packet, size_t size, struct buf *out);

#endif
