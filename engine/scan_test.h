/*
 * A condition as the scan plugin evaluates it at every hit: a little program for a stack, made by the engine (scan_condition)
 * from an expression. Pure, and small enough to be in both; where registers and memory come from is the caller's.
 */
#ifndef ENGINE_SCAN_TEST_H
#define ENGINE_SCAN_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_STACK_MAX 32

enum scan_op_kind {
	SCAN_PUSH,     /* value */
	SCAN_REGISTER, /* by its DWARF number; SCAN_FS_BASE */
	SCAN_LOAD,     /* size bytes (1, 2, 4, 8) at the virtual address on the stack */
	SCAN_PHYSICAL, /* size bytes at the physical address `value` */
	SCAN_OLD,      /* the first size bytes of what is written, as they were before */
	SCAN_NEW,      /* ... and as they are after */
	SCAN_EXTEND,   /* the lowest `size` BITS; is_signed: the highest of them is the sign */
	SCAN_JUMP,     /* over `value` operations */
	SCAN_JUMP_IF_NOT,
	SCAN_TRUTH, /* 0 or 1 */
	SCAN_NOT,
	SCAN_NEGATE,
	SCAN_COMPLEMENT,
	/* Two operands; is_signed decides where it matters. */
	SCAN_ADD,
	SCAN_SUBTRACT,
	SCAN_MULTIPLY,
	SCAN_DIVIDE, /* by 0: the condition does not hold */
	SCAN_REMAINDER,
	SCAN_AND,
	SCAN_OR,
	SCAN_XOR,
	SCAN_LEFT,
	SCAN_RIGHT,
	SCAN_EQUAL,
	SCAN_UNEQUAL,
	SCAN_LESS,
	SCAN_NOT_MORE,
	SCAN_OPS
};

enum { SCAN_FS_BASE = 17 };

struct scan_op {
	uint16_t kind;
	uint8_t size;
	uint8_t is_signed;
	uint32_t unused;
	uint64_t value;
};

struct scan_machine {
	bool (*register_value)(void *data, uint64_t number, uint64_t *ret);
	bool (*load)(void *data, uint64_t address, void *out, size_t size); /* virtual */
	bool (*load_physical)(void *data, uint64_t address, void *out, size_t size);
	void *data;
	const uint64_t *written; /* what a write found there, and what it left; NULL: it is no write */
};

static inline uint64_t scan_extend(uint64_t number, unsigned bits, bool is_signed)
{
	if (bits >= 64 || !bits)
		return number;
	number &= (UINT64_C(1) << bits) - 1;
	return is_signed && number >> (bits - 1) ? number | ~UINT64_C(0) << bits : number;
}

