/*
 * Everything that must be there before a run can start: QEMU, the guest kernel, the workloads, and the boot snapshot made of
 * them. From a scenario (builds what is missing) or from what a recorded run says of itself (only looks it up).
 */
#ifndef ENGINE_PREPARE_H
#define ENGINE_PREPARE_H

#include <stdbool.h>

#include "engine/cancel.h"
#include "engine/err.h"
#include "engine/hostqemu.h"
#include "engine/kernel.h"
#include "engine/manifest.h"
#include "engine/scenario.h"
#include "engine/snapshot.h"
#include "engine/tree.h"

/* How far it is. stage is a short phrase ("booting the guest"), detail what changes. Called a few times a second; may be NULL. */
struct progress {
	void (*say)(void *data, const char *stage, const char *detail);
	void *data;
};

struct prepared {
	char *cache;
	struct hostqemu qemu;
	struct kernel *kernel;
	struct tree *trees[SCENARIO_NODES_MAX];
	size_t tree_count;
	struct snapshot *snapshot;
};

/* p must be zeroed. On failure it is empty again. */
bool prepare_scenario(
	struct prepared *p, const struct scenario *scenario, struct progress progress, struct cancel *cancel, struct err *err);

/* For a recorded run: the snapshot of the manifest's identity. Fails before any QEMU is started, naming what differs on this host
 * (ERR_INPUT), or telling how to rebuild a snapshot that is no longer in the cache. */
bool prepare_recorded(struct prepared *p, const struct manifest *m, struct err *err);

void prepare_finish(struct prepared *p);

/* Path of a program or file that belongs to polecat: beside the running program, or in ../lib/polecat from it. Owned by the
 * caller; NULL if there is none. */
char *prepare_own_file(const char *name, struct err *err);

#endif
