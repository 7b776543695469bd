/* Light checkpoints of a stopped machine: device state inside QEMU's snapshot file (5 ms, some 80 KB), memory as the pages that
 * differ from `ready`, equal pages kept once. */
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/machine.h"

struct checkpoint;

/* NULL on failure. previous (may be NULL) is the checkpoint taken last of the same machine: equal pages are shared with it, and
 * it may be destroyed before this one. */
struct checkpoint *checkpoint_take(struct machine *m, const struct checkpoint *previous, struct err *err);
/* Brings the machine there, stopped. A break is forgotten. */
bool checkpoint_restore(struct machine *m, const struct checkpoint *c, struct err *err);
/* Back to `ready`. */
bool checkpoint_restore_ready(struct machine *m, struct err *err);
/* m is the machine it was taken of, to free its room there as well, or NULL if that is gone. c may be NULL. */
void checkpoint_destroy(struct checkpoint *c, struct machine *m);

uint64_t checkpoint_icount(const struct checkpoint *c);
uint64_t checkpoint_serial_size(const struct checkpoint *c);
/* Memory it holds of its own. */
size_t checkpoint_bytes(const struct checkpoint *c);

#endif
