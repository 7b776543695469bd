#include "engine/value.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"

bool value_peel(const Dwarf_Die *type, Dwarf_Die *ret)
{
	Dwarf_Die copy = *type;
	return dwarf_peel_type(&copy, ret) == 0;
}

bool value_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), ret) != NULL;
}

static uint64_t dimension_of(Dwarf_Die *array, size_t dimension);

/* How many elements one step in the dimension before this one passes. */
static uint64_t row_of(Dwarf_Die *array, size_t dimension)
{
	uint64_t count = 1;
	for (size_t i = dimension; i < VALUE_DIMENSIONS_MAX && dimension_of(array, i); i++)
		count *= dimension_of(array, i);
	return count;
}

uint64_t value_size(const struct value *value)
{
	Dwarf_Word size;
	Dwarf_Die type = value->type, array, element;
	if (!value->has_type)
		return 0;
	if (value->dimension && value_peel(&value->type, &array) && value_type_of(&array, &element))
		return !dwarf_aggregate_size(&element, &size) ? size * row_of(&array, value->dimension) : 0;
	return !dwarf_aggregate_size(&type, &size) ? size : 0;
}

/* The first size bytes of a value. False when they are gone or not in memory. */
static bool fetch(const struct value_world *w, const struct value *value, void *out, size_t size)
{
	if (value->place == VALUE_MEMORY)
		return w->read(w->data, value->address, out, size) == size;
	if (value->place == VALUE_GONE || size > value->size)
		return false;
	memcpy(out, value->bytes, size);
	return true;
}

/* Part of a value: at a distance, of another type. */
static struct value part_of(const struct value *value, uint64_t offset, const Dwarf_Die *type)
{
	struct value part = {.type = *type, .has_type = true, .place = value->place};
	if (value->place == VALUE_MEMORY)
		part.address = value->address + offset;
	else if (value->place == VALUE_BYTES && offset < value->size) {
		part.size = value->size - offset;
		memcpy(part.bytes, value->bytes + offset, part.size);
	} else
		part.place = VALUE_GONE;
	return part;
}

static bool number_attribute(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value))
		return false;
	*ret = value;
	return true;
}

