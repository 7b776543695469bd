/*
 * A run directory in its states, both ways. Reader and writer live together so that they cannot drift apart.
 *
 *   .incomplete-NAME   being recorded: locked (flock on the directory) by the recorder. Not locked: left by a kill; swept away
 *                      by the next command that records
 *   NAME               whole: the manifest is there and names every file
 *   NAME.failed        a recording that could not be made: a bounded bundle of why
 *
 * NAME is <UTC time>-<scenario>-<seed>-<short id>. Everything is owner-only.
 */
#ifndef ENGINE_RUNDIR_H
#define ENGINE_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/event.h"
#include "engine/manifest.h"

#define RUNDIR_FILE_MAX    (1ull << 30) /* largest file of a run that is read, packed or not */
#define RUNDIR_FAILURE_MAX (64 * 1024)  /* of each text in a failure bundle */
#define RUNDIR_INCOMPLETE  ".incomplete-"
#define RUNDIR_FAILED      ".failed"

/* ---- writing ---- */

struct rundir;

/* Makes runs (if needed) and .incomplete-NAME in it. created_s is the time in its name, seconds since 1970. */
struct rundir *rundir_create(const char *runs, const char *scenario, uint64_t seed, int64_t created_s, struct err *err);
/* Removes the directory unless it was completed or became a failure bundle. NULL is fine. */
void rundir_destroy(struct rundir *r);

/* Writes a file and remembers its digest for the manifest. */
bool rundir_write(struct rundir *r, const char *name, const void *bytes, size_t size, struct err *err);
/* Appends events to events.jsonl. */
struct event_sink rundir_sink(struct rundir *r);
/* Makes what was appended visible to readers that follow. */
bool rundir_flush(struct rundir *r, struct err *err);

/* Packs large events, writes the manifest (its files are filled in here), syncs, renames. From now on it replays. */
bool rundir_complete(struct rundir *r, struct manifest *m, struct err *err);

/* A short text of a failure bundle: cut to its last RUNDIR_FAILURE_MAX bytes and made printable. */
struct rundir_note {
	const char *name; /* file name */
	const char *bytes;
	size_t size;
};
/* Turns the directory into NAME.failed with failure.json and the notes, and nothing else. */
bool rundir_fail(struct rundir *r, const struct err *why, const struct rundir_note *notes, size_t count, struct err *err);

const char *rundir_path(const struct rundir *r); /* as it is called now */

/* ---- reading ---- */

/* Opens a run directory and reads its manifest. Returns the descriptor (owned), -1 on failure. */
int rundir_open(const char *path, struct manifest *m, struct err *err);
/* Every file of the manifest is there, of its size and digest, and none is a link. Names the first that is not. */
bool rundir_verify(int dir, const struct manifest *m, struct err *err);
/* Reads one file of the manifest, unpacks it if it is stored so, and checks it on the way. Appends to out. */
bool rundir_read(int dir, const struct manifest *m, const char *name, struct buf *out, struct err *err);

/* Nobody holds the lock of this incomplete run directory (opened): its recorder is gone. */
bool rundir_abandoned(int dir);

#endif
