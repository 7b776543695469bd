#include "engine/orc.h"

#include <string.h>

#include "engine/fpu.h"
#include "engine/kcode.h"

/*
 * Two tables, sorted by address: where (32-bit offsets, each from its own place) and how (6 bytes each):
 *	s16 sp_offset; s16 bp_offset; sp_reg:4 bp_reg:4 type:2 end:1 (Linux up to 6.3)
 */
#define ENTRY_SIZE   6u
#define STACK_SIZE   16384u /* of a task in the kernel on x86-64 */
#define REGS_SIZE    168u   /* struct pt_regs */
#define ORC_ROWS_MAX 8000000u
#define IRET_OFFSET  128u /* of rip in it: all that an interrupt itself saves starts there */

static bool read_word(const struct guest *g, uint64_t address, uint64_t *ret_value)
{
	return memory_read_some(&g->kernel, address, ret_value, 8) == 8;
}

/* struct pt_regs at an address, all of it or only what an interrupt saves. */
static bool read_pt_regs(const struct guest *g, uint64_t address, bool partial, struct frame_registers *ret)
{
	/* The DWARF numbers in the order of pt_regs: r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi. */
	static const unsigned char order[15] = {15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5};
	uint64_t words[REGS_SIZE / 8] = {0};
	size_t skip = partial ? IRET_OFFSET : 0;
	if (memory_read_some(&g->kernel, address + skip, (char *)words + skip, REGS_SIZE - skip) != REGS_SIZE - skip)
		return false;
	for (size_t i = 0; !partial && i < 15; i++) {
		ret->value[order[i]] = words[i];
		ret->known |= UINT64_C(1) << order[i];
	}
	ret->value[FRAME_PC] = words[16];
	ret->value[FRAME_RSP] = words[19];
	ret->known |= UINT64_C(1) << FRAME_PC | UINT64_C(1) << FRAME_RSP;
	return true;
}

/* Where a task's registers were saved when the kernel was entered. */
static uint64_t entry_of(const struct guest *g, uint64_t task)
{
	uint64_t stack = guest_value(g, LAYOUT_TASK_STACK, task), at = stack + STACK_SIZE - REGS_SIZE, cs;
	return stack && read_word(g, at + IRET_OFFSET + 8, &cs) && (cs & 3) == 3 ? at : 0;
}

bool orc_user_registers(const struct guest *g, uint64_t task, struct frame_registers *ret)
{
	struct fpu fpu;
	uint64_t at = entry_of(g, task);
	*ret = (struct frame_registers){.fs_base = guest_value(g, LAYOUT_TASK_FSBASE, task)};
	if (!at || !read_pt_regs(g, at, false, ret))
		return false;
	if (fpu_of_task(g, task, &fpu)) {
		for (size_t i = 0; i < 16; i++) {
			ret->value[FRAME_XMM0 + i] = fpu.xmm[i][0];
			ret->high[i] = fpu.xmm[i][1];
		}
		ret->known |= UINT64_C(0xffff) << FRAME_XMM0;
	}
	return true;
}

bool orc_user_entry(const struct guest *g, uint64_t task, struct orc_entry *ret)
{
	uint64_t at = entry_of(g, task), words[6]; /* the call; rip cs rflags rsp ss */
	if (!at || memory_read_some(&g->kernel, at + IRET_OFFSET - 8, words, sizeof words) != sizeof words)
		return false;
	*ret = (struct orc_entry){.call = words[0], .cs = words[2], .rflags = words[3], .ss = words[5]};
	return true;
}

bool orc_sleeping_registers(const struct guest *g, uint64_t task, struct frame_registers *ret)
{
	/* struct inactive_task_frame, on the stack of a task that is switched out: r15 r14 r13 r12 rbx rbp and where to go on. */
	static const unsigned char order[7] = {15, 14, 13, 12, 3, 6, FRAME_PC};
	uint64_t words[7], sp = guest_value(g, LAYOUT_TASK_SP, task);
	*ret = (struct frame_registers){0};
	if (!sp || memory_read_some(&g->kernel, sp, words, sizeof words) != sizeof words)
		return false;
	for (size_t i = 0; i < 7; i++) {
		ret->value[order[i]] = words[i];
		ret->known |= UINT64_C(1) << order[i];
	}
	ret->value[FRAME_RSP] = sp + sizeof words;
	ret->known |= UINT64_C(1) << FRAME_RSP;
	return true;
}

static uint64_t place_of(const struct guest *g, uint64_t at)
{
	int32_t offset = 0;
	memory_read_some(&g->kernel, at, &offset, sizeof offset);
	return at + (uint64_t)(int64_t)offset;
}

static bool read_row(const struct guest *g, const struct kcode_tables *t, uint64_t i, struct orc_row *ret)
{
	unsigned char bytes[ENTRY_SIZE];
	if (memory_read_some(&g->kernel, t->how + i * ENTRY_SIZE, bytes, sizeof bytes) != sizeof bytes)
		return false;
	ret->address = place_of(g, t->where + i * 4);
	memcpy(&ret->sp_offset, bytes, 2);
	memcpy(&ret->bp_offset, bytes + 2, 2);
	ret->sp_reg = bytes[4] & 15;
	ret->bp_reg = bytes[4] >> 4;
	ret->type = bytes[5] & 3;
	ret->end = bytes[5] >> 2 & 1;
	return true;
}

