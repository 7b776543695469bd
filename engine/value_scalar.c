#include "engine/value_scalar.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value_text.h"

static uint64_t encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	return dwarf_attr_integrate(type, DW_AT_encoding, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

void value_print_symbol(const struct symbols *symbols, uint64_t address, struct buf *out)
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
		value_print_symbol(symbols, low, out);
		return;
	case VALUE_REAL:
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

/* "1.5 - 2i" */
static void print_complex(const unsigned char *bytes, uint64_t size, struct buf *out)
{
	struct buf imaginary = {0};
	print_float(bytes, size / 2, out);
	print_float(bytes + size / 2, size / 2, &imaginary);
	bool negative = imaginary.size && imaginary.data[0] == '-';
	buf_printf(out, " %c %si", negative ? '-' : '+', imaginary.size ? imaginary.data + negative : "?");
	buf_free(&imaginary);
}

/* Of a bit field the bits it has, where they are shown as bits. */
static uint64_t bits_of(const struct value *value, uint64_t number, enum value_form form)
{
	bool as_bits = form != VALUE_DECIMAL && form != VALUE_CHAR && value->bit_size && value->bit_size < 64;
	return as_bits ? number & ((UINT64_C(1) << value->bit_size) - 1) : number;
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
void value_print_base(
	const struct value_world *w, const struct value *value, Dwarf_Die *peeled, enum value_form form, struct buf *out)
{
	uint64_t number, size = value_size(value), encoding = peeled ? encoding_of(peeled) : 0;
	unsigned char bytes[32] = {0};
	bool is_bool = peeled ? encoding == DW_ATE_boolean : value->builtin->kind == VALUE_BOOL;
	bool has_sign =
		peeled ? encoding == DW_ATE_signed || encoding == DW_ATE_signed_char : value->builtin->kind == VALUE_SIGNED;
	bool whole = size <= sizeof bytes && !value->bit_size && value_fetch(w, value, bytes, size);
	bool is_float = value_is_float(value) || (form == VALUE_REAL && (size == 4 || size == 8) && whole);
	if (is_float && whole)
		print_float(bytes, size, out);
	else if (encoding == DW_ATE_complex_float && whole)
		print_complex(bytes, size, out);
	else if (size == 16 && (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned) && whole) {
		if (form == VALUE_HEX)
			print_wide_hex(bytes, out);
		else
			print_wide(bytes, encoding == DW_ATE_signed, out);
	} else if (value_is_float(value) || !value_number(w, value, &number))
		buf_str(out, whole && size > 8 ? "<a number of more than 8 bytes>" : "<not in memory>");
	else if (form != VALUE_NATURAL && form != VALUE_REAL)
		value_print_integer(bits_of(value, number, form), value->bit_size ? 8 : size, has_sign, form, w->symbols, out);
	else if (is_bool && number <= 1)
		buf_str(out, number ? "true" : "false");
	else if (value_text_width(value) == 1)
		value_print_integer(number, 1, has_sign, VALUE_CHAR, NULL, out);
	else if (value_text_width(value))
		value_print_character(number, value_text_width(value), has_sign, out);
	else if (!peeled && value->builtin->kind == VALUE_ADDRESS)
		value_print_integer(number, 8, false, VALUE_HEX, NULL, out);
	else
		value_print_integer(number, 8, has_sign, VALUE_NATURAL, NULL, out);
}

/* "RED", of flags "(RED | BLUE)", with bits that have no name "(RED | 0x40)", of something else the number. */
void value_print_enum(const struct value_world *w, const struct value *value, Dwarf_Die *type, struct buf *out)
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
	if (names.size && left)
		buf_printf(out, "(%s | 0x%" PRIx64 ")", names.data, left);
	else if (names.size)
		buf_printf(out, "(%s)", names.data);
	else
		buf_printf(out, "%" PRId64, size == 4 ? (int64_t)(int32_t)number : (int64_t)number);
	buf_free(&names);
}
