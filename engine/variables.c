#include "engine/variables.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/tls.h"

enum { NAMESPACES_MAX = 4 /* in each other */ };

/* The code that a frame stands in: the scopes around it, innermost first, the function last. */
struct code {
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Dwarf_Die cu;
	Dwarf_Die *scopes; /* owned */
	int count;         /* up to the function, included */
	int first, last;   /* those that names are looked up in: [first, last) */
	uint64_t address;  /* of the code, in the file's own numbers */
};

/* Of the scopes around an address those of one call: from behind the call before it to its own. */
static void narrow(struct code *code, unsigned call)
{
	code->first = 0;
	code->last = code->count;
	for (int i = 0; call && i < code->count; i++) {
		int tag = dwarf_tag(&code->scopes[i]);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		if (!--call)
			code->last = i + 1;
		else
			code->first = i + 1;
	}
}

static bool find_code(const struct scope *scope, struct code *code)
{
	*code = (struct code){0};
	if (!scope->frame || scope->frame->kernel)
		return false;
	uint64_t pc = scope->frame->pc - (scope->frame->is_return ? 1 : 0);
	code->module = dwfl_addrmodule(symbols_dwfl(scope->world.symbols), pc);
	Dwarf_Die *cu = code->module ? dwfl_module_addrdie(code->module, pc, &code->bias) : NULL, *inner = NULL;
	if (!cu)
		return false;
	code->cu = *cu;
	code->address = pc - code->bias;
	/* The first list goes from an inlined function to where it was written; the second to where it was inlined. */
	if (dwarf_getscopes(cu, code->address, &inner) > 0) {
		int all = dwarf_getscopes_die(&inner[0], &code->scopes);
		while (code->count < all && dwarf_tag(&code->scopes[code->count]) != DW_TAG_compile_unit)
			if (dwarf_tag(&code->scopes[code->count++]) == DW_TAG_subprogram)
				break;
	}
	free(inner);
	narrow(code, scope->call);
	return true;
}

static bool evaluate_attribute(const struct scope *scope, const struct code *code, Dwarf_Die *die, unsigned name,
	struct expr_context *context, struct expr_result *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;
	(void)scope;
	*ret = (struct expr_result){0};
	if (!dwarf_attr_integrate(die, name, &attr))
		return false;
	/* A location list has one expression for each range of code; a plain expression holds everywhere. */
	int found = dwarf_getlocation_addr(&attr, code->address, &ops, &count, 1);
	if (found == 1)
		*ret = expr_evaluate(context, &attr, ops, count);
	return true;
}

static struct expr_context context_of(const struct scope *scope, const struct code *code)
{
	struct expr_context context = {.read = scope->world.read, .data = scope->world.data, .bias = code->bias};
	struct expr_result base;
	if (!scope->frame)
		return context;
	context.has_tls = code->module &&
		tls_base(code->module, scope->frame->registers.fs_base, scope->world.read, scope->world.data, &context.tls_base);
	context.registers = &scope->frame->registers;
	context.cfa = scope->frame->cfa;
	context.has_cfa = scope->frame->has_cfa;
	Dwarf_Die *function = code->count ? &code->scopes[code->count - 1] : NULL;
	if (!function || !evaluate_attribute(scope, code, function, DW_AT_frame_base, &context, &base))
		return context;
	context.has_frame_base = base.kind == EXPR_ADDRESS || base.kind == EXPR_VALUE;
	context.frame_base = base.value;
	if (base.kind == EXPR_REGISTER && base.value < FRAME_REGISTERS && context.registers->known >> base.value & 1) {
		context.frame_base = context.registers->value[base.value];
		context.has_frame_base = true;
	}
	return context;
}

