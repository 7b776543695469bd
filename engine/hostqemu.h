/* The QEMU of this host: which program, which version, and whether polecat can use it. */
#ifndef ENGINE_HOSTQEMU_H
#define ENGINE_HOSTQEMU_H

#include <stdbool.h>
#include "engine/digest.h"
#include "engine/err.h"

struct hostqemu {
	char *path;    /* absolute */
	char *version; /* "7.2.22" */
	char *package; /* the text in parentheses, "Debian 1:7.2+dfsg-7+deb12u18", or "" */
	int major, minor, micro;
	uint8_t digest[DIGEST_SIZE]; /* of the program file */
};

/* Finds $POLECAT_QEMU, else qemu-system-x86_64 in PATH, and asks its version. The digest (and version) of a program already
 * seen is remembered in the cache directory by its path, inode, size and times. cache may be NULL.
 * Fails with a sentence: not installed (and what to install), too old (< 7.2), known to be broken (9.0, 9.1). */
bool hostqemu_find(struct hostqemu *q, const char *cache, struct err *err);
void hostqemu_finish(struct hostqemu *q);

/* The version rule alone, for tests and doctor: true if this version can be used. */
bool hostqemu_supported(int major, int minor, struct err *err);
/* Reads "QEMU emulator version 7.2.22 (Debian ...)". */
bool hostqemu_parse(struct hostqemu *q, const char *text, struct err *err);

#endif
