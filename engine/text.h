/*
 * Text that people write and read: quantities with units, ranges, names that were nearly right, and bytes of a guest made
 * harmless for a terminal. Pure functions; nothing here depends on the locale.
 */
#ifndef ENGINE_TEXT_H
#define ENGINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"

/* A place in a text file, counted from 1; {0, 0} when there is none. Columns count characters. */
struct text_place {
	unsigned line, column;
};

/* An inclusive range; low == high when there is nothing to choose. */
struct text_range {
	uint64_t low, high;
};

enum text_unit {
	TEXT_NUMBER,   /* 57            a plain number */
	TEXT_DURATION, /* 50ms          ns, us, ms, s, m, h -> nanoseconds; a fraction is allowed (1.5s) */
	TEXT_SIZE,     /* 64MiB         B, KiB, MiB, GiB -> bytes */
	TEXT_COUNT,    /* 20G           K, M, G, T: powers of ten */
};

/* Reads the whole of text, which is not negative. False when it is anything else or does not fit in 64 bits. 0 needs no unit. */
bool text_parse(const char *text, enum text_unit unit, uint64_t *ret);
/* "LOW..HIGH", or one value for both. False also when high < low (tell them apart with text_parse on the parts). */
bool text_parse_range(const char *text, enum text_unit unit, struct text_range *ret);
/* What is expected, as a part of a sentence: "a duration such as 50ms or 2s". */
const char *text_unit_expected(enum text_unit unit);
/* An exact form that text_parse reads back, in the largest unit that needs no fraction: 1500000000 -> "1500ms". */
void text_put(struct buf *out, enum text_unit unit, uint64_t value);
void text_put_range(struct buf *out, enum text_unit unit, struct text_range range);

/* Reads an unsigned decimal number without sign, space or leading zeros. */
bool text_parse_u64(const char *text, uint64_t *ret);

bool text_is_utf8(const char *bytes, size_t size);
/* The character that starts at bytes (size > 0): how many bytes it has, or 0 if it is not valid UTF-8. *ret is the code point. */
size_t text_utf8_next(const char *bytes, size_t size, uint32_t *ret);

/* Appends bytes so that a terminal obeys nothing in them: printable UTF-8 stays, \n \t \r \e and \xNN stand for the rest,
 * a backslash is doubled. Also escapes C1 controls and the characters that change the direction of text. */
void text_put_safe(struct buf *out, const char *bytes, size_t size);
/* The same characters are replaced by one '?' each (a tab by a space), so that columns stay where they are. */
void text_put_masked(struct buf *out, const char *bytes, size_t size);

/* How many bytes must be inserted, removed, changed or swapped with their neighbour to turn a into b. Strings longer than
 * TEXT_DISTANCE_MAX bytes are infinitely far (SIZE_MAX). */
#define TEXT_DISTANCE_MAX 64
size_t text_distance(const char *a, const char *b);
/* The word among words[count] that was probably meant, or NULL when none is near. Borrowed from words. */
const char *text_nearest(const char *word, const char *const *words, size_t count);

/* Lower-case letters, digits, '-', '_' and '.', starting with a letter or digit, at most max bytes: what names and ids are made
 * of. */
bool text_is_name(const char *text, size_t max);

/*
 * The lines of bytes, one after the other: `struct text_lines l = {.bytes = bytes, .size = size}; while (text_next_line(&l))
 * ...`. line and length are without the newline; what follows the last newline is a line unless it is empty.
 */
struct text_lines {
	const char *bytes;
	size_t size, at;
	const char *line; /* borrowed from bytes, not NUL-terminated */
	size_t length, number;
};
bool text_next_line(struct text_lines *l);

/* The value of a hex digit of either case, -1 for anything else. */
int text_hex_digit(char c);
/* Hex digits of both cases into bytes; false unless text has exactly 2 * size hex digits. */
bool text_parse_hex(const char *text, void *bytes, size_t size);

#endif
