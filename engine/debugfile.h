/*
 * Debug information that is kept apart from the program it belongs to, in a debug directory of the host.
 */
#ifndef ENGINE_DEBUGFILE_H
#define ENGINE_DEBUGFILE_H

#include <stddef.h>
#include <stdint.h>

#define DEBUGFILE_ID_MAX 64 /* bytes of a build id */

/* Each opens a file below dir for reading, its path in *ret_name (the caller's to free); -1 when there is none. */

/* DIR/.build-id/ab/cdef.debug */
int debugfile_by_id(const char *dir, const unsigned char *id, size_t size, char **ret_name);

/* The file that a .gnu_debuglink names, beside the program or in its .debug, both below DIR, or in DIR itself. program is the
 * program's path in the guest. A file whose bytes have another CRC belongs to another program. */
int debugfile_by_link(const char *dir, const char *program, const char *link, uint32_t crc, char **ret_name);

/* As .gnu_debuglink counts it: of more bytes after crc (0 at first). */
uint32_t debugfile_crc(uint32_t crc, const void *bytes, size_t size);

#endif
