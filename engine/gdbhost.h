/*
 * Everything that a gdb of this host needs to come to a session: a folder with a socket, the guest's files and a script of first
 * commands; and the server behind the socket. The folder goes when it is closed.
 */
#ifndef ENGINE_GDBHOST_H
#define ENGINE_GDBHOST_H

#include "engine/gdbserver.h"

struct gdbhost;

struct gdbhost_options {
	struct verbs *verbs;     /* with its session at the place to begin at; borrowed, as all of this */
	uint32_t pid;            /* 0: the process on the processor if it is one of a node, else the first one of a node */
	bool machine;            /* the whole machine instead of a process */
	const char *listen;      /* path of the socket, which must not exist; NULL: one in the folder */
	const char *const *rest; /* more arguments for gdb */
	size_t rest_count;
	/* As in struct gdbserver. */
	void (*say)(void *data, const char *text);
	void (*moved)(void *data);
	void *data;
};

struct gdbhost *gdbhost_open(const struct gdbhost_options *options, struct err *err);
void gdbhost_close(struct gdbhost *h);

/* gdb and its arguments, NULL at the end; and the same as a line for a shell. */
char *const *gdbhost_argv(const struct gdbhost *h);
const char *gdbhost_line(const struct gdbhost *h);

/* As gdbserver_serve. */
bool gdbhost_serve(struct gdbhost *h, int child_fd, struct err *err);

#endif
