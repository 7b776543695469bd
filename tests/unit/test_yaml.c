#include <stdio.h>
#include <stdlib.h>
#include "engine/yaml.h"
#include "unit.h"

static struct yaml_document *parse(const char *text, struct err *err)
{
	*err = (struct err){0};
	return yaml_parse(text, strlen(text), "x.yaml", err);
}

static bool is_at(const struct yaml *y, unsigned line, unsigned column)
{
	return y && y->place.line == line && y->place.column == column;
}

static void values_have_places(void)
{
	struct err err;
	struct yaml_document *d =
		parse("a: 1\nb:\n  c: [x, \"y\\n\", {d: e}]\n  f:\n    - 1\n    - g: h\nk:\nl: |\n  one\n  two\n", &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	const struct yaml *root = yaml_root(d);
	CU_ASSERT_TRUE(root->kind == YAML_MAP && root->count == 4);
	CU_ASSERT_TRUE(is_at(yaml_get(root, "a"), 1, 4));
	CU_ASSERT_TRUE(yaml_get(root, "a")->plain);
	const struct yaml *c = yaml_get(yaml_get(root, "b"), "c");
	CU_ASSERT_TRUE(is_at(c, 3, 6) && c->kind == YAML_LIST && c->count == 3);
	CU_ASSERT_TRUE(is_at(c->key, 3, 3));
	CU_ASSERT_TRUE(is_at(c->first->next, 3, 10) && !c->first->next->plain);
	CU_ASSERT_STRING_EQUAL(c->first->next->text, "y\n");
	CU_ASSERT_TRUE(c->first->next->next->kind == YAML_MAP && !c->first->next->next->next);
	const struct yaml *f = yaml_get(yaml_get(root, "b"), "f");
	CU_ASSERT_TRUE(is_at(f->first, 5, 7) && is_at(yaml_get(f->first->next, "g"), 6, 10));
	CU_ASSERT_TRUE(yaml_get(root, "k")->plain && yaml_get(root, "k")->size == 0);
	CU_ASSERT_STRING_EQUAL(yaml_get(root, "l")->text, "one\ntwo\n");
	CU_ASSERT_PTR_NULL(yaml_get(root, "z"));
	CU_ASSERT_PTR_NULL(yaml_get(c, "z"));
	yaml_destroy(d);
	yaml_destroy(NULL);
}

static void errors_point_at_their_place(void)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"a: b: c",
			"x.yaml:1:5: this is not YAML: invalid nested block mapping on the same line\n    a: b: c\n        ^"},
		{"a: 1\na: 2", "x.yaml:2:1: `a` is here twice: first in line 1\n    a: 2\n    ^"},
		{"a: &x 1", "x.yaml:1:7: anchors"},
		{"a: *x", "x.yaml:1:5: anchors"},
		{"a: !!str x", "x.yaml:1:10: tags"},
		{"<<: *x", "x.yaml:1:"},
		{"? [a]\n: b", "x.yaml:1:3: a key must be a word"},
		{"x\n--- 1\n--- 2", "x.yaml:2:1: a second document"},
		{"", "x.yaml: the file is empty"},
		{"# nothing\n", "x.yaml: the file is empty"},
		{"\ta: 1", "x.yaml:1:1: this is not YAML"},
		{"a: \"\\0\"", "x.yaml:1:4: a text holds a NUL character"},
		{"caf\xc3\xa9: \xff", "x.yaml:1:7: this byte (0xff) is not UTF-8"},
		{"\xef\xbb\xbf"
		 "a: 1",
			"x.yaml:1:1: a byte order mark"},
		{"a: [1,", "x.yaml:"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err;
		CU_ASSERT_PTR_NULL(parse(bad[i].text, &err));
		CU_ASSERT_EQUAL(err.code, ERR_INPUT);
		if (strncmp(err.text, bad[i].error, strlen(bad[i].error)) != 0) {
			fprintf(stderr, "\n%s\n-> %s\nwanted: %s\n", bad[i].text, err.text, bad[i].error);
			CU_FAIL("an error is told otherwise");
		}
	}
	struct err err = {0};
	CU_ASSERT_PTR_NULL(yaml_parse("a: \0b", 5, "x.yaml", &err));
	CU_ASSERT_TRUE(strncmp(err.text, "x.yaml:1:4: a NUL character", 27) == 0);
}

