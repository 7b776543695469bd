/* Values as text: what `print` says, in every form it has. */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value.h"
#include "engine/view.h"

static void print_any(const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out);

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static uint64_t encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	return dwarf_attr_integrate(type, DW_AT_encoding, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

static bool is_char(const struct value *value)
{
	Dwarf_Die peeled;
	if (value->pointers || value->repeat || value_size(value) != 1)
		return false;
	if (!value->has_type)
		return value->builtin && strstr(value->builtin->name, "char");
	if (!value_peel(&value->type, &peeled) || dwarf_tag(&peeled) != DW_TAG_base_type)
		return false;
	uint64_t encoding = encoding_of(&peeled);
	return encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char;
}

bool value_is_text(const struct value *value)
{
	Dwarf_Die type, target;
	struct value inner = *value;
	if (value->repeat || value->pointers) {
		inner.repeat = 0;
		inner.pointers -= !value->repeat;
		return is_char(&inner);
	}
	if (!value->has_type || !value_peel(&value->type, &type) || !value_type_of(&type, &target))
		return false;
	inner = (struct value){.type = target, .has_type = true};
	int tag = dwarf_tag(&type);
	return (tag == DW_TAG_pointer_type || (tag == DW_TAG_array_type && !value_dimension(&type, value->dimension + 1))) &&
		is_char(&inner);
}

static bool is_full(const struct value_world *w, const struct buf *out)
{
	return w->room && out->size >= w->room;
}

static void print_name(const struct symbols *symbols, uint64_t address, struct buf *out)
{
	uint64_t offset;
	const char *name = symbols && address ? symbols_name(symbols, address, &offset) : NULL;
	if (!name)
		return;
	buf_str(out, " <");
	text_put_safe(out, name, strlen(name));
	if (offset)
		buf_printf(out, "+%" PRIu64, offset);
	buf_char(out, '>');
}

static void print_digits(uint64_t number, unsigned base_bits, size_t least, struct buf *out)
{
	char digits[65];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + (int)(number & ((1u << base_bits) - 1)));
	while ((number >>= base_bits) || sizeof digits - at < least);
	buf_add(out, digits + at, sizeof digits - at);
}

void value_print_integer(
	uint64_t number, size_t size, bool has_sign, enum value_form form, const struct symbols *symbols, struct buf *out)
{
	uint64_t mask = size && size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX, low = number & mask;
	uint64_t sign = size && size < 8 && low >> (8 * size - 1) ? ~mask : 0;
	char c = (char)number;
	switch (form) {
	case VALUE_HEX:
		buf_printf(out, "0x%" PRIx64, low);
		return;
	case VALUE_DECIMAL:
		buf_printf(out, "%" PRId64, (int64_t)(low | sign));
		return;
	case VALUE_NUMBER:
		buf_printf(out, "%" PRIu64, low);
		return;
	case VALUE_OCTAL:
		buf_str(out, low ? "0" : "");
		print_digits(low, 3, 1, out);
		return;
	case VALUE_BITS:
		print_digits(low, 1, 1, out);
		return;
	case VALUE_CHAR:
		buf_printf(out, has_sign ? "%" PRId64 " '" : "%" PRIu64 " '", has_sign ? low | sign : low);
		text_put_safe(out, &c, 1);
		buf_char(out, '\'');
		return;
	case VALUE_POINTER:
		buf_printf(out, "0x%" PRIx64, low);
		print_name(symbols, low, out);
		return;
	case VALUE_NATURAL:
		break;
	}
	if (has_sign)
		buf_printf(out, "%" PRId64, (int64_t)(low | sign));
	else
		buf_printf(out, "%" PRIu64, low);
}

static void print_float(const unsigned char *bytes, uint64_t size, struct buf *out)
{
	float f;
	double d;
	long double l = 0;
	if (size == sizeof f) {
		memcpy(&f, bytes, sizeof f);
		buf_printf(out, "%.9g", (double)f);
	} else if (size == sizeof d) {
		memcpy(&d, bytes, sizeof d);
		buf_printf(out, "%.17g", d);
	} else if (size == sizeof l) {
		memcpy(&l, bytes, 10); /* x87: the rest is padding */
		buf_printf(out, "%.18Lg", l);
	} else
		buf_printf(out, "<a floating-point number of %" PRIu64 " bytes>", size);
}

