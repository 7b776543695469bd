/* Values as text: what `print` says, in every form it has. */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value_scalar.h"
#include "engine/value_text.h"
#include "engine/view.h"

static void print_any(const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out);

bool value_is_full(const struct value_world *w, const struct buf *out)
{
	return out->size >= (w->room ? w->room : VALUE_ROOM);
}

bool value_is_there(const struct value_world *w, const struct value *value)
{
	char byte;
	return value->place != VALUE_MEMORY || w->read(w->data, value->address, &byte, 1) == 1;
}

/* ---- pointers and arrays -------------------------------------------------------------------------------------- */

static void print_pointer(const struct value_world *w, const struct value *value, enum value_form form, struct buf *out)
{
	uint64_t address;
	struct value target;
	struct err ignored;
	if (!value_number(w, value, &address)) {
		buf_str(out, "<not in memory>");
		return;
	}
	if (form != VALUE_NATURAL && form != VALUE_REAL) {
		value_print_integer(address, 8, false, form, w->symbols, out);
		return;
	}
	buf_printf(out, "0x%" PRIx64, address);
	unsigned width = address && value_target(w, value, &target, &ignored) ? value_text_width(&target) : 0;
	if (width)
		value_print_text_at(w, address, width, out);
	else
		value_print_symbol(w->symbols, address, out);
}

static void print_items(
	const struct value_world *w, const struct value *first, uint64_t count, enum value_form form, int depth, struct buf *out)
{
	struct value each = *first;
	uint64_t size = value_size(first);
	buf_char(out, '{');
	for (uint64_t i = 0; i < count; i++) {
		buf_str(out, i ? ", " : "");
		if (i == VALUE_ITEMS_MAX || value_is_full(w, out)) {
			buf_printf(out, "... %" PRIu64 " more", count - i);
			break;
		}
		each.address = first->address + i * size;
		print_any(w, &each, form, depth + 1, out);
		if (!value_is_there(w, &each)) {
			buf_str(out, i + 1 < count ? ", ..." : "");
			break;
		}
	}
	buf_char(out, '}');
}

/* One dimension of an array; the elements of the last one are values. */
static void print_dimension(const struct value_world *w, const struct value *value, Dwarf_Die *type, size_t dimension,
	enum value_form form, int depth, struct buf *out)
{
	struct value part;
	struct err ignored;
	Dwarf_Die element;
	uint64_t count = value_dimension(type, dimension);
	if (!value_type_of(type, &element))
		return;
	struct value one = {.type = element, .has_type = true};
	bool last = !value_dimension(type, dimension + 1) || dimension + 1 >= VALUE_DIMENSIONS_MAX;
	unsigned width = last && form == VALUE_NATURAL ? value_text_width(&one) : 0;
	if (width) {
		value_print_text_array(w, value, count, width, out);
		return;
	}
	buf_char(out, '{');
	for (uint64_t i = 0; i < count; i++) {
		buf_str(out, i ? ", " : "");
		if (i == VALUE_ITEMS_MAX || value_is_full(w, out)) {
			buf_printf(out, "... %" PRIu64 " more", count - i);
			break;
		}
		if (!value_element(w, value, (int64_t)i, &part, &ignored))
			buf_str(out, "?");
		else if (last)
			print_any(w, &part, form, depth + 1, out);
		else
			print_dimension(w, &part, type, dimension + 1, form, depth + 1, out);
	}
	buf_char(out, '}');
}

/* "x@4" */
static void print_repeat(const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out)
{
	struct value one = *value;
	one.repeat = 0;
	unsigned width = form == VALUE_NATURAL ? value_text_width(&one) : 0;
	if (width)
		value_print_text_array(w, value, value->repeat, width, out);
	else
		print_items(w, &one, value->repeat, form, depth, out);
}

/* ---- structs ---------------------------------------------------------------------------------------------------- */

static void print_members(
	const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out)
{
	struct value_member_of member;
	const char *between = "";
	buf_char(out, '{');
	for (size_t i = 0; value_members(value, i, &member); i++) {
		if (member.is_base && value_is_empty(&member.value))
			continue;
		buf_str(out, between);
		between = ", ";
		if (i == VALUE_ITEMS_MAX || value_is_full(w, out)) {
			buf_str(out, "...");
			break;
		}
		const char *base = member.is_base ? dwarf_diename(&member.type) : NULL;
		if (member.is_base) {
			buf_char(out, '<');
			text_put_safe(out, base ? base : "base", base ? strlen(base) : 4);
			buf_str(out, "> = ");
		} else if (member.name) {
			text_put_safe(out, member.name, strlen(member.name));
			buf_str(out, " = ");
		}
		print_any(w, &member.value, form, depth + 1, out);
	}
	buf_char(out, '}');
}

