#include "engine/gdbtarget.h"

#include <stdio.h>

static const char target_start[] = "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
				   "<architecture>i386:x86-64</architecture>";
static const char linux_abi[] = "<osabi>GNU/Linux</osabi>", no_abi[] = "<osabi>none</osabi>";

static const char *const general_names[] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
/* Number of each in the order DWARF counts them. */
static const unsigned char general_dwarf[] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const char *const segment_names[] = {"cs", "ss", "ds", "es", "fs", "gs"};
static const enum regs_segment segments[] = {REGS_CS, REGS_SS, REGS_DS, REGS_ES, REGS_FS, REGS_GS};
static const char *const float_names[] = {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"};

static void put_reg(struct buf *out, const char *name, int bits, const char *type)
{
	buf_printf(out, "<reg name=\"%s\" bitsize=\"%d\" type=\"%s\"/>", name, bits, type);
}

static void put_core(struct buf *out)
{
	char name[16];
	buf_str(out, "<feature name=\"org.gnu.gdb.i386.core\">");
	for (size_t i = 0; i < 16; i++)
		put_reg(out, general_names[i], 64, i == 6 || i == 7 ? "data_ptr" : "int64");
	put_reg(out, "rip", 64, "code_ptr");
	put_reg(out, "eflags", 32, "int32");
	for (size_t i = 0; i < 6; i++)
		put_reg(out, segment_names[i], 32, "int32");
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof name, "st%d", i);
		put_reg(out, name, 80, "i387_ext");
	}
	for (size_t i = 0; i < 8; i++)
		buf_printf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"int\" group=\"float\"/>", float_names[i]);
	buf_str(out, "</feature>");
}

static void put_vectors(struct buf *out)
{
	char name[16];
	buf_str(out,
		"<feature name=\"org.gnu.gdb.i386.sse\"><vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
		"<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/><vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
		"<vector id=\"v8i16\" type=\"int16\" count=\"8\"/><vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
		"<vector id=\"v2i64\" type=\"int64\" count=\"2\"/><union id=\"vec128\"><field name=\"v4_float\" "
		"type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" type=\"v16i8\"/><field "
		"name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" type=\"v4i32\"/><field name=\"v2_int64\" "
		"type=\"v2i64\"/><field name=\"uint128\" type=\"uint128\"/></union>");
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof name, "xmm%d", i);
		put_reg(out, name, 128, "vec128");
	}
	buf_str(out, "<reg name=\"mxcsr\" bitsize=\"32\" type=\"int\" group=\"vector\"/></feature>");
}

void gdbtarget_describe(bool machine, struct buf *out)
{
	buf_str(out, target_start);
	buf_str(out, machine ? no_abi : linux_abi);
	put_core(out);
	put_vectors(out);
	buf_str(out,
		/* What makes gdb look for the libraries of a Linux program. */
		"<feature name=\"org.gnu.gdb.i386.linux\"><reg name=\"orig_rax\" bitsize=\"64\" type=\"int\" group=\"system\"/>"
		"</feature><feature name=\"org.gnu.gdb.i386.segments\">");
	put_reg(out, "fs_base", 64, "int");
	put_reg(out, "gs_base", 64, "int");
	buf_str(out,
		"</feature><feature name=\"org.polecat.place\"><reg name=\"icount\" bitsize=\"64\" type=\"int64\" "
		"group=\"polecat\"/><reg name=\"event\" bitsize=\"32\" type=\"int32\" group=\"polecat\"/></feature></target>");
}

/* The low bytes of a register in the order of the machine; what is not known is "x". */
static void put_value(struct buf *out, bool known, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (known)
			buf_printf(out, "%02x", (unsigned)(i < 8 ? value >> (8 * i) & 0xff : 0));
		else
			buf_str(out, "xx");
}

static void put_bytes(struct buf *out, bool known, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_value(out, known, bytes[i], 1);
}

static void put_flags_and_segments(const struct tracee_registers *r, struct buf *out)
{
	const struct regs *live = r->live;
	put_value(out, live || r->has_entry, live ? live->rflags : r->entry.rflags, 4);
	for (size_t i = 0; i < 6; i++) {
		bool saved = r->has_entry && i < 2;
		put_value(out, live || saved, live ? live->selector[segments[i]] : i ? r->entry.ss : r->entry.cs, 4);
	}
}

/* The pointers to the last instruction and operand have 64 bits: gdb's segments are their upper halves. */
static void put_x87(const struct tracee_registers *r, struct buf *out)
{
	const struct fpu *f = &r->fpu;
	bool last = r->has_fpu && f->has_last;
	for (size_t i = 0; i < 8; i++)
		put_bytes(out, r->has_fpu, f->st[i], sizeof f->st[i]);
	put_value(out, r->has_fpu, f->control, 4);
	put_value(out, r->has_fpu, f->status, 4);
	put_value(out, r->has_fpu, fpu_tags(f), 4);
	put_value(out, last, f->instruction >> 32, 4);
	put_value(out, last, f->instruction & 0xffffffff, 4);
	put_value(out, last, f->operand >> 32, 4);
	put_value(out, last, f->operand & 0xffffffff, 4);
	put_value(out, last, f->opcode, 4);
}

/* All registers in the order of the description. */
void gdbtarget_registers(struct tracee *t, uint32_t thread, const struct session *session, struct buf *out)
{
	struct tracee_registers r;
	const struct frame_registers *g = &r.general;
	size_t event = session_event(session);
	tracee_registers(t, thread, &r);
	for (size_t i = 0; i < 16; i++)
		put_value(out, g->known >> general_dwarf[i] & 1, g->value[general_dwarf[i]], 8);
	put_value(out, g->known >> FRAME_PC & 1, g->value[FRAME_PC], 8);
	put_flags_and_segments(&r, out);
	put_x87(&r, out);
	for (size_t i = 0; i < 16; i++) {
		put_value(out, r.has_fpu, r.fpu.xmm[i][0], 8);
		put_value(out, r.has_fpu, r.fpu.xmm[i][1], 8);
	}
	put_value(out, r.has_fpu, r.fpu.mxcsr, 4);
	/* -1, that no system call goes on, is what a program has while its own code is executed. */
	put_value(out, r.live || r.has_entry, r.live ? UINT64_MAX : r.entry.call, 8);
	put_value(out, g->known, g->fs_base, 8);
	put_value(out, r.live, r.live ? r.live->segment_base[REGS_GS] : 0, 8);
	put_value(out, true, session_icount(session), 8);
	put_value(out, true, event == TIMELINE_NONE ? 0 : event + 1, 4);
}
