/*
 * The little of qcow2 that machines need: an empty image, device states (QEMU's internal snapshots) read out of an image as
 * bytes, and an image made of such bytes. qemu-img is another package, and a state that is bytes can be kept and handed to
 * another QEMU. The format: QEMU, docs/interop/qcow2.txt.
 */
#ifndef ENGINE_QCOW2_H
#define ENGINE_QCOW2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define QCOW2_DISK_MAX   (UINT64_C(1) << 30) /* of an image that is read; polecat's have 1 MiB */
#define QCOW2_STATE_MAX  (16u << 20)         /* bytes; they have some 50 to 85 KB */
#define QCOW2_STATES_MAX 8192u               /* in one image */
#define QCOW2_LIST_MAX   (1u << 20)          /* bytes of the list of states */
#define QCOW2_NAME_MAX   255

/* Appends an image of version 3 with 64 KiB clusters, 1 MiB large, no data, no snapshots. */
void qcow2_empty(struct buf *out);

/* Appends the state of that name in the image fd, which QEMU must have flushed. ERR_INPUT when it is not there or the image is
 * damaged; then out is as it was. */
bool qcow2_state(int fd, const char *name, struct buf *out, struct err *err);

/* An image with an empty disk of 1 MiB and states, written to an empty file: qcow2_begin, qcow2_add for each, qcow2_end. Holes
 * stay holes. After a failure, qcow2_abort. */
struct qcow2_writer {
	int fd; /* borrowed */
	unsigned count;
	uint64_t next; /* free cluster */
	struct buf list;
};
bool qcow2_begin(struct qcow2_writer *w, int fd, struct err *err);
/* icount is what QEMU would note beside the name; nothing of polecat's depends on it. */
bool qcow2_add(struct qcow2_writer *w, const char *name, const void *bytes, size_t size, uint64_t icount, struct err *err);
bool qcow2_end(struct qcow2_writer *w, struct err *err);
void qcow2_abort(struct qcow2_writer *w);

#endif
