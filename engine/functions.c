#include "engine/functions.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "engine/named.h"

enum { NESTING_MAX = 256 /* blocks of a function in each other */, ORIGINS_MAX = 8 };

struct search {
	const struct symbols *symbols;
	struct named named;
	struct lines *found;
};

static void add_body(struct search *s, uint64_t function)
{
	uint64_t at = function;
	lines_body(s->symbols, function, &at);
	lines_add(s->found, at);
}

/* ---- what the file's own symbols say ------------------------------------------------------------------------------ */

static int search_symbols(Dwfl_Module *module, void **userdata, const char *file, Dwarf_Addr base, void *data)
{
	struct search *s = data;
	int count = dwfl_module_getsymtab(module);
	(void)userdata, (void)file, (void)base;
	for (int i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *symbol = dwfl_module_getsym_info(module, i, &sym, &address, NULL, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);
		if (symbol && sym.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
			named_fit(&s->named, symbol))
			add_body(s, address);
	}
	return DWARF_CB_OK;
}

/* ---- what debug information says: copies have no symbols of their name -------------------------------------------- */

/* Where a copy was written: what its parents are is what it is a member of. */
static Dwarf_Die origin_of(Dwarf_Die die)
{
	static const unsigned ways[] = {DW_AT_abstract_origin, DW_AT_specification};
	for (int i = 0; i < ORIGINS_MAX; i++) {
		Dwarf_Attribute attr;
		Dwarf_Die next;
		if (!dwarf_formref_die(dwarf_attr(&die, ways[0], &attr), &next) &&
			!dwarf_formref_die(dwarf_attr(&die, ways[1], &attr), &next))
			break;
		die = next;
	}
	return die;
}

/* "shop::Store::add"; what has no name is left out, as in what people type. */
static void put_qualified(Dwarf_Die *die, struct buf *out)
{
	Dwarf_Die origin = origin_of(*die), *parents = NULL;
	int count = dwarf_getscopes_die(&origin, &parents);
	for (int i = count - 1; i >= 0; i--) {
		int tag = dwarf_tag(&parents[i]);
		const char *name = dwarf_diename(&parents[i]);
		bool holds = tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
			tag == DW_TAG_union_type;
		if (name && (holds || !i))
			buf_printf(out, "%s%s", out->size ? "::" : "", name);
	}
	free(parents);
}

static bool has_name(const struct search *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_diename(die), *linkage;
	if (!name)
		return false;
	linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	if (linkage)
		return named_fit(&s->named, linkage) != NAMED_NOT;
	/* Most are called otherwise, which is seen without looking for their parents. */
	if (s->named.types || !strstr(name, s->named.last))
		return false;
	struct buf whole = {0};
	put_qualified(die, &whole);
	bool fits = whole.data && named_fit_shown(&s->named, whole.data);
	buf_free(&whole);
	return fits;
}

static void take(struct search *s, Dwarf_Die *die, Dwarf_Addr bias)
{
	Dwarf_Addr at, base, low, high;
	bool has_code = !dwarf_entrypc(die, &at) || dwarf_ranges(die, 0, &base, &low, &high) > 0;
	if (!has_code || !has_name(s, die))
		return;
	at = !dwarf_entrypc(die, &at) ? at : low;
	if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
		lines_add(s->found, at + bias);
	else
		add_body(s, at + bias);
}

/* Everything below a unit, a namespace, a class or a function that may be or hold a function's code. */
static void search_below(struct search *s, Dwarf_Die *parent, Dwarf_Addr bias, unsigned depth)
{
	Dwarf_Die die;
	if (depth == NESTING_MAX || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		if (is_function)
			take(s, &die, bias);
		if (is_function || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
			tag == DW_TAG_structure_type)
			search_below(s, &die, bias, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

bool functions_find(const struct symbols *symbols, const char *name, struct lines *ret)
{
	struct search s = {.symbols = symbols, .named = named_of(name), .found = ret};
	size_t before = ret->count;
	Dwarf_Addr bias;
	if (!*name) {
		named_finish(&s.named);
		return false;
	}
	dwfl_getmodules(symbols_dwfl(symbols), search_symbols, &s, 0);
	for (Dwarf_Die *cu = NULL; (cu = dwfl_nextcu(symbols_dwfl(symbols), cu, &bias));)
		search_below(&s, cu, bias, 0);
	named_finish(&s.named);
	return ret->count > before;
}
