/*
 * The register file of a stopped x86-64 machine, as QEMU's monitor prints it ("info registers").
 */
#ifndef ENGINE_REGS_H
#define ENGINE_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define REGS_TEXT_MAX (64 * 1024) /* longest text that is read */

/* Indices of gpr in the order of the instruction encoding, which is also how QEMU counts. */
enum regs_gpr { REGS_RAX, REGS_RCX, REGS_RDX, REGS_RBX, REGS_RSP, REGS_RBP, REGS_RSI, REGS_RDI, REGS_R8, REGS_GPR_COUNT = 16 };
enum regs_segment { REGS_ES, REGS_CS, REGS_SS, REGS_DS, REGS_FS, REGS_GS, REGS_LDT, REGS_TR, REGS_SEGMENT_COUNT };

struct regs {
	uint64_t gpr[REGS_GPR_COUNT];
	uint64_t rip, rflags;
	uint64_t segment_base[REGS_SEGMENT_COUNT];
	uint64_t selector[REGS_SEGMENT_COUNT];
	uint64_t gdt_base, idt_base;
	uint64_t cr0, cr2, cr3, cr4, efer;
	uint64_t dr[8];
	uint64_t cpl;    /* 3: user code, 0: kernel */
	uint64_t halted; /* 1: waiting in HLT */
	uint64_t mxcsr, fcw, fsw;
	uint64_t xmm[16][2];  /* low half first */
	uint64_t fpr[8];      /* significands of the x87 registers, by their numbers in the processor */
	uint64_t fpr_high[8]; /* their signs and exponents: 16 bits */
	uint64_t ftw;         /* bit N: register N holds something */
	bool has_xmm;
};

/*
 * Reads the text. Lines and fields that are not known are skipped (newer versions of QEMU add some); ERR_QEMU when one that
 * is needed (general registers, rip, flags, segments, control registers) is missing, or when a number is malformed.
 */
bool regs_parse(struct regs *regs, const char *text, size_t size, struct err *err);

/* The value of the register called name ("rax", "$rip", "fs_base", "eax" is not one); false when there is none. */
bool regs_get(const struct regs *regs, const char *name, uint64_t *ret_value);

/* The registers in the order they are printed: the name of number i, NULL after the last. */
const char *regs_name(size_t i, const struct regs *regs, uint64_t *ret_value);

/* How many registers differ. */
size_t regs_differ(const struct regs *a, const struct regs *b);

/* One line for each, general registers first; those that differ from previous (may be NULL) get a "*" and their old value. */
void regs_print(const struct regs *regs, const struct regs *previous, bool all, struct buf *out);

#endif
