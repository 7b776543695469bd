#include "engine/regs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/text.h"

/* How a value is written in the text: the key before "=" (or the segment before "="), and where the value goes. */
struct field {
	const char *name; /* ours; NULL: never printed */
	const char *key;  /* QEMU's */
	size_t offset;
	unsigned char word; /* which of the blank-separated numbers after "=" */
	bool needed;
	bool basic; /* printed without `all` */
};

/* clang-format off */
#define AT(member) offsetof(struct regs, member)
#define GPR(name, key, i) {name, key, AT(gpr[i]), 0, true, true}
#define SEG(name, key, i) {name, key, AT(selector[i]), 0, true, true}, {name "_base", key, AT(segment_base[i]), 1, true, (i) >= REGS_FS}
#define XMM(n, key) {"xmm" #n "_high", key, AT(xmm[n][1]), 0, false, false}, {"xmm" #n "_low", key, AT(xmm[n][0]), 1, false, false}
#define FPR(n, key) {"fpr" #n, key, AT(fpr[n]), 0, false, false}, {"fpr" #n "_high", key, AT(fpr_high[n]), 1, false, false}
#define PLAIN(name, key, member, needed, basic) {name, key, AT(member), 0, needed, basic}

static const struct field fields[] = {
	GPR("rax", "RAX", 0), GPR("rbx", "RBX", 3), GPR("rcx", "RCX", 1), GPR("rdx", "RDX", 2),
	GPR("rsi", "RSI", 6), GPR("rdi", "RDI", 7), GPR("rbp", "RBP", 5), GPR("rsp", "RSP", 4),
	GPR("r8", "R8", 8), GPR("r9", "R9", 9), GPR("r10", "R10", 10), GPR("r11", "R11", 11),
	GPR("r12", "R12", 12), GPR("r13", "R13", 13), GPR("r14", "R14", 14), GPR("r15", "R15", 15),
	PLAIN("rip", "RIP", rip, true, true), PLAIN("rflags", "RFL", rflags, true, true), PLAIN("cpl", "CPL", cpl, true, true),
	PLAIN("halted", "HLT", halted, false, false),
	SEG("es", "ES", REGS_ES), SEG("cs", "CS", REGS_CS), SEG("ss", "SS", REGS_SS), SEG("ds", "DS", REGS_DS),
	SEG("fs", "FS", REGS_FS), SEG("gs", "GS", REGS_GS), SEG("ldt", "LDT", REGS_LDT), SEG("tr", "TR", REGS_TR),
	PLAIN("gdt_base", "GDT", gdt_base, false, false), PLAIN("idt_base", "IDT", idt_base, false, false),
	PLAIN("cr0", "CR0", cr0, true, false), PLAIN("cr2", "CR2", cr2, true, false), PLAIN("cr3", "CR3", cr3, true, true),
	PLAIN("cr4", "CR4", cr4, true, false), PLAIN("efer", "EFER", efer, true, false),
	PLAIN("dr0", "DR0", dr[0], false, false), PLAIN("dr1", "DR1", dr[1], false, false),
	PLAIN("dr2", "DR2", dr[2], false, false), PLAIN("dr3", "DR3", dr[3], false, false),
	PLAIN("dr6", "DR6", dr[6], false, false), PLAIN("dr7", "DR7", dr[7], false, false),
	PLAIN("fcw", "FCW", fcw, false, false), PLAIN("fsw", "FSW", fsw, false, false), PLAIN("mxcsr", "MXCSR", mxcsr, false, false),
	PLAIN("ftw", "FTW", ftw, false, false),
	FPR(0, "FPR0"), FPR(1, "FPR1"), FPR(2, "FPR2"), FPR(3, "FPR3"),
	FPR(4, "FPR4"), FPR(5, "FPR5"), FPR(6, "FPR6"), FPR(7, "FPR7"),
	XMM(0, "XMM00"), XMM(1, "XMM01"), XMM(2, "XMM02"), XMM(3, "XMM03"), XMM(4, "XMM04"), XMM(5, "XMM05"),
	XMM(6, "XMM06"), XMM(7, "XMM07"), XMM(8, "XMM08"), XMM(9, "XMM09"), XMM(10, "XMM10"), XMM(11, "XMM11"),
	XMM(12, "XMM12"), XMM(13, "XMM13"), XMM(14, "XMM14"), XMM(15, "XMM15"),
};
/* clang-format on */
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static uint64_t value_of(const struct regs *regs, const struct field *field)
{
	uint64_t value;
	memcpy(&value, (const char *)regs + field->offset, sizeof value);
	return value;
}

