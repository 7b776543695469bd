/* Small files: sysctls, control groups, /proc. */
#ifndef AGENT_SYSFILE_H
#define AGENT_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agent/why.h"

/* Writes text into an existing file, in one write. */
bool sysfile_write(const char *path, const char *text, struct why *why);

/* Makes or replaces the file's content. */
bool sysfile_make(const char *path, const void *data, size_t size, mode_t mode, struct why *why);

/* Reads at most room bytes of the file at path, relative to the directory dir unless that is AT_FDCWD, *ret_size of them. */
bool sysfile_read(int dir, const char *path, void *data, size_t room, size_t *ret_size, struct why *why);

/* A directory that may be there already. */
bool sysfile_directory(const char *path, mode_t mode, struct why *why);

#endif
