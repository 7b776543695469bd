/*
 * The checkpoints of one run that there are: those in memory, made in this session by whichever machine, and those of earlier
 * sessions in the store. Keeps them within their budget, hands their device states to machines that start, and writes what is new
 * into the store.
 */
#ifndef ENGINE_CHECKPOINTSET_H
#define ENGINE_CHECKPOINTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/checkpoint.h"
#include "engine/checkpointstore.h"
#include "engine/err.h"
#include "engine/machine.h"
#include "engine/marks.h"

struct checkpointset {
	struct marks marks;
	size_t ram_pages;
	struct machine *machine; /* the one whose room is freed as well; NULL: none */
	unsigned generation;     /* of it; 0: none */
	unsigned coming;         /* of the one that is being started */
	struct buf serial;       /* what the port says up to the last checkpoint */
	/* The store; NULL: nothing is kept. Borrowed. */
	struct checkpointstore *store;
	uint8_t key[DIGEST_SIZE];
	struct checkpointfile *file; /* what was found or written last */
	uint64_t fresh;              /* bytes of grid checkpoints that are in no file */
	struct checkpointfile_writer *writer;
	struct checkpointstore_draft draft;
	struct checkpoint **gone; /* given up while the writer may read them */
	size_t gone_count, gone_room;
	struct err problem; /* why nothing is kept; code ERR_NONE: it is */
	struct err note;    /* something to be said, once; ERR_NONE: nothing */
};

/* budget in bytes; store may be NULL; key is of the run. Takes in what the store has. */
void checkpointset_init(struct checkpointset *s, uint64_t spacing, size_t budget, size_t ram_pages, struct checkpointstore *store,
	const uint8_t *key);
void checkpointset_finish(struct checkpointset *s);

/* Whose states the checkpoints are in from now on: of a machine that was started with checkpointset_states. NULL: it is gone. */
void checkpointset_machine(struct checkpointset *s, struct machine *m, unsigned generation);
/* For machine_options.states of the machine that will have that generation; data is the set. NULL when there are none. */
typedef bool checkpointset_adder(void *data, struct qcow2_writer *w, struct err *err);
checkpointset_adder *checkpointset_states(struct checkpointset *s, unsigned generation);

/* Takes a checkpoint of a machine of the run where it stands, at icount. own: it is the set's, and has the state afterwards
 * even when there was one before. */
bool checkpointset_take(struct checkpointset *s, struct machine *m, uint64_t icount, bool own, bool hot, struct err *err);

/* Number of the last checkpoint at or before icount, MARKS_NONE if none; in_machine: of those that the machine has. */
size_t checkpointset_before(const struct checkpointset *s, uint64_t icount, bool in_machine);
bool checkpointset_in_machine(const struct checkpointset *s, size_t i);
struct checkpoint *checkpointset_get(const struct checkpointset *s, size_t i);
/* Brings a machine that has its state there. One that a living machine cannot restore is given up. */
bool checkpointset_restore(struct checkpointset *s, size_t i, struct machine *m, struct err *err);

/* Bytes in memory. */
size_t checkpointset_bytes(const struct checkpointset *s);
/* How many are in the store. */
size_t checkpointset_stored(const struct checkpointset *s);

/* Writes a piece of what is new to the store. *more: there is more to write. Trouble ends it for this session (s->problem). */
void checkpointset_save(struct checkpointset *s, bool *more);

#endif