/* Bytes of one register (or part of a value) into a value that is not in memory. */
static bool put_bytes(const struct scope *scope, enum expr_kind kind, uint64_t number, size_t size, unsigned char *out)
{
	const struct frame_registers *r = scope->frame ? &scope->frame->registers : NULL;
	uint64_t words[2] = {number, 0};
	if (kind == EXPR_ADDRESS)
		return scope->world.read(scope->world.data, number, out, size) == size;
	if (kind == EXPR_REGISTER) {
		if (!r || number >= FRAME_REGISTERS || !(r->known >> number & 1))
			return false;
		words[0] = r->value[number];
		words[1] = number >= FRAME_XMM0 ? r->high[number - FRAME_XMM0] : 0;
	} else if (kind != EXPR_VALUE)
		return false;
	if (size > sizeof words)
		return false;
	memcpy(out, words, size);
	return true;
}

static void place_value(const struct scope *scope, const struct expr_result *result, struct value *value)
{
	uint64_t size = value_size(value);
	if (result->kind == EXPR_ADDRESS) {
		value->place = VALUE_MEMORY;
		value->address = result->value;
		return;
	}
	if (size > VALUE_BYTES_MAX || !size)
		return;
	bool ok = true;
	if (result->kind == EXPR_PIECES) {
		size_t at = 0;
		for (size_t i = 0; i < result->piece_count && ok; i++) {
			const struct expr_piece *piece = &result->pieces[i];
			ok = piece->size <= size - at &&
				put_bytes(scope, piece->kind, piece->value, piece->size, value->bytes + at);
			at += piece->size;
		}
		ok &= at == size;
	} else if (result->kind == EXPR_BYTES) {
		ok = result->size <= size;
		if (ok)
			memcpy(value->bytes, result->bytes, result->size);
	} else {
		ok = put_bytes(scope, result->kind, result->value, size, value->bytes);
		value->in_register = result->kind == EXPR_REGISTER ? 1 + (unsigned)result->value : 0;
	}
	value->place = ok ? VALUE_BYTES : VALUE_GONE;
	value->size = size;
}