static bool find_entry(const struct guest *g, const struct kcode_tables *t, uint64_t pc, struct orc_row *ret)
{
	uint64_t low = 0, high = t->count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (place_of(g, t->where + middle * 4) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && read_row(g, t, low - 1, ret);
}

/* Newer kernels have no "end" and count the types differently: better no frames than wrong ones. */
static bool is_understood(const struct guest *g)
{
	struct type_member unused;
	return types_member(g->layout->types, "orc_entry", "end", &unused, NULL);
}

bool orc_dwarf_number(unsigned reg, unsigned *ret)
{
	static const unsigned char numbers[] = {[ORC_DX] = 1,
		[ORC_DI] = 5,
		[ORC_BP] = 6,
		[ORC_SP] = 7,
		[ORC_R10] = 10,
		[ORC_R13] = 13,
		[ORC_BP_INDIRECT] = 6,
		[ORC_SP_INDIRECT] = 7};
	if (reg < ORC_DX || reg > ORC_SP_INDIRECT)
		return false;
	*ret = numbers[reg];
	return true;
}

/* The stack pointer of the caller, before the return address or saved registers are taken off it. */
static bool previous_sp(const struct guest *g, const struct orc_row *e, const struct frame_registers *r, uint64_t *ret_sp)
{
	unsigned number;
	if (!orc_dwarf_number(e->sp_reg, &number) || !(r->known >> number & 1))
		return false;
	uint64_t sp = r->value[number], offset = (uint64_t)(int64_t)e->sp_offset;
	if (e->sp_reg == ORC_BP_INDIRECT)
		return read_word(g, sp + offset, ret_sp);
	if (e->sp_reg == ORC_SP_INDIRECT) {
		if (!read_word(g, sp, &sp))
			return false;
		*ret_sp = sp + offset;
		return true;
	}
	*ret_sp = e->sp_reg == ORC_DX || e->sp_reg == ORC_DI || e->sp_reg == ORC_R10 || e->sp_reg == ORC_R13 ? sp : sp + offset;
	return true;
}

static bool step(const struct guest *g, const struct orc_row *e, const struct frame *frame, struct frame *next)
{
	const struct frame_registers *r = &frame->registers;
	uint64_t sp = 0, bp;
	*next = (struct frame){.how = FRAME_ORC, .kernel = true, .is_return = e->type == ORC_CALL};
	next->registers.fs_base = r->fs_base;
	if (!previous_sp(g, e, r, &sp))
		return false;
	if (e->type == ORC_CALL) {
		if (!read_word(g, sp - 8, &next->registers.value[FRAME_PC]))
			return false;
		next->registers.value[FRAME_RSP] = sp;
		next->registers.known = UINT64_C(1) << FRAME_PC | UINT64_C(1) << FRAME_RSP;
	} else if (!read_pt_regs(g, e->type == ORC_REGS ? sp : sp - IRET_OFFSET, e->type != ORC_REGS, &next->registers))
		return false;
	next->pc = next->registers.value[FRAME_PC];
	bool known = next->registers.known >> FRAME_RBP & 1;
	if (e->bp_reg == ORC_PREV_SP)
		known = read_word(g, sp + (uint64_t)(int64_t)e->bp_offset, &bp);
	else if (e->bp_reg == ORC_BP && r->known >> FRAME_RBP & 1)
		known = read_word(g, r->value[FRAME_RBP] + (uint64_t)(int64_t)e->bp_offset, &bp);
	else if (!known) {
		bp = r->value[FRAME_RBP];
		known = r->known >> FRAME_RBP & 1;
	} else
		bp = next->registers.value[FRAME_RBP];
	if (known) {
		next->registers.value[FRAME_RBP] = bp;
		next->registers.known |= UINT64_C(1) << FRAME_RBP;
	}
	return true;
}

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

void orc_unwind(const struct guest *g, const struct frame_registers *registers, bool is_return, struct frames *frames)
{
	struct kcode_tables tables;
	struct orc_row entry;
	struct frame frame = {.registers = *registers,
		.pc = registers->value[FRAME_PC],
		.kernel = true,
		.is_return = is_return,
		.how = FRAME_FIRST};
	bool understood = is_understood(g);
	frames->end = NULL;
	while (!frames->end) {
		struct frame next;
		uint64_t at = frame.is_return ? frame.pc - 1 : frame.pc;
		ARRAY_PUSH(frames->list, frames->count, frames->room) = frame;
		if (frames->count >= UNWIND_FRAMES_MAX)
			frames->end = "more frames than are shown";
		else if (!understood || !kcode_tables(g, at, &tables) || !find_entry(g, &tables, at, &entry))
			frames->end = "no frame information";
		else if (entry.end)
			frames->end = "the kernel was entered here";
		else if (!step(g, &entry, &frame, &next))
			frames->end = "the stack is not in memory (damaged?)";
		else if (!is_kernel(next.pc))
			frames->end = "the kernel was entered here";
		else
			frame = next;
	}
}

void orc_each(
	const struct guest *g, const struct kcode_tables *t, void (*each)(void *data, const struct orc_row *row), void *data)
{
	struct orc_row row;
	bool understood = is_understood(g);
	for (uint64_t i = 0; understood && i < t->count && i < ORC_ROWS_MAX && read_row(g, t, i, &row); i++)
		each(data, &row);
}
