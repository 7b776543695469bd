/*
 * One process of a recorded run as debuggers know processes: threads with user registers, steps and stops that leave out the
 * kernel and everybody else, both ways. What gdb and DAP are served with.
 *
 * Its past begins with the first instruction of its program, its future ends where it exits: moves stop there.
 */
#ifndef ENGINE_TRACEE_H
#define ENGINE_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/session.h"

#define TRACEE_POINTS_MAX (SCAN_WATCHES - 1) /* breakpoints and watchpoints at once */

struct tracee;

enum tracee_why { TRACEE_STEPPED, TRACEE_BREAK, TRACEE_WATCH, TRACEE_BEGIN, TRACEE_END };

struct tracee_stop {
	enum tracee_why why;
	uint64_t address; /* of the breakpoint or watchpoint */
};

/* pid 0: the process on the processor if it is one of a node, else the first one of a node. session and cancel (may be NULL)
 * are borrowed. NULL with ERR_INPUT when there is none. */
struct tracee *tracee_create(struct session *session, struct cancel *cancel, uint32_t pid, struct err *err);
void tracee_destroy(struct tracee *t);

uint32_t tracee_pid(const struct tracee *t);
/* The thread that the last stop is about. */
uint32_t tracee_thread(const struct tracee *t);
/* Borrowed until the session moves; NULL where it does not live. */
const struct process *tracee_process(struct tracee *t, struct err *err);
struct program *tracee_program(struct tracee *t, struct err *err);
/* After somebody else moved the session. */
void tracee_moved(struct tracee *t);

/* User registers of a thread. Those of the processor, if it executes the thread's code here: *live, else NULL: only general
 * registers are known. False when nothing is known. */
bool tracee_registers(struct tracee *t, uint32_t thread, struct frame_registers *ret, const struct regs **live);
/* The process's memory: how many bytes could be read. */
size_t tracee_read(struct tracee *t, uint64_t address, void *out, size_t size);

/* write: stops where somebody writes there (forward: after it, backward: before it), else where it is about to be executed. */
bool tracee_add_point(struct tracee *t, bool write, uint64_t address, uint64_t size, struct err *err);
/* Nothing when there is none. */
void tracee_remove_point(struct tracee *t, bool write, uint64_t address, uint64_t size);
void tracee_clear_points(struct tracee *t);

/* To the thread's next or previous instruction of user code. */
bool tracee_step(struct tracee *t, uint32_t thread, bool backward, struct tracee_stop *ret, struct err *err);
/* To the next or previous point. On ERR_CANCELLED the position is where it began. */
bool tracee_continue(struct tracee *t, bool backward, struct tracee_stop *ret, struct err *err);

#endif