static inline bool scan_divide(uint64_t a, uint64_t b, const struct scan_op *op, uint64_t *ret)
{
	bool rest = op->kind == SCAN_REMAINDER;
	if (!b)
		return false;
	if (!op->is_signed)
		*ret = rest ? a % b : a / b;
	else if (b == UINT64_MAX) /* -1: the smallest number has no negative */
		*ret = rest ? UINT64_C(0) : UINT64_C(0) - a;
	else
		*ret = (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	return true;
}

static inline bool scan_binary(uint64_t a, uint64_t b, const struct scan_op *op, uint64_t *ret)
{
	bool less = op->is_signed ? (int64_t)a < (int64_t)b : a < b;
	switch (op->kind) {
	case SCAN_ADD:
		*ret = a + b;
		return true;
	case SCAN_SUBTRACT:
		*ret = a - b;
		return true;
	case SCAN_MULTIPLY:
		*ret = a * b;
		return true;
	case SCAN_DIVIDE:
	case SCAN_REMAINDER:
		return scan_divide(a, b, op, ret);
	case SCAN_AND:
		*ret = a & b;
		return true;
	case SCAN_OR:
		*ret = a | b;
		return true;
	case SCAN_XOR:
		*ret = a ^ b;
		return true;
	case SCAN_LEFT:
		*ret = b < 64 ? a << b : 0;
		return true;
	case SCAN_RIGHT:
		*ret = op->is_signed ? (uint64_t)((int64_t)a >> (b < 63 ? b : 63)) : b < 64 ? a >> b : 0;
		return true;
	case SCAN_EQUAL:
		*ret = a == b ? 1 : 0;
		return true;
	case SCAN_UNEQUAL:
		*ret = a != b ? 1 : 0;
		return true;
	case SCAN_LESS:
		*ret = less ? 1 : 0;
		return true;
	case SCAN_NOT_MORE:
		*ret = less || a == b ? 1 : 0;
		return true;
	default:
		return false;
	}
}

static inline bool scan_read(const struct scan_machine *m, const struct scan_op *op, uint64_t address, uint64_t *ret)
{
	uint64_t number = 0;
	bool (*load)(void *data, uint64_t at, void *out, size_t size) = op->kind == SCAN_LOAD ? m->load : m->load_physical;
	if (!op->size || op->size > sizeof number || !load(m->data, address, &number, op->size))
		return false;
	*ret = scan_extend(number, 8u * op->size, op->is_signed != 0);
	return true;
}

/* One operand on the stack is replaced. */
static inline bool scan_unary(const struct scan_machine *m, const struct scan_op *op, uint64_t *top)
{
	switch (op->kind) {
	case SCAN_LOAD:
		return scan_read(m, op, *top, top);
	case SCAN_EXTEND:
		*top = scan_extend(*top, op->size, op->is_signed != 0);
		return true;
	case SCAN_TRUTH:
		*top = *top ? 1 : 0;
		return true;
	case SCAN_NOT:
		*top = *top ? 0 : 1;
		return true;
	case SCAN_NEGATE:
		*top = UINT64_C(0) - *top;
		return true;
	case SCAN_COMPLEMENT:
		*top = ~*top;
		return true;
	default:
		return false;
	}
}

/* One value more on the stack. */
static inline bool scan_push(const struct scan_machine *m, const struct scan_op *op, uint64_t *top)
{
	*top = op->value;
	if (op->kind == SCAN_REGISTER)
		return m->register_value(m->data, op->value, top);
	if (op->kind == SCAN_PHYSICAL)
		return scan_read(m, op, op->value, top);
	if (op->kind == SCAN_PUSH)
		return true;
	if (!m->written)
		return false;
	*top = scan_extend(m->written[op->kind == SCAN_NEW], 8u * op->size, op->is_signed != 0);
	return true;
}

static inline bool scan_pushes(const struct scan_op *op)
{
	return op->kind == SCAN_PUSH || op->kind == SCAN_REGISTER || op->kind == SCAN_PHYSICAL || op->kind == SCAN_OLD ||
		op->kind == SCAN_NEW;
}

/* Does it hold? What cannot be read, a division by zero and a program that is none: no. */
static inline bool scan_holds(const struct scan_op *ops, size_t count, const struct scan_machine *m)
{
	uint64_t stack[SCAN_STACK_MAX] = {0};
	size_t depth = 0;
	for (size_t i = 0; i < count; i++) {
		const struct scan_op *op = &ops[i];
		bool ok = true;
		if (scan_pushes(op)) {
			if (depth == SCAN_STACK_MAX)
				return false;
			ok = scan_push(m, op, &stack[depth++]);
		} else if (op->kind == SCAN_JUMP || op->kind == SCAN_JUMP_IF_NOT) {
			if (op->value > count - i - 1 || (op->kind == SCAN_JUMP_IF_NOT && !depth))
				return false;
			if (op->kind == SCAN_JUMP || !stack[--depth])
				i += (size_t)op->value;
		} else if (op->kind >= SCAN_ADD) {
			if (depth < 2)
				return false;
			depth--;
			ok = scan_binary(stack[depth - 1], stack[depth], op, &stack[depth - 1]);
		} else
			ok = depth && scan_unary(m, op, &stack[depth - 1]);
		if (!ok)
			return false;
	}
	return depth == 1 && stack[0];
}

#endif
