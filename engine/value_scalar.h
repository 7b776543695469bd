/*
 * Single numbers as text: integers in every form, floating-point and complex ones, enumerators, and symbols of addresses.
 */
#ifndef ENGINE_VALUE_SCALAR_H
#define ENGINE_VALUE_SCALAR_H

#include "engine/value.h"

/* A number; peeled: its type, NULL when that is one of C itself. */
void value_print_base(
	const struct value_world *world, const struct value *value, Dwarf_Die *peeled, enum value_form form, struct buf *out);
/* "RED", of flags "(RED | BLUE)", with bits that have no name "(RED | 0x40)", of something else the number. peeled: its type. */
void value_print_enum(const struct value_world *world, const struct value *value, Dwarf_Die *peeled, struct buf *out);
/* " <main+4>"; nothing when the address has no symbol. symbols may be NULL. */
void value_print_symbol(const struct symbols *symbols, uint64_t address, struct buf *out);

#endif
