/*
 * manifest.json: what a run is, what it needs to be replayed, and the digest of every other file beside it
 * (docs/FORMATS.md, "Manifest"). The manifest carries its own digest, so that it too cannot change unnoticed.
 */
#ifndef ENGINE_MANIFEST_H
#define ENGINE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"
#include "engine/verdict.h"

#define POLECAT_VERSION        "0.1.0" /* of the program, for `polecat --version` and every manifest */
#define MANIFEST_VERSION       2       /* 1 is read as well: it had no packed files */
#define MANIFEST_SIZE_MAX      (1024 * 1024)
#define MANIFEST_FILES_MAX     64
#define MANIFEST_NAME          "manifest.json"
#define MANIFEST_PACKED_SUFFIX ".zst"

struct manifest_file {
	char *name; /* a plain name without '/' */
	uint64_t size;
	char sha256[65];
	bool packed; /* stored by zstd, under its name and MANIFEST_PACKED_SUFFIX; size and digest are of what it unpacks to */
};

/* Strings are owned. */
struct manifest {
	char *polecat; /* version that recorded it */
	char *scenario;
	uint64_t seed;
	char *created;      /* UTC, "2026-11-29T19:20:21Z": for people, nothing depends on it */
	char *kind;         /* "closed" or "open" */
	char *reproducible; /* "seed": a fresh run is the same; "log": only its log is */
	char *parent;       /* fork: name of the run it comes from; else NULL */
	uint64_t parent_icount;
	char *end; /* reason of run.end */
	enum verdict verdict;
	uint64_t icount; /* instructions of the run */
	uint64_t vtime_ns, events, lines;
	uint64_t faults, faults_applied, faults_rejected, faults_unobserved;
	uint64_t record_ms;
	uint64_t log_size; /* of the unpacked replay log, bytes */
	char *identity;    /* canonical JSON of everything that decides what the machine does but its orders */
	char identity_sha256[65];
	struct manifest_file *files;
	size_t file_count, file_room;
};

/* Input came from outside: only the log has it. */
bool manifest_is_open(const struct manifest *m);

void manifest_finish(struct manifest *m);

/* Adds a file with the digest of its bytes. */
void manifest_add_file(struct manifest *m, const char *name, const void *bytes, size_t size);
/* Adds one of which the digest is known. */
void manifest_add_digest(struct manifest *m, const char *name, uint64_t size, const uint8_t sha256[32], bool packed);

void manifest_write(const struct manifest *m, struct buf *out);

/* Reads and checks a manifest; name is for errors. m must be zeroed; on failure it is empty. */
bool manifest_parse(struct manifest *m, const char *bytes, size_t size, const char *name, struct err *err);

/* Fails, naming the first member that differs, when two identities (canonical JSON texts) are not the same. `mine` is this
 * host's, `theirs` the run's. */
bool manifest_same_identity(const char *theirs, const char *mine, struct err *err);

#endif
