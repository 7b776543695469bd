/*
 * Files that gdb asks a remote target for (vFile packets): those of the guest as the process sees them, from the guest's memory,
 * and what gdb wants to know from /proc/PID: maps, cmdline, auxv, environ, stat, status, exe, cwd. Only for reading.
 */
#ifndef ENGINE_GDBFILES_H
#define ENGINE_GDBFILES_H

#include "engine/buf.h"
#include "engine/tracee.h"

#define GDBFILES_MAX      16 /* open at once */
#define GDBFILES_SIZE_MAX (UINT64_C(256) << 20)

struct gdbfiles {
	struct buf open[GDBFILES_MAX];
	bool used[GDBFILES_MAX];
};

void gdbfiles_finish(struct gdbfiles *f);

/* Answers a packet, text being what follows "vFile:". Appends the answer; nothing for what is not known. */
void gdbfiles_answer(struct gdbfiles *f, struct tracee *t, const char *text, size_t size, struct buf *out);

/* What the kernel told the program when it began, from where the program finds it: on the stack behind arguments and
 * environment. Appended; nothing when it is not there. */
void gdbfiles_auxv(struct tracee *t, uint32_t pid, struct buf *out);

/* The path of the program of a process, as the process sees it; "" when it is not known. Appended. */
void gdbfiles_program(struct tracee *t, uint32_t pid, struct buf *out);

#endif
