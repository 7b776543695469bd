/* An empty qcow2 image: the only thing needed of qemu-img, which is another package. */
#ifndef ENGINE_QCOW2_H
#define ENGINE_QCOW2_H

#include "engine/buf.h"

/* Appends an image of version 3 with 64 KiB clusters, 1 MiB large, no data, no snapshots. */
void qcow2_empty(struct buf *out);

#endif
