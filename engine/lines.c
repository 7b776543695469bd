#include "engine/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

void lines_finish(struct lines *lines)
{
	free(lines->list);
	*lines = (struct lines){0};
}

void lines_add(struct lines *to, uint64_t address)
{
	size_t at = to->count;
	while (at && to->list[at - 1] > address)
		at--;
	if (at && to->list[at - 1] == address)
		return;
	ARRAY_PUSH(to->list, to->count, to->room) = address;
	memmove(&to->list[at + 1], &to->list[at], (to->count - 1 - at) * sizeof *to->list);
	to->list[at] = address;
}

/* How many parts of two paths are equal, from the end; "." and empty ones do not count. */
static size_t common_parts(const char *a, const char *b)
{
	size_t a_size = strlen(a), b_size = strlen(b), parts = 0;
	while (a_size && b_size) {
		size_t a_at = a_size, b_at = b_size;
		while (a_at && a[a_at - 1] != '/')
			a_at--;
		while (b_at && b[b_at - 1] != '/')
			b_at--;
		if (a_size - a_at != b_size - b_at || memcmp(a + a_at, b + b_at, a_size - a_at) != 0)
			return parts;
		parts++;
		a_size = a_at ? a_at - 1 : 0;
		b_size = b_at ? b_at - 1 : 0;
	}
	return parts;
}

/* Does a unit have lines of a file that is called like that? 0: no, else the better the more. */
static size_t fits(Dwarf_Die *cu, const char *file)
{
	Dwarf_Files *files;
	size_t count, best = 0;
	if (dwarf_getsrcfiles(cu, &files, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);
		size_t common = name ? common_parts(name, file) : 0;
		best = common > best ? common : best;
	}
	return best;
}

/* What is looked for in the line tables. */
struct search {
	const char *file;
	size_t parts; /* that a file must have in common with `file` */
	int first, last;
	void (*visit)(void *data, int line, uint64_t address);
	void *data;
};

static void search_unit(Dwarf_Die *cu, Dwarf_Addr bias, const struct search *s)
{
	Dwarf_Lines *table;
	size_t count;
	if (dwarf_getsrclines(cu, &table, &count))
		return;
	const char *last_name = NULL;
	size_t last_parts = 0;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(table, i);
		Dwarf_Addr address;
		bool begins, ends;
		int number;
		if (dwarf_linebeginstatement(line, &begins) || dwarf_lineendsequence(line, &ends) || !begins || ends ||
			dwarf_lineno(line, &number) || number < s->first || number > s->last || dwarf_lineaddr(line, &address))
			continue;
		const char *name = dwarf_linesrc(line, NULL, NULL);
		if (name != last_name)
			last_parts = name ? common_parts(name, s->file) : 0;
		last_name = name;
		if (last_parts == s->parts && s->parts)
			s->visit(s->data, number, address + bias);
	}
}

static void search_all(const struct symbols *symbols, struct search *s)
{
	Dwarf_Addr bias;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_nextcu(symbols_dwfl(symbols), cu, &bias));) {
		size_t parts = fits(cu, s->file);
		s->parts = parts > s->parts ? parts : s->parts;
	}
	for (Dwarf_Die *cu = NULL; s->parts && (cu = dwfl_nextcu(symbols_dwfl(symbols), cu, &bias));)
		if (fits(cu, s->file) == s->parts)
			search_unit(cu, bias, s);
}

/* Of all lines that come up the first one's addresses. */
struct nearest {
	struct lines *lines;
	int line;
};

static void take_nearest(void *data, int line, uint64_t address)
{
	struct nearest *n = data;
	if (n->lines->count && line > n->line)
		return;
	if (line < n->line)
		n->lines->count = 0;
	n->line = line;
	lines_add(n->lines, address);
}

/* The function, or its inlined copy, that an address is in: 0 when that is not known. */
static Dwarf_Off call_at(const struct symbols *symbols, uint64_t address)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_addrdie(symbols_dwfl(symbols), address, &bias), *scopes = NULL;
	Dwarf_Off call = 0;
	int count = cu ? dwarf_getscopes(cu, address - bias, &scopes) : 0;
	for (int i = 0; i < count && !call; i++) {
		int tag = dwarf_tag(&scopes[i]);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			call = dwarf_dieoffset(&scopes[i]);
	}
	free(scopes);
	return call;
}

/* The compiler cuts a line into pieces ("for" has three): in each copy of the code the lowest one is where the line begins. */
static void drop_pieces(const struct symbols *symbols, struct lines *lines)
{
	Dwarf_Off *calls = mem_array(lines->count, sizeof *calls);
	size_t kept = 0;
	for (size_t i = 0; i < lines->count; i++) {
		Dwarf_Off call = call_at(symbols, lines->list[i]);
		bool known = false;
		for (size_t k = 0; call && k < kept && !known; k++)
			known = calls[k] == call;
		if (known)
			continue;
		calls[kept] = call;
		lines->list[kept++] = lines->list[i];
	}
	lines->count = kept;
	free(calls);
}

bool lines_find(const struct symbols *symbols, const char *file, int line, struct lines *ret, int *ret_line)
{
	struct nearest nearest = {ret, 0};
	*ret = (struct lines){0};
	if (line < 1 || line > INT32_MAX - LINES_SHIFT_MAX)
		return false;
	nearest.line = line + LINES_SHIFT_MAX;
	struct search search = {
		.file = file, .first = line, .last = line + LINES_SHIFT_MAX, .visit = take_nearest, .data = &nearest};
	search_all(symbols, &search);
	drop_pieces(symbols, ret);
	if (ret->count)
		*ret_line = nearest.line;
	return ret->count > 0;
}

static void take_number(void *data, int line, uint64_t address)
{
	(void)address;
	lines_add(data, (uint64_t)line);
}

void lines_with_code(const struct symbols *symbols, const char *file, int first, int last, struct lines *ret)
{
	struct search search = {.file = file, .first = first, .last = last, .visit = take_number, .data = ret};
	search_all(symbols, &search);
}

bool lines_body(const struct symbols *symbols, uint64_t function, uint64_t *ret_address)
{
	Dwarf_Addr bias, low, *places = NULL;
	Dwarf_Die *cu = dwfl_addrdie(symbols_dwfl(symbols), function, &bias), *scopes = NULL;
	bool found = false;
	int count = cu ? dwarf_getscopes(cu, function - bias, &scopes) : 0;
	for (int i = 0; i < count && !found; i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram || dwarf_lowpc(&scopes[i], &low) || low != function - bias)
			continue;
		int places_count = dwarf_entry_breakpoints(&scopes[i], &places);
		found = places_count > 0;
		if (found)
			*ret_address = places[0] + bias;
		free(places);
		places = NULL;
	}
	free(scopes);
	return found;
}

void lines_each_file(
	const struct symbols *symbols, void (*visit)(void *data, const char *directory, const char *file), void *data)
{
	Dwarf_Addr bias;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_nextcu(symbols_dwfl(symbols), cu, &bias));) {
		Dwarf_Files *files;
		Dwarf_Attribute attr;
		size_t count;
		const char *directory = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
		if (dwarf_getsrcfiles(cu, &files, &count))
			continue;
		for (size_t i = 0; i < count; i++) {
			const char *name = dwarf_filesrc(files, i, NULL, NULL);
			if (name && *name)
				visit(data, directory, name);
		}
	}
}
