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

/* How many elements one step in the dimension before this one passes. */
uint64_t value_row(Dwarf_Die *array, size_t dimension)
{
	uint64_t count = 1;
	for (size_t i = dimension; i < VALUE_DIMENSIONS_MAX && value_dimension(array, i); i++)
		count *= value_dimension(array, i);
	return count;
}

uint64_t value_size(const struct value *value)
{
	Dwarf_Word size;
	Dwarf_Die type = value->type, array, element;
	if (value->repeat) {
		struct value one = *value;
		one.repeat = 0;
		size = value_size(&one);
		return size && value->repeat > UINT64_MAX / size ? 0 : value->repeat * size;
	}
	if (value->pointers)
		return 8;
	if (!value->has_type)
		return value->builtin ? value->builtin->size : 0;
	if (value->dimension && value_peel(&value->type, &array) && value_type_of(&array, &element))
		return !dwarf_aggregate_size(&element, &size) ? size * value_row(&array, value->dimension) : 0;
	/* elfutils does not say; by the ABI of C++ a function's has two words. */
	if (value_peel(&value->type, &array) && dwarf_tag(&array) == DW_TAG_ptr_to_member_type)
		return value_type_of(&array, &element) && value_peel(&element, &element) &&
				dwarf_tag(&element) == DW_TAG_subroutine_type
			? 16
			: 8;
	return !dwarf_aggregate_size(&type, &size) ? size : 0;
}

/* The first size bytes of a value. False when they are gone or not in memory. */
bool value_fetch(const struct value_world *w, const struct value *value, void *out, size_t size)
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

/* Up to 8 bytes as a number, bit fields taken out, sign-extended when the type is signed. peeled: NULL when it has no DIE. */
static bool integer(const struct value_world *w, const struct value *value, Dwarf_Die *peeled, uint64_t *ret)
{
	uint64_t raw = 0, size = value_size(value), bits = size * 8;
	bool has_sign = peeled ? is_signed(peeled) : !value->pointers && value->builtin && value->builtin->kind == VALUE_SIGNED;
	if (peeled && dwarf_tag(peeled) == DW_TAG_pointer_type && !size)
		bits = 64;
	if (value->bit_size) {
		size = (value->bit_at + value->bit_size + 7) / 8;
		bits = value->bit_size;
	} else
		size = bits / 8;
	if (!size || size > 8 || !value_fetch(w, value, &raw, size))
		return false;
	raw >>= value->bit_size ? value->bit_at : 0;
	if (bits < 64) {
		raw &= (UINT64_C(1) << bits) - 1;
		if (has_sign && raw >> (bits - 1) & 1)
			raw |= ~UINT64_C(0) << bits;
	}
	*ret = raw;
	return true;
}

/* The type of a value that no "*" and no "@" stands behind: its tag; 0 for what has no DIE. */
static int plain_tag(const struct value *value, Dwarf_Die *ret)
{
	bool plain = value->has_type && !value->pointers && !value->repeat;
	return plain && value_peel(&value->type, ret) ? dwarf_tag(ret) : 0;
}

static uint64_t encoding_of(Dwarf_Die *type)
{
	uint64_t encoding;
	return number_attribute(type, DW_AT_encoding, &encoding) ? encoding : 0;
}

bool value_is_float(const struct value *value)
{
	Dwarf_Die type;
	if (!value->has_type)
		return !value->pointers && !value->repeat && value->builtin && value->builtin->kind == VALUE_FLOAT;
	return plain_tag(value, &type) == DW_TAG_base_type && encoding_of(&type) == DW_ATE_float;
}

bool value_is_pointer(const struct value *value)
{
	Dwarf_Die type;
	int tag = plain_tag(value, &type);
	return value->pointers || value->repeat || tag == DW_TAG_pointer_type || tag == DW_TAG_array_type;
}

bool value_is_integer(const struct value *value)
{
	Dwarf_Die type;
	if (value->pointers || value->repeat)
		return false;
	if (!value->has_type)
		return value->builtin && value->builtin->kind != VALUE_FLOAT;
	int tag = plain_tag(value, &type);
	return tag == DW_TAG_enumeration_type || (tag == DW_TAG_base_type && encoding_of(&type) != DW_ATE_float);
}

bool value_is_signed(const struct value *value)
{
	Dwarf_Die type;
	if (!value_is_integer(value))
		return false;
	if (!value->has_type)
		return value->builtin->kind == VALUE_SIGNED || value->builtin->kind == VALUE_BOOL;
	/* What is smaller than int becomes an int in every calculation. */
	return plain_tag(value, &type) && (is_signed(&type) || value_size(value) < 4);
}

bool value_number(const struct value_world *w, const struct value *value, uint64_t *ret)
{
	Dwarf_Die type;
	if (value->repeat) {
		*ret = value->address;
		return value->place == VALUE_MEMORY;
	}
	if (!value->has_type || value->pointers)
		return (value->pointers || value->builtin) && !value_is_float(value) && integer(w, value, NULL, ret);
	int tag = plain_tag(value, &type);
	if (tag == DW_TAG_array_type) {
		*ret = value->address;
		return value->place == VALUE_MEMORY;
	}
	bool is_number = (tag == DW_TAG_base_type && encoding_of(&type) != DW_ATE_float) || tag == DW_TAG_pointer_type ||
		tag == DW_TAG_enumeration_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	return is_number && integer(w, value, &type, ret);
}

