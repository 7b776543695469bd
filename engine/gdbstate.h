/* A gdb that is served: what is known of it. Shared by the files that serve it; owners fill in the first part. */
#ifndef ENGINE_GDBSTATE_H
#define ENGINE_GDBSTATE_H

#include <stdbool.h>

#include "engine/gdb.h"
#include "engine/gdbfiles.h"
#include "engine/tracee.h"
#include "engine/verb.h"

/*
 * One byte of memory at an address that no program can have: 1 when a command of `monitor` moved the machine and gdb was not told
 * yet. The hook that gdb gets from us looks there, and lets gdb step once: that step is answered with the new place.
 */
#define GDB_MOVED_AT (UINT64_C(1) << 63)

struct gdbserver {
	struct tracee *tracee; /* all borrowed */
	struct verbs *verbs;   /* for gdb's `monitor` */
	struct cancel *cancel;
	int files; /* a directory for extract_files: libraries that are mapped later come there; -1: none */
	/* Sentences for the person that gdb has no way to show; after every move. Either may be NULL. */
	void (*say)(void *data, const char *text);
	void (*moved)(void *data);
	void *data;

	/* The rest is the server's own. */
	struct gdb stream;
	struct gdbfiles opened;
	uint32_t general; /* thread whose registers are meant; 0: that of the last stop */
	uint32_t chosen;  /* thread that steps back; 0: the general one */
	uint64_t passed;  /* signals that gdb does not want to hear of */
	size_t file_count;
	struct buf console; /* to be shown by gdb before the answer to a move */
	char *program;      /* path that gdb knows of; owned */
	bool no_ack, detached, multiprocess;
	bool elsewhere;  /* `monitor` moved the machine */
	bool hooked;     /* gdb looks at GDB_MOVED_AT by itself */
	bool told_locks; /* that a recording's schedule cannot be locked */
	int fd;
	bool closed;
};

#endif