/* Where in an object a member is: "Plain::d", or of a function its symbol. By the ABI of C++ -1 is none; of a function 0, and odd
 * numbers count in the table of virtual ones. */
static void print_member_pointer(const struct value_world *w, const struct value *value, Dwarf_Die *type, struct buf *out)
{
	Dwarf_Die target, whole;
	Dwarf_Attribute attr;
	struct value_member_of member;
	uint64_t number = 0;
	if (!value_fetch(w, value, &number, sizeof number)) {
		buf_str(out, "<not in memory>");
		return;
	}
	bool known = value_type_of(type, &target) && value_peel(&target, &target);
	if (known && dwarf_tag(&target) == DW_TAG_subroutine_type) {
		buf_printf(out, number & 1 ? "virtual function %" PRIu64 : "0x%" PRIx64, number & 1 ? (number - 1) / 8 : number);
		if (!(number & 1))
			value_print_symbol(w->symbols, number, out);
		return;
	}
	bool named = dwarf_formref_die(dwarf_attr_integrate(type, DW_AT_containing_type, &attr), &whole) != NULL;
	struct value object = {.type = named ? whole : *type, .has_type = named, .place = VALUE_MEMORY};
	for (size_t i = 0; named && value_members(&object, i, &member); i++)
		if (member.value.address == number && member.name && !member.is_base) {
			buf_printf(out, "offset %" PRIu64 " <", number);
			text_put_safe(out, member.name, strlen(member.name));
			buf_char(out, '>');
			return;
		}
	if (number == UINT64_MAX)
		buf_str(out, "no member");
	else
		buf_printf(out, "offset %" PRIu64, number);
}

static void print_typed(const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out)
{
	Dwarf_Die type;
	if (!value_peel(&value->type, &type)) {
		buf_str(out, "<no type>");
		return;
	}
	int tag = dwarf_tag(&type);
	uint64_t number;
	if (tag == DW_TAG_base_type)
		value_print_base(w, value, &type, form, out);
	else if (tag == DW_TAG_enumeration_type && form != VALUE_NATURAL && value_number(w, value, &number))
		value_print_integer(number, value_size(value), false, form, w->symbols, out);
	else if (tag == DW_TAG_enumeration_type)
		value_print_enum(w, value, &type, out);
	else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
		print_pointer(w, value, form, out);
	else if (value_is_composite(tag)) {
		if (!view_print(w, value, form, depth, print_any, out))
			print_members(w, value, form, depth, out);
	} else if (tag == DW_TAG_array_type)
		print_dimension(w, value, &type, value->dimension, form, depth, out);
	else if (tag == DW_TAG_subroutine_type && w->symbols)
		symbols_print_address(w->symbols, value->address, false, out);
	else if (tag == DW_TAG_ptr_to_member_type)
		print_member_pointer(w, value, &type, out);
	else if (tag == DW_TAG_unspecified_type) /* nullptr_t */
		buf_str(out, "nullptr");
	else
		buf_printf(out, "<a type that is not understood: tag 0x%x>", (unsigned)tag);
}

static void print_any(const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out)
{
	if (value->place == VALUE_GONE)
		buf_str(out, "<optimized out>");
	else if (depth > VALUE_DEPTH_MAX)
		buf_str(out, "...");
	else if (value->repeat)
		print_repeat(w, value, form, depth, out);
	else if (value->pointers)
		print_pointer(w, value, form, out);
	else if (value->has_type)
		print_typed(w, value, form, depth, out);
	else if (value->builtin)
		value_print_base(w, value, NULL, form, out);
	else if (value->place == VALUE_MEMORY)
		buf_printf(out, "<%zu bytes at 0x%" PRIx64 "; no debug information>", value->size, value->address);
	else
		buf_str(out, "<no type>");
}

void value_print_as(const struct value_world *w, const struct value *value, enum value_form form, struct buf *out)
{
	print_any(w, value, form, 0, out);
}

void value_print(const struct value_world *w, const struct value *value, struct buf *out)
{
	print_any(w, value, VALUE_NATURAL, 0, out);
}
