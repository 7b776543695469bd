#include "engine/disas.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <string.h>

#define INSTRUCTION_MAX 15 /* bytes */

/* The address that an instruction refers to: a branch target or a place relative to rip. False when there is none. */
static bool target_of(const cs_insn *insn, uint64_t *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];
		if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP) {
			*ret = insn->address + insn->size + (uint64_t)op->mem.disp;
			return true;
		}
		if (op->type == X86_OP_IMM && op->imm > 0xffff) {
			*ret = (uint64_t)op->imm;
			return true;
		}
	}
	return false;
}

static void print_head(const struct disas *d, uint64_t address, bool at_pc, struct buf *out)
{
	buf_printf(out, "%s 0x%016" PRIx64, at_pc ? "=>" : "  ", address);
	struct buf name = {0};
	if (d->name)
		d->name(d->data, address, &name);
	if (name.size)
		buf_printf(out, " <%s>", name.data);
	buf_str(out, ": ");
	buf_free(&name);
}

static void print_instruction(const struct disas *d, const cs_insn *insn, bool at_pc, struct buf *out)
{
	uint64_t target = 0;
	struct buf name = {0};
	print_head(d, insn->address, at_pc, out);
	buf_printf(out, "%s%s%s", insn->mnemonic, *insn->op_str ? " " : "", insn->op_str);
	if (d->name && target_of(insn, &target))
		d->name(d->data, target, &name);
	if (name.size)
		buf_printf(out, "  # 0x%" PRIx64 " <%s>", target, name.data);
	buf_free(&name);
	buf_char(out, '\n');
}

static bool print_all(const struct disas *d, csh handle, cs_insn *insn, uint64_t address, uint64_t end, size_t count, uint64_t pc,
	struct buf *out)
{
	for (size_t i = 0; i < count && (!end || address < end); i++) {
		uint8_t bytes[INSTRUCTION_MAX];
		size_t size = d->read(d->data, address, bytes, sizeof bytes);
		const uint8_t *at = bytes;
		uint64_t next = address;
		if (!size)
			return i > 0;
		if (cs_disasm_iter(handle, &at, &size, &next, insn)) {
			print_instruction(d, insn, address == pc, out);
			address = next;
			continue;
		}
		print_head(d, address, address == pc, out);
		buf_printf(out, "(bad) %02x\n", bytes[0]);
		address++;
	}
	return true;
}

bool disas_print(
	const struct disas *d, uint64_t address, uint64_t end, size_t count, uint64_t pc, struct buf *out, struct err *err)
{
	csh handle;
	cs_err failed = cs_open(CS_ARCH_X86, CS_MODE_64, &handle);
	if (failed)
		return err_set(err, ERR_SYSTEM, "disassembly: %s", cs_strerror(failed));
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(handle, CS_OPT_SYNTAX, d->att ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
	cs_insn *insn = cs_malloc(handle);
	bool ok = insn && print_all(d, handle, insn, address, end, count < DISAS_COUNT_MAX ? count : DISAS_COUNT_MAX, pc, out);
	if (insn)
		cs_free(insn, 1);
	cs_close(&handle);
	return ok || err_set(err, ERR_INPUT, "the code at 0x%" PRIx64 " is not in memory", address);
}

/* The 64-bit register that a register is a part of: "eax", "ax", "al" and "ah" are of "rax". */
static bool is_part(csh handle, uint16_t reg, const char *whole)
{
	static const char *const parts[][5] = {{"rax", "eax", "ax", "al", "ah"}, {"rbx", "ebx", "bx", "bl", "bh"},
		{"rcx", "ecx", "cx", "cl", "ch"}, {"rdx", "edx", "dx", "dl", "dh"}, {"rsi", "esi", "si", "sil", ""},
		{"rdi", "edi", "di", "dil", ""}, {"rbp", "ebp", "bp", "bpl", ""}, {"rsp", "esp", "sp", "spl", ""}};
	const char *name = cs_reg_name(handle, reg);
	if (!name)
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (size_t k = 0; k < 5 && !strcmp(parts[i][0], whole); k++)
			if (!strcmp(parts[i][k], name))
				return true;
	/* r8 to r15: r8d, r8w, r8b. */
	size_t size = strlen(whole);
	return !strncmp(name, whole, size) && (!name[size] || (strchr("dwb", name[size]) && !name[size + 1]));
}

bool disas_writes(const void *code, size_t size, const char *whole)
{
	csh handle;
	cs_regs reads, writes;
	uint8_t read_count, write_count;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return false;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_insn *insn = NULL;
	bool found = false;
	size_t count = cs_disasm(handle, code, size, 0, 1, &insn);
	if (count && !cs_regs_access(handle, insn, reads, &read_count, writes, &write_count)) {
		for (uint8_t i = 0; i < write_count && !found; i++)
			found = is_part(handle, writes[i], whole);
		bool call = insn->id == X86_INS_SYSCALL;
		found = found || (call && (!strcmp(whole, "rax") || !strcmp(whole, "rcx") || !strcmp(whole, "r11")));
	}
	if (insn)
		cs_free(insn, count);
	cs_close(&handle);
	return found;
}
