#include <fcntl.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/functions.h"
#include "unit.h"

/* This program looks for functions of its own. */
#define BASE UINT64_C(0x555500000000)

static __attribute__((noinline)) int alone(int by)
{
	__asm__ volatile("" : "+r"(by));
	return by + 1;
}

static inline __attribute__((always_inline)) int written_into(int by)
{
	__asm__ volatile("nop" : "+r"(by));
	return by + 2;
}

static struct symbols *own_symbols(void)
{
	struct err err = {0};
	struct symbols *symbols = symbols_create(NULL, 0, &err);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CU_ASSERT_TRUE_FATAL(symbols && fd >= 0 && symbols_add(symbols, "unit", fd, BASE, &err));
	symbols_ready(symbols);
	return symbols;
}

static size_t count(const struct symbols *symbols, const char *name)
{
	struct lines found = {0};
	bool any = functions_find(symbols, name, &found);
	size_t n = found.count;
	CU_ASSERT_EQUAL(any, n > 0);
	for (size_t i = 1; i < n; i++)
		CU_ASSERT_TRUE(found.list[i - 1] < found.list[i]);
	lines_finish(&found);
	return n;
}

static void by_name(void)
{
	struct symbols *symbols = own_symbols();
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct lines found = {0};
	CU_ASSERT_EQUAL(alone(1) + written_into(2) + written_into(3), 11);
	CU_ASSERT_EQUAL(count(symbols, "alone"), 1);
	CU_ASSERT_EQUAL(count(symbols, "functions_find"), 1);
	CU_ASSERT_EQUAL(count(symbols, "alon"), 0);
	CU_ASSERT_EQUAL(count(symbols, ""), 0);
	/* Two copies, each in its caller. */
	CU_ASSERT_TRUE_FATAL(functions_find(symbols, "written_into", &found) && found.count == 2);
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_TRUE_FATAL(symbols_at(symbols, found.list[i], false, places) == 2);
		CU_ASSERT_TRUE(places[0].inlined);
		CU_ASSERT_STRING_EQUAL(places[0].function, "written_into");
		CU_ASSERT_STRING_EQUAL(places[1].function, "by_name");
	}
	lines_finish(&found);
	symbols_destroy(symbols);
}

/* A file that ends too soon has fewer functions, or none, and nothing else. */
static void cut_file(void)
{
	static const size_t sizes[] = {0, 1, 16, 63, 64, 65, 512, 4096, 65536};
	struct buf bytes = {0};
	struct err err = {0};
	char block[65536];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CU_ASSERT_TRUE_FATAL(self >= 0 && read(self, block, sizeof block) == (ssize_t)sizeof block);
	close(self);
	buf_add(&bytes, block, sizeof block);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct symbols *symbols = symbols_create(NULL, 0, &err);
		struct lines found = {0};
		int fd = file_memory_of("program", bytes.data, sizes[i], &err);
		CU_ASSERT_TRUE_FATAL(symbols && fd >= 0);
		symbols_add(symbols, "program", fd, BASE, &err);
		symbols_ready(symbols);
		CU_ASSERT_FALSE(functions_find(symbols, "alone", &found));
		lines_finish(&found);
		symbols_destroy(symbols);
	}
	buf_free(&bytes);
}

const struct test suite_functions[] = {
	{"all functions of a name, those written into others too", by_name}, {"a file may end anywhere", cut_file}, {0}};
