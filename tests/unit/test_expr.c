#include <dwarf.h>

#include "engine/expr.h"
#include "unit.h"

static const unsigned char memory[16] = {0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80};

static size_t read_memory(void *data, uint64_t address, void *out, size_t size)
{
	(void)data;
	if (address < 0x1000 || address >= 0x1000 + sizeof memory)
		return 0;
	size_t left = 0x1000 + sizeof memory - address;
	memcpy(out, memory + (address - 0x1000), size < left ? size : left);
	return size < left ? size : left;
}

static struct expr_result run(const Dwarf_Op *ops, size_t count)
{
	static struct frame_registers registers;
	registers = (struct frame_registers){.known = 1u << 3 | 1u << 7, .value = {[3] = 0x1000, [7] = 0x7000}};
	struct expr_context context = {.registers = &registers,
		.read = read_memory,
		.bias = 0x100000,
		.cfa = 0x7100,
		.has_cfa = true,
		.frame_base = 0x7200,
		.has_frame_base = true};
	return expr_evaluate(&context, NULL, ops, count);
}

#define RUN(...) run((const Dwarf_Op[]){__VA_ARGS__}, sizeof((const Dwarf_Op[]){__VA_ARGS__}) / sizeof(Dwarf_Op))
#define OP(a, n) \
	{ \
		.atom = (a), .number = (n) \
	}

static void is(struct expr_result result, enum expr_kind kind, uint64_t value)
{
	CU_ASSERT_EQUAL(result.kind, kind);
	CU_ASSERT_EQUAL(result.value, value);
}

static void places_of_variables(void)
{
	is(RUN(OP(DW_OP_addr, 0x4010)), EXPR_ADDRESS, 0x104010);
	is(RUN(OP(DW_OP_fbreg, (Dwarf_Word)-20)), EXPR_ADDRESS, 0x7200 - 20);
	is(RUN(OP(DW_OP_call_frame_cfa, 0)), EXPR_ADDRESS, 0x7100);
	is(RUN(OP(DW_OP_breg7, 8)), EXPR_ADDRESS, 0x7008);
	is(RUN({.atom = DW_OP_bregx, .number = 7, .number2 = 16}), EXPR_ADDRESS, 0x7010);
	is(RUN(OP(DW_OP_reg5, 0)), EXPR_REGISTER, 5);
	is(RUN(OP(DW_OP_regx, 17)), EXPR_REGISTER, 17);
	is(RUN(OP(DW_OP_lit7, 0), OP(DW_OP_stack_value, 0)), EXPR_VALUE, 7);
	is(RUN(OP(DW_OP_breg3, 0), OP(DW_OP_deref, 0)), EXPR_ADDRESS, 0x8070605040302010);
	is(RUN(OP(DW_OP_breg3, 1), OP(DW_OP_deref_size, 2), OP(DW_OP_stack_value, 0)), EXPR_VALUE, 0x3020);
}

static void arithmetic(void)
{
	static const struct {
		uint8_t atom;
		int64_t a, b;
		uint64_t r;
	} rows[] = {{DW_OP_plus, 5, 3, 8}, {DW_OP_minus, 5, 8, (uint64_t)-3}, {DW_OP_mul, 5, 3, 15},
		{DW_OP_div, -7, 2, (uint64_t)-3}, {DW_OP_mod, 7, 4, 3}, {DW_OP_and, 12, 10, 8}, {DW_OP_or, 12, 10, 14},
		{DW_OP_xor, 12, 10, 6}, {DW_OP_shl, 1, 5, 32}, {DW_OP_shl, 1, 64, 0}, {DW_OP_shr, -1, 60, 15},
		{DW_OP_shra, -16, 2, (uint64_t)-4}, {DW_OP_shra, -16, 200, (uint64_t)-1}, {DW_OP_lt, -1, 1, 1},
		{DW_OP_ge, -1, 1, 0}, {DW_OP_eq, 4, 4, 1}, {DW_OP_ne, 4, 4, 0}, {DW_OP_gt, 2, 1, 1}, {DW_OP_le, 2, 1, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is(RUN(OP(DW_OP_consts, (Dwarf_Word)rows[i].a), OP(DW_OP_consts, (Dwarf_Word)rows[i].b), OP(rows[i].atom, 0),
			   OP(DW_OP_stack_value, 0)),
			EXPR_VALUE, rows[i].r);
	is(RUN(OP(DW_OP_lit3, 0), OP(DW_OP_neg, 0), OP(DW_OP_abs, 0), OP(DW_OP_plus_uconst, 9), OP(DW_OP_stack_value, 0)),
		EXPR_VALUE, 12);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_lit2, 0), OP(DW_OP_lit3, 0), OP(DW_OP_rot, 0), OP(DW_OP_drop, 0),
		   OP(DW_OP_stack_value, 0)),
		EXPR_VALUE, 1);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_lit2, 0), OP(DW_OP_over, 0), OP(DW_OP_stack_value, 0)), EXPR_VALUE, 1);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_lit2, 0), OP(DW_OP_swap, 0), OP(DW_OP_stack_value, 0)), EXPR_VALUE, 1);
	is(RUN(OP(DW_OP_lit4, 0), OP(DW_OP_lit2, 0), OP(DW_OP_pick, 1), OP(DW_OP_stack_value, 0)), EXPR_VALUE, 4);
}

