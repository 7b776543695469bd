/*
 * The chain of calls inside the kernel, by the kernel's own ORC unwind tables, read from its memory.
 */
#ifndef ENGINE_ORC_H
#define ENGINE_ORC_H

#include "engine/kcode.h"
#include "engine/layout.h"
#include "engine/unwind.h"

/* Where the caller's stack pointer, and its rbp, are to be found. */
enum orc_register {
	ORC_UNDEFINED,
	ORC_PREV_SP,
	ORC_DX,
	ORC_DI,
	ORC_BP,
	ORC_SP,
	ORC_R10,
	ORC_R13,
	ORC_BP_INDIRECT,
	ORC_SP_INDIRECT
};
enum orc_type { ORC_CALL, ORC_REGS, ORC_REGS_PARTIAL };

/* How to unwind from an address on, up to the next row's. */
struct orc_row {
	uint64_t address;
	int16_t sp_offset, bp_offset;
	unsigned sp_reg, bp_reg, type; /* as above; a table may hold others */
	bool end;
};

/* The number that DWARF gives an enum orc_register (System V ABI, AMD64); of the indirect ones that of the register they go by.
 * False when it is no register, or none of those above. */
bool orc_dwarf_number(unsigned reg, unsigned *ret);

/* All rows of a table, by address. Nothing when this kernel's tables are not understood. */
void orc_each(const struct guest *guest, const struct kcode_tables *tables, void (*each)(void *data, const struct orc_row *row),
	void *data);

/* The registers of a task when it last ran user code, as the kernel saved them. False when it has none (a kernel thread). */
bool orc_user_registers(const struct guest *guest, uint64_t task, struct frame_registers *ret);

/* More of them: flags, segments, and the number of the system call (-1: it came otherwise). False as above. */
struct orc_entry {
	uint64_t rflags, cs, ss, call;
};
bool orc_user_entry(const struct guest *guest, uint64_t task, struct orc_entry *ret);

/* The registers with which a task that is not on the processor will go on, inside the kernel. False when they are not in memory.
 */
bool orc_sleeping_registers(const struct guest *guest, uint64_t task, struct frame_registers *ret);

/* Appends the kernel's frames from these registers on, down to where the kernel was entered; frames->end says why it ends. */
void orc_unwind(const struct guest *guest, const struct frame_registers *registers, bool is_return, struct frames *frames);

#endif
