#include "engine/gdbkernel.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kcode.h"
#include "engine/orc.h"
#include "engine/orcframe.h"

enum { SECTIONS_MAX = 64 /* modules beyond that have no symbols */, ALIGN = 8 };

struct symbol {
	Elf64_Sym elf;
	bool global;
};

struct file {
	const struct guest *guest;
	Elf64_Shdr sections[SECTIONS_MAX + 8];
	size_t count;
	struct symbol *symbols;
	size_t symbol_count, symbol_room;
	struct buf names, section_names;
	struct orcframe frames;
};

/* ---- sections -------------------------------------------------------------------------------------------------- */

static Elf64_Shdr *add_section(struct file *f, const char *name, Elf64_Word type)
{
	Elf64_Shdr *s = &f->sections[f->count++];
	*s = (Elf64_Shdr){.sh_name = (Elf64_Word)f->section_names.size, .sh_type = type, .sh_addralign = 1};
	buf_add(&f->section_names, name, strlen(name) + 1);
	return s;
}

/* Memory of the guest: its bytes are not in the file. */
static void add_memory(struct file *f, const char *name, uint64_t start, uint64_t end, bool code)
{
	Elf64_Shdr *s = add_section(f, name, SHT_NOBITS);
	s->sh_addr = start;
	s->sh_size = end > start ? end - start : 0;
	s->sh_flags = SHF_ALLOC | (code ? SHF_EXECINSTR : SHF_WRITE);
}

static Elf64_Half section_of(const struct file *f, uint64_t address)
{
	for (size_t i = 1; i < f->count; i++)
		if (f->sections[i].sh_type == SHT_NOBITS && address >= f->sections[i].sh_addr &&
			address - f->sections[i].sh_addr < f->sections[i].sh_size)
			return (Elf64_Half)i;
	return SHN_UNDEF;
}

/* ---- symbols --------------------------------------------------------------------------------------------------- */

static void add_symbol(struct file *f, const char *name, uint64_t address, uint64_t size, bool code, bool global)
{
	Elf64_Half section = section_of(f, address);
	if (section == SHN_UNDEF)
		return;
	struct symbol s = {.global = global,
		.elf = {.st_name = (Elf64_Word)f->names.size,
			.st_info = (unsigned char)ELF64_ST_INFO(global ? STB_GLOBAL : STB_LOCAL, code ? STT_FUNC : STT_OBJECT),
			.st_shndx = section,
			.st_value = address,
			.st_size = size}};
	buf_add(&f->names, name, strlen(name) + 1);
	ARRAY_PUSH(f->symbols, f->symbol_count, f->symbol_room) = s;
}

static void add_kernel_symbols(struct file *f)
{
	const struct ksyms *k = f->guest->layout->ksyms;
	for (size_t i = 0; i < ksyms_count(k); i++) {
		const struct ksym *s = ksyms_get(k, i), *next = ksyms_get(k, i + 1);
		bool code = s->type == 't' || s->type == 'T' || s->type == 'w' || s->type == 'W';
		if (s->type != 'a' && s->type != 'A')
			add_symbol(f, s->name, s->address, next ? next->address - s->address : 0, code,
				s->type >= 'A' && s->type <= 'Z');
	}
}

static void add_module_symbol(void *data, const struct kcode_symbol *s)
{
	add_symbol(data, s->name, s->address, s->size, s->code, false);
}

static void add_row(void *data, const struct orc_row *row)
{
	struct file *f = data;
	orcframe_add(&f->frames, row);
}

static void add_frames(struct file *f, uint64_t start, uint64_t end)
{
	struct kcode_tables tables;
	if (!kcode_tables(f->guest, start, &tables))
		return;
	orc_each(f->guest, &tables, add_row, f);
	orcframe_end(&f->frames, end);
}

static void add_module(void *data, const struct kcode_module *m)
{
	struct file *f = data;
	char name[KCODE_MODULE_SIZE + 16] = ".module.";
	if (f->count >= SECTIONS_MAX)
		return;
	strncat(name, m->name, KCODE_MODULE_SIZE);
	add_memory(f, name, m->base, m->base + m->size, true);
	kcode_each_symbol(f->guest, m->base, add_module_symbol, f);
	add_frames(f, m->base, m->base + m->size);
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

/* Bytes of a section, behind what is there. */
static void put_section(struct file *f, struct buf *out, Elf64_Shdr *s, const void *bytes, size_t size)
{
	(void)f;
	while (out->size % ALIGN)
		buf_char(out, 0);
	s->sh_offset = out->size;
	s->sh_size = size;
	buf_add(out, size ? bytes : "", size);
}

static void put_symbols(struct file *f, struct buf *out, Elf64_Shdr *section)
{
	struct buf table = {0};
	const Elf64_Sym none = {0};
	buf_add(&table, &none, sizeof none);
	for (int global = 0; global < 2; global++) { /* local ones come first */
		if (global)
			section->sh_info = (Elf64_Word)(table.size / sizeof none);
		for (size_t i = 0; i < f->symbol_count; i++)
			if (f->symbols[i].global == (global != 0))
				buf_add(&table, &f->symbols[i].elf, sizeof none);
	}
	section->sh_entsize = sizeof none;
	section->sh_addralign = ALIGN;
	put_section(f, out, section, table.data, table.size);
	buf_free(&table);
}

static void put_file(struct file *f, struct buf *out)
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof head,
		.e_shentsize = sizeof(Elf64_Shdr)};
	size_t start = out->size;
	buf_add(out, &head, sizeof head);
	Elf64_Shdr *frames = add_section(f, ".debug_frame", SHT_PROGBITS);
	frames->sh_addralign = ALIGN;
	put_section(f, out, frames, f->frames.section.data, f->frames.section.size);
	Elf64_Shdr *symbols = add_section(f, ".symtab", SHT_SYMTAB);
	symbols->sh_link = (Elf64_Word)f->count;
	put_symbols(f, out, symbols);
	put_section(f, out, add_section(f, ".strtab", SHT_STRTAB), f->names.data, f->names.size);
	Elf64_Shdr *names = add_section(f, ".shstrtab", SHT_STRTAB);
	head.e_shstrndx = (Elf64_Half)(f->count - 1);
	put_section(f, out, names, f->section_names.data, f->section_names.size);
	while (out->size % ALIGN)
		buf_char(out, 0);
	head.e_shoff = out->size - start;
	head.e_shnum = (Elf64_Half)f->count;
	buf_add(out, f->sections, f->count * sizeof *f->sections);
	memcpy(out->data + start, &head, sizeof head);
}

bool gdbkernel_write(const struct guest *guest, struct buf *out, struct err *err)
{
	const struct ksyms *k = guest->layout->ksyms;
	const struct ksym *text = ksyms_find(k, "_stext"), *text_end = ksyms_find(k, "_etext"), *end = ksyms_find(k, "_end");
	if (!text || !text_end || !end)
		return err_set(err, ERR_QEMU, "this kernel has no symbols _stext, _etext and _end");
	struct file *f = mem_alloc(sizeof *f);
	f->guest = guest;
	buf_char(&f->names, 0);
	add_section(f, "", SHT_NULL)->sh_addralign = 0;
	add_memory(f, ".text", text->address, text_end->address, true);
	add_memory(f, ".data", text_end->address, end->address, false);
	add_kernel_symbols(f);
	add_frames(f, text->address, end->address);
	kcode_each_module(guest, add_module, f);
	put_file(f, out);
	orcframe_finish(&f->frames);
	buf_free(&f->names);
	buf_free(&f->section_names);
	free(f->symbols);
	free(f);
	return true;
}
