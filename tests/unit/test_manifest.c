#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/manifest.h"

static struct manifest sample(void)
{
	struct manifest m = {.polecat = mem_str("0.1.0"),
		.scenario = mem_str("a \"quoted\" name"),
		.seed = UINT64_MAX,
		.created = mem_str("2026-01-02T03:04:05Z"),
		.kind = mem_str("closed"),
		.reproducible = mem_str("seed"),
		.end = mem_str("done"),
		.verdict = VERDICT_FAIL,
		.icount = 123456789012,
		.events = 17,
		.faults = 2,
		.log_size = 99,
		.identity = mem_str("{\"machine\":[\"-M\",\"microvm\"],\"qemu\":{\"version\":\"7.2.22\"}}")};
	memset(m.identity_sha256, 'a', 64);
	manifest_add_file(&m, "events.jsonl", "x\n", 2);
	manifest_add_file(&m, "plan.json", "{}", 2);
	m.files[0].packed = true;
	return m;
}

static void reads_what_it_wrote(void)
{
	struct manifest m = sample(), again = {0};
	struct buf text = {0}, twice = {0};
	struct err err = {0};
	manifest_write(&m, &text);
	CU_ASSERT_TRUE_FATAL(manifest_parse(&again, text.data, text.size, "manifest.json", &err));
	CU_ASSERT_STRING_EQUAL(again.scenario, m.scenario);
	CU_ASSERT_EQUAL(again.seed, UINT64_MAX);
	CU_ASSERT_EQUAL(again.verdict, VERDICT_FAIL);
	CU_ASSERT_EQUAL(again.file_count, 2);
	CU_ASSERT_STRING_EQUAL(again.files[1].name, "plan.json");
	CU_ASSERT_TRUE(again.files[0].packed && !again.files[1].packed);
	manifest_write(&again, &twice);
	CU_ASSERT_STRING_EQUAL(text.data, twice.data);
	manifest_finish(&m);
	manifest_finish(&again);
	buf_free(&text);
	buf_free(&twice);
}

/* What another version would have written: its number in the place of ours, signed anew. */
static bool parses_as_version(char version, struct err *err)
{
	static const char before[] = "\"polecat_run\": ", digest[] = "\"self_sha256\": \"";
	struct manifest m = sample(), again = {0};
	struct buf text = {0};
	manifest_write(&m, &text);
	strstr(text.data, before)[strlen(before)] = version;
	char *self = strstr(text.data, digest) + strlen(digest), hex[2 * DIGEST_SIZE + 1];
	uint8_t sum[DIGEST_SIZE];
	memset(self, '0', 2 * DIGEST_SIZE);
	digest_sha256(text.data, text.size, sum);
	digest_hex(sum, sizeof sum, hex);
	memcpy(self, hex, 2 * DIGEST_SIZE);
	bool ok = manifest_parse(&again, text.data, text.size, "manifest.json", err);
	manifest_finish(&m);
	manifest_finish(&again);
	buf_free(&text);
	return ok;
}

static void reads_the_versions_it_knows(void)
{
	struct err err = {0};
	CU_ASSERT_TRUE(parses_as_version('1', &err) && parses_as_version('2', &err));
	CU_ASSERT_FALSE(parses_as_version('0', &err));
	CU_ASSERT_FALSE(parses_as_version('3', &err));
	CU_ASSERT_STRING_EQUAL(err.text, "manifest.json: run format 3: this polecat reads 1 to 2");
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
}

/* Whatever byte changes, the manifest is refused, and by its name. */
static void notices_every_changed_byte(void)
{
	struct manifest m = sample(), again = {0};
	struct buf text = {0};
	manifest_write(&m, &text);
	for (size_t i = 0; i < text.size; i++) {
		char was = text.data[i];
		text.data[i] = was == 'Z' ? 'Y' : 'Z';
		struct err err = {0};
		CU_ASSERT_FALSE(manifest_parse(&again, text.data, text.size, "manifest.json", &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "manifest.json"));
		text.data[i] = was;
	}
	for (size_t i = 0; i < text.size; i++) {
		struct err err = {0};
		CU_ASSERT_FALSE(manifest_parse(&again, text.data, i, "manifest.json", &err));
	}
	manifest_finish(&m);
	buf_free(&text);
}

static void names_the_member_of_the_identity_that_differs(void)
{
	struct err err = {0};
	const char *here = "{\"kernel\":\"a\",\"qemu\":{\"version\":\"7.2.22\"}}";
	CU_ASSERT_TRUE(manifest_same_identity(here, here, &err));
	CU_ASSERT_FALSE(manifest_same_identity("{\"kernel\":\"a\",\"qemu\":{\"version\":\"8.0\"}}", here, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "qemu differs"));
	CU_ASSERT_FALSE(manifest_same_identity("{\"kernel\":\"a\"}", here, &err));
	CU_ASSERT_FALSE(manifest_same_identity("{", here, &err));
}

const struct test suite_manifest[] = {
	{"reads what it wrote", reads_what_it_wrote},
	{"reads the versions it knows", reads_the_versions_it_knows},
	{"notices every changed byte", notices_every_changed_byte},
	{"names the member of the identity that differs", names_the_member_of_the_identity_that_differs},
	{0},
};
