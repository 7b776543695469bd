/* The types of C itself, and numbers and texts that were typed. */
#include <string.h>

#include "engine/value.h"

static const struct value_builtin builtins[] = {{"long", 8, VALUE_SIGNED}, {"unsigned long", 8, VALUE_UNSIGNED},
	{"address", 8, VALUE_ADDRESS}, {"double", 8, VALUE_FLOAT}, {"bool", 1, VALUE_BOOL}, {"char", 1, VALUE_SIGNED},
	{"signed char", 1, VALUE_SIGNED}, {"unsigned char", 1, VALUE_UNSIGNED}, {"short", 2, VALUE_SIGNED},
	{"unsigned short", 2, VALUE_UNSIGNED}, {"int", 4, VALUE_SIGNED}, {"unsigned int", 4, VALUE_UNSIGNED},
	{"float", 4, VALUE_FLOAT}, {"long double", 16, VALUE_FLOAT}, {"_Bool", 1, VALUE_BOOL}, {"int8_t", 1, VALUE_SIGNED},
	{"uint8_t", 1, VALUE_UNSIGNED}, {"int16_t", 2, VALUE_SIGNED}, {"uint16_t", 2, VALUE_UNSIGNED},
	{"int32_t", 4, VALUE_SIGNED}, {"uint32_t", 4, VALUE_UNSIGNED}, {"int64_t", 8, VALUE_SIGNED},
	{"uint64_t", 8, VALUE_UNSIGNED}, {"size_t", 8, VALUE_UNSIGNED}, {"ssize_t", 8, VALUE_SIGNED},
	{"uintptr_t", 8, VALUE_UNSIGNED}, {"intptr_t", 8, VALUE_SIGNED}};

const struct value_builtin *value_builtin(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (strlen(builtins[i].name) == size && !memcmp(builtins[i].name, name, size))
			return &builtins[i];
	return NULL;
}

struct value value_of_number(uint64_t number, enum value_kind kind)
{
	struct value value = {.place = VALUE_BYTES, .size = sizeof number, .builtin = &builtins[0]};
	while (value.builtin->kind != kind)
		value.builtin++;
	value.size = value.builtin->size;
	memcpy(value.bytes, &number, sizeof number);
	return value;
}

struct value value_of_float(double number)
{
	struct value value = {.place = VALUE_BYTES, .size = sizeof number, .builtin = &builtins[3]};
	memcpy(value.bytes, &number, sizeof number);
	return value;
}

struct value value_of_text(const char *text, size_t size)
{
	struct value value = {.place = VALUE_BYTES, .builtin = value_builtin("char", 4)};
	value.size = size < sizeof value.bytes ? size : sizeof value.bytes - 1;
	memcpy(value.bytes, text, value.size);
	value.repeat = ++value.size; /* its NUL */
	return value;
}
