#include "engine/expr.h"

#include <dwarf.h>
#include <string.h>

void expr_registers(const struct regs *regs, struct frame_registers *ret)
{
	static const unsigned char dwarf_order[16] = {
		0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15}; /* rax rdx rcx rbx rsi rdi rbp rsp */
	*ret = (struct frame_registers){.fs_base = regs->segment_base[REGS_FS], .known = (UINT64_C(1) << 17) - 1};
	for (size_t i = 0; i < 16; i++) {
		ret->value[i] = regs->gpr[dwarf_order[i]];
		ret->value[FRAME_XMM0 + i] = regs->xmm[i][0];
		ret->high[i] = regs->xmm[i][1];
	}
	ret->value[FRAME_PC] = regs->rip;
	if (regs->has_xmm)
		ret->known |= (UINT64_C(0xffff) << FRAME_XMM0);
}

const char *expr_register_name(int number)
{
	static const char *const names[EXPR_INTEGERS] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9",
		"r10", "r11", "r12", "r13", "r14", "r15", "rip"};
	return names[number];
}

struct machine {
	const struct expr_context *context;
	uint64_t stack[EXPR_STACK_MAX];
	size_t depth;
	bool failed;
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == EXPR_STACK_MAX)
		m->failed = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (!m->depth) {
		m->failed = true;
		return 0;
	}
	return m->stack[--m->depth];
}

static uint64_t need(struct machine *m, bool have, uint64_t value)
{
	m->failed |= !have;
	return value;
}

static uint64_t register_value(struct machine *m, uint64_t number)
{
	const struct frame_registers *r = m->context->registers;
	bool known = r && number < FRAME_REGISTERS && r->known >> number & 1;
	return need(m, known, known ? r->value[number] : 0);
}

static void load(struct machine *m, size_t size)
{
	uint64_t value = 0, address = pop(m);
	if (size > sizeof value || !m->context->read || m->context->read(m->context->data, address, &value, size) != size)
		m->failed = true;
	push(m, value);
}

static int64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (!b || (a == INT64_MIN && b == -1)) {
		m->failed = true;
		return 0;
	}
	return a / b;
}

/* Two operands. False when it is no such operation. */
static bool binary(struct machine *m, unsigned atom)
{
	if (!((atom >= DW_OP_and && atom <= DW_OP_xor && atom != DW_OP_neg && atom != DW_OP_not && atom != DW_OP_plus_uconst) ||
		    (atom >= DW_OP_eq && atom <= DW_OP_ne)))
		return false;
	uint64_t b = pop(m), a = pop(m), r = 0;
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	switch (atom) {
	case DW_OP_and:
		r = a & b;
		break;
	case DW_OP_div:
		r = (uint64_t)divide(m, sa, sb);
		break;
	case DW_OP_minus:
		r = a - b;
		break;
	case DW_OP_mod:
		r = need(m, b, b ? a % b : 0);
		break;
	case DW_OP_mul:
		r = a * b;
		break;
	case DW_OP_or:
		r = a | b;
		break;
	case DW_OP_plus:
		r = a + b;
		break;
	case DW_OP_shl:
		r = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		r = b < 64 ? a >> b : 0;
		break;
	case DW_OP_shra:
		r = (uint64_t)(sa >> (b < 63 ? b : 63));
		break;
	case DW_OP_xor:
		r = a ^ b;
		break;
	case DW_OP_eq:
		r = sa == sb;
		break;
	case DW_OP_ge:
		r = sa >= sb;
		break;
	case DW_OP_gt:
		r = sa > sb;
		break;
	case DW_OP_le:
		r = sa <= sb;
		break;
	case DW_OP_lt:
		r = sa < sb;
		break;
	case DW_OP_ne:
		r = sa != sb;
		break;
	default:
		m->failed = true;
	}
	push(m, r);
	return true;
}

