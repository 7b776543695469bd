/*
 * Characters and text of a program: of one byte, and of two and four (wchar_t, char16_t, char32_t), which are shown as UTF-8.
 */
#ifndef ENGINE_VALUE_TEXT_H
#define ENGINE_VALUE_TEXT_H

#include "engine/value.h"

/* Bytes of a character: 1, 2 or 4; 0 when its type is none. */
unsigned value_text_width(const struct value *value);
/* 233 'é', for characters wider than a byte. */
void value_print_character(uint64_t number, unsigned width, bool has_sign, struct buf *out);
/* `count` characters as "text", at most VALUE_STRING_MAX; "..." behind the quote when there are more. */
void value_print_text(const struct value_world *world, uint64_t address, uint64_t count, unsigned width, struct buf *out);
/* The same of an array of `count` characters, which need not be in memory: without the NULs at its end. */
void value_print_text_array(
	const struct value_world *world, const struct value *value, uint64_t count, unsigned width, struct buf *out);
/* The text up to its NUL that a pointer to characters points to, after a blank; nothing when it is not in memory. */
void value_print_text_at(const struct value_world *world, uint64_t address, unsigned width, struct buf *out);

#endif
