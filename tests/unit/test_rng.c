#include "engine/digest.h"
#include "engine/rng.h"
#include "unit.h"

/* RFC 8439, section 2.3.2. */
static void block_of_the_rfc(void)
{
	static const uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504, 0x0b0a0908,
		0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0x00000001, 0x09000000, 0x4a000000, 0x00000000};
	static const uint8_t expected[64] = {0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3, 0x20,
		0x71, 0xc4, 0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22, 0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2,
		0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa, 0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c, 0xd1,
		0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e};
	uint8_t out[64];

	rng_block(state, out);
	CU_ASSERT_TRUE(memcmp(out, expected, sizeof out) == 0);
}

/* The vectors of docs/FORMATS.md, "Random streams". */
static void streams_of_the_format(void)
{
	struct rng rng;
	uint8_t bytes[32];
	char hex[65];

	rng_init(&rng, 42, "entropy");
	rng_bytes(&rng, bytes, sizeof bytes);
	digest_hex(bytes, sizeof bytes, hex);
	CU_ASSERT_STRING_EQUAL(hex, "46b115dda774a4f5aa9d55a7251cc8ab7e573cec8273fe32d7129aec68646fff");
	rng_init(&rng, 42, "kill server/0/times");
	CU_ASSERT_EQUAL(rng_u64(&rng), UINT64_C(15842835999803493354));
	CU_ASSERT_EQUAL(rng_range(&rng, (struct text_range){1, 6}), 2);
	rng_init(&rng, UINT64_MAX, "");
	CU_ASSERT_EQUAL(rng_u64(&rng), UINT64_C(16145216185601738490));
}

static void bytes_do_not_depend_on_how_they_are_asked_for(void)
{
	struct rng rng;
	uint8_t whole[200], parts[200];

	rng_init(&rng, 7, "x");
	rng_bytes(&rng, whole, sizeof whole);
	for (size_t cut = 0; cut <= sizeof whole; cut++) {
		rng_init(&rng, 7, "x");
		rng_bytes(&rng, parts, cut);
		rng_bytes(&rng, parts + cut, sizeof parts - cut);
		CU_ASSERT_TRUE(memcmp(whole, parts, sizeof whole) == 0);
	}
}

static void ranges_are_kept_and_filled(void)
{
	struct rng rng;
	unsigned seen[6] = {0};

	rng_init(&rng, 1, "dice");
	for (int i = 0; i < 6000; i++) {
		uint64_t n = rng_range(&rng, (struct text_range){10, 15});
		CU_ASSERT_TRUE_FATAL(n >= 10 && n <= 15);
		seen[n - 10]++;
	}
	for (int i = 0; i < 6; i++)
		CU_ASSERT_TRUE(seen[i] > 850 && seen[i] < 1150); /* 1000 expected, standard deviation 29 */
	CU_ASSERT_EQUAL(rng_range(&rng, (struct text_range){9, 9}), 9);
	uint64_t big = rng_range(&rng, (struct text_range){1, UINT64_MAX});
	CU_ASSERT_TRUE(big >= 1);
	rng_range(&rng, (struct text_range){0, UINT64_MAX});
	/* With a span of 3 * 2^62, modulo alone would draw from the first third twice as often: 4096 draws show it. */
	unsigned low = 0;
	for (int i = 0; i < 4096; i++)
		low += rng_range(&rng, (struct text_range){0, 3 * (UINT64_C(1) << 62) - 1}) < (UINT64_C(1) << 62);
	CU_ASSERT_TRUE(low > 1365 - 150 && low < 1365 + 150);
}

static void streams_and_seeds_differ(void)
{
	struct rng a, b;

	rng_init(&a, 1, "x");
	rng_init(&b, 2, "x");
	CU_ASSERT_NOT_EQUAL(rng_u64(&a), rng_u64(&b));
	rng_init(&a, 1, "x");
	rng_init(&b, 1, "y");
	CU_ASSERT_NOT_EQUAL(rng_u64(&a), rng_u64(&b));
}

const struct test suite_rng[] = {
	{"the block of RFC 8439", block_of_the_rfc},
	{"the streams of the format", streams_of_the_format},
	{"bytes do not depend on how they are asked for", bytes_do_not_depend_on_how_they_are_asked_for},
	{"ranges are kept and filled", ranges_are_kept_and_filled},
	{"streams and seeds differ", streams_and_seeds_differ},
	{0},
};
