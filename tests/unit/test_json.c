#include <stdlib.h>

#include "engine/json.h"
#include "unit.h"

static bool parses(const char *text, struct err *err)
{
	*err = (struct err){0};
	struct json *j = json_parse(text, strlen(text), "x.json", err);
	json_destroy(j);
	return j != NULL;
}

static void round_trip(void)
{
	static const char *const same[] = {"{}", "[]", "{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}",
		"[18446744073709551615,-9223372036854775808,0]", "[0.1,1.5,-2.25,1e+300,1.0]",
		"[\"\\u0000\\b\\t\\n\\f\\r\\\"\\\\\\u001f\\u007f\xc3\xa9\"]"};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		struct err err = {0};
		struct buf out = {0};
		struct json *j = json_parse(same[i], strlen(same[i]), "x", &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(j);
		json_write(j, &out);
		CU_ASSERT_STRING_EQUAL(out.data, same[i]);
		buf_free(&out);
		json_destroy(j);
	}
}

static void errors_have_a_place(void)
{
	static const struct {
		const char *text, *starts;
	} rows[] = {{"", "x.json:1:1: "}, {"{", "x.json:1:2: "}, {"{\"a\":1,\n \"b\":}", "x.json:2:6: "},
		{"{'a':1}", "x.json:1:2: "}, {"[1,]", "x.json:1:4: "}, {"[1] x", "x.json:1:5: "}, {"[1]/* */", "x.json:1:4: "},
		{"[NaN]", "x.json:1:"}, {"[1e999]", "x.json:1:"}, {"[\"\xff\"]", "x.json:1:"}, {"3", "x.json:1:"},
		{"\"a\"", "x.json:1:"}, {"{\"a\" 1}", "x.json:1:"}, {"[\xc3\xa9]", "x.json:1:2: "}};
	struct err err;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CU_ASSERT_FALSE(parses(rows[i].text, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		if (strncmp(err.text, rows[i].starts, strlen(rows[i].starts)))
			CU_FAIL(rows[i].text);
	}
	char deep[3 * JSON_DEPTH_MAX] = "";
	memset(deep, '[', sizeof deep - 1);
	CU_ASSERT_FALSE(parses(deep, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "deep"));
	CU_ASSERT_TRUE(parses(" {\"a\":[1]} \r\n\t", &err));
}

static void cut_anywhere_is_an_error(void)
{
	static const char text[] = "{\"a\":[1,2.5,\"x\\u00e9\"],\"b\":{\"c\":null}}";
	struct err err;
	for (size_t n = 0; n < sizeof text - 1; n++) {
		struct json *j = json_parse(text, n, "x", &err);
		CU_ASSERT_PTR_NULL(j);
	}
}

static void getters_tell_what_was_expected(void)
{
	static const char text[] = "{\"n\":5,\"neg\":-5,\"s\":\"t\",\"z\":\"a\\u0000b\",\"o\":{},\"big\":18446744073709551615,"
				   "\"nil\":null,\"r\":1.5}";
	struct err err = {0};
	struct json *j = json_parse(text, sizeof text - 1, "x", &err);
	uint64_t u = 0;
	int64_t i = 0;
	double r = 0;
	const char *s;
	const struct json *member;
	CU_ASSERT_PTR_NOT_NULL_FATAL(j);
	CU_ASSERT_TRUE(json_get_u64(j, "n", &u, &err) && u == 5);
	CU_ASSERT_TRUE(json_get_i64(j, "neg", &i, &err) && i == -5);
	CU_ASSERT_TRUE(json_get_u64(j, "big", &u, &err) && u == UINT64_MAX);
	CU_ASSERT_TRUE(json_as_real(json_member(j, "r"), "r", &r, &err) && r > 1.4 && r < 1.6);
	CU_ASSERT_FALSE(json_get_i64(j, "big", &i, &err));
	CU_ASSERT_FALSE(json_get_u64(j, "neg", &u, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "neg: expected a number that is not negative, found -5");
	CU_ASSERT_FALSE(json_get_u64(j, "s", &u, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "s: expected a whole number, found a string");
	CU_ASSERT_FALSE(json_get_str(j, "nil", &s, &err));
	CU_ASSERT_FALSE(json_get_str(j, "z", &s, &err));
	CU_ASSERT_FALSE(json_get_str(j, "absent", &s, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "absent: is missing");
	CU_ASSERT_FALSE(json_get(j, "s", JSON_OBJECT, &member, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "s: expected an object, found a string");
	CU_ASSERT_TRUE(json_get(j, "o", JSON_OBJECT, &member, &err));
	CU_ASSERT_FALSE(json_only(j, (const char *const[]){"n", NULL}, &err));
	CU_ASSERT_STRING_EQUAL(err.text, "neg: is not a known member");
	CU_ASSERT_PTR_NULL(json_member(NULL, "n"));
	CU_ASSERT_EQUAL(json_count(j), 8);
	CU_ASSERT_PTR_NOT_NULL(json_member_at(j, 2, &s));
	CU_ASSERT_STRING_EQUAL(s, "s");
	CU_ASSERT_PTR_NULL(json_member_at(j, 8, &s));
	json_destroy(j);
}

static void canonical_sorts_and_bad_bytes_are_replaced(void)
{
	struct json *j = json_new_object(), *inner = json_new_object(), *list = json_new_array();
	struct buf out = {0};
	json_put_u64(inner, "b", 2);
	json_put_u64(inner, "a", 1);
	json_push(list, inner);
	json_put(j, "z", list);
	json_put_str(j, "a", NULL);
	json_put_bool(j, "m", true);
	json_put_i64(j, "i", -1);
	struct json *copy = json_copy(j);
	json_write_canonical(copy, &out);
	CU_ASSERT_STRING_EQUAL(out.data, "{\"a\":null,\"i\":-1,\"m\":true,\"z\":[{\"a\":1,\"b\":2}]}");
	buf_clear(&out);
	json_write_pretty(j, &out);
	CU_ASSERT_STRING_EQUAL(out.data,
		"{\n  \"z\": [\n    {\n      \"b\": 2,\n      \"a\": 1\n    }\n  ],\n  \"a\": null,\n  \"m\": true,\n  \"i\": "
		"-1\n}\n");
	buf_clear(&out);
	json_quote(&out, "a\xff\xc0\xaf\xed\xa0\x80z", 8);
	CU_ASSERT_STRING_EQUAL(out.data, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
	buf_free(&out);
	json_destroy(copy);
	json_destroy(j);
}

const struct test suite_json[] = {
	{"what is parsed is written again", round_trip},
	{"errors have a place", errors_have_a_place},
	{"cut anywhere is an error", cut_anywhere_is_an_error},
	{"getters tell what was expected", getters_tell_what_was_expected},
	{"canonical sorts, bad bytes are replaced", canonical_sorts_and_bad_bytes_are_replaced},
	{0},
};
