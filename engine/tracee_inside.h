/* What the files that make up engine/tracee (tracee_*.c) share. Not for others. */
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

/* What a watch of a scan is for. */
enum tracee_look { LOOK_POINT, LOOK_FUNCTION, LOOK_STEP, LOOK_VFORK };

/* One move. */
struct hunt {
	const struct tracee_move *move;
	struct scan_request r;
	struct {
		enum tracee_look look;
		uint32_t number; /* of the point, or the function */
		uint32_t pid;
	} what[SCAN_WATCHES];
	/* Where the move began. */
	uint64_t origin, pc;
	uint32_t thread;  /* that was about to execute its instruction at pc; 0: none */
	uint64_t limit;   /* forward: no further than this; 0: to the end */
	bool hunted;      /* others may have executed something */
	uint64_t reached; /* there is nothing between the origin and this */
};

/* Places, as absolute counts. */
bool tracee_go(struct tracee *t, uint64_t absolute, struct err *err);
uint64_t tracee_now(const struct tracee *t);
uint64_t tracee_first(const struct tracee *t);
uint64_t tracee_last(const struct tracee *t);
uint64_t tracee_pc(struct tracee *t);

/* Fills in what the move looks for from here. */
void tracee_prepare(struct tracee *t, struct hunt *h);
/* Only what the one instruction before `at` did with memory. */
bool tracee_touched_before(struct tracee *t, struct hunt *h, uint64_t at, struct scan_hits *hits, struct err *err);
/* To the first instruction of the process (its number) or, 0, of the thread on the processor, from here. */
bool tracee_to_user(struct tracee *t, uint32_t pid, bool *found, struct err *err);
/* Goes to the nearest thing that the move is about. *found false: there is none, and the position is not defined. */
bool tracee_hunt(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err);
/* The same for a move that is a step. */
bool tracee_make_step(struct tracee *t, struct hunt *h, bool *found, struct tracee_stop *stop, struct err *err);

#endif
