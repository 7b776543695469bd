/*
 * Checkpoints of one run in a file (docs/FORMATS.md, "Checkpoints"): device states, pages of memory that differ from `ready`,
 * each kept once, and what the serial port had said. A file that is damaged, cut short or of another run is recognised: nothing
 * is used before its digest was compared. Pages are read when a checkpoint is asked for, not when the file is opened.
 */
#ifndef ENGINE_CHECKPOINTFILE_H
#define ENGINE_CHECKPOINTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/digest.h"
#include "engine/err.h"
#include "engine/ram.h"

#define CHECKPOINTFILE_VERSION    1
#define CHECKPOINTFILE_COUNT_MAX  4096u
#define CHECKPOINTFILE_STATE_MAX  (16u << 20) /* bytes of a device state */
#define CHECKPOINTFILE_SERIAL_MAX (64u << 20)
#define CHECKPOINTFILE_RAM_MAX    (1u << 20) /* pages of a machine */
#define CHECKPOINTFILE_PAGES_MAX  (1u << 24) /* pages in the file: 64 GiB */

struct checkpointfile;

/* Reads the list of a file. fd is duplicated. key: of the run that it must be of; ram_pages: of its machine. ERR_INPUT says what
 * is wrong with it. */
struct checkpointfile *checkpointfile_open(int fd, const uint8_t key[DIGEST_SIZE], size_t ram_pages, struct err *err);
struct checkpointfile *checkpointfile_ref(struct checkpointfile *f);
void checkpointfile_unref(struct checkpointfile *f); /* NULL is fine */

size_t checkpointfile_count(const struct checkpointfile *f);
uint64_t checkpointfile_icount(const struct checkpointfile *f, size_t i); /* ascending */
uint64_t checkpointfile_serial_size(const struct checkpointfile *f, size_t i);
int checkpointfile_fd(const struct checkpointfile *f);        /* borrowed */
uint64_t checkpointfile_size(const struct checkpointfile *f); /* bytes */
/* What the serial port had said by the last checkpoint; of the others it is the beginning of that. Borrowed. */
const struct buf *checkpointfile_serial(const struct checkpointfile *f);

/* Appends the device state. */
bool checkpointfile_state(struct checkpointfile *f, size_t i, struct buf *out, struct err *err);
/* The pages; owned by the caller. Pages that were read before are shared. NULL on failure. */
struct ram_delta *checkpointfile_delta(struct checkpointfile *f, size_t i, struct err *err);
/* Bytes of pages that were read and are kept for the next that has them, and letting go of those that nobody has now. */
size_t checkpointfile_held(const struct checkpointfile *f);
void checkpointfile_forget(struct checkpointfile *f);

/* One checkpoint to be written: from memory, or from another file. What it points to must live until the writer is done. */
struct checkpointfile_item {
	uint64_t icount, serial_size;
	const struct buf *state;
	const struct ram_delta *delta; /* NULL: it is number `index` of `file` */
	struct checkpointfile *file;
	size_t index;
};

/* Writes a file a piece at a time; it is whole when a step says so. items (by ascending icount) are copied. fd is borrowed and
 * must be empty. */
struct checkpointfile_writer;
struct checkpointfile_writer *checkpointfile_begin(int fd, const uint8_t key[DIGEST_SIZE], size_t ram_pages,
	const struct checkpointfile_item *items, size_t count, const struct buf *serial, struct err *err);
/* The next checkpoint. */
bool checkpointfile_step(struct checkpointfile_writer *w, bool *done, struct err *err);
void checkpointfile_end(struct checkpointfile_writer *w); /* done or not; NULL is fine */

#endif
