/*
 * All processes of a run's nodes as a debugger sees them: their threads by number, the program of each with its symbols, the
 * frames of each thread. What is asked for is kept until the machine moves; symbols are kept beyond that, while the same files
 * are mapped.
 */
#ifndef ENGINE_TARGETS_H
#define ENGINE_TARGETS_H

#include "engine/session.h"

#define TARGETS_PROGRAMS_MAX 256 /* programs kept at once */
#define TARGETS_FRAMES_MAX   256 /* threads whose frames are kept at once */

struct targets;

/* session, debug_dirs: borrowed for its life. */
struct targets *targets_create(struct session *session, const char *const *debug_dirs, size_t debug_dir_count);
void targets_destroy(struct targets *t);
/* Only this process (0: all), only those of this node (from 0; -1: all). */
void targets_choose(struct targets *t, uint32_t pid, long node);
uint32_t targets_pid(const struct targets *t); /* that was chosen; 0 */
/* Whenever the machine may have moved. */
void targets_moved(struct targets *t);

/* Is it one of a node, with memory of its own, and of those that were chosen? */
bool targets_has(const struct targets *t, const struct process *p);
/* "server/redis-server[75]", and for its threads beside the first " 76 io". Safe for a terminal. */
void targets_name(const struct targets *t, const struct process *p, const struct thread *thread, struct buf *out);
/* All processes of the machine; those that targets_has are meant. Borrowed until the machine moves, as all that follows. */
const struct process_list *targets_processes(struct targets *t, struct err *err);
/* A thread by its number. NULL with ERR_INPUT when no such thread lives here. */
const struct thread *targets_thread(struct targets *t, uint64_t id, const struct process **ret_process, struct err *err);
/* The thread on the processor if it is one of theirs; else `before`, if that lives; else the first one. NULL: there is none. */
const struct thread *targets_current(struct targets *t, uint32_t before, const struct process **ret_process);

struct program *targets_program(struct targets *t, const struct process *p, struct err *err);
const struct frames *targets_frames(struct targets *t, const struct process *p, const struct thread *thread, struct err *err);

#endif
