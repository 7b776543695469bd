/*
 * The expressions of `print` and of conditions, as C and C++ write them: read once into a tree, evaluated in a scope as often as
 * one likes.
 *
 * Names (also shop::Store::made, file.c::name), $REGISTER, numbers, 'c', . -> [ ] * & ! ~ + - / % << >> < > == && || ?: and
 * parentheses, casts, sizeof, and x@N: N values one behind the other. [ ] also picks from the containers of C++: m["key"] and
 * m[7] by the key of a map, v[3] by number, s[#3] item number 3 of any as it is printed; "text" == and != compare texts. * and ->
 * follow a std::unique_ptr, std::shared_ptr or std::optional. Nothing is called and nothing assigned.
 */
#ifndef ENGINE_EXPRESSION_H
#define ENGINE_EXPRESSION_H

#include "engine/value.h"
#include "engine/variables.h"

#define EXPRESSION_MAX         1000    /* bytes of an expression */
#define EXPRESSION_NODES_MAX   256     /* names, numbers and operators in it */
#define EXPRESSION_NESTING_MAX 64      /* parentheses and prefixes in it */
#define EXPRESSION_REPEAT_MAX  1000000 /* N of x@N */

enum expression_kind {
	EXPRESSION_NUMBER, /* value */
	EXPRESSION_NAME,
	EXPRESSION_REGISTER,
	EXPRESSION_UNARY,  /* op a: * & - + ! ~ */
	EXPRESSION_BINARY, /* a op b */
	EXPRESSION_CHOICE, /* a ? b : c */
	EXPRESSION_INDEX,  /* a[b] */
	EXPRESSION_MEMBER, /* a.text */
	EXPRESSION_ARROW,  /* a->text */
	EXPRESSION_CAST,   /* (type)a: the type is that of value */
	EXPRESSION_SIZE,   /* sizeof a */
};

enum expression_op {
	OP_NONE,
	OP_MULTIPLY = '*',
	OP_DIVIDE = '/',
	OP_REMAINDER = '%',
	OP_PLUS = '+',
	OP_MINUS = '-',
	OP_LESS = '<',
	OP_MORE = '>',
	OP_AND = '&',
	OP_XOR = '^',
	OP_OR = '|',
	OP_NOT = '!',
	OP_COMPLEMENT = '~',
	OP_REPEAT = '@',
	OP_ITEM = '#', /* of an index: a[#b] */
	OP_LEFT = 256,
	OP_RIGHT,
	OP_NOT_MORE,
	OP_NOT_LESS,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_BOTH,
	OP_EITHER,
};

struct expression_node {
	enum expression_kind kind;
	enum expression_op op;
	unsigned a, b, c;   /* operands: numbers of nodes */
	size_t at, size;    /* of the name in the text; at: where the operator stands, for errors */
	struct value value; /* of a number; of a cast only its type */
};

struct expression {
	char *text; /* owned */
	struct expression_node *list;
	size_t count, room;
	unsigned root;
};

/* Reads text, which must be all of it. scope decides whether a name is a variable or a type. NULL with ERR_INPUT that says what
 * is wrong and where. To be destroyed. */
struct expression *expression_parse(const struct scope *scope, const char *text, struct err *err);
void expression_destroy(struct expression *e); /* NULL allowed */
bool expression_evaluate(const struct expression *e, const struct scope *scope, struct value *ret, struct err *err);
/* One node of it. */
bool expression_node_value(
	const struct expression *e, unsigned node, const struct scope *scope, struct value *ret, struct err *err);
/* "TEXT: column N: what", N from where the node stands. */
bool expression_wrong(const struct expression *e, unsigned node, struct err *err, const char *what);

/* All at once. */
bool expression_value(const struct scope *scope, const char *text, struct value *ret, struct err *err);
/* A whole number or a truth: for conditions. */
bool expression_number(const struct scope *scope, const char *text, uint64_t *ret, struct err *err);
/* "expression = value", numbers in a form. */
bool expression_print(const struct scope *scope, const char *text, enum value_form form, struct buf *out, struct err *err);
/* The type of an expression, or one named as in a cast; of a struct with its members when `whole`. */
bool expression_print_type(const struct scope *scope, const char *text, bool whole, struct buf *out, struct err *err);

#endif