/* __int128 */
static void print_wide(const unsigned char bytes[16], bool has_sign, struct buf *out)
{
	unsigned __int128 number;
	char digits[40];
	size_t at = sizeof digits;
	memcpy(&number, bytes, sizeof number);
	bool negative = has_sign && bytes[15] >> 7;
	if (negative)
		number = 0 - number;
	do
		digits[--at] = (char)('0' + (int)(number % 10));
	while (number /= 10);
	if (negative)
		buf_char(out, '-');
	buf_add(out, digits + at, sizeof digits - at);
}

static void print_wide_hex(const unsigned char bytes[16], struct buf *out)
{
	uint64_t half[2];
	memcpy(half, bytes, sizeof half);
	buf_printf(out, half[1] ? "0x%" PRIx64 "%016" PRIx64 : "0x%" PRIx64, half[1] ? half[1] : half[0], half[0]);
}

/* A number; peeled: its type, NULL when that is one of C itself. */
static void print_base(
	const struct value_world *w, const struct value *value, Dwarf_Die *peeled, enum value_form form, struct buf *out)
{
	uint64_t number, size = value_size(value), encoding = peeled ? encoding_of(peeled) : 0;
	unsigned char bytes[16] = {0};
	bool is_bool = peeled ? encoding == DW_ATE_boolean : value->builtin->kind == VALUE_BOOL;
	bool has_sign =
		peeled ? encoding == DW_ATE_signed || encoding == DW_ATE_signed_char : value->builtin->kind == VALUE_SIGNED;
	if (value_is_float(value) && size <= sizeof bytes && value_fetch(w, value, bytes, size))
		print_float(bytes, size, out);
	else if (size == sizeof bytes && (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned) &&
		value_fetch(w, value, bytes, size)) {
		if (form == VALUE_HEX)
			print_wide_hex(bytes, out);
		else
			print_wide(bytes, encoding == DW_ATE_signed, out);
	} else if (value_is_float(value) || !value_number(w, value, &number))
		buf_str(out, size > 8 ? "<a number of more than 8 bytes>" : "<not in memory>");
	else if (form != VALUE_NATURAL)
		value_print_integer(number, value->bit_size ? 8 : size, has_sign, form, w->symbols, out);
	else if (is_bool && number <= 1)
		buf_str(out, number ? "true" : "false");
	else if (is_char(value))
		value_print_integer(number, 1, has_sign, VALUE_CHAR, NULL, out);
	else if (!peeled && value->builtin->kind == VALUE_ADDRESS)
		value_print_integer(number, 8, false, VALUE_HEX, NULL, out);
	else
		value_print_integer(number, 8, has_sign, VALUE_NATURAL, NULL, out);
}

