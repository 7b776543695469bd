#include "engine/tls.h"

#include <gelf.h>

#define VECTOR_ENTRY 16 /* bytes of one module in a thread's vector: the address, and what the loader needs to free it */
#define MODULES_MAX  65536

struct module {
	Elf *elf;
	uint64_t bias, fs_base;
	expr_read *read;
	void *data;
};

static bool read_word(const struct module *m, uint64_t address, uint64_t *ret)
{
	return m->read(m->data, address, ret, sizeof *ret) == sizeof *ret;
}

/* A library has no entry in its dynamic section for a debugger, and is not marked as an executable. */
static bool is_program(Elf *elf)
{
	GElf_Ehdr header;
	GElf_Shdr section;
	GElf_Dyn entry;
	if (gelf_getehdr(elf, &header) && header.e_type == ET_EXEC)
		return true;
	for (Elf_Scn *each = NULL; (each = elf_nextscn(elf, each));) {
		if (!gelf_getshdr(each, &section) || section.sh_type != SHT_DYNAMIC)
			continue;
		Elf_Data *data = elf_getdata(each, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
			if (entry.d_tag == DT_DEBUG || (entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE))
				return true;
	}
	return false;
}

static bool find_segment(Elf *elf, GElf_Phdr *ret)
{
	size_t count;
	for (size_t i = 0; !elf_getphdrnum(elf, &count) && i < count; i++)
		if (gelf_getphdr(elf, (int)i, ret) && ret->p_type == PT_TLS)
			return true;
	return false;
}

/* Offset in the module's storage of what a relocation is about; false when it is another module's. */
static bool symbol_offset(Elf *elf, const GElf_Shdr *section, const GElf_Rela *rela, uint64_t *ret)
{
	GElf_Sym symbol = {0};
	GElf_Shdr header;
	Elf_Scn *symbols = elf_getscn(elf, section->sh_link);
	*ret = (uint64_t)rela->r_addend;
	if (!GELF_R_SYM(rela->r_info))
		return true;
	Elf_Data *data =
		symbols && gelf_getshdr(symbols, &header) && header.sh_type == SHT_DYNSYM ? elf_getdata(symbols, NULL) : NULL;
	if (!data || !gelf_getsym(data, (int)GELF_R_SYM(rela->r_info), &symbol) || symbol.st_shndx == SHN_UNDEF)
		return false;
	*ret += symbol.st_value;
	return true;
}

/* By the number of the module: the thread's vector begins 8 bytes behind its own address. */
static bool in_vector(const struct module *m, uint64_t number, uint64_t *ret)
{
	uint64_t vector;
	return number && number < MODULES_MAX && read_word(m, m->fs_base + 8, &vector) &&
		read_word(m, vector + number * VECTOR_ENTRY, ret) && *ret && *ret != UINT64_MAX;
}

/* named: by one that names a symbol, which may have been found in another module that comes first. */
static bool by_relocation(const struct module *m, const GElf_Shdr *section, const GElf_Rela *rela, bool named, uint64_t *ret)
{
	uint64_t offset, word, type = GELF_R_TYPE(rela->r_info);
	if (named != (GELF_R_SYM(rela->r_info) != 0))
		return false;
	if ((type != R_X86_64_DTPMOD64 && type != R_X86_64_TPOFF64) || !symbol_offset(m->elf, section, rela, &offset) ||
		!read_word(m, m->bias + rela->r_offset, &word))
		return false;
	*ret = m->fs_base + word - offset;
	if (type == R_X86_64_DTPMOD64 && !in_vector(m, word, ret))
		*ret = 0; /* this thread has none of it yet */
	return true;
}

static bool by_relocations(const struct module *m, bool named, uint64_t *ret)
{
	GElf_Shdr section;
	GElf_Rela rela;
	for (Elf_Scn *each = NULL; (each = elf_nextscn(m->elf, each));) {
		if (!gelf_getshdr(each, &section) || section.sh_type != SHT_RELA)
			continue;
		Elf_Data *relocations = elf_getdata(each, NULL);
		for (int i = 0; relocations && gelf_getrela(relocations, i, &rela); i++)
			if (by_relocation(m, &section, &rela, named, ret))
				return true;
	}
	return false;
}

bool tls_base(Dwfl_Module *dwfl_module, uint64_t fs_base, expr_read *read, void *data, uint64_t *ret)
{
	GElf_Addr bias = 0;
	GElf_Phdr segment;
	struct module m = {.elf = dwfl_module_getelf(dwfl_module, &bias), .fs_base = fs_base, .read = read, .data = data};
	m.bias = bias;
	if (!m.elf || !find_segment(m.elf, &segment) || !segment.p_align)
		return false;
	if (is_program(m.elf)) {
		*ret = fs_base - (segment.p_memsz + segment.p_align - 1) / segment.p_align * segment.p_align;
		return true;
	}
	return (by_relocations(&m, false, ret) || by_relocations(&m, true, ret)) && *ret;
}