static void what_cannot_be_known_is_unknown(void)
{
	is(RUN(OP(DW_OP_breg0, 0)), EXPR_UNKNOWN, 0); /* the register is not known in this frame */
	is(RUN(OP(DW_OP_plus, 0)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_lit0, 0), OP(DW_OP_div, 0)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_lit0, 0), OP(DW_OP_mod, 0)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_const8u, 1), OP(DW_OP_const1u, 63), OP(DW_OP_shl, 0), OP(DW_OP_lit1, 0), OP(DW_OP_neg, 0),
		   OP(DW_OP_div, 0)),
		EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_deref, 0)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_lit1, 0), OP(DW_OP_deref_size, 9)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_form_tls_address, 0)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_entry_value, 0)), EXPR_UNKNOWN, 0);
	is(RUN(OP(DW_OP_lo_user, 0)), EXPR_UNKNOWN, 0);
	is(run(NULL, 0), EXPR_UNKNOWN, 0);
	Dwarf_Op deep[EXPR_STACK_MAX + 1];
	for (size_t i = 0; i <= EXPR_STACK_MAX; i++)
		deep[i] = (Dwarf_Op){.atom = DW_OP_lit1};
	is(run(deep, EXPR_STACK_MAX), EXPR_ADDRESS, 1);
	is(run(deep, EXPR_STACK_MAX + 1), EXPR_UNKNOWN, 0);
}

static void branches_end(void)
{
	/* lit0; bra +1 (not taken); lit5; stack_value */
	is(RUN({.atom = DW_OP_lit0, .offset = 0}, {.atom = DW_OP_bra, .number = 1, .offset = 1},
		   {.atom = DW_OP_lit5, .offset = 4}, {.atom = DW_OP_stack_value, .offset = 5}),
		EXPR_VALUE, 5);
	/* lit9; skip +1 over lit5; stack_value */
	is(RUN({.atom = DW_OP_lit9, .offset = 0}, {.atom = DW_OP_skip, .number = 1, .offset = 1},
		   {.atom = DW_OP_lit5, .offset = 4}, {.atom = DW_OP_stack_value, .offset = 5}),
		EXPR_VALUE, 9);
	/* skip to itself, and into the middle of an operation */
	is(RUN({.atom = DW_OP_skip, .number = (Dwarf_Word)-3, .offset = 0}), EXPR_UNKNOWN, 0);
	is(RUN({.atom = DW_OP_skip, .number = 1, .offset = 0}, {.atom = DW_OP_const2u, .number = 1, .offset = 3},
		   {.atom = DW_OP_lit1, .offset = 6}),
		EXPR_UNKNOWN, 0);
}

static void pieces_are_kept_apart(void)
{
	struct expr_result r =
		RUN(OP(DW_OP_reg3, 0), OP(DW_OP_piece, 8), OP(DW_OP_fbreg, 8), OP(DW_OP_piece, 4), OP(DW_OP_piece, 4));
	CU_ASSERT_EQUAL(r.kind, EXPR_PIECES);
	CU_ASSERT_EQUAL_FATAL(r.piece_count, 3);
	CU_ASSERT_TRUE(r.pieces[0].kind == EXPR_REGISTER && r.pieces[0].value == 3 && r.pieces[0].size == 8);
	CU_ASSERT_TRUE(r.pieces[1].kind == EXPR_ADDRESS && r.pieces[1].value == 0x7208 && r.pieces[1].size == 4);
	CU_ASSERT_TRUE(r.pieces[2].kind == EXPR_UNKNOWN && r.pieces[2].size == 4);
}

static void registers_are_numbered_as_dwarf_does(void)
{
	struct regs regs = {.rip = 16, .gpr = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15}, .has_xmm = true};
	struct frame_registers r;
	regs.xmm[2][0] = 99;
	expr_registers(&regs, &r);
	for (uint64_t i = 0; i <= FRAME_PC; i++)
		CU_ASSERT_EQUAL(r.value[i], i);
	CU_ASSERT_EQUAL(r.value[FRAME_XMM0 + 2], 99);
}

const struct test suite_expr[] = {{"places of variables", places_of_variables}, {"arithmetic", arithmetic},
	{"what cannot be known is unknown", what_cannot_be_known_is_unknown}, {"branches end", branches_end},
	{"pieces are kept apart", pieces_are_kept_apart},
	{"registers are numbered as DWARF does", registers_are_numbered_as_dwarf_does}, {0}};