/* "RED", of flags "(RED | BLUE)", of something else the number. */
static void print_enum(const struct value_world *w, const struct value *value, Dwarf_Die *type, struct buf *out)
{
	uint64_t number, left, size = value_size(value), mask = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	Dwarf_Die child;
	struct buf names = {0};
	if (!value_number(w, value, &number)) {
		buf_str(out, "<not in memory>");
		return;
	}
	left = number &= mask;
	for (int bad = dwarf_child(type, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Sword s;
		if (dwarf_tag(&child) != DW_TAG_enumerator || !dwarf_attr(&child, DW_AT_const_value, &attr))
			continue;
		uint64_t each = (!dwarf_formsdata(&attr, &s) ? (uint64_t)s : 0) & mask;
		const char *name = dwarf_diename(&child) ? dwarf_diename(&child) : "?";
		if (each == number) {
			text_put_safe(out, name, strlen(name));
			buf_free(&names);
			return;
		}
		if (!each || (each & (each - 1)) || !(left & each))
			continue; /* only single bits are flags */
		left &= ~each;
		buf_str(&names, names.size ? " | " : "");
		text_put_safe(&names, name, strlen(name));
	}
	if (!left && names.size)
		buf_printf(out, "(%s)", names.data);
	else
		buf_printf(out, "%" PRId64, size == 4 ? (int64_t)(int32_t)number : (int64_t)number);
	buf_free(&names);
}

/* ---- pointers and arrays -------------------------------------------------------------------------------------- */

static void print_string(const char *bytes, size_t size, bool cut, struct buf *out)
{
	buf_char(out, '"');
	text_put_safe(out, bytes, size);
	buf_str(out, cut ? "\"..." : "\"");
}

void view_print_text(const struct value_world *w, uint64_t address, uint64_t size, struct buf *out)
{
	char text[VALUE_STRING_MAX];
	size_t wanted = size < sizeof text ? (size_t)size : sizeof text;
	if (w->read(w->data, address, text, wanted) != wanted)
		buf_str(out, "<not in memory>");
	else
		print_string(text, wanted, size > wanted, out);
}

static void print_pointer(const struct value_world *w, const struct value *value, enum value_form form, struct buf *out)
{
	uint64_t address;
	struct value target;
	struct err ignored;
	if (!value_number(w, value, &address)) {
		buf_str(out, "<not in memory>");
		return;
	}
	if (form != VALUE_NATURAL) {
		value_print_integer(address, 8, false, form, w->symbols, out);
		return;
	}
	buf_printf(out, "0x%" PRIx64, address);
	if (address && value_target(w, value, &target, &ignored) && is_char(&target)) {
		char text[VALUE_STRING_MAX + 1];
		/* Byte by byte up to the page's end is too slow for nobody: strings are short. */
		size_t got = w->read(w->data, address, text, VALUE_STRING_MAX), size = strnlen(text, got);
		if (got) {
			buf_char(out, ' ');
			print_string(text, size, size == got, out);
		}
		return;
	}
	print_name(w->symbols, address, out);
}

static void print_char_array(const struct value_world *w, const struct value *value, uint64_t count, struct buf *out)
{
	char text[VALUE_STRING_MAX];
	size_t size = count < sizeof text ? (size_t)count : sizeof text;
	if (!value_fetch(w, value, text, size)) {
		buf_str(out, "<not in memory>");
		return;
	}
	bool cut = size < count && !memchr(text, 0, size);
	while (size && !text[size - 1])
		size--; /* the NULs at its end are not shown, others are */
	print_string(text, size, cut, out);
}

void view_print_items(
	const struct value_world *w, const struct value *first, uint64_t count, enum value_form form, int depth, struct buf *out)
{
	struct value each = *first;
	uint64_t size = value_size(first);
	buf_char(out, '{');
	for (uint64_t i = 0; i < count; i++) {
		buf_str(out, i ? ", " : "");
		if (i == VALUE_ITEMS_MAX || is_full(w, out)) {
			buf_printf(out, "... %" PRIu64 " more", count - i);
			break;
		}
		each.address = first->address + i * size;
		print_any(w, &each, form, depth + 1, out);
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
	if (last && is_char(&one) && form == VALUE_NATURAL) {
		print_char_array(w, value, count, out);
		return;
	}
	buf_char(out, '{');
	for (uint64_t i = 0; i < count; i++) {
		buf_str(out, i ? ", " : "");
		if (i == VALUE_ITEMS_MAX || is_full(w, out)) {
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
	if (is_char(&one) && form == VALUE_NATURAL)
		print_char_array(w, value, value->repeat, out);
	else
		view_print_items(w, &one, value->repeat, form, depth, out);
}

/* ---- structs ---------------------------------------------------------------------------------------------------- */

static void print_members(
	const struct value_world *w, const struct value *value, enum value_form form, int depth, struct buf *out)
{
	struct value_member_of member;
	buf_char(out, '{');
	for (size_t i = 0; value_members(value, i, &member); i++) {
		buf_str(out, i ? ", " : "");
		if (i == VALUE_ITEMS_MAX || is_full(w, out)) {
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
		print_base(w, value, &type, form, out);
	else if (tag == DW_TAG_enumeration_type && form != VALUE_NATURAL && value_number(w, value, &number))
		value_print_integer(number, value_size(value), false, form, w->symbols, out);
	else if (tag == DW_TAG_enumeration_type)
		print_enum(w, value, &type, out);
	else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
		print_pointer(w, value, form, out);
	else if (value_is_composite(tag)) {
		if (form != VALUE_NATURAL || !view_print(w, value, depth, out))
			print_members(w, value, form, depth, out);
	} else if (tag == DW_TAG_array_type)
		print_dimension(w, value, &type, value->dimension, form, depth, out);
	else if (tag == DW_TAG_subroutine_type && w->symbols)
		symbols_print_address(w->symbols, value->address, false, out);
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
		print_base(w, value, NULL, form, out);
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

/* ---- types -------------------------------------------------------------------------------------------------------- */

/* "int (*)[4]" is beyond this: what is behind the name is written from the inside out. dimension:
 * so many of an array's were picked. */
static void print_die(const Dwarf_Die *die, size_t dimension, struct buf *before, struct buf *after)
{
	static const struct {
		int tag;
		const char *before, *after;
	} words[] = {{DW_TAG_pointer_type, "", " *"}, {DW_TAG_const_type, "const ", ""}, {DW_TAG_volatile_type, "volatile ", ""},
		{DW_TAG_reference_type, "", " &"}, {DW_TAG_rvalue_reference_type, "", " &&"},
		{DW_TAG_structure_type, "struct ", ""}, {DW_TAG_union_type, "union ", ""}, {DW_TAG_class_type, "class ", ""},
		{DW_TAG_enumeration_type, "enum ", ""}, {DW_TAG_subroutine_type, "", " ()"},
		{DW_TAG_restrict_type, "", " restrict"}, {DW_TAG_atomic_type, "_Atomic ", ""}};
	Dwarf_Die type = *die;
	bool has_type = true;
	struct buf behind = {0};
	for (int depth = 0; has_type && depth < 2 * VALUE_DEPTH_MAX; depth++) {
		int tag = dwarf_tag(&type);
		struct buf whole = {0};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (words[i].tag == tag) {
				buf_str(before, words[i].before);
				buf_str(&whole, words[i].after);
			}
		if (tag == DW_TAG_array_type)
			for (size_t i = depth ? 0 : dimension; i < VALUE_DIMENSIONS_MAX && (!i || value_dimension(&type, i)); i++)
				buf_printf(&whole, value_dimension(&type, i) ? "%s[%" PRIu64 "]" : "%s[]", whole.size ? "" : " ",
					value_dimension(&type, i));
		buf_add(&whole, behind.data ? behind.data : "", behind.size);
		buf_free(&behind);
		behind = whole;
		const char *name = dwarf_diename(&type);
		if (name || value_is_composite(tag) || tag == DW_TAG_enumeration_type) {
			text_put_safe(before, name ? name : "{...}", name ? strlen(name) : 5);
			break;
		}
		has_type = value_type_of(&type, &type);
	}
	if (!has_type)
		buf_str(before, "void");
	buf_add(after, behind.data ? behind.data : "", behind.size);
	buf_free(&behind);
}

void value_print_type(const struct value *value, struct buf *out)
{
	struct buf after = {0};
	if (value->has_type)
		print_die(&value->type, value->dimension, out, &after);
	else
		buf_str(out, value->builtin ? value->builtin->name : value->pointers ? "void" : "<no debug information>");
	buf_add(out, after.data ? after.data : "", after.size);
	buf_free(&after);
	for (unsigned i = 0; i < value->pointers; i++)
		buf_str(out, i ? "*" : " *");
	if (value->repeat)
		buf_printf(out, " [%" PRIu64 "]", value->repeat);
}

static void print_enumerators(Dwarf_Die *type, struct buf *out)
{
	Dwarf_Die child;
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	for (int bad = dwarf_child(type, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);
		if (dwarf_tag(&child) != DW_TAG_enumerator || !name)
			continue;
		buf_str(out, "    ");
		text_put_safe(out, name, strlen(name));
		if (dwarf_attr(&child, DW_AT_const_value, &attr) && !dwarf_formsdata(&attr, &number))
			buf_printf(out, " = %" PRId64, (int64_t)number);
		buf_str(out, ",\n");
	}
}

void value_print_definition(const struct value *value, struct buf *out)
{
	Dwarf_Die type;
	struct value peeled = *value;
	struct value_member_of member;
	if (!value->has_type || !value_peel(&value->type, &type)) {
		value_print_type(value, out);
		return;
	}
	peeled.type = type;
	value_print_type(&peeled, out);
	bool is_enum = dwarf_tag(&type) == DW_TAG_enumeration_type;
	if (value->pointers || value->repeat || (!is_enum && !value_is_composite(dwarf_tag(&type))))
		return;
	buf_str(out, " {\n");
	if (is_enum)
		print_enumerators(&type, out);
	for (size_t i = 0; !is_enum && value_members(value, i, &member); i++) {
		struct buf after = {0};
		buf_str(out, "    ");
		print_die(&member.type, 0, out, &after);
		buf_char(out, ' ');
		const char *name = member.is_base ? "<base>" : member.name ? member.name : "";
		text_put_safe(out, name, strlen(name));
		buf_add(out, after.data ? after.data : "", after.size);
		if (member.value.bit_size)
			buf_printf(out, " : %u", member.value.bit_size);
		buf_printf(out, ";\n");
		buf_free(&after);
	}
	buf_char(out, '}');
}
