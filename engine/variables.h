/*
 * Variables by name: locals and parameters of a frame, globals of its program; and types by name.
 */
#ifndef ENGINE_VARIABLES_H
#define ENGINE_VARIABLES_H

#include "engine/unwind.h"
#include "engine/value.h"

/* Where names are looked up. */
struct scope {
	struct value_world world;  /* with symbols */
	const struct frame *frame; /* NULL: globals only */
	unsigned call;             /* locals of this one only of the calls inlined there, from 1, the innermost; 0: of all */
};

/*
 * What a name stands for: a local or parameter of the frame, a member of its object, a global (of the frame's file first), or a
 * symbol without a type; qualified or not; "file.c::name" is a global or static one of that file. False when there is none.
 */
bool variables_find(const struct scope *scope, const char *name, size_t size, struct value *ret);

enum variables_type { VARIABLES_ANY, VARIABLES_STRUCT, VARIABLES_UNION, VARIABLES_ENUM };
/* A type by its name, qualified or not. False when the debug information has no definition of it. */
bool variables_find_type(const struct scope *scope, enum variables_type kind, const char *name, size_t size, Dwarf_Die *ret);

/* A value; of a reference what it refers to, with its address: "@0x7ffd2c: {x = 1}". */
void variables_print_value(const struct scope *scope, const struct value *value, struct buf *out);
/* Numbers in a form. */
void variables_print_value_as(const struct scope *scope, const struct value *value, enum value_form form, struct buf *out);

/* One variable: its name (of a global: with its namespaces) and what it is; is_argument: a parameter of the function. */
typedef void variables_visit(void *data, const char *name, bool is_argument, const struct value *value);
/* The variables of the frame's function, innermost block first; names of outer blocks that are hidden are shown too. */
void variables_each_local(const struct scope *scope, variables_visit *visit, void *data);
/* The variables of the frame's source file (compilation unit) that are no function's. */
void variables_each_global(const struct scope *scope, variables_visit *visit, void *data);

/* "name = value" lines, innermost block first; names of outer blocks that are hidden are shown too. */
void variables_print_locals(const struct scope *scope, struct buf *out);

/* "depth=4, at=0x7ffd2c, label=0x4020 \"label\"" of the function itself, or of the call that scope->call names. */
void variables_print_arguments(const struct scope *scope, struct buf *out);

#endif
