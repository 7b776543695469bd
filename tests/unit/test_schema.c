#include <stdio.h>
#include <stdlib.h>
#include "engine/buf.h"
#include "engine/file.h"
#include "engine/scenario_keys.h"
#include "engine/schema_mdoc.h"
#include "unit.h"

#define PAGE  "docs/polecat-scenario.5"
#define BEGIN ".\\\" begin reference\n"
#define END   ".\\\" end reference\n"

/* The man page holds what the tables say. GENERATE=1 writes it there. */
static void the_man_page_is_the_tables(void)
{
	struct buf page = {0}, reference = {0}, wanted = {0};
	struct err err = {0};

	CU_ASSERT_TRUE_FATAL(file_read(PAGE, 1 << 20, &page, &err));
	const char *begin = strstr(page.data, BEGIN), *end = strstr(page.data, END);
	CU_ASSERT_TRUE_FATAL(begin && end && begin < end);
	schema_mdoc(&reference);
	buf_add(&wanted, page.data, (size_t)(begin - page.data) + strlen(BEGIN));
	buf_add(&wanted, reference.data, reference.size);
	buf_str(&wanted, end);
	if (getenv("GENERATE")) {
		FILE *f = fopen(PAGE, "w");
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_EQUAL(fwrite(wanted.data, 1, wanted.size, f), wanted.size);
		CU_ASSERT_EQUAL(fclose(f), 0);
	} else {
		CU_ASSERT_STRING_EQUAL(page.data, wanted.data);
	}
	buf_free(&page);
	buf_free(&reference);
	buf_free(&wanted);
}

static void every_row_is_whole(void)
{
	for (size_t i = 0; i < keys_section_count; i++) {
		const struct schema_section *s = keys_sections[i];
		CU_ASSERT_TRUE(s->name && s->title && s->keys->name);
		for (const struct schema_key *k = s->keys; k->name; k++) {
			CU_ASSERT_TRUE(k->about && k->about[strlen(k->about) - 1] == '.');
			CU_ASSERT_TRUE((k->type == SCHEMA_WORD) == (k->words != NULL));
			CU_ASSERT_FALSE(k->required && k->fallback);
		}
	}
}

static void hints(void)
{
	static const char *const words[] = {"kill", "stop", NULL};
	char hint[SCHEMA_HINT_MAX];

	CU_ASSERT_STRING_EQUAL(schema_hint("kil", words, hint), "; did you mean `kill`?");
	CU_ASSERT_STRING_EQUAL(schema_hint("partition", words, hint), "");
}

const struct test suite_schema[] = {
	{"the man page is the tables", the_man_page_is_the_tables},
	{"every row is whole", every_row_is_whole},
	{"hints", hints},
	{0},
};
