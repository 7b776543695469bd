/*
 * A value of a program with its type from the debug information: a scalar, pointer, struct, array and so on, in memory or, when
 * the compiler kept it elsewhere, as bytes.
 */
#ifndef ENGINE_VALUE_H
#define ENGINE_VALUE_H

#include <elfutils/libdw.h>

#include "engine/buf.h"
#include "engine/expr.h"
#include "engine/symbols.h"

#define VALUE_DEPTH_MAX      6   /* structs in structs that are shown */
#define VALUE_ITEMS_MAX      200 /* elements or members shown of one */
#define VALUE_STRING_MAX     200 /* characters shown of one string */
#define VALUE_BYTES_MAX      256 /* largest value that is not in memory */
#define VALUE_DIMENSIONS_MAX 8   /* of an array */

enum value_place { VALUE_GONE /* optimised away */, VALUE_MEMORY, VALUE_BYTES };

struct value {
	Dwarf_Die type;
	bool has_type; /* false: `void`, or not known */
	enum value_place place;
	uint64_t address; /* VALUE_MEMORY */
	unsigned char bytes[VALUE_BYTES_MAX];
	size_t size;               /* of bytes, when VALUE_BYTES */
	unsigned bit_at, bit_size; /* of a bit field: from the lowest bit of the first byte; 0: none */
	unsigned dimension;        /* of an array: how many of its dimensions were picked, so that it is a row of it */
};

/* The memory that pointers point into, and names for addresses (symbols may be NULL). */
struct value_world {
	expr_read *read;
	void *data;
	const struct symbols *symbols;
	size_t room; /* value_print stops in a struct or array once that many bytes are written; 0: no matter */
};

/* The type behind typedefs, const and volatile. False when there is none (void). */
bool value_peel(const Dwarf_Die *type, Dwarf_Die *ret);
bool value_is_reference(const struct value *value); /* & or && of C++ */
bool value_type_of(Dwarf_Die *die, Dwarf_Die *ret); /* DW_AT_type of a DIE */
uint64_t value_size(const struct value *value);     /* bytes; 0 when it has no size */

uint64_t value_count(const struct value *value); /* elements of an array; 0 when it is none, or not known */
bool value_is_signed(const struct value *value); /* an integer or enumerator with a sign */
bool value_is_text(const struct value *value);   /* a pointer to characters, or an array of them */
/* A member DIE of a struct that is a value, with its type. */
struct value value_of_member(const struct value *whole, Dwarf_Die *member, const Dwarf_Die *type);

/* The integer, pointer or enumerator that it is. False when it is something else or is gone. */
bool value_number(const struct value_world *world, const struct value *value, uint64_t *ret);

/* Each makes another value of one; false, with the reason, when it has no such part. */
bool value_member(const struct value_world *world, const struct value *value, const char *name, size_t size, struct value *ret,
	struct err *err);
bool value_element(const struct value_world *world, const struct value *value, int64_t index, struct value *ret, struct err *err);
bool value_target(const struct value_world *world, const struct value *value, struct value *ret, struct err *err); /* *value */

/* As a debugger prints it: 41, 0x404010 "hello", {x = 1, y = 2}, {1, 2, 3}, <optimized out>. Safe for a terminal. */
void value_print(const struct value_world *world, const struct value *value, struct buf *out);
/* "struct record *", "int [4]". */
void value_print_type(const struct value *value, struct buf *out);

#endif
