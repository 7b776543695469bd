/*
 * Source files of programs: found by the path in the debug information, or below directories that a person names.
 */
#ifndef ENGINE_SOURCEFILE_H
#define ENGINE_SOURCEFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/buf.h"
#include "engine/err.h"

#define SOURCEFILE_SIZE_MAX (16u << 20) /* bytes of a source file */

/* Appends the path that directory and file mean (directory may be NULL), without "." and "..". It is relative when both are:
 * programs that say where they were compiled relative to their project. Pure. */
void sourcefile_path(const char *directory, const char *file, struct buf *out);

/*
 * Opens the source file at path (from sourcefile_path) for reading, and appends where it was found. Looked for are first the
 * whole path below each of dirs, then with more and more of its leading directories left out, last the path itself on this host.
 * -1 with ERR_INPUT that names the path when there is none.
 */
int sourcefile_open(const char *path, const char *const *dirs, size_t dir_count, struct buf *found, struct err *err);

/* Lines first to last of the text, numbered from 1; "=>" is before `current`. Safe for a terminal. False when it has no line
 * `current`. */
bool sourcefile_print(const char *text, size_t size, int first, int last, int current, struct buf *out);

#endif
