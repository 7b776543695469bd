/*
 * events.idx: an event index kept beside the events, so that a large run opens at once. Never needed: it is used only if it
 * was made from a file of events of the same size and time by the same version, and is whole; otherwise it is made anew.
 * It holds numbers in the order of this host and is not for carrying about.
 */
#ifndef ENGINE_INDEXFILE_H
#define ENGINE_INDEXFILE_H

#include <stdbool.h>

#include "engine/eventindex.h"

#define INDEXFILE_NAME    "events.idx"
#define INDEXFILE_VERSION 1
/* Events files below this size are indexed in a few milliseconds, and get no index file. */
#define INDEXFILE_EVENTS_SIZE_MIN (4 * 1024 * 1024)

/*
 * Loads dirfd's index file for its events. index has been initialised with the names it must start with. Returns
 * false, with index as it was, for any reason whatever: there is nothing to do about it but to read the events.
 */
bool indexfile_load(struct eventindex *index, int dirfd, const struct eventfile *events);

/* Writes the index file, readable by its owner only, whole or not at all. A directory that cannot be written is no error. */
void indexfile_save(const struct eventindex *index, int dirfd, const struct eventfile *events);

#endif
