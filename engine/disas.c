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

/* The instruction itself, with the name of what it refers to. */
static void put_text(const struct disas *d, const cs_insn *insn, struct buf *out)
{
	uint64_t target = 0;
	struct buf name = {0};
	buf_printf(out, "%s%s%s", insn->mnemonic, *insn->op_str ? " " : "", insn->op_str);
	if (d->name && target_of(insn, &target))
		d->name(d->data, target, &name);
	if (name.size)
		buf_printf(out, "  # 0x%" PRIx64 " <%s>", target, name.data);
	buf_free(&name);
}

static bool open_capstone(const struct disas *d, csh *handle, struct err *err)
{
	cs_err failed = cs_open(CS_ARCH_X86, CS_MODE_64, handle);
	if (failed)
		return err_set(err, ERR_SYSTEM, "disassembly: %s", cs_strerror(failed));
	cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(*handle, CS_OPT_SYNTAX, d->att ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
	return true;
}

bool disas_each(const struct disas *d, uint64_t address, size_t count,
	bool (*visit)(void *data, const struct disas_instruction *instruction), void *data, struct err *err)
{
	csh handle;
	if (!open_capstone(d, &handle, err))
		return false;
	cs_insn *insn = cs_malloc(handle);
	struct buf text = {0};
	bool more = insn != NULL, any = false;
	for (size_t i = 0; more && i < count && i < DISAS_COUNT_MAX; i++) {
		uint8_t bytes[INSTRUCTION_MAX];
		size_t size = d->read(d->data, address, bytes, sizeof bytes);
		const uint8_t *at = bytes;
		uint64_t next = address;
		struct disas_instruction one = {.address = address, .bytes = bytes, .size = 1};
		if (!size)
			break;
		any = true;
		buf_clear(&text);
		if (cs_disasm_iter(handle, &at, &size, &next, insn)) {
			one.size = insn->size;
			put_text(d, insn, &text);
		} else {
			one.bad = true;
			buf_printf(&text, "(bad) %02x", bytes[0]);
		}
		one.text = text.data;
		more = visit(data, &one);
		address += one.size;
	}
	buf_free(&text);
	if (insn)
		cs_free(insn, 1);
	cs_close(&handle);
	return any || err_set(err, ERR_INPUT, "the code at 0x%" PRIx64 " is not in memory", address);
}

struct printing {
	const struct disas *disas;
	uint64_t end, pc;
	struct buf *out;
};

static bool print_one(void *data, const struct disas_instruction *one)
{
	const struct printing *p = data;
	if (p->end && one->address >= p->end)
		return false;
	print_head(p->disas, one->address, one->address == p->pc, p->out);
	buf_printf(p->out, "%s\n", one->text);
	return true;
}

bool disas_print(
	const struct disas *d, uint64_t address, uint64_t end, size_t count, uint64_t pc, struct buf *out, struct err *err)
{
	struct printing printing = {d, end, pc, out};
	return disas_each(d, address, count, print_one, &printing, err);
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