/* A variable or parameter DIE as a value; it may be gone. */
static struct value variable_value(const struct scope *scope, const struct code *code, Dwarf_Die *die)
{
	struct value value = {0};
	struct expr_result result;
	Dwarf_Attribute attr;
	Dwarf_Sword constant;
	Dwarf_Block block;
	value.has_type = value_type_of(die, &value.type);
	struct expr_context context = context_of(scope, code);
	if (evaluate_attribute(scope, code, die, DW_AT_location, &context, &result))
		place_value(scope, &result, &value);
	else if (dwarf_attr_integrate(die, DW_AT_const_value, &attr)) {
		result = (struct expr_result){0};
		if (!dwarf_formsdata(&attr, &constant) || !dwarf_formudata(&attr, (Dwarf_Word *)&constant))
			result = (struct expr_result){.kind = EXPR_VALUE, .value = (uint64_t)constant};
		else if (!dwarf_formblock(&attr, &block))
			result = (struct expr_result){.kind = EXPR_BYTES, .bytes = block.data, .size = block.length};
		place_value(scope, &result, &value);
	}
	return value;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

static bool is_variable(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_formal_parameter;
}

/* Is text the qualified name `whole`, or its end? */
static bool ends_qualified(const char *whole, const char *text, size_t size)
{
	size_t length = strlen(whole);
	return length >= size && !memcmp(whole + length - size, text, size) &&
		(length == size || (length > size + 1 && whole[length - size - 1] == ':'));
}

/* "shop::Store::made": namespaces and classes around a variable, those without a name left out. Owned by the caller. */
static char *qualified_name(Dwarf_Die *die)
{
	struct buf name = {0};
	Dwarf_Attribute attr;
	Dwarf_Die declaration = *die, *scopes = NULL;
	/* What is defined outside its class or namespace says where it was declared. */
	if (dwarf_attr(die, DW_AT_specification, &attr) && !dwarf_formref_die(&attr, &declaration))
		declaration = *die;
	int count = dwarf_getscopes_die(&declaration, &scopes);
	for (int i = count - 1; i > 0; i--) {
		int tag = dwarf_tag(&scopes[i]);
		const char *part = tag == DW_TAG_compile_unit ? NULL : dwarf_diename(&scopes[i]);
		if (part)
			buf_printf(&name, "%s::", part);
	}
	free(scopes);
	buf_str(&name, name_of(die));
	return buf_take(&name);
}

/* A name, qualified or not, fits when the qualified name of the variable ends like that. */
static bool is_called(Dwarf_Die *die, const char *name, size_t size)
{
	const char *called = is_variable(die) ? name_of(die) : NULL, *last = name + size;
	while (last > name && last[-1] != ':')
		last--;
	size_t tail = (size_t)(name + size - last);
	if (!called || strlen(called) != tail || memcmp(called, last, tail))
		return false;
	if (last == name)
		return true;
	char *whole = qualified_name(die);
	bool fits = ends_qualified(whole, name, size);
	free(whole);
	return fits;
}

static bool find_local(const struct scope *scope, const struct code *code, const char *name, size_t size, struct value *ret)
{
	for (int i = code->first; i < code->last; i++) {
		Dwarf_Die child;
		for (int bad = dwarf_child(&code->scopes[i], &child); !bad; bad = dwarf_siblingof(&child, &child))
			if (is_called(&child, name, size)) {
				*ret = variable_value(scope, code, &child);
				return true;
			}
	}
	return false;
}

/* A global with a place, in one compilation unit; also inside namespaces, by its plain name. */
static bool find_in(const struct scope *scope, const struct code *code, Dwarf_Die *parent, const char *name, size_t size,
	int depth, struct value *ret)
{
	Dwarf_Die child;
	for (int bad = dwarf_child(parent, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_namespace && depth < NAMESPACES_MAX &&
			find_in(scope, code, &child, name, size, depth + 1, ret))
			return true;
		if (!is_called(&child, name, size) ||
			(!dwarf_hasattr(&child, DW_AT_location) && !dwarf_hasattr(&child, DW_AT_const_value)))
			continue; /* only declared here */
		*ret = variable_value(scope, code, &child);
		return true;
	}
	return false;
}

static bool find_global(const struct scope *scope, const struct code *here, const char *name, size_t size, struct value *ret)
{
	struct code code = {.module = here->module, .bias = here->bias, .cu = here->cu};
	if (here->module && find_in(scope, &code, &code.cu, name, size, 0, ret))
		return true; /* a static one of this file comes before others of that name */
	Dwarf_Addr bias;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_nextcu(symbols_dwfl(scope->world.symbols), cu, &bias));) {
		code = (struct code){.module = dwfl_cumodule(cu), .bias = bias, .cu = *cu};
		if (find_in(scope, &code, cu, name, size, 0, ret))
			return true;
	}
	return false;
}

/* A member of the object whose function this is. */
static bool find_own_member(const struct scope *scope, const struct code *code, const char *name, size_t size, struct value *ret)
{
	struct value pointer, object;
	struct err ignored;
	return find_local(scope, code, "this", 4, &pointer) && value_target(&scope->world, &pointer, &object, &ignored) &&
		value_member(&scope->world, &object, name, size, ret, &ignored);
}

/* Is path the file, or does the file's name end like it? */
static bool is_file(const char *file, const char *path, size_t size)
{
	size_t length = strlen(file);
	return length >= size && !memcmp(file + length - size, path, size) && (length == size || file[length - size - 1] == '/');
}

/* "file.c::name": the part behind the file, looked up in the compilation units of that file. */
static bool find_in_file(const struct scope *scope, const char *name, size_t size, size_t file, struct value *ret)
{
	Dwarf_Addr bias;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_nextcu(symbols_dwfl(scope->world.symbols), cu, &bias));) {
		const char *called = dwarf_diename(cu);
		struct code code = {.module = dwfl_cumodule(cu), .bias = bias, .cu = *cu};
		if (called && is_file(called, name, file) && find_in(scope, &code, cu, name + file + 2, size - file - 2, 0, ret))
			return true;
	}
	return false;
}

