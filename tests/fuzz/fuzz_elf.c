/*
 * A program's file as the guest has it: ELF, symbols, lines, functions, variables, frames and thread-local storage, read by
 * elfutils and by what stands on it. Whatever the bytes say, every question about it comes to an end.
 */
/* smoke runs: 2000 */
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/expression.h"
#include "engine/functions.h"
#include "engine/unwind.h"
#include "engine/variables.h"
#include "tests/fuzz/fuzz.h"

enum { FILE_MAX = 16384, BASE = 0x400000, STEPS = 24, FRAMES = 8 };

/* The memory of the program is its file, mapped at its base; its stack is what lies behind. */
struct file {
	const uint8_t *bytes;
	size_t size;
};

static size_t read_file(void *data, uint64_t address, void *out, size_t size)
{
	const struct file *file = data;
	uint64_t at = address - BASE;
	if (at >= file->size)
		return 0;
	size_t got = file->size - at < size ? file->size - at : size;
	memcpy(out, file->bytes + at, got);
	return got;
}

static void no_name(void *data, const char *name)
{
	*(size_t *)data += strlen(name);
}

static void no_file(void *data, const char *directory, const char *file)
{
	*(size_t *)data += (directory != NULL) + strlen(file);
}

static void print_one(void *data, const char *name, bool is_argument, const struct value *value)
{
	struct buf out = {0};
	(void)name, (void)is_argument;
	variables_print_value(data, value, &out);
	buf_free(&out);
}

/* Everything that is asked at one place of the code. */
static void look_at(const struct symbols *symbols, struct file *file, uint64_t pc)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	struct frame frame = {.pc = pc, .registers = {.known = 0x1ffff, .fs_base = BASE + 64}};
	struct frames frames = {0};
	struct buf out = {0};
	struct err err = {0};
	uint64_t body;
	for (size_t i = 0; i < 17; i++)
		frame.registers.value[i] = BASE + i * 40;
	frame.registers.value[FRAME_PC] = pc;
	struct scope scope = {
		.world = {.read = read_file, .data = file, .symbols = symbols, .room = 4096}, .frame = &frame, .call = 1};
	require(symbols_at(symbols, pc, true, places) <= SYMBOLS_INLINE_MAX);
	symbols_print_address(symbols, pc, false, &out);
	lines_body(symbols, pc, &body);
	variables_print_arguments(&scope, &out);
	variables_each_local(&scope, print_one, &scope);
	variables_each_global(&scope, print_one, &scope);
	expression_print(&scope, "total + own * p->x", VALUE_NATURAL, &out, &err);
	unwind_user(symbols, &frame.registers, FRAME_FIRST, read_file, file, &frames);
	unwind_finish(&frames);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* elfutils 0.188 loses memory of damaged files. What is ours is freed where tests/unit/test_functions.c looks (make
	 * asan). */
	__lsan_disable();
	struct err err = {0};
	struct file file = {data, size};
	struct lines found = {0};
	size_t told = 0;
	uint64_t address, bytes;
	int line, fd = memfd_create("elf", MFD_CLOEXEC);
	if (size > FILE_MAX || fd < 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		__lsan_enable();
		return 0;
	}
	struct symbols *symbols = symbols_create(NULL, 0, &err);
	require(symbols);
	bool is_program = symbols_add(symbols, "/bin/program", fd, BASE, &err);
	symbols_ready(symbols);
	if (is_program) {
		functions_find(symbols, "add", &found);
		functions_find(symbols, "twice", &found);
		lines_with_code(symbols, "a.c", 1, 30, &found);
		for (size_t i = 0; i < found.count && i < FRAMES; i++)
			look_at(symbols, &file, found.list[i]);
		lines_finish(&found);
		lines_find(symbols, "a.c", 8, &found, &line);
		lines_finish(&found);
		lines_each_file(symbols, no_file, &told);
		symbols_each(symbols, no_name, &told);
		symbols_find(symbols, "total", &address, &bytes);
		for (uint64_t at = 0; at < STEPS; at++)
			look_at(symbols, &file, BASE + at * (size / STEPS));
	}
	symbols_destroy(symbols);
	__lsan_enable();
	return 0;
}
