/* What the files that make up engine/tracee share: tracee_core.c, tracee_events.c and tracee_moves.c. Not for others. */
#ifndef ENGINE_TRACEE_INSIDE_H
#define ENGINE_TRACEE_INSIDE_H

#include "engine/tracee.h"

#define TRACEE_USER_END (UINT64_C(1) << 47)

/* Functions of the kernel that tell what becomes of a process. */
enum tracee_function { TRACEE_START, TRACEE_EXIT, TRACEE_GET_SIGNAL, TRACEE_NEW_TASK, TRACEE_THREAD_EXIT, TRACEE_FUNCTIONS };

struct tracee_point {
	uint32_t pid; /* 0: the machine's */
	enum tracee_kind kind;
	uint64_t address, size;
};

struct tracee {
	struct session *session;
	struct cancel *cancel;
	bool machine;
	uint32_t pids[TRACEE_PROCESSES_MAX];
	size_t pid_count;
	uint32_t pid, thread;
	uint32_t vforked; /* thread that waits for its child; 0: none */
	/* A step of one thread alone went over what others did from `from` to `to`: the next move tells of it. gdb lets a thread
	 * alone step off a breakpoint, and would lose what others reach meanwhile. */
	struct {
		uint32_t thread;
		uint64_t from, to;
	} owed;
	/* What this thread does up to there was told already. */
	struct {
		uint32_t thread;
		uint64_t until;
	} told;
	unsigned events;
	uint64_t passed;
	uint64_t functions[TRACEE_FUNCTIONS];
	struct tracee_point points[TRACEE_POINTS_MAX];
	uint32_t count;
};

/* NULL where it does not live. */
const struct process *tracee_find_process(struct tracee *t, uint32_t pid);
const struct thread *tracee_find_thread(struct tracee *t, uint32_t id);
/* The thread on the processor, if it is one of those processes. */
const struct thread *tracee_on_processor(struct tracee *t, uint32_t *ret_pid);
/* Does the processor stand before an instruction of this thread's user code? */
bool tracee_in_user(struct tracee *t, uint32_t thread);
const struct stop *tracee_stop_here(struct tracee *t);

/* What happens to the thread on the processor (of process pid), which is about to execute one of those functions: false when it
 * is not to be told. */
bool tracee_happening(struct tracee *t, enum tracee_function which, uint32_t pid, struct tracee_stop *ret);

#endif
