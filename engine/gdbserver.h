/* The connection of a gdb: waited for at a socket, its packets answered until it leaves. */
#ifndef ENGINE_GDBSERVER_H
#define ENGINE_GDBSERVER_H

#include <stdbool.h>

#include "engine/gdbstate.h"

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
