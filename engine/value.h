/*
 * A value of a program with its type from the debug information: a scalar, pointer, struct, array and so on, in memory or, when
 * the compiler kept it elsewhere, as bytes.
 */
#ifndef ENGINE_VALUE_H
#define ENGINE_VALUE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/expr.h"
#include "engine/symbols.h"

#define VALUE_DEPTH_MAX      6            /* structs in structs that are shown */
#define VALUE_ITEMS_MAX      200          /* elements or members shown of one */
#define VALUE_STRING_MAX     200          /* characters shown of one string */
#define VALUE_BYTES_MAX      256          /* largest value that is not in memory */
#define VALUE_DIMENSIONS_MAX 8            /* of an array */
#define VALUE_ROOM           (128u << 10) /* bytes of text of one value: 200 items of 200 items of ... are too many */

enum value_place { VALUE_GONE /* optimised away */, VALUE_MEMORY, VALUE_BYTES };

/* A type of C itself: programs without debug information have these, and so have numbers that were typed. */
struct value_builtin {
	const char *name;
	unsigned size; /* bytes */
	enum value_kind {
		VALUE_SIGNED,
		VALUE_UNSIGNED,
		VALUE_ADDRESS /* unsigned, shown in hexadecimal */,
		VALUE_FLOAT,
		VALUE_BOOL
	} kind;
};

struct value {
	Dwarf_Die type;
	bool has_type;                       /* false: builtin, or when that is NULL `void` or not known */
	const struct value_builtin *builtin; /* static */
	unsigned pointers;                   /* so many "*" behind the type */
	uint64_t repeat;                     /* of "x@4": an array of so many of all that; 0: not one */
	enum value_place place;
	uint64_t address; /* VALUE_MEMORY */
	unsigned char bytes[VALUE_BYTES_MAX];
	size_t size;               /* of bytes, when VALUE_BYTES */
	unsigned in_register;      /* 1 + the DWARF number of the register that holds all of it; 0: none */
	unsigned bit_at, bit_size; /* of a bit field: from the lowest bit of the first byte; 0: none */
	unsigned dimension;        /* of an array: how many of its dimensions were picked, so that it is a row of it */
};

/* The memory that pointers point into, and names for addresses (symbols may be NULL). */
struct value_world {
	expr_read *read;
	void *data;
	const struct symbols *symbols;
	size_t room; /* value_print stops in a struct or array once that many bytes are written; 0: VALUE_ROOM */
};

/* "int", "unsigned long", "size_t": by its name in the form that compilers write; NULL when it is none. */
const struct value_builtin *value_builtin(const char *name, size_t size);
/* A number that is not in memory: signed, an address, ... */
struct value value_of_number(uint64_t number, enum value_kind kind);
struct value value_of_float(double number);
struct value value_of_text(const char *text, size_t size); /* at most VALUE_BYTES_MAX - 1 bytes */

/* The type behind typedefs, const and volatile. False when there is none (void). */
bool value_peel(const Dwarf_Die *type, Dwarf_Die *ret);
bool value_is_reference(const struct value *value); /* & or && of C++ */
bool value_type_of(Dwarf_Die *die, Dwarf_Die *ret); /* DW_AT_type of a DIE */
uint64_t value_size(const struct value *value);     /* bytes; 0 when it has no size */

uint64_t value_count(const struct value *value); /* elements of an array; 0 when it is none, or not known */
bool value_is_text(const struct value *value);   /* a pointer to characters, or an array of them */
/* A member DIE of a struct that is a value, with its type. */
struct value value_of_member(const struct value *whole, Dwarf_Die *member, const Dwarf_Die *type);

/* The integer, pointer or enumerator that it is; of an array its address. False when it is something else or is gone. */
bool value_number(const struct value_world *world, const struct value *value, uint64_t *ret);
bool value_float(const struct value_world *world, const struct value *value, double *ret); /* of 4, 8 or 10 bytes */
bool value_is_float(const struct value *value);
bool value_is_signed(const struct value *value);  /* an integer with a sign */
bool value_is_pointer(const struct value *value); /* also an array, which stands for the address of its first element */
bool value_is_integer(const struct value *value);
/* The first bytes of it as they are. False when they are gone or not in memory. */
bool value_fetch(const struct value_world *world, const struct value *value, void *out, size_t size);

/* Each makes another value of one; false, with the reason, when it has no such part. */
bool value_member(const struct value_world *world, const struct value *value, const char *name, size_t size, struct value *ret,
	struct err *err);
bool value_element(const struct value_world *world, const struct value *value, int64_t index, struct value *ret, struct err *err);
bool value_target(const struct value_world *world, const struct value *value, struct value *ret, struct err *err); /* *value */
bool value_address(const struct value *value, struct value *ret, struct err *err);                                 /* &value */
/* What is behind "." in a struct, one after the other, for those who print: false when `at` is behind the last. name may be NULL.
 */
struct value_member_of {
	Dwarf_Die die, type;
	const char *name; /* NULL: anonymous */
	bool is_base;
	struct value value;
};
bool value_members(const struct value *whole, size_t at, struct value_member_of *ret);
uint64_t value_dimension(Dwarf_Die *array, size_t dimension); /* its length; 0: not known */
uint64_t value_row(Dwarf_Die *array, size_t dimension);       /* how many elements one step in the dimension before passes */
bool value_is_composite(int tag);
bool value_is_empty(const struct value *value); /* a struct without members, or with bases alone that are such */

/* Does the text have all the bytes that it may have? */
bool value_is_full(const struct value_world *world, const struct buf *out);
bool value_is_there(
	const struct value_world *world, const struct value *value); /* its first byte can be read, or it has no place */

enum value_form {
	VALUE_NATURAL,
	VALUE_HEX = 'x',
	VALUE_DECIMAL = 'd',
	VALUE_NUMBER = 'u',
	VALUE_OCTAL = 'o',
	VALUE_BITS = 't',
	VALUE_CHAR = 'c',
	VALUE_POINTER = 'a',
	VALUE_REAL = 'f' /* the bytes of an integer as those of a floating-point number */
};
/* As value_print, numbers in this form. */
void value_print_as(const struct value_world *world, const struct value *value, enum value_form form, struct buf *out);
/* An integer of `size` bytes in a form: "0x2a", "052", "42". */
void value_print_integer(
	uint64_t number, size_t size, bool has_sign, enum value_form form, const struct symbols *symbols, struct buf *out);
/* As a debugger prints it: 41, 0x404010 "hello", {x = 1, y = 2}, {1, 2, 3}, <optimized out>. Safe for a terminal. */
void value_print(const struct value_world *world, const struct value *value, struct buf *out);
/* "struct record *", "int [4]". */
void value_print_type(const struct value *value, struct buf *out);
/* With the members of a struct or union, the names of an enum: "struct point {\n    int x;\n    int y;\n}". */
void value_print_definition(const struct value *value, struct buf *out);

#endif
