#include "engine/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/debugfile.h"
#include "engine/demangle.h"
#include "engine/named.h"
#include "engine/text.h"

/* Names of C++, demangled the first time that they are given out. */
struct names {
	struct {
		const char *name; /* as the file has it: one pointer for each */
		char *shown;      /* owned */
	} * list;
	size_t count, room;
};

struct symbols {
	Dwfl *dwfl;
	char **debug_dirs;
	size_t debug_dir_count;
	struct names *names;
	unsigned owners;
};

/* A name of a file as a person writes it. */
static const char *shown(const struct symbols *symbols, const char *name)
{
	struct names *names = symbols->names;
	if (!name || strncmp(name, "_Z", 2))
		return name;
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].name == name)
			return names->list[i].shown;
	char *made = demangle(name, false);
	ARRAY_PUSH(names->list, names->count, names->room).name = name;
	return names->list[names->count - 1].shown = made ? made : mem_str(name);
}

/* Never asks the network, as elfutils' own search may. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *modname, Dwarf_Addr base, const char *file_name,
	const char *debuglink, GElf_Word crc, char **ret_name)
{
	const struct symbols *symbols = *userdata;
	const unsigned char *id;
	GElf_Addr at;
	(void)modname;
	(void)base;
	int size = dwfl_module_build_id(module, &id, &at), fd = -1;
	for (size_t i = 0; symbols && size > 0 && fd < 0 && i < symbols->debug_dir_count; i++)
		fd = debugfile_by_id(symbols->debug_dirs[i], id, (size_t)size, ret_name);
	for (size_t i = 0; symbols && debuglink && fd < 0 && i < symbols->debug_dir_count; i++)
		fd = debugfile_by_link(symbols->debug_dirs[i], file_name, debuglink, crc, ret_name);
	return fd;
}

static int find_elf(Dwfl_Module *module, void **userdata, const char *modname, Dwarf_Addr base, char **file_name, Elf **elf)
{
	(void)module;
	(void)userdata;
	(void)modname;
	(void)base;
	(void)file_name;
	(void)elf;
	return -1; /* every file was handed in */
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf, .find_debuginfo = find_debuginfo, .section_address = dwfl_offline_section_address};

struct symbols *symbols_create(const char *const *debug_dirs, size_t count, struct err *err)
{
	struct symbols *symbols = mem_alloc(sizeof *symbols);
	symbols->owners = 1;
	symbols->debug_dirs = mem_array(count, sizeof *symbols->debug_dirs);
	symbols->debug_dir_count = count;
	symbols->names = mem_alloc(sizeof *symbols->names);
	for (size_t i = 0; i < count; i++)
		symbols->debug_dirs[i] = mem_str(debug_dirs[i]);
	symbols->dwfl = dwfl_begin(&callbacks);
	if (!symbols->dwfl) {
		err_set(err, ERR_SYSTEM, "symbols: %s", dwfl_errmsg(-1));
		symbols_destroy(symbols);
		return NULL;
	}
	dwfl_report_begin(symbols->dwfl);
	return symbols;
}

struct symbols *symbols_share(struct symbols *symbols)
{
	symbols->owners++;
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols || --symbols->owners)
		return;
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	for (size_t i = 0; i < symbols->debug_dir_count; i++)
		free(symbols->debug_dirs[i]);
	free(symbols->debug_dirs);
	for (size_t i = 0; i < symbols->names->count; i++)
		free(symbols->names->list[i].shown);
	free(symbols->names->list);
	free(symbols->names);
	free(symbols);
}

bool symbols_add(struct symbols *symbols, const char *name, int fd, uint64_t base, struct err *err)
{
	Dwfl_Module *module = dwfl_report_elf(symbols->dwfl, name, name, fd, base, false);
	if (!module) {
		close(fd);
		return err_set(err, ERR_INPUT, "%s: no symbols can be read from it: %s", name, dwfl_errmsg(-1));
	}
	void **userdata;
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = symbols;
	return true;
}

void symbols_ready(struct symbols *symbols)
{
	dwfl_report_end(symbols->dwfl, NULL, NULL);
}

struct Dwfl *symbols_dwfl(const struct symbols *symbols)
{
	return symbols->dwfl;
}

