/*
 * Conditions as people write them beside breakpoints: "i == 5", "p->count > limit && !done". Operators of C on whole numbers of
 * 64 bits around operands that somebody else understands: names, members, elements, numbers. Pure.
 */
#ifndef ENGINE_CONDITION_H
#define ENGINE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

#define CONDITION_SIZE_MAX    1000 /* bytes */
#define CONDITION_NESTING_MAX 32   /* parentheses and prefixes in each other */

/* What an operand is: text without blanks around it, such as "argv[i + 1]", "*p", "(*p).x", "0x10", "$rax". ret_signed: whether
 * what it is compared with is compared as a number with a sign. */
typedef bool condition_operand(void *data, const char *text, uint64_t *ret, bool *ret_signed, struct err *err);

/*
 * || && | ^ & == != < <= > >= << >> + - * / % with the precedence of C, prefixes ! ~ -, and parentheses. Both sides of || and &&
 * are evaluated only as far as needed. Numbers wrap around; comparisons, / % and >> are unsigned when one side is. ERR_INPUT
 * names the column.
 */
bool condition_evaluate(
	const char *text, condition_operand *operand, void *data, uint64_t *ret, bool *ret_signed, struct err *err);

#endif
