/* SHA-256 (FIPS 180-4) of a stream. The agent links nothing but libc, so it has its own. */
#ifndef AGENT_SHA256_H
#define AGENT_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t state[8];
	uint64_t size;     /* bytes added so far */
	uint8_t block[64]; /* size % 64 bytes of it are in use */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t size);

/* Writes the digest of what was added so far; s stays as it was, so that more may be added. */
void sha256_digest(const struct sha256 *s, uint8_t ret[32]);

#endif
