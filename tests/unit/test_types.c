#include "engine/types.h"
#include "sample_btf.h"
#include "unit.h"

static struct types *sample(void)
{
	struct buf bytes = sample_btf();
	struct err err = {0};
	struct types *types = types_create(bytes.data, bytes.size, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(types);
	buf_free(&bytes);
	return types;
}

static void members_are_found_by_their_path(void)
{
	struct types *types = sample();
	static const struct {
		const char *type, *path;
		struct type_member at;
	} rows[] = {{"inner", "a", {0, 4, 0, 0}}, {"inner", "b", {4, 4, 0, 0}}, {"inner", "c", {4, 16, 0, 0}},
		{"inner", "c[3]", {16, 4, 0, 0}}, {"outer", "low", {0, 4, 0, 3}}, {"outer", "high", {0, 4, 3, 7}},
		{"outer", "in", {4, 40, 0, 0}}, {"outer", "in[1].a", {24, 4, 0, 0}}, {"outer", "in[1].c[2]", {36, 4, 0, 0}},
		{"outer", "self", {48, 8, 0, 0}}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct type_member m;
		struct err err = {0};
		CU_ASSERT_TRUE(types_member(types, rows[i].type, rows[i].path, &m, &err));
		CU_ASSERT_EQUAL(m.offset, rows[i].at.offset);
		CU_ASSERT_EQUAL(m.size, rows[i].at.size);
		CU_ASSERT_EQUAL(m.bit_shift, rows[i].at.bit_shift);
		CU_ASSERT_EQUAL(m.bit_size, rows[i].at.bit_size);
	}
	types_destroy(types);
}

static void what_is_missing_is_named(void)
{
	struct types *types = sample();
	struct type_member m;
	struct err err = {0};
	uint32_t size;
	CU_ASSERT_FALSE(types_member(types, "nobody", "a", &m, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "the kernel has no struct nobody");
	CU_ASSERT_FALSE(types_member(types, "outer", "in[0].zz", &m, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "the kernel's struct outer has no member in[0].zz");
	static const char *const wrong[] = {
		"", ".", "a.", ".a", "a[0]", "c[", "c[]", "c[x]", "c[1", "c[1]x", "c[99999999999999999999]", "a.b", "self.low"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CU_ASSERT_FALSE(types_member(types, i == 12 ? "outer" : "inner", wrong[i], &m, &err));
	char longest[TYPES_PATH_MAX + 2];
	memset(longest, 'a', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	CU_ASSERT_FALSE(types_member(types, "inner", longest, &m, &err));
	CU_ASSERT_EQUAL(err.code, ERR_INPUT);
	CU_ASSERT_TRUE(types_size(types, "outer", &size, &err) && size == 56);
	CU_ASSERT_FALSE(types_size(types, "int", &size, &err));
	types_destroy(types);
}

static void other_bytes_are_refused(void)
{
	struct err err = {0};
	CU_ASSERT_PTR_NULL(types_create("no types", 8, &err));
	CU_ASSERT_EQUAL(err.code, ERR_QEMU);
	types_destroy(NULL);
}

const struct test suite_types[] = {{"members are found by their path", members_are_found_by_their_path},
	{"what is missing is named", what_is_missing_is_named}, {"other bytes are refused", other_bytes_are_refused}, {0}};
