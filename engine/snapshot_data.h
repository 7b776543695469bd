/* What the files that make up snapshot share (snapshot_open, snapshot_build, snapshot_cache), and no others. */
#ifndef ENGINE_SNAPSHOT_DATA_H
#define ENGINE_SNAPSHOT_DATA_H

#include "engine/snapshot.h"

#define SNAPSHOT_DEVICE   "dev.qcow2"
#define SNAPSHOT_RAM      "ram"
#define SNAPSHOT_STATE    "snapshot.json"
#define SNAPSHOT_IDENTITY "identity.json"

/* The size of the output region that a specification asks for, in MiB. */
unsigned snapshot_output_of(const struct snapshot_spec *spec);

/* The directory of all entries, made if it is absent. -1 on failure; the caller closes it. */
int snapshot_cache_open(const char *cache, struct err *err);
/* Is there a whole entry of this name? */
bool snapshot_there(int dir, const char *name);
/* One entry of the cache. NULL if it is absent or not whole. A use is remembered as the directory's time. qemu: the program. */
struct snapshot *snapshot_open_entry(int dir, const char *name, const char *qemu, struct err *err);

#endif
