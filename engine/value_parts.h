/*
 * What a value is made of, one part after the other: members of structs and unions, elements of arrays, what a pointer points
 * to. For those who show values as trees that a person unfolds.
 */
#ifndef ENGINE_VALUE_PARTS_H
#define ENGINE_VALUE_PARTS_H

#include "engine/value.h"

struct value_parts {
	uint64_t count;
	bool indexed; /* elements of an array, not members with names */
};

/* What can be unfolded in a value; count 0: it is a scalar, is gone, or points to nothing that has a type. References are looked
 * through; a pointer to a struct has the members of that struct. */
void value_parts(const struct value_world *world, const struct value *value, struct value_parts *ret);

/*
 * Part number `index` (below count). Appends its name ("x", "[3]", "<base>", "*", "" for a struct without a name), and what
 * makes an expression of it when it stands behind the expression of the whole (".x", "->x", "[3]", "" for the same expression; a
 * lone "*" stands before it). False when it has no such part.
 */
bool value_part(const struct value_world *world, const struct value *value, uint64_t index, struct value *ret, struct buf *name,
	struct buf *suffix);

#endif