const char *symbols_extent(const struct symbols *symbols, uint64_t address, uint64_t *ret_start, uint64_t *ret_size)
{
	Dwfl_Module *module = dwfl_addrmodule(symbols->dwfl, address);
	GElf_Off offset = 0;
	GElf_Sym sym = {0};
	const char *name = module ? dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL) : NULL;
	*ret_start = address - (name ? offset : 0);
	*ret_size = name ? sym.st_size : 0;
	return shown(symbols, name);
}

const char *symbols_name(const struct symbols *symbols, uint64_t address, uint64_t *ret_offset)
{
	uint64_t start, size;
	const char *name = symbols_extent(symbols, address, &start, &size);
	*ret_offset = address - start;
	return name;
}

static const char *die_name(const struct symbols *symbols, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	return linkage ? shown(symbols, linkage) : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

static int attribute_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) || value > 1 << 30)
		return 0;
	return (int)value;
}

static const char *directory_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	return dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
}

/* From where an inlined function was called: the line of the next place out. */
static void call_line(Dwarf_Die *cu, Dwarf_Die *inlined, struct symbols_place *place)
{
	Dwarf_Files *files;
	size_t count;
	size_t file = (size_t)attribute_number(inlined, DW_AT_call_file);
	place->line = attribute_number(inlined, DW_AT_call_line);
	place->column = attribute_number(inlined, DW_AT_call_column);
	place->file = !dwarf_getsrcfiles(cu, &files, &count) && file < count ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
}

/* Turns the scopes around an address (innermost first) into places. Returns how many; 0 when there is no debug information. */
static size_t scope_places(const struct symbols *symbols, Dwfl_Module *module, uint64_t address, const struct symbols_place *base,
	struct symbols_place *places)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(module, address, &bias), *inner = NULL, *scopes = NULL;
	if (!cu)
		return 0;
	/* The first list goes from an inlined function to where it was written; the second to where it was inlined. */
	int count = dwarf_getscopes(cu, address - bias, &inner) > 0 ? dwarf_getscopes_die(&inner[0], &scopes) : 0;
	free(inner);
	size_t made = 0;
	struct symbols_place next = *base;
	next.directory = directory_of(cu);
	for (int i = 0; i < count && made < SYMBOLS_INLINE_MAX; i++) {
		int tag = dwarf_tag(&scopes[i]);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		const char *name = die_name(symbols, &scopes[i]);
		places[made] = next;
		places[made].inlined = tag == DW_TAG_inlined_subroutine;
		places[made].offset = places[made].inlined ? 0 : base->offset;
		places[made].function = name ? name : base->function;
		made++;
		if (tag == DW_TAG_subprogram)
			break;
		call_line(cu, &scopes[i], &next);
	}
	free(scopes);
	/* The symbol's own name is the better one: it tells clones apart (leaf.constprop.0). */
	if (made && !places[made - 1].inlined && base->function && !strchr(base->function, '@'))
		places[made - 1].function = base->function;
	return made;
}

size_t symbols_at(
	const struct symbols *symbols, uint64_t address, bool is_return, struct symbols_place places[SYMBOLS_INLINE_MAX])
{
	uint64_t inside = is_return ? address - 1 : address;
	Dwfl_Module *module = dwfl_addrmodule(symbols->dwfl, inside);
	if (!module)
		return 0;
	struct symbols_place base = {.module = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL)};
	base.function = symbols_name(symbols, inside, &base.offset);
	if (is_return && base.function)
		base.offset++;
	Dwfl_Line *line = dwfl_module_getsrc(module, inside);
	if (line) {
		base.file = dwfl_lineinfo(line, NULL, &base.line, &base.column, NULL, NULL);
		base.directory = dwfl_line_comp_dir(line);
	}
	size_t count = scope_places(symbols, module, inside, &base, places);
	if (!count)
		places[count++] = base;
	return count;
}

