#include "engine/fpu.h"
#include "unit.h"

#define ONE UINT64_C(0x8000000000000000) /* the fraction of 1.0; its exponent is 0x3fff */

/* Two values were pushed: QEMU counts registers from 0, programs from the top of the stack. */
static void registers_are_counted_from_the_top(void)
{
	struct regs regs = {.fcw = 0x37f, .fsw = 6 << 11, .ftw = 0xc0, .mxcsr = 0x1f80};
	struct fpu fpu;
	uint64_t fraction;
	regs.fpr[6] = ONE;
	regs.fpr_high[6] = 0xbfff; /* -1.0 */
	regs.xmm[15][1] = 5;
	fpu_of_registers(&regs, &fpu);
	memcpy(&fraction, fpu.st[0], sizeof fraction);
	CU_ASSERT_EQUAL(fraction, ONE);
	CU_ASSERT_EQUAL(fpu.st[0][9], 0xbf);
	CU_ASSERT_EQUAL(fpu.st[1][9], 0);
	CU_ASSERT_EQUAL(fpu.xmm[15][1], 5);
	CU_ASSERT_EQUAL(fpu.control, 0x37f);
	CU_ASSERT_FALSE(fpu.has_last);
	CU_ASSERT_EQUAL(fpu_tags(&fpu), 0x4fff); /* 7: zero, 6: valid, the others are empty */
}

static void bytes_of_fxsave(void)
{
	unsigned char bytes[FPU_SIZE];
	struct fpu fpu;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)i;
	bytes[3] = 7 << 3; /* the top is 7 */
	bytes[4] = 0x81;
	fpu_of_bytes(bytes, &fpu);
	CU_ASSERT_EQUAL(fpu.control, 0x0100);
	CU_ASSERT_EQUAL(fpu.status, 0x3802);
	CU_ASSERT_EQUAL(fpu.opcode, 0x0706);
	CU_ASSERT_EQUAL(fpu.instruction, 0x0f0e0d0c0b0a0908);
	CU_ASSERT_EQUAL(fpu.operand, 0x1716151413121110);
	CU_ASSERT_EQUAL(fpu.mxcsr, 0x1b1a1918);
	CU_ASSERT_EQUAL(fpu.st[1][0], 48);
	CU_ASSERT_EQUAL(fpu.st[7][9], 153);
	CU_ASSERT_EQUAL(fpu.xmm[0][0], 0xa7a6a5a4a3a2a1a0);
	CU_ASSERT_EQUAL(fpu.xmm[15][1] >> 56, (160 + 255) & 0xff);
	/* ST(0) is register 7, ST(1) register 0: without the bit before the point both are special. */
	CU_ASSERT_EQUAL(fpu_tags(&fpu), 0xbffe);
}

static void kinds_of_values(void)
{
	static const struct {
		uint64_t fraction, exponent;
		unsigned tag;
	} kinds[] = {{0, 0, 1}, {0, 0x8000, 1}, {ONE, 0x3fff, 0}, {1, 0, 2}, {ONE, 0x7fff, 2}, {1, 0x3fff, 2}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct regs regs = {.ftw = 1};
		struct fpu fpu;
		regs.fpr[0] = kinds[i].fraction;
		regs.fpr_high[0] = kinds[i].exponent;
		fpu_of_registers(&regs, &fpu);
		CU_ASSERT_EQUAL(fpu_tags(&fpu), 0xfffc | kinds[i].tag);
	}
}

const struct test suite_fpu[] = {
	{"registers are counted from the top", registers_are_counted_from_the_top},
	{"bytes of fxsave", bytes_of_fxsave},
	{"kinds of values", kinds_of_values},
	{0},
};
