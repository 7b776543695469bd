/*
 * Variables by name: locals and parameters of a frame, globals of its program; and the little expressions of `print`.
 */
#ifndef ENGINE_VARIABLES_H
#define ENGINE_VARIABLES_H

#include "engine/unwind.h"
#include "engine/value.h"

#define VARIABLES_EXPRESSION_MAX 1000 /* bytes of an expression */
#define VARIABLES_NESTING_MAX    32   /* parentheses and prefixes in it */

/* Where names are looked up. */
struct scope {
	struct value_world world;  /* with symbols */
	const struct frame *frame; /* NULL: globals only */
	unsigned call;             /* locals of this one only of the calls inlined there, from 1, the innermost; 0: of all */
};

/*
 * NAME, $REGISTER, a number, with . -> [ ] * & and parentheses: "global_record.where.x", "*list->next", "argv[1]", "&table[3]".
 * ERR_INPUT says what is wrong and where.
 */
bool variables_evaluate(const struct scope *scope, const char *expression, struct value *ret, struct err *err);

/* A value; of a reference what it refers to, with its address: "@0x7ffd2c: {x = 1}". */
void variables_print_value(const struct scope *scope, const struct value *value, struct buf *out);

/* "expression = value". */
bool variables_print(const struct scope *scope, const char *expression, struct buf *out, struct err *err);

/* One variable: its name (of a global: with its namespaces) and what it is; is_argument: a parameter of the function. */
typedef void variables_visit(void *data, const char *name, bool is_argument, const struct value *value);
/* The variables of the frame's function, innermost block first; names of outer blocks that are hidden are shown too. */
void variables_each_local(const struct scope *scope, variables_visit *visit, void *data);
/* The variables of the frame's source file (compilation unit) that are no function's. */
void variables_each_global(const struct scope *scope, variables_visit *visit, void *data);

/* "name = value" lines, innermost block first; names of outer blocks that are hidden are shown too. */
void variables_print_locals(const struct scope *scope, struct buf *out);

/* "depth=4, at=0x7ffd2c, label=0x4020 \"label\"" of the function itself (not of one inlined into it). */
void variables_print_arguments(const struct scope *scope, struct buf *out);

#endif
