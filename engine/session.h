/*
 * Time travel in one recorded run: a position, and ways to move it. The questions about the position are here_* (engine/here.h).
 *
 * Counts are instructions since the run's start (the barrier), as in its events. At N, N instructions have been executed and
 * instruction N+1 has not: every event with icount <= N has happened. The first place is session_begin (of a fork: where it left
 * its parent), the last session_end; both are places to stand at, and nothing moves beyond them.
 */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/answers.h"
#include "engine/buf.h"
#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/here.h"
#include "engine/lineage.h"
#include "engine/prepare.h"
#include "engine/recorded.h"
#include "engine/scan.h"
#include "engine/timeline.h"
#include "engine/walk.h"

struct session;

struct session_options {
	const char *run;               /* path */
	unsigned budget_mib;           /* for checkpoints; 0: WALK_BUDGET_MIB */
	uint64_t spacing;              /* between them; 0: walk_spacing */
	unsigned store_mib;            /* for those of all runs on disk; 0: CHECKPOINTSTORE_BUDGET_MIB */
	bool store_nothing;            /* neither use nor keep any on disk */
	const char *const *debug_dirs; /* borrowed */
	size_t debug_dir_count;
	struct cancel *cancel; /* may be NULL */
	struct progress progress;
};

/* Checks the run as a replay does, and starts its machine. */
struct session *session_open(const struct session_options *options, struct err *err);
void session_close(struct session *s);

const struct timeline *session_timeline(const struct session *s);
const struct recorded *session_recorded(const struct session *s);
const struct lineage *session_lineage(const struct session *s);
struct here *session_here(struct session *s);
struct walk *session_walk(struct session *s); /* whoever moves it calls session_moved afterwards */
void session_moved(struct session *s);
/* What others found out about moments of the run. */
struct answers *session_answers(struct session *s);
/* NULL (with the reason) when nothing can be scanned for on this host. */
struct scan *session_scan(struct session *s, struct err *err);
/* An empty request whose hits have tasks, and whose watches may have a process, if the kernel's memory tells how. */
void session_scan_request(struct session *s, struct scan_request *ret);

uint64_t session_icount(const struct session *s);
uint64_t session_begin(const struct session *s);
uint64_t session_end(const struct session *s);
uint64_t session_zero(const struct session *s); /* the machine's count at icount 0 */
/* The last event that has happened here; TIMELINE_NONE before the first. */
size_t session_event(const struct session *s);
/* Virtual time here, in nanoseconds. Between two events the clock goes on with the instructions, and jumps wherever every program
 * sleeps: it is earliest if all jumps are still to come, latest if all are past. */
void session_time(const struct session *s, uint64_t *earliest, uint64_t *latest);
/* The node that an event was about last, from 0; -1 when there was none. Questions that name no process are about it. */
int session_node(const struct session *s);

/* Moves. A count outside the run is brought to its begin or end. The place left is remembered for session_back unless it is the
 * same. On ERR_CANCELLED the position is wherever it came to. */
bool session_go(struct session *s, uint64_t icount, struct walk_trip *trip, struct err *err);
/* Somebody moved the machine here by other means, from `left`: remembers that. */
void session_came(struct session *s, uint64_t left);
/* The place before the last move, and forward again. ERR_INPUT when there is none. */
bool session_back(struct session *s, struct walk_trip *trip, struct err *err);
bool session_forward(struct session *s, struct walk_trip *trip, struct err *err);

/* Waits until one of fds is readable, as poll(2) without an end, and makes checkpoints meanwhile: in pieces, so that what comes
 * is noticed within some ten milliseconds. The position is the same afterwards. False: ERR_SYSTEM. */
bool session_wait(struct session *s, struct pollfd *fds, size_t count, struct err *err);
/* A piece of that work, for those who wait by other means: wanted(data) says whether somebody waits. Returns the milliseconds
 * after which to call again: 0 at once; -1 never. */
int session_idle(struct session *s, bool (*wanted)(void *data), void *data);

/* The machine has not ended, as far as can be seen without asking it. */
bool session_is_alive(const struct session *s);
/* Brings another machine here when this one has ended, as by a kill. */
bool session_ensure(struct session *s, struct err *err);

/* "at 1 234 567 (ev:20 + 33), t 0.103 s", or "t 0.103 to 20.000 s" (session_time): one line without its end. */
void session_print_place(const struct session *s, struct buf *out);

/* True once after QEMU had ended and was started anew, to be said. */
bool session_was_restarted(struct session *s);
/* Something else to be said once, or NULL. Owned by the caller. */
char *session_take_note(struct session *s);

#endif
