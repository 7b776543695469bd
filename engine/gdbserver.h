/*
 * What gdb asks of a remote target, answered about processes of a recorded run, or its machine: gdb's steps and breakpoints are
 * moves of the session, both ways. Nothing can be written: it is the past.
 */
#ifndef ENGINE_GDBSERVER_H
#define ENGINE_GDBSERVER_H

#include <stdbool.h>

#include "engine/gdbstate.h"

/* Answers one packet: appends what to say to gdb, without its frame. False when nothing is to be said (the connection ends). */
bool gdbserver_answer(struct gdbserver *g, const char *packet, size_t size, struct buf *out);

/*
 * Waits for gdb at a listening socket and serves it until it leaves. child_fd: readable when nobody will come (any more); -1:
 * somebody may always come. child_fd also says that Ctrl-C is for gdb, so it does not end anything here.
 */
bool gdbserver_serve(struct gdbserver *g, int listener, int child_fd, struct err *err);

/* What belongs to the server, after it served. */
void gdbserver_finish(struct gdbserver *g);

/* A Unix socket, of the owner only, at a path of at most 107 bytes that does not exist yet. The descriptor, or -1. */
int gdbserver_listen(const char *path, struct err *err);

#endif