static bool is_signed(Dwarf_Die *type)
{
	uint64_t encoding;
	if (!number_attribute(type, DW_AT_encoding, &encoding))
		return dwarf_tag(type) == DW_TAG_enumeration_type;
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

bool value_is_signed(const struct value *value)
{
	Dwarf_Die type;
	return value->has_type && value_peel(&value->type, &type) && is_signed(&type);
}

/* Up to 8 bytes as a number, bit fields taken out, sign-extended when the type is signed. */
static bool integer(const struct value_world *w, const struct value *value, Dwarf_Die *peeled, uint64_t *ret)
{
	uint64_t raw = 0, size = value_size(value), bits = size * 8;
	if (dwarf_tag(peeled) == DW_TAG_pointer_type && !size)
		bits = 64;
	if (value->bit_size) {
		size = (value->bit_at + value->bit_size + 7) / 8;
		bits = value->bit_size;
	} else
		size = bits / 8;
	if (!size || size > 8 || !fetch(w, value, &raw, size))
		return false;
	raw >>= value->bit_size ? value->bit_at : 0;
	if (bits < 64) {
		raw &= (UINT64_C(1) << bits) - 1;
		if (is_signed(peeled) && raw >> (bits - 1) & 1)
			raw |= ~UINT64_C(0) << bits;
	}
	*ret = raw;
	return true;
}

bool value_number(const struct value_world *w, const struct value *value, uint64_t *ret)
{
	Dwarf_Die type;
	if (!value->has_type || !value_peel(&value->type, &type))
		return false;
	int tag = dwarf_tag(&type);
	bool is_number = tag == DW_TAG_base_type || tag == DW_TAG_pointer_type || tag == DW_TAG_enumeration_type ||
		tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	return is_number && integer(w, value, &type, ret);
}

/* ---- parts ---------------------------------------------------------------------------------------------------- */

struct value value_of_member(const struct value *whole, Dwarf_Die *member, const Dwarf_Die *type)
{
	uint64_t offset = 0, bits = 0, bit_size = 0, storage, old;
	number_attribute(member, DW_AT_data_member_location, &offset);
	struct value part;
	if (!number_attribute(member, DW_AT_bit_size, &bit_size) || bit_size > 64)
		return part_of(whole, offset, type);
	if (number_attribute(member, DW_AT_data_bit_offset, &bits))
		offset = 0;
	else if (number_attribute(member, DW_AT_bit_offset, &old)) { /* DWARF 2: counted from the top of the storage unit */
		part = part_of(whole, offset, type);
		storage = number_attribute(member, DW_AT_byte_size, &storage) ? storage : value_size(&part);
		bits = storage * 8 - old - bit_size;
	}
	part = part_of(whole, offset + bits / 8, type);
	part.bit_at = bits % 8;
	part.bit_size = (unsigned)bit_size;
	return part;
}

static bool is_composite(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool find_member(const struct value *whole, Dwarf_Die *type, const char *name, size_t size, int depth, struct value *ret)
{
	Dwarf_Die child, child_type;
	if (depth > VALUE_DEPTH_MAX || dwarf_child(type, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !value_type_of(&child, &child_type))
			continue;
		const char *called = dwarf_diename(&child);
		struct value part = value_of_member(whole, &child, &child_type);
		Dwarf_Die peeled;
		if (tag == DW_TAG_member && called && strlen(called) == size && !memcmp(called, name, size)) {
			*ret = part;
			return true;
		}
		if ((tag == DW_TAG_inheritance || !called) && value_peel(&child_type, &peeled) &&
			find_member(&part, &peeled, name, size, depth + 1, ret))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool value_member(
	const struct value_world *w, const struct value *value, const char *name, size_t size, struct value *ret, struct err *err)
{
	Dwarf_Die type;
	(void)w;
	if (!value->has_type || !value_peel(&value->type, &type) || !is_composite(dwarf_tag(&type)))
		return err_set(err, ERR_INPUT, "what is before \".%.*s\" is no struct", (int)size, name);
	if (!find_member(value, &type, name, size, 0, ret))
		return err_set(err, ERR_INPUT, "struct %s has no member %.*s",
			dwarf_diename(&type) ? dwarf_diename(&type) : "(without a name)", (int)size, name);
	return true;
}

bool value_is_reference(const struct value *value)
{
	Dwarf_Die type;
	int tag = value->has_type && value_peel(&value->type, &type) ? dwarf_tag(&type) : 0;
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool value_target(const struct value_world *w, const struct value *value, struct value *ret, struct err *err)
{
	Dwarf_Die type, target;
	uint64_t address;
	if (!value->has_type || !value_peel(&value->type, &type))
		return err_set(err, ERR_INPUT, "it has no type, so it points nowhere");
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return value_element(w, value, 0, ret, err);
	if (!value_type_of(&type, &target) || (dwarf_tag(&type) != DW_TAG_pointer_type && !value_is_reference(value)))
		return err_set(err, ERR_INPUT, "only a pointer can be followed");
	if (!value_number(w, value, &address))
		return err_set(err, ERR_INPUT, "the pointer is optimized out or not in memory");
	*ret = (struct value){.type = target, .has_type = true, .place = VALUE_MEMORY, .address = address};
	return true;
}

/* How many elements the dimension number `dimension` of an array has; 0: not known. */
static uint64_t dimension_of(Dwarf_Die *array, size_t dimension)
{
	Dwarf_Die child;
	uint64_t count;
	if (dwarf_child(array, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type || dimension--)
			continue;
		if (number_attribute(&child, DW_AT_count, &count))
			return count;
		return number_attribute(&child, DW_AT_upper_bound, &count) && count + 1 ? count + 1 : 0;
	} while (!dwarf_siblingof(&child, &child));
	return 0;
}

uint64_t value_count(const struct value *value)
{
	Dwarf_Die type;
	bool is_array = value->has_type && value_peel(&value->type, &type) && dwarf_tag(&type) == DW_TAG_array_type;
	return is_array ? dimension_of(&type, value->dimension) : 0;
}

bool value_element(const struct value_world *w, const struct value *value, int64_t index, struct value *ret, struct err *err)
{
	Dwarf_Die type, element;
	if (!value->has_type || !value_peel(&value->type, &type) || !value_type_of(&type, &element))
		return err_set(err, ERR_INPUT, "what is before \"[\" is no array");
	struct value first;
	if (dwarf_tag(&type) == DW_TAG_array_type) {
		unsigned next = value->dimension + 1;
		bool is_row = next < VALUE_DIMENSIONS_MAX && dimension_of(&type, next);
		first = part_of(value, 0, &element);
		uint64_t step = value_size(&first) * row_of(&type, next);
		*ret = part_of(value, (uint64_t)index * step, is_row ? &value->type : &element);
		ret->dimension = is_row ? next : 0;
		return true;
	}
	if (!value_target(w, value, &first, err))
		return false;
	uint64_t size = value_size(&first);
	*ret = part_of(&first, (uint64_t)index * size, &element);
	return true;
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

static void print_any(const struct value_world *w, const struct value *value, int depth, struct buf *out);

static bool is_full(const struct value_world *w, const struct buf *out)
{
	return w->room && out->size >= w->room;
}

static bool is_char(const Dwarf_Die *type)
{
	Dwarf_Die peeled;
	uint64_t size, encoding;
	return value_peel(type, &peeled) && dwarf_tag(&peeled) == DW_TAG_base_type &&
		number_attribute(&peeled, DW_AT_byte_size, &size) && size == 1 &&
		number_attribute(&peeled, DW_AT_encoding, &encoding) &&
		(encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

bool value_is_text(const struct value *value)
{
	Dwarf_Die type, target;
	if (!value->has_type || !value_peel(&value->type, &type))
		return false;
	int tag = dwarf_tag(&type);
	return (tag == DW_TAG_pointer_type || (tag == DW_TAG_array_type && !dimension_of(&type, value->dimension + 1))) &&
		value_type_of(&type, &target) && is_char(&target);
}

static void print_string(const char *bytes, size_t size, bool cut, struct buf *out)
{
	buf_char(out, '"');
	text_put_safe(out, bytes, size);
	buf_str(out, cut ? "\"..." : "\"");
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

static void print_base(const struct value_world *w, const struct value *value, Dwarf_Die *type, struct buf *out)
{
	uint64_t encoding = 0, number, size = value_size(value);
	unsigned char bytes[16];
	number_attribute(type, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_float && size <= sizeof bytes && fetch(w, value, bytes, size))
		print_float(bytes, size, out);
	else if (size == sizeof bytes && (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned) &&
		fetch(w, value, bytes, size))
		print_wide(bytes, encoding == DW_ATE_signed, out);
	else if (encoding == DW_ATE_float || !integer(w, value, type, &number))
		buf_str(out, size > 8 ? "<a number of more than 8 bytes>" : "<not in memory>");
	else if (encoding == DW_ATE_boolean && number <= 1)
		buf_str(out, number ? "true" : "false");
	else if (encoding == DW_ATE_signed_char || (encoding == DW_ATE_unsigned_char)) {
		char c = (char)number;
		buf_printf(out, encoding == DW_ATE_signed_char ? "%" PRId64 : "%" PRIu64, number);
		buf_str(out, " '");
		text_put_safe(out, &c, 1);
		buf_char(out, '\'');
	} else if (is_signed(type))
		buf_printf(out, "%" PRId64, (int64_t)number);
	else
		buf_printf(out, "%" PRIu64, number);
}

static void print_enum(const struct value_world *w, const struct value *value, Dwarf_Die *type, struct buf *out)
{
	uint64_t number, each;
	Dwarf_Die child;
	if (!integer(w, value, type, &number)) {
		buf_str(out, "<not in memory>");
		return;
	}
	for (int bad = dwarf_child(type, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Sword s;
		if (dwarf_tag(&child) != DW_TAG_enumerator || !dwarf_attr(&child, DW_AT_const_value, &attr))
			continue;
		each = !dwarf_formsdata(&attr, &s) ? (uint64_t)s : 0;
		if ((uint32_t)each == (uint32_t)number) {
			const char *name = dwarf_diename(&child);
			text_put_safe(out, name ? name : "?", name ? strlen(name) : 1);
			return;
		}
	}
	buf_printf(out, "%" PRId64, (int64_t)number);
}

static void print_pointer(const struct value_world *w, const struct value *value, Dwarf_Die *type, struct buf *out)
{
	uint64_t address, offset;
	Dwarf_Die target;
	if (!integer(w, value, type, &address)) {
		buf_str(out, "<not in memory>");
		return;
	}
	buf_printf(out, "0x%" PRIx64, address);
	bool has_target = value_type_of(type, &target);
	if (has_target && is_char(&target) && address) {
		char text[VALUE_STRING_MAX + 1];
		/* Byte by byte up to the page's end is too slow for nobody: strings are short. */
		size_t got = w->read(w->data, address, text, VALUE_STRING_MAX), size = strnlen(text, got);
		if (got) {
			buf_char(out, ' ');
			print_string(text, size, size == got, out);
		}
		return;
	}
	const char *name = w->symbols && address ? symbols_name(w->symbols, address, &offset) : NULL;
	if (name) {
		buf_str(out, " <");
		text_put_safe(out, name, strlen(name));
		if (offset)
			buf_printf(out, "+%" PRIu64, offset);
		buf_char(out, '>');
	}
}

static void print_members(const struct value_world *w, const struct value *value, Dwarf_Die *type, int depth, struct buf *out)
{
	Dwarf_Die child, child_type;
	size_t shown = 0;
	buf_char(out, '{');
	for (int bad = dwarf_child(type, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		const char *name = dwarf_diename(&child);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !value_type_of(&child, &child_type))
			continue;
		Dwarf_Attribute attr;
		if (dwarf_hasattr(&child, DW_AT_external) || dwarf_attr(&child, DW_AT_declaration, &attr))
			continue; /* static members of C++ live elsewhere */
		if (shown++)
			buf_str(out, ", ");
		if (shown > VALUE_ITEMS_MAX || is_full(w, out)) {
			buf_str(out, "...");
			break;
		}
		if (tag == DW_TAG_inheritance)
			buf_printf(out, "<%s> = ", dwarf_diename(&child_type) ? dwarf_diename(&child_type) : "base");
		else if (name) {
			text_put_safe(out, name, strlen(name));
			buf_str(out, " = ");
		}
		struct value part = value_of_member(value, &child, &child_type);
		print_any(w, &part, depth + 1, out);
	}
	buf_char(out, '}');
}

static void print_char_array(const struct value_world *w, const struct value *value, uint64_t count, struct buf *out)
{
	char text[VALUE_STRING_MAX];
	size_t size = count < sizeof text ? (size_t)count : sizeof text;
	if (!fetch(w, value, text, size)) {
		buf_str(out, "<not in memory>");
		return;
	}
	bool cut = size < count && !memchr(text, 0, size);
	while (size && !text[size - 1])
		size--; /* the NULs at its end are not shown, others are */
	print_string(text, size, cut, out);
}

/* One dimension of an array; the elements of the last one are values. */
static void print_dimension(
	const struct value_world *w, const struct value *value, Dwarf_Die *type, size_t dimension, int depth, struct buf *out)
{
	Dwarf_Die element;
	uint64_t count = dimension_of(type, dimension), inner = row_of(type, dimension + 1);
	if (!value_type_of(type, &element))
		return;
	bool last = !dimension_of(type, dimension + 1) || dimension + 1 >= VALUE_DIMENSIONS_MAX;
	if (last && is_char(&element)) {
		print_char_array(w, value, count, out);
		return;
	}
	struct value first = part_of(value, 0, &element);
	uint64_t size = value_size(&first) * inner;
	buf_char(out, '{');
	for (uint64_t i = 0; i < count; i++) {
		buf_str(out, i ? ", " : "");
		if (i == VALUE_ITEMS_MAX || is_full(w, out)) {
			buf_printf(out, "... %" PRIu64 " more", count - i);
			break;
		}
		struct value part = part_of(value, i * size, &element);
		if (last)
			print_any(w, &part, depth + 1, out);
		else
			print_dimension(w, &part, type, dimension + 1, depth + 1, out);
	}
	buf_char(out, '}');
}

static void print_any(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	Dwarf_Die type, target;
	if (value->place == VALUE_GONE) {
		buf_str(out, "<optimized out>");
		return;
	}
	if (!value->has_type || !value_peel(&value->type, &type)) {
		buf_str(out, "<no type>");
		return;
	}
	int tag = dwarf_tag(&type);
	if (depth > VALUE_DEPTH_MAX)
		buf_str(out, "...");
	else if (tag == DW_TAG_base_type)
		print_base(w, value, &type, out);
	else if (tag == DW_TAG_enumeration_type)
		print_enum(w, value, &type, out);
	else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
		print_pointer(w, value, &type, out);
	else if (is_composite(tag))
		print_members(w, value, &type, depth, out);
	else if (tag == DW_TAG_array_type)
		print_dimension(w, value, &type, value->dimension, depth, out);
	else if (tag == DW_TAG_subroutine_type && w->symbols)
		symbols_print_address(w->symbols, value->address, false, out);
	else if (tag == DW_TAG_atomic_type && value_type_of(&type, &target)) {
		struct value inner = *value;
		inner.type = target;
		print_any(w, &inner, depth + 1, out);
	} else
		buf_printf(out, "<a type that is not understood: tag 0x%x>", (unsigned)tag);
}

void value_print(const struct value_world *w, const struct value *value, struct buf *out)
{
	print_any(w, value, 0, out);
}

void value_print_type(const struct value *value, struct buf *out)
{
	static const struct {
		int tag;
		const char *before, *after;
	} words[] = {{DW_TAG_pointer_type, "", " *"}, {DW_TAG_const_type, "const ", ""}, {DW_TAG_volatile_type, "volatile ", ""},
		{DW_TAG_array_type, "", " []"}, {DW_TAG_reference_type, "", " &"}, {DW_TAG_structure_type, "struct ", ""},
		{DW_TAG_union_type, "union ", ""}, {DW_TAG_enumeration_type, "enum ", ""}, {DW_TAG_subroutine_type, "", " ()"},
		{DW_TAG_restrict_type, "", " restrict"}};
	const char *after[VALUE_DEPTH_MAX * 2] = {0};
	size_t count = 0;
	Dwarf_Die type = value->type;
	bool has_type = value->has_type;
	while (has_type && count < sizeof after / sizeof *after) {
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (words[i].tag == dwarf_tag(&type)) {
				buf_str(out, words[i].before);
				after[count++] = words[i].after;
			}
		const char *name = dwarf_diename(&type);
		if (name) {
			text_put_safe(out, name, strlen(name));
			break;
		}
		has_type = value_type_of(&type, &type);
	}
	if (!has_type)
		buf_str(out, "void");
	while (count)
		buf_str(out, after[--count]);
}
