#include "engine/rng.h"

#include <string.h>

#include "engine/buf.h"
#include "engine/digest.h"

static uint32_t rotate(uint32_t n, unsigned by)
{
	return n << by | n >> (32 - by);
}

static void quarter(uint32_t *s, int a, int b, int c, int d)
{
	s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 16);
	s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 12);
	s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 8);
	s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 7);
}

void rng_block(const uint32_t state[16], uint8_t out[64])
{
	uint32_t s[16];
	memcpy(s, state, sizeof s);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++)
			quarter(s, i, 4 + i, 8 + i, 12 + i);
		for (int i = 0; i < 4; i++)
			quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
	}
	for (int i = 0; i < 16; i++)
		for (int byte = 0; byte < 4; byte++)
			out[4 * i + byte] = (uint8_t)((s[i] + state[i]) >> (8 * byte));
}

void rng_init(struct rng *rng, uint64_t seed, const char *name)
{
	static const char domain[] = "polecat random stream 1"; /* with its NUL */
	static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
	struct buf text = {0};
	uint8_t key[DIGEST_SIZE];

	buf_add(&text, domain, sizeof domain);
	for (int byte = 0; byte < 8; byte++)
		buf_char(&text, (char)(seed >> (8 * byte)));
	buf_str(&text, name);
	digest_sha256(text.data, text.size, key);
	buf_free(&text);

	*rng = (struct rng){.used = sizeof rng->block};
	memcpy(rng->state, constants, sizeof constants);
	for (int i = 0; i < 8; i++)
		for (int byte = 0; byte < 4; byte++)
			rng->state[4 + i] |= (uint32_t)key[4 * i + byte] << (8 * byte);
}

static uint8_t next_byte(struct rng *rng)
{
	if (rng->used == sizeof rng->block) {
		rng_block(rng->state, rng->block);
		rng->state[12]++; /* 256 GiB until it wraps: nothing here draws that much */
		rng->used = 0;
	}
	return rng->block[rng->used++];
}

void rng_bytes(struct rng *rng, void *out, size_t size)
{
	for (uint8_t *p = out; size > 0; size--)
		*p++ = next_byte(rng);
}

uint64_t rng_u64(struct rng *rng)
{
	uint64_t n = 0;
	for (int byte = 0; byte < 8; byte++)
		n |= (uint64_t)next_byte(rng) << (8 * byte);
	return n;
}

uint64_t rng_range(struct rng *rng, struct text_range range)
{
	uint64_t span = range.high - range.low + 1; /* 0: all 2^64 values */
	if (span == 0)
		return rng_u64(rng);
	/* 2^64 mod span values at the top would make the low results likelier: draw again. */
	uint64_t top = UINT64_MAX - (UINT64_MAX % span + 1) % span;
	uint64_t n;
	do
		n = rng_u64(rng);
	while (n > top);
	return range.low + n % span;
}
