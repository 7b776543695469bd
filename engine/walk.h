/*
 * One replaying machine that can be brought to any instruction of its log, forwards and backwards, by light checkpoints.
 *
 * Counts are absolute, as QEMU's; "at N" means that N instructions have been executed and instruction N+1 has not.
 *
 * A way to N is tried after the other: run on from where the machine stands; from the nearest checkpoint at or before N; from
 * earlier ones; from the start; with a fresh QEMU. Which one it was and what it cost is told.
 */
#ifndef ENGINE_WALK_H
#define ENGINE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/cancel.h"
#include "engine/checkpointstore.h"
#include "engine/err.h"
#include "engine/machine.h"

#define WALK_SPACING     32000000u /* instructions between two checkpoints of a long run, until the budget is used up */
#define WALK_SPACING_MIN 4000000u  /* ... of a short one: its code is executed for the first time, which is slow */
#define WALK_BUDGET_MIB  1024u
#define WALK_SLICE_MS    40    /* a run is cut into pieces of about this long */
#define WALK_CANCEL_MS   50    /* after a wish to stop QEMU has this long to do so; then it is killed at the next move */
#define WALK_HANG_MS     30000 /* without one instruction: QEMU hangs */

struct walk;

enum walk_way { WALK_HERE, WALK_ON, WALK_CHECKPOINT, WALK_START, WALK_FRESH, WALK_WAYS };

/* What a move did. */
struct walk_trip {
	uint64_t asked, reached;
	enum walk_way way;
	uint64_t from;     /* where running began: the checkpoint's count */
	uint64_t executed; /* instructions run for it */
	unsigned failed;   /* ways that were tried in vain before */
	bool ended;        /* the guest stopped itself at reached, before asked */
	double ms;
	char why[200]; /* what was wrong with those ways, or "" */
};

struct walk_options {
	const struct machine_options *machine; /* mode REPLAY; what it points to is borrowed. Its cancel_fd is not used */
	uint64_t spacing;                      /* of checkpoints; 0: WALK_SPACING */
	unsigned budget_mib;                   /* for them; 0: WALK_BUDGET_MIB */
	struct cancel *cancel;                 /* may be NULL */
	struct checkpointstore *store;         /* borrowed; NULL: none are kept */
	const uint8_t *key;                    /* of the run in the store, DIGEST_SIZE bytes */
};

/* A spacing for a run of so many instructions. */
uint64_t walk_spacing(uint64_t instructions);
/* The machine stands at `ready`. */
struct walk *walk_create(const struct walk_options *options, struct err *err);
/* Keeps what is worth it in the store, first. */
void walk_destroy(struct walk *w);

/* Brings the machine to icount. False when cancelled (ERR_CANCELLED: it stands somewhere on the way, walk_now says where; a QEMU
 * that does not stop is killed, and the next move starts another one) or when every way failed. trip is filled in either way. */
bool walk_to(struct walk *w, uint64_t icount, struct walk_trip *trip, struct err *err);
/* "from the checkpoint at 123: 456 instructions, 12 ms", counts relative to zero. */
struct buf;
void walk_trip_print(const struct walk_trip *trip, uint64_t zero, struct buf *out);

/*
 * One pass from `from` to `to` (or where the guest stops itself) for somebody who watches the machine. armed(data, m) is called
 * when it stands at from; QEMU translates all its code anew after that. What it translated on the way is not used any more by
 * later moves.
 */
bool walk_pass(
	struct walk *w, uint64_t from, uint64_t to, void (*armed)(void *data, struct machine *m), void *data, struct err *err);
/* The last place for a checkpoint before icount that is at most distance away; the start if there is none. */
uint64_t walk_grid_before(const struct walk *w, uint64_t icount, uint64_t distance);
/* Makes coming back here cheap. */
bool walk_keep(struct walk *w, struct err *err);

/* From now on says(data, done, of) is called with the instructions of a run towards a place, after each slice of it. NULL: not.
 */
void walk_watch(struct walk *w, void (*says)(void *data, uint64_t done, uint64_t of), void *data);

uint64_t walk_now(const struct walk *w);
uint64_t walk_start(const struct walk *w);
uint64_t walk_end(const struct walk *w); /* of the log */
/* The stopped machine; NULL after a move that failed every way, and after walk_put_off. Do not run it. */
struct machine *walk_machine(struct walk *w);
/* Grows by one whenever the machine was started anew: after it had ended, or to give it checkpoints of others. */
unsigned walk_generation(const struct walk *w);
/* How many machines ended that should not have. */
unsigned walk_deaths(const struct walk *w);
/* What was wrong with the last of them: "had ended", "did not answer". */
const char *walk_death(const struct walk *w);
/* There is a machine that has not ended, as far as can be seen without asking it. */
bool walk_is_alive(const struct walk *w);
/* Brings the machine here if it is elsewhere (walk_put_off), or another one if it has ended. When that fails, the next call tries
 * again. */
bool walk_ensure(struct walk *w, struct err *err);
/* After something that was cancelled: the place is icount, where the machine was before, but going back there, and more so
 * another machine, takes longer than anybody waits after a wish to stop. walk_ensure brings it there; until then there is none.
 */
void walk_put_off(struct walk *w, uint64_t icount);

/* For when nobody waits: a piece of work on the checkpoints that are missing in [walk_start, to], with a second machine, and on
 * keeping them. wanted(data) is asked whether somebody waits. Returns true when there is more to do at once; false: when
 * walk_idle_fd is readable, or, if that is -1, never. */
bool walk_idle(struct walk *w, uint64_t to, bool (*wanted)(void *data), void *data);
int walk_idle_fd(const struct walk *w);

/* What is known about the checkpoints. */
struct walk_checkpoints {
	size_t count, stored;   /* all; those of them that are kept for the next session */
	size_t bytes;           /* in memory */
	bool filling;           /* the second machine is at work */
	const char *unfilled;   /* why no more are made; NULL */
	const char *not_stored; /* why none are kept; NULL */
};
void walk_checkpoints(const struct walk *w, struct walk_checkpoints *ret);
/* Something to be said once; NULL: nothing. Owned by the caller. */
char *walk_take_note(struct walk *w);

#endif
