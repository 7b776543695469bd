/* Other programs: started with an argument vector and a list of descriptors, never by a shell, never outliving us. */
#ifndef ENGINE_CHILD_H
#define ENGINE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "engine/buf.h"
#include "engine/err.h"

struct child_spec {
	const char *const *argv; /* argv[0] is looked up in PATH; ends with NULL */
	const int *inherit;      /* descriptors it keeps under the same numbers; all others above 2 are closed */
	size_t inherit_count;
	int in_fd; /* its standard input, output, error; 0 means /dev/null */
	int out_fd;
	int err_fd;
	bool terminal;          /* true: stays in our session (a shell for a person); else setsid */
	bool survives;          /* true: lives on when we die; else PR_SET_PDEATHSIG SIGKILL */
	bool background;        /* true: others go first (nice) */
	const char *dir;        /* working directory, NULL: ours */
	const char *const *env; /* NULL: ours */
};

struct child {
	pid_t pid;  /* 0: not running */
	int pid_fd; /* readable when it has ended; -1 when not running */
	int status; /* as from waitpid, once it has ended */
};

/* Starts the program. A program that cannot be executed is an error here, with its name. The kernel ties PDEATHSIG to the
 * *thread* that called this: that thread must live as long as the child shall. */
bool child_start(struct child *c, const struct child_spec *spec, struct err *err);

/* Waits at most timeout_ms (-1: for ever). True when it has ended (or was not running); c->status is set and c is not running. */
bool child_wait(struct child *c, int timeout_ms);

/* SIGKILL to it (and its session's process group unless terminal) and reap. Nothing if it is not running. */
void child_kill(struct child *c);

/* "exited with status 1", "was killed by signal 9 (Killed)". Returns text. */
const char *child_status_text(int status, char *text, size_t room);

#define CHILD_CAPTURE_MAX (1u << 20)

/* Runs a program to its end, at most timeout_ms, with input on stdin, capturing at most CHILD_CAPTURE_MAX bytes each of its
 * output and error (NULL: dropped); more output is read and dropped. False if it could not start or did not end in time. */
bool child_run(const struct child_spec *spec, const void *input, size_t input_size, int timeout_ms, struct buf *out,
	struct buf *errors, int *status, struct err *err);

#endif
