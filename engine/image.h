/* The guest image: an initramfs of agent, BusyBox, kernel modules, the agent's spec and the workloads' trees. The same inputs
 * give the same bytes: sorted, times 0, inodes counted, owned by root unless a tree says otherwise.
 *
 *   /init            the agent              /modules/NN-name.ko   in load order
 *   /bin/busybox     static BusyBox         /images/N/...         tree number N
 *   /polecat/spec    bytes for the agent    /dev /proc /sys /tmp  empty */
#ifndef ENGINE_IMAGE_H
#define ENGINE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/digest.h"
#include "engine/err.h"
#include "engine/kernel.h"
#include "engine/tree.h"

struct image_spec {
	const char *agent;           /* path of the static PID 1 */
	const char *busybox;         /* path of a static BusyBox, or NULL for none */
	const struct kernel *kernel; /* its modules; NULL for none */
	const void *spec;            /* /polecat/spec; NULL for none */
	size_t spec_size;
	const struct tree *const *trees;
	size_t tree_count;
};

/* What the image will be, without building it: enough for the identity of a boot snapshot. */
bool image_digest(const struct image_spec *spec, uint8_t out[DIGEST_SIZE], struct err *err);

/* Builds the newc archive into a new memory file. -1 on failure; the caller closes it. */
int image_build(const struct image_spec *spec, struct err *err);

/* Path of a static BusyBox of this host: $POLECAT_BUSYBOX, /bin/busybox or /usr/bin/busybox. Owned by the caller; NULL with what
 * to install on failure. */
char *image_find_busybox(struct err *err);

#endif