/* Shuffles of the stack and one operand. */
static bool unary(struct machine *m, const Dwarf_Op *op)
{
	uint64_t a, b, c;
	switch (op->atom) {
	case DW_OP_dup:
		a = pop(m);
		push(m, a);
		push(m, a);
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_over:
		op = &(const Dwarf_Op){.number = 1}; /* fall through */
	case DW_OP_pick:
		if (op->number >= m->depth)
			m->failed = true;
		else
			push(m, m->stack[m->depth - 1 - op->number]);
		return true;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		return true;
	case DW_OP_rot:
		a = pop(m);
		b = pop(m);
		c = pop(m);
		push(m, a);
		push(m, c);
		push(m, b);
		return true;
	case DW_OP_abs:
		a = pop(m);
		push(m, (int64_t)a < 0 ? 0 - a : a);
		return true;
	case DW_OP_neg:
		push(m, 0 - pop(m));
		return true;
	case DW_OP_not:
		push(m, ~pop(m));
		return true;
	case DW_OP_plus_uconst:
		push(m, pop(m) + op->number);
		return true;
	case DW_OP_deref:
		load(m, 8);
		return true;
	case DW_OP_deref_size:
		load(m, op->number);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

/* Constants, registers and the bases of the frame. */
static bool source(struct machine *m, const Dwarf_Op *op)
{
	const struct expr_context *c = m->context;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		push(m, (uint64_t)(op->atom - DW_OP_lit0));
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		push(m, register_value(m, (uint64_t)(op->atom - DW_OP_breg0)) + op->number);
	else if (op->atom == DW_OP_bregx)
		push(m, register_value(m, op->number) + op->number2);
	else if (op->atom == DW_OP_addr)
		push(m, op->number + c->bias);
	else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		push(m, op->number);
	else if (op->atom == DW_OP_fbreg)
		push(m, need(m, c->has_frame_base, c->frame_base) + op->number);
	else if (op->atom == DW_OP_call_frame_cfa)
		push(m, need(m, c->has_cfa, c->cfa));
	else if (op->atom == DW_OP_push_object_address)
		push(m, need(m, c->has_object, c->object));
	else if (op->atom == DW_OP_form_tls_address || op->atom == DW_OP_GNU_push_tls_address)
		push(m, pop(m) + need(m, c->has_tls, c->tls_base));
	else
		return false;
	return true;
}

/* The operation that a branch at `from` goes to; count (the end) when there is none there. */
static size_t branch_target(struct machine *m, const Dwarf_Op *ops, size_t count, size_t from)
{
	/* Counted from behind the branch, which is 3 bytes long. */
	uint64_t target = ops[from].offset + 3 + (uint64_t)(int64_t)(int16_t)ops[from].number;
	for (size_t i = 0; i < count; i++)
		if (ops[i].offset == target)
			return i;
	m->failed |= target <= ops[count - 1].offset;
	return count;
}

/* What ends an expression or a piece of it: register, value or bytes. *ret is changed from the address on the stack. */
static bool place(const Dwarf_Op *op, Dwarf_Attribute *attr, struct machine *m, struct expr_result *ret)
{
	Dwarf_Block block;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*ret = (struct expr_result){.kind = EXPR_REGISTER, .value = (uint64_t)(op->atom - DW_OP_reg0)};
	else if (op->atom == DW_OP_regx)
		*ret = (struct expr_result){.kind = EXPR_REGISTER, .value = op->number};
	else if (op->atom == DW_OP_stack_value)
		*ret = (struct expr_result){.kind = EXPR_VALUE, .value = pop(m)};
	else if (op->atom == DW_OP_implicit_value && attr && !dwarf_getlocation_implicit_value(attr, op, &block))
		*ret = (struct expr_result){.kind = EXPR_BYTES, .bytes = block.data, .size = block.length};
	else
		return false;
	return true;
}

static void add_piece(struct machine *m, const struct expr_result *now, uint64_t size, struct expr_result *ret)
{
	struct expr_piece piece = {.kind = now->kind, .value = now->value, .size = size};
	if (now->kind == EXPR_UNKNOWN && m->depth)
		piece = (struct expr_piece){EXPR_ADDRESS, pop(m), size};
	if (ret->piece_count == EXPR_PIECES_MAX || now->kind == EXPR_BYTES)
		m->failed = true;
	else
		ret->pieces[ret->piece_count++] = piece;
	ret->kind = EXPR_PIECES;
}

struct expr_result expr_evaluate(const struct expr_context *context, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t count)
{
	struct machine m = {.context = context};
	struct expr_result now = {0}, whole = {0};
	if (context->has_object)
		push(&m, context->object);
	size_t steps = 0;
	for (size_t i = 0; i < count && !m.failed; i++) {
		const Dwarf_Op *op = &ops[i];
		if (++steps > EXPR_STEPS_MAX)
			m.failed = true;
		else if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(&m)))
			i = branch_target(&m, ops, count, i) - 1;
		else if (op->atom == DW_OP_piece) {
			add_piece(&m, &now, op->number, &whole);
			now = (struct expr_result){0};
		} else if (op->atom != DW_OP_bra && !source(&m, op) && !unary(&m, op) && !binary(&m, op->atom) &&
			!place(op, attr, &m, &now))
			m.failed = true;
	}
	if (m.failed)
		return (struct expr_result){0};
	if (whole.piece_count)
		return whole;
	if (now.kind == EXPR_UNKNOWN && m.depth)
		now = (struct expr_result){.kind = EXPR_ADDRESS, .value = pop(&m)};
	return now;
}
