/*
 * Where a run's choices come from: the ChaCha20 key stream (RFC 8439), one stream for each named question, so that asking a new
 * question changes the answer to no other. docs/FORMATS.md, "Random streams", has the definition and test vectors.
 */
#ifndef ENGINE_RNG_H
#define ENGINE_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "engine/text.h"

/* Owned by the caller; nothing to release. */
struct rng {
	uint32_t state[16];
	uint8_t block[64];
	size_t used; /* bytes of block given out */
};

/* The stream of a seed for a question, such as "entropy" or "kill server/0/times". */
void rng_init(struct rng *rng, uint64_t seed, const char *name);
void rng_bytes(struct rng *rng, void *out, size_t size);
uint64_t rng_u64(struct rng *rng);
/* Every value of the range (low <= high) is equally likely. */
uint64_t rng_range(struct rng *rng, struct text_range range);

/* The block function of RFC 8439, section 2.3: state (constants, key, counter, nonce) -> 64 bytes. Here to be tested. */
void rng_block(const uint32_t state[16], uint8_t out[64]);

#endif
