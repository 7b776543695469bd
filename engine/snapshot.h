/* Boot snapshots: a machine booted once to the agent's barrier, kept in the cache, the start of every run with the same identity.
 *
 * CACHE/snapshots/<identity>/: dev.qcow2 (device state, snapshot "ready"), ram (sparse image of guest memory), identity.json.
 * Built in a directory whose name starts with '.', renamed when whole. */
#ifndef ENGINE_SNAPSHOT_H
#define ENGINE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/digest.h"
#include "engine/err.h"
#include "engine/hostqemu.h"
#include "engine/image.h"
#include "engine/kernel.h"
#include "engine/machine.h"

/* Of the identity, the machine and what its agent understands: a run of another format is refused by this number. */
#define SNAPSHOT_FORMAT 6

struct snapshot_spec {
	const char *cache; /* polecat's cache directory (file_cache_dir) */
	const struct hostqemu *qemu;
	const struct kernel *kernel;
	const struct image_spec *image;
	unsigned memory_mib;
	unsigned output_mib; /* 0: MACHINE_OUTPUT_MIB */
	int cancel_fd;       /* readable: give up; -1: none */
};

struct snapshot;

/* fraction 0..1 of the boot, words "booting" ...; called some times a second at most. */
typedef void snapshot_progress(void *data, double fraction, const char *words);

/* The snapshot of this identity, from the cache or built now. Other processes that want the same wait for the one that builds.
 * NULL on failure; a failed boot's diagnosis is in the sentence. */
struct snapshot *snapshot_get(const struct snapshot_spec *spec, snapshot_progress *progress, void *data, struct err *err);
/* The snapshot that a recorded run started from, by the canonical JSON of its identity; never builds. Fails with ERR_INPUT before
 * anything is started: naming the member that differs when this host's QEMU is another one, or saying that the snapshot is no
 * longer in the cache and that recording its scenario once more makes it again. */
struct snapshot *snapshot_open(const char *cache, const struct hostqemu *qemu, const char *identity_json, struct err *err);
void snapshot_destroy(struct snapshot *s);

/* What machine_start needs; borrowed until snapshot_destroy. */
const struct machine_base *snapshot_base(const struct snapshot *s);

/* The identity: canonical JSON text (borrowed) and its digest. Everything that decides what a run does, except its orders. */
const char *snapshot_identity_json(const struct snapshot *s);
void snapshot_identity(const struct snapshot *s, uint8_t out[DIGEST_SIZE]);
/* What the identity would be, without building. Owned by the caller; NULL on failure. */
char *snapshot_identity_of(const struct snapshot_spec *spec, uint8_t digest[DIGEST_SIZE], struct err *err);

uint64_t snapshot_icount(const struct snapshot *s); /* at `ready` */
unsigned snapshot_memory_mib(const struct snapshot *s);
unsigned snapshot_output_mib(const struct snapshot *s);

/* The cache's entries, for `polecat image ls|gc`. */
struct snapshot_entry {
	char name[DIGEST_TEXT_MAX]; /* identity digest */
	uint64_t disk_bytes;
	int64_t used_s; /* time of the last use, seconds since 1970 */
	bool whole;     /* false: half-built, not in use by anyone */
};
bool snapshot_list(const char *cache, struct snapshot_entry **list, size_t *count, struct err *err);
/* Removes one entry unless somebody is building it. */
bool snapshot_remove(const char *cache, const char *name, struct err *err);

#endif
