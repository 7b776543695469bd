/* SHA-256 (OpenSSL's libcrypto, which only digest.c sees). */
#ifndef ENGINE_DIGEST_H
#define ENGINE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_SIZE 32

void digest_sha256(const void *bytes, size_t size, uint8_t out[DIGEST_SIZE]);

/* The same in pieces. */
struct digest;
struct digest *digest_create(void);
void digest_destroy(struct digest *d); /* NULL is fine */
void digest_add(struct digest *d, const void *bytes, size_t size);
/* Gives the digest of everything added and starts anew. */
void digest_end(struct digest *d, uint8_t out[DIGEST_SIZE]);

/* size bytes as 2 * size lower case hex digits and a NUL. */
void digest_hex(const void *bytes, size_t size, char *out);

#endif
