#include "engine/kcode.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

/* Calls visit for each loaded module until it returns true; then so does this. */
static bool each_module(const struct guest *g, bool (*visit)(const struct guest *g, uint64_t module, void *data), void *data)
{
	const struct ksym *list = ksyms_find(g->layout->ksyms, "modules");
	uint64_t link = guest_offset(g, LAYOUT_MODULE_LIST), entry = 0;
	if (!list || memory_read_some(&g->kernel, list->address, &entry, 8) != 8)
		return false;
	for (int i = 0; i < KCODE_MODULES_MAX && entry && entry != list->address; i++) {
		if (visit(g, entry - link, data))
			return true;
		entry = guest_value(g, LAYOUT_MODULE_LIST, entry - link);
	}
	return false;
}

struct search {
	uint64_t address; /* looked for, or found */
	const char *name; /* looked for */
	uint64_t module;  /* found */
};

static bool holds(const struct guest *g, uint64_t module, void *data)
{
	struct search *search = data;
	uint64_t base = guest_value(g, LAYOUT_MODULE_BASE, module), size = guest_value(g, LAYOUT_MODULE_SIZE, module);
	search->module = module;
	return base && search->address >= base && search->address - base < size;
}

/* A module's symbols; to be freed. NULL when there are none. */
static Elf64_Sym *read_symbols(const struct guest *g, uint64_t module, uint64_t *ret_count, uint64_t *ret_names)
{
	uint64_t table = guest_value(g, LAYOUT_MODULE_KALLSYMS, module), list = guest_value(g, LAYOUT_KALLSYMS_LIST, table);
	*ret_count = guest_value(g, LAYOUT_KALLSYMS_COUNT, table) & 0xffffffff;
	*ret_names = guest_value(g, LAYOUT_KALLSYMS_NAMES, table);
	if (!list || !*ret_names || *ret_count > KCODE_SYMBOLS_MAX)
		return NULL;
	Elf64_Sym *symbols = mem_array(*ret_count, sizeof *symbols);
	if (memory_read_some(&g->kernel, list, symbols, *ret_count * sizeof *symbols) == *ret_count * sizeof *symbols)
		return symbols;
	free(symbols);
	return NULL;
}

static bool in_module(const struct guest *g, uint64_t module, uint64_t address, struct kcode_place *ret)
{
	uint64_t count, names, best = 0, base = guest_value(g, LAYOUT_MODULE_BASE, module);
	Elf64_Sym *symbols = read_symbols(g, module, &count, &names);
	const Elf64_Sym *found = NULL;
	char name[KSYM_NAME_MAX];
	/* The last one below the address, as the kernel itself chooses: undefined symbols and those without a name do not count.
	 */
	for (uint64_t i = 1; symbols && i < count; i++) {
		const Elf64_Sym *s = &symbols[i];
		if (s->st_shndx == SHN_UNDEF || s->st_value > address || s->st_value < base || (found && s->st_value <= best))
			continue;
		if (!guest_str(g, names + s->st_name, name, sizeof name) || !*name)
			continue;
		best = s->st_value;
		found = s;
		memcpy(ret->name, name, sizeof name);
	}
	bool ok = found != NULL;
	free(symbols);
	if (!ok)
		return false;
	ret->offset = address - best;
	guest_str(g, module + guest_offset(g, LAYOUT_MODULE_NAME), ret->module, sizeof ret->module);
	return true;
}

bool kcode_at(const struct guest *g, uint64_t address, struct kcode_place *ret)
{
	const struct ksym *symbol = ksyms_at(g->layout->ksyms, address);
	struct search search = {.address = address};
	if (!symbol)
		return each_module(g, holds, &search) && in_module(g, search.module, address, ret);
	*ret = (struct kcode_place){.offset = address - symbol->address};
	strncpy(ret->name, symbol->name, sizeof ret->name - 1);
	return true;
}

static bool defines(const struct guest *g, uint64_t module, void *data)
{
	struct search *search = data;
	uint64_t count, names;
	Elf64_Sym *symbols = read_symbols(g, module, &count, &names);
	bool found = false;
	for (uint64_t i = 1; symbols && i < count && !found; i++) {
		char name[KSYM_NAME_MAX];
		if (symbols[i].st_shndx == SHN_UNDEF || !guest_str(g, names + symbols[i].st_name, name, sizeof name) ||
			strcmp(name, search->name))
			continue;
		search->address = symbols[i].st_value;
		found = true;
	}
	free(symbols);
	return found;
}

bool kcode_find(const struct guest *g, const char *name, uint64_t *ret_address)
{
	const struct ksym *symbol = ksyms_find(g->layout->ksyms, name);
	struct search search = {.name = name};
	if (!symbol && !each_module(g, defines, &search))
		return false;
	*ret_address = symbol ? symbol->address : search.address;
	return true;
}

bool kcode_tables(const struct guest *g, uint64_t address, struct kcode_tables *ret)
{
	const struct ksyms *k = g->layout->ksyms;
	const struct ksym *a = ksyms_find(k, "__start_orc_unwind_ip"), *b = ksyms_find(k, "__stop_orc_unwind_ip"),
			  *c = ksyms_find(k, "__start_orc_unwind");
	struct search search = {.address = address};
	if (ksyms_at(k, address)) {
		if (!a || !b || !c || b->address < a->address)
			return false;
		*ret = (struct kcode_tables){a->address, c->address, (b->address - a->address) / 4};
		return true;
	}
	if (!each_module(g, holds, &search))
		return false;
	*ret = (struct kcode_tables){guest_value(g, LAYOUT_MODULE_ORC_WHERE, search.module),
		guest_value(g, LAYOUT_MODULE_ORC_HOW, search.module),
		guest_value(g, LAYOUT_MODULE_ORC_COUNT, search.module) & 0xffffffff};
	return ret->where && ret->how;
}

struct visitor {
	void (*module)(void *data, const struct kcode_module *module);
	void (*symbol)(void *data, const struct kcode_symbol *symbol);
	void *data;
};

static bool tell_module(const struct guest *g, uint64_t module, void *data)
{
	const struct visitor *v = data;
	struct kcode_module m = {
		.base = guest_value(g, LAYOUT_MODULE_BASE, module), .size = guest_value(g, LAYOUT_MODULE_SIZE, module)};
	guest_str(g, module + guest_offset(g, LAYOUT_MODULE_NAME), m.name, sizeof m.name);
	if (m.base && m.size)
		v->module(v->data, &m);
	return false;
}

void kcode_each_module(const struct guest *g, void (*each)(void *data, const struct kcode_module *module), void *data)
{
	each_module(g, tell_module, &(struct visitor){.module = each, .data = data});
}

void kcode_each_symbol(
	const struct guest *g, uint64_t base, void (*each)(void *data, const struct kcode_symbol *symbol), void *data)
{
	struct search search = {.address = base};
	uint64_t count, names;
	if (!each_module(g, holds, &search))
		return;
	Elf64_Sym *symbols = read_symbols(g, search.module, &count, &names);
	for (uint64_t i = 1; symbols && i < count; i++) {
		char name[KSYM_NAME_MAX];
		const Elf64_Sym *s = &symbols[i];
		if (s->st_shndx == SHN_UNDEF || !guest_str(g, names + s->st_name, name, sizeof name) || !*name)
			continue;
		each(data, &(struct kcode_symbol){name, s->st_value, s->st_size, ELF64_ST_TYPE(s->st_info) == STT_FUNC});
	}
	free(symbols);
}
