/*
 * Processes of a recorded run as debuggers know them: threads with user registers, steps and stops that leave out the kernel and
 * everybody else, both ways. Or the machine itself: one processor, and every instruction of it. What gdb and DAP are served with.
 *
 * The past of a process begins with the first instruction of its program, its future ends where it exits: moves stop there.
 */
#ifndef ENGINE_TRACEE_H
#define ENGINE_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/fpu.h"
#include "engine/orc.h"
#include "engine/session.h"

#define TRACEE_POINTS_MAX    200 /* breakpoints and watchpoints at once */
#define TRACEE_PROCESSES_MAX 8   /* looked at together */
#define TRACEE_PROCESSOR     1   /* the machine's one thread */

struct tracee;

enum tracee_why {
	TRACEE_STEPPED,
	TRACEE_BREAK,
	TRACEE_WATCH,
	TRACEE_SIGNAL,      /* one is about to be delivered */
	TRACEE_EXEC,        /* before the first instruction of another program */
	TRACEE_FORK,        /* the child exists and has not run */
	TRACEE_VFORK,       /* the same; the parent waits for it */
	TRACEE_VFORK_DONE,  /* the parent goes on */
	TRACEE_BEGIN,       /* there is nothing before */
	TRACEE_END,         /* the process exits, or the run ends */
	TRACEE_INTERRUPTED, /* by the person, where the move had come to */
};

/* What a point is for. */
enum tracee_kind { TRACEE_CODE, TRACEE_WRITE, TRACEE_READ, TRACEE_ACCESS };

/* What is told besides points, steps and ends. */
enum tracee_events { TRACEE_TELL_SIGNALS = 1, TRACEE_TELL_EXEC = 2, TRACEE_TELL_FORK = 4 };

struct tracee_stop {
	enum tracee_why why;
	enum tracee_kind kind; /* BREAK, WATCH */
	uint64_t address;      /* of that point */
	int signal;            /* SIGNAL: number as in the guest */
	uint32_t child;        /* FORK, VFORK: process number */
	bool exited;           /* END: that is an exit with code; else the run ends */
	bool thread_ends;      /* ... or the thread, which alone was to go on */
	int code;              /* as wait() gives it */
};

struct tracee_move {
	bool backward;
	uint32_t step;      /* a thread: to its next instruction of user code; 0: to a point */
	uint64_t low, high; /* ... outside of this; equal: to any */
	uint32_t process;   /* points of this one only; 0: of all */
	bool locked;        /* of the thread `step` (0: `thread`) only */
	uint32_t thread;
	bool stay; /* a cancel is an answer (INTERRUPTED) instead of ERR_CANCELLED, and does not go back to the origin */
};

/* pid 0: the process on the processor if it is one of a node, else the first one of a node. session and cancel (may be NULL)
 * are borrowed. NULL with ERR_INPUT when there is none. */
struct tracee *tracee_create(struct session *session, struct cancel *cancel, uint32_t pid, struct err *err);
struct tracee *tracee_create_machine(struct session *session, struct cancel *cancel, struct err *err);
void tracee_destroy(struct tracee *t);

struct here *tracee_here(struct tracee *t);
bool tracee_is_machine(const struct tracee *t);
/* The process and thread that the last stop is about. */
uint32_t tracee_pid(const struct tracee *t);
uint32_t tracee_thread(const struct tracee *t);
/* That process. Borrowed until the session moves; NULL where it does not live. */
const struct process *tracee_process(struct tracee *t, struct err *err);
struct program *tracee_program(struct tracee *t, struct err *err);
/* After somebody else moved the session. */
void tracee_moved(struct tracee *t);

/* Which processes are looked at. */
size_t tracee_count(const struct tracee *t);
uint32_t tracee_get(const struct tracee *t, size_t i);
bool tracee_add(struct tracee *t, uint32_t pid, struct err *err);
/* With its points. The last one is not taken away. */
void tracee_remove(struct tracee *t, uint32_t pid);
/* The process of a thread, of those that are looked at; 0 when it has none here. */
uint32_t tracee_process_of(struct tracee *t, uint32_t thread);
/* Events (bits) that moves stop at, exec only forward; going back a vfork is told as a fork. passed: bit N-1 for signals that
 * nobody wants to hear of. */
void tracee_tell(struct tracee *t, unsigned events, uint64_t passed);

/* User registers of a thread; of the machine those of the processor. */
struct tracee_registers {
	struct frame_registers general;
	const struct regs *live; /* the processor's, if it executes the thread's code here; else NULL */
	bool has_entry, has_fpu;
	struct orc_entry entry; /* otherwise: what else was saved when the kernel was entered */
	struct fpu fpu;
};
/* False when nothing is known. */
bool tracee_registers(struct tracee *t, uint32_t thread, struct tracee_registers *ret);
/* A process's memory: how many bytes could be read. */
size_t tracee_read(struct tracee *t, uint32_t pid, uint64_t address, void *out, size_t size);
/* The signal that is about to be delivered to a thread here, 0: none; and the kernel's siginfo of it (appended; may be NULL). */
int tracee_signal(struct tracee *t, uint32_t thread, struct buf *info);

/* CODE stops where that is about to be executed, others where the process (machine: anybody) has written or read there (forward:
 * after it, backward: before it). */
bool tracee_add_point(struct tracee *t, enum tracee_kind kind, uint64_t address, uint64_t size, struct err *err);
bool tracee_add_point_of(struct tracee *t, uint32_t pid, enum tracee_kind kind, uint64_t address, uint64_t size, struct err *err);
/* Nothing when there is none. */
void tracee_remove_point(struct tracee *t, uint32_t pid, enum tracee_kind kind, uint64_t address, uint64_t size);
void tracee_clear_points(struct tracee *t);

/* On failure, ERR_CANCELLED included, the position is where it began. */
bool tracee_move(struct tracee *t, const struct tracee_move *move, struct tracee_stop *ret, struct err *err);
/* To the thread's next or previous instruction of user code. */
bool tracee_step(struct tracee *t, uint32_t thread, bool backward, struct tracee_stop *ret, struct err *err);
/* To the next or previous point. */
bool tracee_continue(struct tracee *t, bool backward, struct tracee_stop *ret, struct err *err);

#endif
