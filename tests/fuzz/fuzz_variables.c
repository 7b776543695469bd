/* Expressions of `print` without a program: numbers, registers and parentheses are evaluated, everything else is explained. */
#include <stdlib.h>
#include <string.h>
#include "engine/expression.h"
#include "tests/fuzz/fuzz.h"

static size_t read_nothing(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	(void)address;
	(void)out;
	(void)size;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct symbols *symbols; /* of no file: the same for every input */
	struct err err = {0};
	struct frame frame = {.registers = {.known = 0x1ffff, .value = {1, 2, 3}}};
	struct buf out = {0};
	if (!symbols) {
		symbols = symbols_create(NULL, 0, &err);
		if (!symbols)
			abort();
		symbols_ready(symbols);
	}
	char *text = mem_strn((const char *)data, size);
	struct scope scope = {.world = {.read = read_nothing, .symbols = symbols}, .frame = &frame};
	if (!expression_print(&scope, text, VALUE_NATURAL, &out, &err) && (err.code != ERR_INPUT || !err.text[0]))
		abort();
	buf_free(&out);
	free(text);
	return 0;
}
