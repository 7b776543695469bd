#include "engine/ksyms.h"
#include "sample_kallsyms.h"
#include "unit.h"
#include <stdlib.h>

static void every_order_of_the_table_is_read(void)
{
	for (int order = SAMPLE_OLD; order <= SAMPLE_NEW; order++) {
		struct buf bytes = sample_kallsyms((enum sample_order)order);
		struct err err = {0};
		struct ksyms *ksyms = ksyms_create(bytes.data, bytes.size, &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(ksyms);
		CU_ASSERT_EQUAL(ksyms_count(ksyms), SAMPLE_SYMBOLS);
		for (uint32_t i = 0; i < SAMPLE_SYMBOLS; i++) {
			char name[40];
			int64_t offset;
			sample_symbol(i, name, &offset);
			const struct ksym *found = ksyms_find(ksyms, name + 1);
			CU_ASSERT_PTR_NOT_NULL_FATAL(found);
			CU_ASSERT_EQUAL(found->type, *name);
			CU_ASSERT_EQUAL(found->address, offset >= 0 ? (uint64_t)offset : SAMPLE_BASE - 1 - (uint64_t)offset);
		}
		CU_ASSERT_PTR_NULL(ksyms_find(ksyms, "fn_"));
		CU_ASSERT_PTR_NULL(ksyms_find(ksyms, ""));
		ksyms_destroy(ksyms);
		buf_free(&bytes);
	}
}

static void addresses_belong_to_the_symbol_before_them(void)
{
	struct buf bytes = sample_kallsyms(SAMPLE_SEQUENCES);
	struct ksyms *ksyms = ksyms_create(bytes.data, bytes.size, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ksyms);
	CU_ASSERT_STRING_EQUAL(ksyms_at(ksyms, SAMPLE_BASE + 32)->name, "fn_2");
	CU_ASSERT_STRING_EQUAL(ksyms_at(ksyms, SAMPLE_BASE + 47)->name, "fn_2");
	CU_ASSERT_STRING_EQUAL(ksyms_at(ksyms, SAMPLE_BASE + 48)->name, "fn_3");
	CU_ASSERT_PTR_NULL(ksyms_at(ksyms, SAMPLE_BASE + 31)); /* before the first: the per-CPU ones do not count */
	CU_ASSERT_PTR_NULL(ksyms_at(ksyms, SAMPLE_BASE + (SAMPLE_SYMBOLS - 2) * 16)); /* at the end */
	CU_ASSERT_PTR_NULL(ksyms_at(ksyms, UINT64_MAX));
	CU_ASSERT_PTR_NULL(ksyms_at(ksyms, 64));
	for (size_t i = 1; i < ksyms_count(ksyms); i++)
		CU_ASSERT_TRUE(ksyms_get(ksyms, i - 1)->address <= ksyms_get(ksyms, i)->address);
	CU_ASSERT_PTR_NULL(ksyms_get(ksyms, SAMPLE_SYMBOLS));
	ksyms_destroy(ksyms);
	buf_free(&bytes);
}

/* Cut at any byte of it, and with any byte changed, nothing is read outside. ASAN watches; a table may still be found. */
static void cut_and_damaged_tables_are_survived(void)
{
	struct buf whole = sample_kallsyms(SAMPLE_SEQUENCES);
	for (size_t size = 0; size<whole.size; size += size> 300 && size < whole.size - 600 ? 37 : 1) {
		char *copy = mem_alloc(size ? size : 1);
		memcpy(copy, whole.data, size);
		struct err err = {0};
		struct ksyms *ksyms = ksyms_create(copy, size, &err);
		CU_ASSERT_TRUE(ksyms ? size + 7 >= whole.size : err.code == ERR_QEMU);
		ksyms_destroy(ksyms);
		free(copy);
	}
	for (size_t i = 0; i < whole.size; i += 5) {
		whole.data[i] ^= 0x55;
		ksyms_destroy(ksyms_create(whole.data, whole.size, NULL));
		whole.data[i] ^= 0x55;
	}
	buf_free(&whole);
	ksyms_destroy(NULL);
}

const struct test suite_ksyms[] = {{"every order of the table is read", every_order_of_the_table_is_read},
	{"addresses belong to the symbol before them", addresses_belong_to_the_symbol_before_them},
	{"cut and damaged tables are survived", cut_and_damaged_tables_are_survived}, {0}};
