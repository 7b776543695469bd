/*
 * Light checkpoints of a stopped machine: the device state as QEMU saved it (5 ms, some 80 KB), and memory as the pages that
 * differ from `ready`, equal pages kept once.
 *
 * A checkpoint belongs to the run, not to the machine it was taken of: any machine that was started with it can be brought there.
 */
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/checkpointfile.h"
#include "engine/err.h"
#include "engine/machine.h"

struct checkpoint;

/* NULL on failure. previous (may be NULL) is a checkpoint of the same run: equal pages are shared with it, and it may be
 * destroyed before this one. The machine has the state from now on. */
struct checkpoint *checkpoint_take(struct machine *m, const struct checkpoint *previous, struct err *err);
/* Gives the state to another machine, which stands there. */
bool checkpoint_save_again(const struct checkpoint *c, struct machine *m, struct err *err);
/* Number i of a file, of which nothing is read yet. */
struct checkpoint *checkpoint_stored(struct checkpointfile *f, size_t i);
/* Brings a machine there, stopped. It must have the state: be the one it was taken of, or one that was started with it. A break
 * is forgotten. */
bool checkpoint_restore(struct machine *m, struct checkpoint *c, struct err *err);
/* Back to `ready`. */
bool checkpoint_restore_ready(struct machine *m, struct err *err);
/* Returns the bytes given back. c may be NULL. */
size_t checkpoint_destroy(struct checkpoint *c);
/* Frees its room in a machine that has the state. */
void checkpoint_drop(const struct checkpoint *c, struct machine *m);

/* For machine_options.states. */
bool checkpoint_add_state(struct checkpoint *c, struct qcow2_writer *w, struct err *err);
/* For a file; borrows from c. */
struct checkpointfile_item checkpoint_item(const struct checkpoint *c);

uint64_t checkpoint_icount(const struct checkpoint *c);
uint64_t checkpoint_serial_size(const struct checkpoint *c);
/* Memory it holds of its own. */
size_t checkpoint_bytes(const struct checkpoint *c);
/* It is in a file, and would be found there again. */
bool checkpoint_is_stored(const struct checkpoint *c);
/* Its pages are in memory. */
bool checkpoint_is_loaded(const struct checkpoint *c);
/* Lets go of what was read of a stored one. */
void checkpoint_unload(struct checkpoint *c);
/* From now on a stored one is number i of another file, which has the same. Nothing of it is loaded then. */
void checkpoint_move(struct checkpoint *c, struct checkpointfile *f, size_t i);

#endif
