/* Files, carefully: owner-only, whole or absent, never through a link out of the directory that was meant. */
#ifndef ENGINE_FILE_H
#define ENGINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "engine/buf.h"
#include "engine/err.h"

/* mkdir -p with mode 0700 for the directories it makes. Existing ones are left as they are. */
bool file_mkdirs(const char *path, struct err *err);

/* Opens a directory for the dir parameters below. -1 on failure. The path itself may be or contain links. */
int file_open_dir(const char *path, struct err *err);

/* Opens `path` below dir (AT_FDCWD: below the working directory); no component may be a link or "..", or leave dir.
 * flags as open(2), O_CLOEXEC is added; mode 0600. -1 with errno kept on failure. */
int file_open_in(int dir, const char *path, int flags, struct err *err);

/* Makes (if needed) and opens a directory of mode 0700 below dir. -1 on failure. */
int file_mkdir_in(int dir, const char *name, struct err *err);

/* Opens a path a person gave (links allowed) for reading: must be a regular file. -1 on failure. */
int file_open(const char *path, struct err *err);

/* Appends the whole file to out; fails with ERR_INPUT if it has more than limit bytes. */
bool file_read(const char *path, size_t limit, struct buf *out, struct err *err);
bool file_read_in(int dir, const char *path, size_t limit, struct buf *out, struct err *err);
/* name is for the sentence only. Reads from offset 0. */
bool file_read_fd(int fd, const char *name, size_t limit, struct buf *out, struct err *err);

/* Atomically makes or replaces dir/name: written under a temporary name, synced, renamed. Mode 0600. */
bool file_write_in(int dir, const char *name, const void *bytes, size_t size, struct err *err);
/* The same for a path a person gave. */
bool file_write(const char *path, const void *bytes, size_t size, struct err *err);
/* write(2) until all is written. */
bool file_write_fd(int fd, const void *bytes, size_t size, const char *name, struct err *err);

/* Takes an exclusive flock on dir/name (made if needed). wait_ms < 0 waits for ever, 0 tries once.
 * Returns the descriptor that holds the lock until it is closed or the process dies; -1 on failure or, with *busy set
 * (may be NULL), when another holds it. */
int file_lock_in(int dir, const char *name, int wait_ms, bool *busy, struct err *err);

/* Anonymous memory as a file, close-on-exec, empty. name is for /proc only. -1 on failure. */
int file_memory(const char *name, struct err *err);
/* The same with these bytes in it, offset 0. */
int file_memory_of(const char *name, const void *bytes, size_t size, struct err *err);

/* Makes `to` equal to `from`, keeping holes: to must be empty (or all holes). Shares blocks where the file system can. */
bool file_copy(int from, int to, struct err *err);

/* Size in bytes; 0 on failure. */
uint64_t file_size(int fd);

/* rm -r of dir/name without following links. A name that is not there is no error. */
bool file_remove_in(int dir, const char *name, struct err *err);

/* $XDG_CACHE_HOME/polecat, or $HOME/.cache/polecat; made if needed. Owned by the caller, NULL on failure. */
char *file_cache_dir(struct err *err);
/* $XDG_STATE_HOME/polecat, or $HOME/.local/state/polecat; as above. */
char *file_state_dir(struct err *err);

#endif