bool symbols_find_line(const struct symbols *symbols, const char *file, int line, uint64_t *ret_address)
{
	Dwarf_Addr bias;
	bool found = false;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_nextcu(symbols->dwfl, cu, &bias));) {
		Dwfl_Module *module = dwfl_cumodule(cu);
		Dwfl_Line **lines = NULL;
		size_t count = 0;
		if (dwfl_module_getsrc_file(module, file, line, 0, &lines, &count))
			continue;
		for (size_t i = 0; i < count; i++) {
			Dwarf_Addr address;
			int at;
			if (dwfl_lineinfo(lines[i], &address, &at, NULL, NULL, NULL) && at == line &&
				(!found || address < *ret_address)) {
				*ret_address = address;
				found = true;
			}
		}
		free(lines);
		if (found)
			break;
	}
	return found;
}

/* How well a symbol fits a name: what a person means first comes last. */
enum fit { FIT_NONE, FIT_END /* shop::add for add */, FIT_LOCAL, FIT_GLOBAL };

struct search {
	struct named named;
	uint64_t address, size;
	enum fit fit;
};

static enum fit fit_of(const struct search *search, const char *symbol, bool is_global)
{
	enum named_fit fit = named_fit(&search->named, symbol);
	return fit == NAMED_WHOLE ? is_global ? FIT_GLOBAL : FIT_LOCAL : fit == NAMED_END ? FIT_END : FIT_NONE;
}

static int search_module(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, void *data)
{
	struct search *search = data;
	int count = dwfl_module_getsymtab(module);
	(void)userdata;
	(void)name;
	(void)base;
	for (int i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *symbol = dwfl_module_getsym_info(module, i, &sym, &address, NULL, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);
		if (!symbol || sym.st_shndx == SHN_UNDEF ||
			(type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE && type != STT_GNU_IFUNC))
			continue;
		enum fit fit = fit_of(search, symbol, GELF_ST_BIND(sym.st_info) != STB_LOCAL);
		if (fit <= search->fit)
			continue;
		search->address = address;
		search->size = sym.st_size;
		search->fit = fit;
		if (fit == FIT_GLOBAL)
			return DWARF_CB_ABORT;
	}
	return DWARF_CB_OK;
}

bool symbols_find(const struct symbols *symbols, const char *name, uint64_t *ret_address, uint64_t *ret_size)
{
	struct search search = {.named = named_of(name)};
	dwfl_getmodules(symbols->dwfl, search_module, &search, 0);
	named_finish(&search.named);
	if (!search.fit)
		return false;
	*ret_address = search.address;
	*ret_size = search.size;
	return true;
}

struct naming {
	void (*each)(void *data, const char *name);
	void *data;
};

static int name_module(Dwfl_Module *module, void **userdata, const char *file, Dwarf_Addr base, void *data)
{
	const struct naming *n = data;
	int count = dwfl_module_getsymtab(module);
	(void)userdata;
	(void)file;
	(void)base;
	for (int i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *symbol = dwfl_module_getsym_info(module, i, &sym, &address, NULL, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);
		if (!symbol || !*symbol || sym.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT))
			continue;
		char *name = strncmp(symbol, "_Z", 2) ? NULL : demangle(symbol, false);
		n->each(n->data, name ? name : symbol);
		free(name);
	}
	return DWARF_CB_OK;
}

void symbols_each(const struct symbols *symbols, void (*each)(void *data, const char *name), void *data)
{
	struct naming naming = {each, data};
	dwfl_getmodules(symbols->dwfl, name_module, &naming, 0);
}

void symbols_print_place(const struct symbols_place *place, struct buf *out)
{
	const char *function = place->function ? place->function : "??";
	text_put_safe(out, function, strlen(function));
	if (place->offset)
		buf_printf(out, "+0x%llx", (unsigned long long)place->offset);
	if (place->file) {
		const char *slash = strrchr(place->file, '/');
		const char *file = slash ? slash + 1 : place->file;
		buf_str(out, " (");
		text_put_safe(out, file, strlen(file));
		buf_printf(out, ":%d)", place->line);
	} else if (place->module) {
		buf_str(out, " (");
		text_put_safe(out, place->module, strlen(place->module));
		buf_char(out, ')');
	}
}

void symbols_print_address(const struct symbols *symbols, uint64_t address, bool is_return, struct buf *out)
{
	struct symbols_place places[SYMBOLS_INLINE_MAX];
	if (symbols_at(symbols, address, is_return, places))
		symbols_print_place(places, out);
	else
		buf_printf(out, "0x%llx", (unsigned long long)address);
}
