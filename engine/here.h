/*
 * What is at one stop of a machine: registers, memory, the kernel's structures, processes, the current program. Each is looked
 * up when it is asked for the first time, and kept until the machine moves.
 */
#ifndef ENGINE_HERE_H
#define ENGINE_HERE_H

#include <stdbool.h>

#include "engine/err.h"
#include "engine/layout.h"
#include "engine/machine.h"
#include "engine/memory.h"
#include "engine/process.h"
#include "engine/program.h"
#include "engine/regs.h"

struct here;

/* debug_dirs (borrowed for its life) are searched for debug information. */
struct here *here_create(const char *const *debug_dirs, size_t debug_dir_count);
void here_destroy(struct here *h);

/* The machine (borrowed; stopped until the next call; NULL: there is none) stands at the count `at` now. */
void here_moved(struct here *h, struct machine *m, uint64_t at);

/* Everything below is borrowed until the machine moves. NULL (or false) on failure. */
const struct stop *here_stop(struct here *h, struct err *err);
/* The registers where here_regs_shown was called last; NULL before that. */
const struct regs *here_regs_previous(const struct here *h);
/* The person has seen the registers as they are here. */
void here_regs_shown(struct here *h);
const struct guest *here_guest(struct here *h, struct err *err);
const struct process_list *here_processes(struct here *h, struct err *err);
/* The process on the processor; NULL with ERR_INPUT when it is the idle task or not known. */
const struct process *here_current(struct here *h, struct err *err);
/* The node (from 0) whose affairs are looked at, -1 for none. */
void here_prefer(struct here *h, long node);
/* The main process of a node: of its processes the one with the lowest pid. NULL when it has none here. */
const struct process *here_node(struct here *h, size_t node, struct err *err);
/* Does a process belong to a node? */
bool here_is_of_node(const struct process *p, size_t node);
bool here_is_of_any_node(const struct process *p); /* not the agent's own, nor the kernel's */
/* Whose affairs questions without a pid are about. It stays when the machine moves. */
struct here_choice {
	enum here_kind { HERE_CURRENT, HERE_PROCESS, HERE_NODE } kind;
	uint32_t pid;    /* HERE_PROCESS */
	uint32_t thread; /* 0: the one on the processor, or the first */
	size_t node;     /* HERE_NODE: its main process, whichever that is at a moment */
};
struct here_choice here_choice(const struct here *h);
/* Takes the choice, and no frame of it. */
void here_set_choice(struct here *h, const struct here_choice *choice);
/* HERE_PROCESS; pid 0: HERE_CURRENT. */
void here_choose(struct here *h, uint32_t pid, uint32_t thread);
/* Somebody was chosen, and is here. */
bool here_is_chosen(struct here *h);
/*
 * The process that questions without a pid are about: the one that was chosen; it is an error when it does not exist here. With
 * HERE_CURRENT the one on the processor when it belongs to a node; else, since the agent or the idle task is nobody's question,
 * the main process of the preferred node, if it has one; else the one on the processor.
 */
const struct process *here_focus(struct here *h, struct err *err);
/* The task of the thread in focus: the one chosen; else the one on the processor if it is of that process; else the first. 0 when
 * there is none. */
uint64_t here_thread(struct here *h, struct err *err);
/* Is the thread in focus the one on the processor? */
bool here_focus_runs(struct here *h);
/* The address space of the process in focus; the processor's own where there is none. */
bool here_space(struct here *h, struct space *ret, struct err *err);
/* A process's program; pid 0: of the one in focus. It is good until the machine moves, or eight other processes were asked for.
 */
struct program *here_program(struct here *h, uint32_t pid, struct err *err);
/* Frames of a thread (0: the first, or the one on the processor when it is of the current process; with pid 0 the one in focus)
 * of that program. */
const struct frames *here_frames(struct here *h, uint32_t pid, uint32_t thread, struct err *err);

#define HERE_FRAME_NONE SIZE_MAX
/* The number of the frame of the thread in focus that was chosen at this place; HERE_FRAME_NONE when none was. */
size_t here_chosen_frame(const struct here *h);
/* Until another one is, somebody else is in focus, or the machine stands elsewhere; a scan that comes back here does not end it.
 */
void here_choose_frame(struct here *h, size_t frame);
bool here_frame_is_chosen(const struct here *h);
/* The frame that variables are of: the chosen one, else the innermost with source lines, else the innermost of user code, else
 * the innermost. NULL when there is none; *ret_number may be NULL. */
const struct frame *here_frame(struct here *h, size_t *ret_number, struct err *err);

#endif
