/*
 * The events of a run as bytes, whichever way they are stored: events.jsonl while they are recorded and when they are few,
 * events.jsonl.zst when they are many (docs/FORMATS.md, "Run directory"). Both are read alike, at any place; what is packed is
 * unpacked a frame at a time. A const eventfile may be read by several threads at once.
 */
#ifndef ENGINE_EVENTFILE_H
#define ENGINE_EVENTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

#define EVENTFILE_NAME       "events.jsonl"
#define EVENTFILE_PACKED     "events.jsonl.zst"
#define EVENTFILE_PACK_MIN   (4 * 1024 * 1024) /* a recording packs events of this many bytes and more */
#define EVENTFILE_FRAME      (256 * 1024)      /* bytes of events in a frame that it writes; the last has what is left */
#define EVENTFILE_FRAME_MAX  (1024 * 1024)     /* bytes of events in a frame that is read */
#define EVENTFILE_FRAMES_MAX 65536

struct eventfile;

/*
 * Opens the events of a run directory; those that are not packed if there are both. NULL on failure: with *ret_absent, which may
 * be NULL, set if there are none, and else with ERR_INPUT.
 */
struct eventfile *eventfile_open(int dir, bool *ret_absent, struct err *err);
void eventfile_close(struct eventfile *f); /* NULL is fine */

/* Bytes of events: what the file has now when it is not packed, which grows while it is recorded. */
uint64_t eventfile_size(const struct eventfile *f);
/* How the file is called in its directory. */
const char *eventfile_name(const struct eventfile *f);
/* The file as it is stored, for fstat. Borrowed. */
int eventfile_fd(const struct eventfile *f);

/* Reads size bytes at offset, or what there is up to the end: *ret_got says how many. */
bool eventfile_read(const struct eventfile *f, uint64_t offset, void *to, size_t size, size_t *ret_got, struct err *err);

/* Makes events.jsonl.zst out of a directory's events.jsonl, of which size bytes are expected, and removes that. frame is
 * EVENTFILE_FRAME but in tests. On failure it is as it was. */
bool eventfile_pack(int dir, uint64_t size, size_t frame, struct err *err);

#endif
