#include "agent/sha256.h"

#include <string.h>

static const uint32_t round_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1,
	0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
	0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354,
	0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee,
	0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

/* One round; the caller names the eight words anew for each, so that none has to be moved. */
static inline void turn_round(
	uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g, uint32_t *h, uint32_t kw)
{
	uint32_t t = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + kw;
	*d += t;
	*h = t + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
}

static void add_block(uint32_t state[8], const uint8_t *p)
{
	uint32_t w[64];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
	}
	for (const uint32_t *k = round_constants, *v = w; v < w + 64; k += 8, v += 8) {
		turn_round(a, b, c, &d, e, f, g, &h, k[0] + v[0]);
		turn_round(h, a, b, &c, d, e, f, &g, k[1] + v[1]);
		turn_round(g, h, a, &b, c, d, e, &f, k[2] + v[2]);
		turn_round(f, g, h, &a, b, c, d, &e, k[3] + v[3]);
		turn_round(e, f, g, &h, a, b, c, &d, k[4] + v[4]);
		turn_round(d, e, f, &g, h, a, b, &c, k[5] + v[5]);
		turn_round(c, d, e, &f, g, h, a, &b, k[6] + v[6]);
		turn_round(b, c, d, &e, f, g, h, &a, k[7] + v[7]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_init(struct sha256 *s)
{
	*s = (struct sha256){
		.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *s, const void *data, size_t size)
{
	const uint8_t *p = data;
	size_t used = s->size % sizeof s->block;
	s->size += size;
	if (used) {
		size_t part = sizeof s->block - used < size ? sizeof s->block - used : size;
		memcpy(s->block + used, p, part);
		p += part;
		size -= part;
		if (used + part < sizeof s->block)
			return;
		add_block(s->state, s->block);
	}
	for (; size >= sizeof s->block; p += sizeof s->block, size -= sizeof s->block)
		add_block(s->state, p);
	if (size)
		memcpy(s->block, p, size);
}

void sha256_digest(const struct sha256 *s, uint8_t ret[32])
{
	uint32_t state[8];
	uint8_t last[128] = {0};
	size_t used = s->size % sizeof s->block, total = used < 56 ? 64 : 128;
	memcpy(state, s->state, sizeof state);
	memcpy(last, s->block, used);
	last[used] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[total - 1 - i] = (uint8_t)(s->size * 8 >> (8 * i));
	add_block(state, last);
	if (total == 128)
		add_block(state, last + 64);
	for (unsigned i = 0; i < 32; i++)
		ret[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