bool value_float(const struct value_world *w, const struct value *value, double *ret)
{
	float f;
	long double l = 0;
	uint64_t size = value_size(value);
	if (!value_is_float(value))
		return false;
	if (size == sizeof f && value_fetch(w, value, &f, sizeof f))
		*ret = (double)f;
	else if (size == sizeof l && value_fetch(w, value, &l, 10))
		*ret = (double)l;
	else
		return size == sizeof *ret && value_fetch(w, value, ret, sizeof *ret);
	return true;
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

bool value_is_empty(const struct value *value)
{
	struct value_member_of member;
	struct value at = *value;
	for (int depth = 0; depth < VALUE_DEPTH_MAX; depth++) {
		size_t count = 0;
		while (count < 2 && value_members(&at, count, &member))
			count++;
		if (!count)
			return true;
		if (count > 1 || !member.is_base)
			return false;
		value_members(&at, 0, &member);
		at = member.value;
	}
	return false;
}

bool value_is_composite(int tag)
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
	int tag = plain_tag(value, &type);
	if (!value_is_composite(tag))
		return err_set(err, ERR_INPUT, "what is before \".%.*s\" is no struct", (int)size, name);
	if (!find_member(value, &type, name, size, 0, ret))
		return err_set(err, ERR_INPUT, "struct %s has no member %.*s",
			dwarf_diename(&type) ? dwarf_diename(&type) : "(without a name)", (int)size, name);
	return true;
}

bool value_members(const struct value *whole, size_t at, struct value_member_of *ret)
{
	Dwarf_Die type, child;
	if (!value_is_composite(plain_tag(whole, &type)))
		return false;
	for (int bad = dwarf_child(&type, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute attr;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !value_type_of(&child, &ret->type))
			continue;
		if (dwarf_hasattr(&child, DW_AT_external) || dwarf_attr(&child, DW_AT_declaration, &attr))
			continue; /* static members of C++ live elsewhere */
		if (at--)
			continue;
		ret->die = child;
		ret->name = dwarf_diename(&child);
		ret->is_base = tag == DW_TAG_inheritance;
		ret->value = value_of_member(whole, &child, &ret->type);
		return true;
	}
	return false;
}

bool value_is_reference(const struct value *value)
{
	Dwarf_Die type;
	int tag = plain_tag(value, &type);
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool value_target(const struct value_world *w, const struct value *value, struct value *ret, struct err *err)
{
	Dwarf_Die type = {0}, target;
	uint64_t address;
	int tag = plain_tag(value, &type);
	if (value->repeat || tag == DW_TAG_array_type)
		return value_element(w, value, 0, ret, err);
	bool by_type = !value->pointers && (tag == DW_TAG_pointer_type || value_is_reference(value));
	if (!value->pointers && !value->has_type)
		return err_set(err, ERR_INPUT, "only a pointer can be followed (`*(long *)ADDRESS` says what is there)");
	if (!value->pointers && !by_type)
		return err_set(err, ERR_INPUT, "only a pointer can be followed");
	bool known = by_type ? value_type_of(&type, &target) : value->pointers > 1 || value->has_type || value->builtin;
	if (!known)
		return err_set(err, ERR_INPUT, "a void pointer does not say what it points to (`*(long *)p` does)");
	if (!value_number(w, value, &address))
		return err_set(err, ERR_INPUT, "the pointer is optimized out or not in memory");
	*ret = (struct value){.type = by_type ? target : value->type,
		.has_type = by_type || value->has_type,
		.builtin = value->builtin,
		.pointers = by_type ? 0 : value->pointers - 1,
		.place = VALUE_MEMORY,
		.address = address};
	return true;
}

bool value_address(const struct value *value, struct value *ret, struct err *err)
{
	if (value->place != VALUE_MEMORY || value->bit_size)
		return err_set(err, ERR_INPUT, "it has no address");
	*ret = value_of_number(value->address, VALUE_ADDRESS);
	/* Of a row of an array, and of several, it is the address alone. */
	if (value->dimension || value->repeat || (!value->has_type && !value->builtin && !value->pointers))
		return true;
	ret->type = value->type;
	ret->has_type = value->has_type;
	ret->builtin = value->builtin;
	ret->pointers = value->pointers + 1;
	return true;
}

/* How many elements the dimension number `dimension` of an array has; 0: not known. */
uint64_t value_dimension(Dwarf_Die *array, size_t dimension)
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
	return value->repeat                                   ? value->repeat
		: plain_tag(value, &type) == DW_TAG_array_type ? value_dimension(&type, value->dimension)
							       : 0;
}

bool value_element(const struct value_world *w, const struct value *value, int64_t index, struct value *ret, struct err *err)
{
	Dwarf_Die type, element;
	struct value first;
	int tag = plain_tag(value, &type);
	if (value->repeat) {
		*ret = *value;
		ret->repeat = 0;
		uint64_t step = value_size(ret), at = (uint64_t)index * step;
		ret->address += at;
		if (ret->place == VALUE_BYTES && (index < 0 || at >= value->size))
			ret->place = VALUE_GONE;
		else if (ret->place == VALUE_BYTES)
			memmove(ret->bytes, ret->bytes + at, ret->size -= at);
		return true;
	}
	if (tag == DW_TAG_array_type && value_type_of(&type, &element)) {
		unsigned next = value->dimension + 1;
		bool is_row = next < VALUE_DIMENSIONS_MAX && value_dimension(&type, next);
		first = part_of(value, 0, &element);
		uint64_t step = value_size(&first) * value_row(&type, next);
		*ret = part_of(value, (uint64_t)index * step, is_row ? &value->type : &element);
		ret->dimension = is_row ? next : 0;
		return true;
	}
	if (!value->pointers && tag != DW_TAG_pointer_type)
		return err_set(err, ERR_INPUT, "what is before \"[\" is no array");
	if (!value_target(w, value, &first, err))
		return false;
	*ret = first;
	ret->address += (uint64_t)index * value_size(&first);
	return true;
}
