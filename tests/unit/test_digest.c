#include "engine/digest.h"
#include "unit.h"

static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; /* FIPS 180-4 example */

static void known_answers(void)
{
	uint8_t sum[DIGEST_SIZE];
	char hex[2 * DIGEST_SIZE + 1];

	digest_sha256("", 0, sum);
	digest_hex(sum, sizeof sum, hex);
	CU_ASSERT_STRING_EQUAL(hex, empty);
	digest_sha256("abc", 3, sum);
	digest_hex(sum, sizeof sum, hex);
	CU_ASSERT_STRING_EQUAL(hex, abc);
}

static void pieces_are_the_whole(void)
{
	uint8_t sum[DIGEST_SIZE];
	char hex[2 * DIGEST_SIZE + 1];
	struct digest *d = digest_create();

	digest_end(d, sum);
	digest_hex(sum, sizeof sum, hex);
	CU_ASSERT_STRING_EQUAL(hex, empty);
	for (size_t cut = 0; cut <= 3; cut++) { /* again after each end */
		digest_add(d, "abc", cut);
		digest_add(d, "abc" + cut, 3 - cut);
		digest_end(d, sum);
		digest_hex(sum, sizeof sum, hex);
		CU_ASSERT_STRING_EQUAL(hex, abc);
	}
	digest_destroy(d);
	digest_destroy(NULL);
}

const struct test suite_digest[] = {
	{"known answers", known_answers},
	{"pieces are the whole", pieces_are_the_whole},
	{0},
};