/* Whatever is in the file, nothing of it reaches a terminal raw, and the caret stands under the column. */
static void errors_are_harmless(void)
{
	struct err err = {0};
	char line[400];

	yaml_fail("a\033[2Jb\tc", 8, "na\nme", (struct text_place){1, 7}, &err, "key `%s`", "\033[31m");
	CU_ASSERT_STRING_EQUAL(err.text, "na?me:1:7: key `?[31m`\n    a?[2Jb c\n          ^");
	memset(line, 'x', sizeof line);
	yaml_fail(line, sizeof line, "f", (struct text_place){1, 300}, &err, "here");
	char *caret = strchr(err.text, '^'), *shown = strchr(err.text, '\n') + 1;
	CU_ASSERT_TRUE(caret && caret - strrchr(err.text, '\n') < 110);
	CU_ASSERT_TRUE(strchr(shown, '\n') - shown < 110);
	yaml_fail(line, sizeof line, "f", (struct text_place){9, 1}, &err, "no such line");
	CU_ASSERT_STRING_EQUAL(err.text, "f:9:1: no such line");
	char big[3 * ERR_TEXT_MAX];
	memset(big, 'y', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	yaml_fail(line, sizeof line, "f", (struct text_place){1, 1}, &err, "%s", big);
	CU_ASSERT_PTR_NOT_NULL(strchr(err.text, '^')); /* a long sentence leaves room for the line */
}

static void limits_hold(void)
{
	struct buf text = {0};
	struct err err = {0};

	for (int i = 0; i <= YAML_DEPTH_MAX; i++)
		buf_char(&text, '[');
	CU_ASSERT_PTR_NULL(yaml_parse(text.data, text.size, "deep", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "deep"));
	buf_clear(&text);
	for (int i = 0; i <= YAML_VALUES_MAX; i++)
		buf_str(&text, "- 1\n");
	CU_ASSERT_PTR_NULL(yaml_parse(text.data, text.size, "many", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than 20000 values"));
	buf_clear(&text);
	for (int i = 0; i <= YAML_KEYS_MAX; i++)
		buf_printf(&text, "k%d: 1\n", i);
	CU_ASSERT_PTR_NULL(yaml_parse(text.data, text.size, "keys", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than 512 keys"));
	buf_clear(&text);
	for (int i = 0; i <= YAML_TEXT_MAX; i++)
		buf_char(&text, 'a');
	CU_ASSERT_PTR_NULL(yaml_parse(text.data, text.size, "long", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "more than 65536 bytes"));
	buf_free(&text);
}

static void any_prefix_is_read_or_refused(void)
{
	static const char text[] = "a: 'x'\nb: [1, \"\\u00e9\", {c: d}]\nc: |\n  caf\xc3\xa9\n";
	for (size_t size = 0; size < sizeof text; size++) {
		struct err err = {0};
		char *copy = malloc(size + !size);
		memcpy(copy, text, size);
		struct yaml_document *d = yaml_parse(copy, size, "x", &err);
		CU_ASSERT_TRUE((d != NULL) == (err.code == ERR_NONE));
		yaml_destroy(d);
		free(copy);
	}
}

const struct test suite_yaml[] = {
	{"values have places", values_have_places},
	{"errors point at their place", errors_point_at_their_place},
	{"errors are harmless", errors_are_harmless},
	{"limits hold", limits_hold},
	{"any prefix is read or refused", any_prefix_is_read_or_refused},
	{0},
};
