#include "engine/fpu.h"

#include <string.h>

/* Where things are in the bytes of FXSAVE. */
enum { AT_STATUS = 2, AT_FULL = 4, AT_OPCODE = 6, AT_INSTRUCTION = 8, AT_OPERAND = 16, AT_MXCSR = 24, AT_ST = 32, AT_XMM = 160 };
enum { ST_ROOM = 16, ST_SIZE = 10, STACK = 8 };
enum tag { TAG_VALID, TAG_ZERO, TAG_SPECIAL, TAG_EMPTY };
#define NEED_LOAD   (UINT64_C(1) << 14) /* TIF_NEED_FPU_LOAD of Linux 6.1 (arch/x86/include/asm/thread_info.h) */
#define INTEGER_BIT (UINT64_C(1) << 63)

static unsigned top(const struct fpu *fpu)
{
	return fpu->status >> 11 & 7;
}

void fpu_of_registers(const struct regs *regs, struct fpu *ret)
{
	*ret = (struct fpu){.control = (uint16_t)regs->fcw,
		.status = (uint16_t)regs->fsw,
		.full = (uint8_t)regs->ftw,
		.mxcsr = (uint32_t)regs->mxcsr};
	for (unsigned i = 0; i < STACK; i++) {
		unsigned physical = (i + top(ret)) % STACK;
		uint16_t high = (uint16_t)regs->fpr_high[physical];
		memcpy(ret->st[i], &regs->fpr[physical], 8);
		memcpy(ret->st[i] + 8, &high, 2);
	}
	memcpy(ret->xmm, regs->xmm, sizeof ret->xmm);
}

void fpu_of_bytes(const unsigned char bytes[FPU_SIZE], struct fpu *ret)
{
	*ret = (struct fpu){.full = bytes[AT_FULL], .has_last = true};
	memcpy(&ret->control, bytes, sizeof ret->control);
	memcpy(&ret->status, bytes + AT_STATUS, sizeof ret->status);
	memcpy(&ret->opcode, bytes + AT_OPCODE, sizeof ret->opcode);
	memcpy(&ret->instruction, bytes + AT_INSTRUCTION, sizeof ret->instruction);
	memcpy(&ret->operand, bytes + AT_OPERAND, sizeof ret->operand);
	memcpy(&ret->mxcsr, bytes + AT_MXCSR, sizeof ret->mxcsr);
	for (size_t i = 0; i < STACK; i++)
		memcpy(ret->st[i], bytes + AT_ST + i * ST_ROOM, ST_SIZE);
	memcpy(ret->xmm, bytes + AT_XMM, sizeof ret->xmm);
}

/* The kernel leaves them on the processor while it works for the task, unless it needs them itself; of a task that does not run
 * they are in memory. */
bool fpu_of_task(const struct guest *guest, uint64_t task, struct fpu *ret)
{
	unsigned char bytes[FPU_SIZE];
	uint64_t current = 0;
	if (!guest->layout->has_fpu)
		return false;
	memory_read_some(&guest->kernel, guest->layout->current_task, &current, sizeof current);
	if (task == current && !(guest_value(guest, LAYOUT_TASK_THREAD_FLAGS, task) & NEED_LOAD)) {
		fpu_of_registers(&guest->stop->regs, ret);
		return guest->stop->regs.has_xmm;
	}
	uint64_t at = guest_value(guest, LAYOUT_TASK_FPSTATE, task);
	if (!at ||
		memory_read_some(&guest->kernel, at + guest_offset(guest, LAYOUT_FPSTATE_REGS), bytes, sizeof bytes) !=
			sizeof bytes)
		return false;
	fpu_of_bytes(bytes, ret);
	return true;
}

static enum tag tag_of(const unsigned char st[ST_SIZE])
{
	uint64_t fraction;
	uint16_t exponent;
	memcpy(&fraction, st, sizeof fraction);
	memcpy(&exponent, st + 8, sizeof exponent);
	exponent &= 0x7fff;
	if (!exponent && !fraction)
		return TAG_ZERO;
	return !exponent || exponent == 0x7fff || !(fraction & INTEGER_BIT) ? TAG_SPECIAL : TAG_VALID;
}

uint16_t fpu_tags(const struct fpu *fpu)
{
	unsigned tags = 0;
	for (unsigned physical = 0; physical < STACK; physical++) {
		unsigned i = (physical + STACK - top(fpu)) % STACK;
		enum tag tag = fpu->full >> physical & 1 ? tag_of(fpu->st[i]) : TAG_EMPTY;
		tags |= (unsigned)tag << (2 * physical);
	}
	return (uint16_t)tags;
}
