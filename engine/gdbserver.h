/*
 * What gdb asks of a remote target, answered about one process of a recorded run: its steps and breakpoints are moves of the
 * session, both ways. Nothing can be written: it is the past.
 */
#ifndef ENGINE_GDBSERVER_H
#define ENGINE_GDBSERVER_H

#include <stdbool.h>

#include "engine/gdb.h"
#include "engine/tracee.h"
#include "engine/verbs.h"

struct gdbserver {
	struct tracee *tracee; /* all borrowed */
	struct verbs *verbs;   /* for gdb's `monitor` */
	struct cancel *cancel;
	int files; /* a directory for extract_files: libraries that are mapped later come there; -1: none */
	/* The rest is the server's own. */
	struct gdb stream;
	uint32_t general; /* thread whose registers are meant */
	size_t file_count;
	bool no_ack, detached;
	int fd;
	bool closed;
};

/* Answers one packet: appends what to say to gdb, without its frame. False when nothing is to be said (the connection ends). */
bool gdbserver_answer(struct gdbserver *g, const char *packet, size_t size, struct buf *out);

/*
 * Waits for gdb at a listening socket and serves it until it leaves. child_fd: readable when nobody will come (any more); -1:
 * somebody may always come. child_fd also says that Ctrl-C is for gdb, so it does not end anything here.
 */
bool gdbserver_serve(struct gdbserver *g, int listener, int child_fd, struct err *err);

/* A Unix socket, of the owner only, at a path of at most 107 bytes that does not exist yet. The descriptor, or -1. */
int gdbserver_listen(const char *path, struct err *err);

#endif