bool variables_find(const struct scope *scope, const char *name, size_t size, struct value *ret)
{
	struct code code;
	uint64_t address, bytes;
	const char *dot = memchr(name, '.', size), *slash = memchr(name, '/', size), *part = dot ? dot : slash;
	for (size_t i = part ? (size_t)(part - name) : size; i + 1 < size; i++)
		if (name[i] == ':' && name[i + 1] == ':')
			return find_in_file(scope, name, size, i, ret);
	find_code(scope, &code);
	bool found = find_local(scope, &code, name, size, ret) || find_own_member(scope, &code, name, size, ret) ||
		find_global(scope, &code, name, size, ret);
	free(code.scopes);
	if (found)
		return true;
	char *text = mem_strn(name, size);
	found = symbols_find(scope->world.symbols, text, &address, &bytes);
	free(text);
	if (found)
		*ret = (struct value){.place = VALUE_MEMORY, .address = address, .size = bytes};
	return found;
}

/* ---- types --------------------------------------------------------------------------------------------------------- */

static bool is_kind(int tag, enum variables_type kind)
{
	bool is_struct = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
	if (kind == VARIABLES_STRUCT)
		return is_struct;
	if (kind == VARIABLES_UNION)
		return tag == DW_TAG_union_type;
	if (kind == VARIABLES_ENUM)
		return tag == DW_TAG_enumeration_type;
	return is_struct || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef ||
		tag == DW_TAG_base_type;
}

