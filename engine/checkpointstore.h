/*
 * CACHE/checkpoints: the checkpoints of runs, kept between sessions, a file for each run (engine/checkpointfile). All files
 * together stay within a budget; those used longest ago go first. A file is written under another name and renamed when whole, so
 * a reader sees all of it or nothing; what a killed writer left is swept by the next one.
 */
#ifndef ENGINE_CHECKPOINTSTORE_H
#define ENGINE_CHECKPOINTSTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/checkpointfile.h"
#include "engine/digest.h"
#include "engine/err.h"

#define CHECKPOINTSTORE_BUDGET_MIB 2048u

struct checkpointstore {
	int dir;
	uint64_t budget; /* bytes */
};

/* cache: polecat's cache directory; the store's is made if needed. On failure dir is -1. */
bool checkpointstore_open(struct checkpointstore *s, const char *cache, unsigned budget_mib, struct err *err);
void checkpointstore_close(struct checkpointstore *s);

/* The file of a run, whose use is noted. NULL when there is none (err->code ERR_NONE) or it cannot be trusted: then the reason is
 * told and it was removed. */
struct checkpointfile *checkpointstore_load(
	struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], size_t ram_pages, struct err *err);
/* Is f still the file of the run? */
bool checkpointstore_has(const struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], const struct checkpointfile *f);
/* Removes the file of a run, if it is there. */
void checkpointstore_forget(struct checkpointstore *s, const uint8_t key[DIGEST_SIZE]);

/* A new file of a run, being written to fd. */
struct checkpointstore_draft {
	int fd;
	char name[DIGEST_TEXT_MAX + 32];
};
bool checkpointstore_begin(
	struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], struct checkpointstore_draft *d, struct err *err);
/* Takes the place of the file that was there, and evicts others if all are too many. */
bool checkpointstore_commit(
	struct checkpointstore *s, const uint8_t key[DIGEST_SIZE], struct checkpointstore_draft *d, struct err *err);
void checkpointstore_abandon(struct checkpointstore *s, struct checkpointstore_draft *d); /* fd -1: nothing to do */

struct checkpointstore_entry {
	char name[DIGEST_TEXT_MAX]; /* the key */
	uint64_t disk_bytes;
	int64_t used_s; /* time of the last use, seconds since 1970 */
	int64_t used_ns;
};
/* By time of use, the oldest first. The list is the caller's. */
bool checkpointstore_list(struct checkpointstore *s, struct checkpointstore_entry **list, size_t *count, struct err *err);
/* Removes what killed writers left, and files, the oldest first, until all have at most `most` bytes. What was removed is added
 * to *removed and *bytes. */
bool checkpointstore_trim(struct checkpointstore *s, uint64_t most, size_t *removed, uint64_t *bytes, struct err *err);

#endif
