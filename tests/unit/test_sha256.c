#include <string.h>
#include "agent/sha256.h"
#include "unit.h"

static void check(const char *text, size_t repeat, const char *want)
{
	struct sha256 s;
	uint8_t digest[32];
	char hex[65];
	sha256_init(&s);
	for (size_t i = 0; i < repeat; i++)
		sha256_add(&s, text, strlen(text));
	sha256_digest(&s, digest);
	for (size_t i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	CU_ASSERT_STRING_EQUAL(hex, want);
}

/* The examples of FIPS 180. */
static void known_digests(void)
{
	check("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void splitting_changes_nothing(void)
{
	uint8_t data[200], whole[32], parts[32];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 7);
	for (size_t size = 0; size <= sizeof data; size++) {
		struct sha256 s;
		sha256_init(&s);
		sha256_add(&s, data, size);
		sha256_digest(&s, whole);
		for (size_t cut = 0; cut <= size; cut++) {
			sha256_init(&s);
			sha256_add(&s, data, cut);
			sha256_digest(&s, parts); /* to ask for a digest does not end the stream */
			sha256_add(&s, data + cut, size - cut);
			sha256_digest(&s, parts);
			CU_ASSERT_EQUAL(memcmp(whole, parts, sizeof whole), 0);
		}
	}
}

const struct test suite_sha256[] = {
	{"known digests", known_digests},
	{"splitting changes nothing", splitting_changes_nothing},
	{0},
};