static bool find_type_in(Dwarf_Die *parent, enum variables_type kind, const char *name, size_t size, int depth, Dwarf_Die *ret)
{
	Dwarf_Die child;
	const char *last = name + size;
	while (last > name && last[-1] != ':')
		last--;
	for (int bad = dwarf_child(parent, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		const char *called = dwarf_diename(&child);
		bool opens = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
		if (opens && depth < NAMESPACES_MAX && dwarf_haschildren(&child) &&
			find_type_in(&child, kind, name, size, depth + 1, ret))
			return true;
		if (!called || !is_kind(tag, kind) || dwarf_hasattr(&child, DW_AT_declaration) ||
			strlen(called) != (size_t)(name + size - last) || memcmp(called, last, strlen(called)))
			continue;
		char *whole = last == name ? NULL : qualified_name(&child);
		bool fits = !whole || ends_qualified(whole, name, size);
		free(whole);
		if (!fits)
			continue;
		*ret = child;
		return true;
	}
	return false;
}

bool variables_find_type(const struct scope *scope, enum variables_type kind, const char *name, size_t size, Dwarf_Die *ret)
{
	struct code code;
	Dwarf_Addr bias;
	find_code(scope, &code);
	bool found = code.module && find_type_in(&code.cu, kind, name, size, 0, ret);
	free(code.scopes);
	for (Dwarf_Die *cu = NULL; !found && (cu = dwfl_nextcu(symbols_dwfl(scope->world.symbols), cu, &bias));)
		found = find_type_in(cu, kind, name, size, 0, ret);
	return found;
}

/* ---- printing ------------------------------------------------------------------------------------------------------ */

/* A value; of a reference what it refers to, with its address: "@0x7ffd2c: {x = 1}". */
void variables_print_value_as(const struct scope *scope, const struct value *value, enum value_form form, struct buf *out)
{
	struct value target;
	struct err ignored;
	if (value_is_reference(value) && value_target(&scope->world, value, &target, &ignored)) {
		buf_printf(out, "@0x%llx: ", (unsigned long long)target.address);
		value = &target;
	}
	value_print_as(&scope->world, value, form, out);
}

void variables_print_value(const struct scope *scope, const struct value *value, struct buf *out)
{
	variables_print_value_as(scope, value, VALUE_NATURAL, out);
}

void variables_each_local(const struct scope *scope, variables_visit *visit, void *data)
{
	struct code code;
	find_code(scope, &code);
	for (int i = code.first; i < code.last; i++) {
		Dwarf_Die child;
		for (int bad = dwarf_child(&code.scopes[i], &child); !bad; bad = dwarf_siblingof(&child, &child)) {
			const char *name = is_variable(&child) ? name_of(&child) : NULL;
			if (!name)
				continue;
			struct value value = variable_value(scope, &code, &child);
			visit(data, name, dwarf_tag(&child) == DW_TAG_formal_parameter, &value);
		}
	}
	free(code.scopes);
}

static void each_global(
	const struct scope *scope, const struct code *code, Dwarf_Die *parent, int depth, variables_visit *visit, void *data)
{
	Dwarf_Die child;
	for (int bad = dwarf_child(parent, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_namespace && depth < NAMESPACES_MAX)
			each_global(scope, code, &child, depth + 1, visit, data);
		/* What is only declared here belongs to another file. */
		if (dwarf_tag(&child) != DW_TAG_variable || !name_of(&child) ||
			(!dwarf_hasattr(&child, DW_AT_location) && !dwarf_hasattr(&child, DW_AT_const_value)))
			continue;
		struct value value = variable_value(scope, code, &child);
		char *name = qualified_name(&child);
		visit(data, name, false, &value);
		free(name);
	}
}

void variables_each_global(const struct scope *scope, variables_visit *visit, void *data)
{
	struct code code;
	if (find_code(scope, &code))
		each_global(scope, &code, &code.cu, 0, visit, data);
	free(code.scopes);
}

struct printing {
	const struct scope *scope;
	struct buf *out;
};

static void print_local(void *data, const char *name, bool is_argument, const struct value *value)
{
	const struct printing *p = data;
	(void)is_argument;
	text_put_safe(p->out, name, strlen(name));
	buf_str(p->out, " = ");
	variables_print_value(p->scope, value, p->out);
	buf_char(p->out, '\n');
}

void variables_print_locals(const struct scope *scope, struct buf *out)
{
	struct printing printing = {scope, out};
	variables_each_local(scope, print_local, &printing);
}

/* The parameter of an inlined call that its function declares; false: the call has none, as when nothing of it is left. */
static bool find_inlined(Dwarf_Die *call, Dwarf_Die *declared, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	for (int bad = dwarf_child(call, ret); !bad; bad = dwarf_siblingof(ret, ret))
		if (dwarf_tag(ret) == DW_TAG_formal_parameter && dwarf_attr(ret, DW_AT_abstract_origin, &attr) &&
			dwarf_formref_die(&attr, &origin) && dwarf_dieoffset(&origin) == dwarf_dieoffset(declared))
			return true;
	return false;
}

void variables_print_arguments(const struct scope *scope, struct buf *out)
{
	struct code code;
	Dwarf_Attribute attr;
	Dwarf_Die child, function, found;
	const char *between = "";
	find_code(scope, &code);
	Dwarf_Die *call = code.last ? &code.scopes[code.last - 1] : NULL;
	/* The compiler lists parameters of an inlined call in any order, and leaves some out: the function has them all. */
	bool inlined = call && dwarf_tag(call) == DW_TAG_inlined_subroutine && dwarf_attr(call, DW_AT_abstract_origin, &attr) &&
		dwarf_formref_die(&attr, &function);
	for (int bad = call ? dwarf_child(inlined ? &function : call, &child) : 1; !bad; bad = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_tag(&child) == DW_TAG_formal_parameter ? name_of(&child) : NULL;
		if (!name)
			continue;
		bool has = !inlined || find_inlined(call, &child, &found);
		struct value value = variable_value(scope, &code, inlined && has ? &found : &child);
		buf_str(out, between);
		text_put_safe(out, name, strlen(name));
		buf_char(out, '=');
		value_print(&scope->world, &value, out);
		between = ", ";
	}
	free(code.scopes);
}