static bool is_key(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The hexadecimal numbers that follow a "=", up to 4 of at most 16 digits. Returns how many there are; -1: one is too long. */
static int numbers_after(const char *at, const char *end, uint64_t values[4])
{
	int count = 0;
	while (count < 4) {
		while (at < end && *at == ' ')
			at++;
		uint64_t value = 0;
		int digits = 0;
		for (; at < end && text_hex_digit(*at) >= 0; at++, digits++)
			value = value << 4 | (uint64_t)text_hex_digit(*at);
		if (digits > 16)
			return -1;
		/* "RBX" of "RAX=1 RBX=2" starts with no digit, "CCS=1 CCD=2" and "DR1" do: a key is followed by "=". */
		if (!digits || (at < end && *at != ' ' && *at != '\n' && *at != '\r'))
			break;
		values[count++] = value;
	}
	return count;
}

static void store(struct regs *regs, const char *key, size_t size, const uint64_t *values, int count, bool seen[FIELD_COUNT])
{
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (strlen(fields[i].key) == size && !memcmp(fields[i].key, key, size) && fields[i].word < count) {
			memcpy((char *)regs + fields[i].offset, &values[fields[i].word], sizeof *values);
			seen[i] = true;
		}
}

bool regs_parse(struct regs *regs, const char *text, size_t size, struct err *err)
{
	bool seen[FIELD_COUNT] = {false};
	struct regs got = {0};
	if (size > REGS_TEXT_MAX)
		return err_set(err, ERR_QEMU, "registers: the text has %zu bytes, at most %d are read", size, REGS_TEXT_MAX);
	const char *end = text + size;
	for (const char *at = text; at < end; at++) {
		if (!is_key(*at) || (at > text && is_key(at[-1])))
			continue;
		const char *key = at;
		while (at < end && is_key(*at))
			at++;
		size_t key_size = (size_t)(at - key);
		while (at < end && *at == ' ')
			at++;
		if (at == end)
			break;
		if (*at != '=') {
			at--;
			continue;
		}
		uint64_t values[4];
		int count = numbers_after(at + 1, end, values);
		if (count < 0)
			return err_set(err, ERR_QEMU, "registers: the number after \"%.*s=\" has more than 16 digits",
				(int)(key_size > 16 ? 16 : key_size), key);
		store(&got, key, key_size, values, count, seen);
	}
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (fields[i].needed && !seen[i])
			return err_set(err, ERR_QEMU, "registers: no value for \"%s\" in what QEMU printed%s", fields[i].key,
				size ? " (is the machine in 64-bit mode?)" : " (nothing)");
	for (size_t i = 0; i < FIELD_COUNT; i++)
		got.has_xmm |= seen[i] && !strncmp(fields[i].key, "XMM", 3);
	*regs = got;
	return true;
}

bool regs_get(const struct regs *regs, const char *name, uint64_t *ret_value)
{
	if (*name == '$')
		name++;
	if (!strcasecmp(name, "pc"))
		name = "rip";
	else if (!strcasecmp(name, "sp"))
		name = "rsp";
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (!strcasecmp(fields[i].name, name)) {
			*ret_value = value_of(regs, &fields[i]);
			return true;
		}
	return false;
}

const char *regs_name(size_t i, const struct regs *regs, uint64_t *ret_value)
{
	if (i >= FIELD_COUNT)
		return NULL;
	*ret_value = value_of(regs, &fields[i]);
	return fields[i].name;
}

size_t regs_differ(const struct regs *a, const struct regs *b)
{
	size_t count = 0;
	for (size_t i = 0; i < FIELD_COUNT; i++)
		count += value_of(a, &fields[i]) != value_of(b, &fields[i]);
	return count;
}

static void print_flags(uint64_t rflags, struct buf *out)
{
	static const char names[][3] = {"CF", "", "PF", "", "AF", "", "ZF", "SF", "TF", "IF", "DF", "OF"};
	buf_str(out, " [");
	const char *blank = "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*names[i] && rflags >> i & 1) {
			buf_printf(out, "%s%s", blank, names[i]);
			blank = " ";
		}
	buf_char(out, ']');
}

void regs_print(const struct regs *regs, const struct regs *previous, bool all, struct buf *out)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const struct field *field = &fields[i];
		uint64_t value = value_of(regs, field), old = previous ? value_of(previous, field) : value;
		if (!field->basic && !all && old == value)
			continue;
		buf_printf(out, "%c %-9s 0x%016llx", old == value ? ' ' : '*', field->name, (unsigned long long)value);
		if (field->offset == AT(rflags))
			print_flags(value, out);
		if (old != value)
			buf_printf(out, " (was 0x%llx)", (unsigned long long)old);
		buf_char(out, '\n');
	}
}
