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
