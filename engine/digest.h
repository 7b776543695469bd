/* SHA-256 (OpenSSL's libcrypto, which only digest.c sees). */
#ifndef ENGINE_DIGEST_H
#define ENGINE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/err.h"

#define DIGEST_SIZE     32
#define DIGEST_TEXT_MAX 65 /* as hex with a NUL */

void digest_sha256(const void *bytes, size_t size, uint8_t out[DIGEST_SIZE]);

/* The same in pieces. */
struct digest;
struct digest *digest_create(void);
void digest_destroy(struct digest *d); /* NULL is fine */
void digest_add(struct digest *d, const void *bytes, size_t size);
/* Adds the size as 8 bytes, little endian, then the bytes, so that fields cannot run into each other. */
void digest_field(struct digest *d, const void *bytes, size_t size);
/* Gives the digest of everything added and starts anew. */
void digest_end(struct digest *d, uint8_t out[DIGEST_SIZE]);

/* size bytes as 2 * size lower case hex digits and a NUL. */
void digest_hex(const void *bytes, size_t size, char *out);

/* Reads what digest_hex wrote for a digest. False unless text is exactly 64 hexadecimal digits. */
bool digest_parse(const char *text, uint8_t out[DIGEST_SIZE]);

/* Of a whole file, from offset 0 to its end; the offset does not move, holes are read as zeros. */
bool digest_fd(int fd, uint8_t out[DIGEST_SIZE], struct err *err);

#endif
