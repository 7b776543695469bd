/*
 * What the x87 and SSE unit of a thread holds: of the thread on the processor as its registers, of others where the kernel saved
 * it (the 512 bytes of FXSAVE, Intel SDM volume 1, 10.5.1). The machine's processor has no AVX.
 */
#ifndef ENGINE_FPU_H
#define ENGINE_FPU_H

#include "engine/layout.h"

#define FPU_SIZE 512 /* bytes of FXSAVE */

struct fpu {
	uint16_t control, status;
	uint8_t full; /* bit i: the physical register i holds something */
	uint32_t mxcsr;
	unsigned char st[8][10]; /* from the top of the stack on */
	uint64_t xmm[16][2];     /* low half first */
	/* The last instruction that was not for control, and its operand; not known of the thread on the processor. */
	bool has_last;
	uint16_t opcode;
	uint64_t instruction, operand;
};

void fpu_of_registers(const struct regs *regs, struct fpu *ret);
void fpu_of_bytes(const unsigned char bytes[FPU_SIZE], struct fpu *ret);
/* Of a task's user code. False when the kernel does not tell. */
bool fpu_of_task(const struct guest *guest, uint64_t task, struct fpu *ret);

/* The tag word as FSTENV gives it: two bits for each physical register. */
uint16_t fpu_tags(const struct fpu *fpu);

#endif
