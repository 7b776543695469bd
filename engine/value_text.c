#include "engine/value_text.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"

enum { NAMES_MAX = 16 /* typedefs of each other */, WIDTH_MAX = 4, UTF8_MAX = 4 };

/* C has typedefs where C++ has types of their own. */
static bool is_wide_name(const char *name)
{
	return name && (!strcmp(name, "wchar_t") || !strcmp(name, "char16_t") || !strcmp(name, "char32_t"));
}

unsigned value_text_width(const struct value *value)
{
	Dwarf_Die type;
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	if (value->pointers || value->repeat || value->bit_size)
		return 0;
	uint64_t size = value_size(value);
	if (!value->has_type)
		return size == 1 && value->builtin && strstr(value->builtin->name, "char") ? 1 : 0;
	if (!value_peel(&value->type, &type) || dwarf_tag(&type) != DW_TAG_base_type ||
		!dwarf_attr_integrate(&type, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding))
		return 0;
	if (size == 1)
		return encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF;
	if (size != 2 && size != 4)
		return 0;
	bool wide = encoding == DW_ATE_UTF;
	type = value->type;
	for (int i = 0; !wide && i < NAMES_MAX; i++) {
		wide = is_wide_name(dwarf_diename(&type));
		if (dwarf_tag(&type) == DW_TAG_base_type || !value_type_of(&type, &type))
			break;
	}
	return wide ? (unsigned)size : 0;
}

bool value_is_text(const struct value *value)
{
	Dwarf_Die type, target;
	struct value inner = *value;
	if (value->repeat || value->pointers) {
		inner.repeat = 0;
		inner.pointers -= !value->repeat;
		return value_text_width(&inner) == 1;
	}
	if (!value->has_type || !value_peel(&value->type, &type) || !value_type_of(&type, &target))
		return false;
	inner = (struct value){.type = target, .has_type = true};
	int tag = dwarf_tag(&type);
	return (tag == DW_TAG_pointer_type || (tag == DW_TAG_array_type && !value_dimension(&type, value->dimension + 1))) &&
		value_text_width(&inner) == 1;
}

/* ---- wide characters -------------------------------------------------------------------------------------------- */

static void put_utf8(uint32_t c, struct buf *out)
{
	char bytes[UTF8_MAX];
	size_t size = 0;
	if (c < 0x80)
		bytes[size++] = (char)c;
	else if (c < 0x800)
		bytes[size++] = (char)(0xc0 | c >> 6);
	else if (c < 0x10000) {
		bytes[size++] = (char)(0xe0 | c >> 12);
		bytes[size++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		bytes[size++] = (char)(0xf0 | c >> 18);
		bytes[size++] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[size++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		bytes[size++] = (char)(0x80 | (c & 0x3f));
	text_put_safe(out, bytes, size);
}

/* No character of Unicode: as its number. */
static void put_character(uint32_t c, struct buf *out)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		buf_printf(out, "\\x{%" PRIx32 "}", c);
	else
		put_utf8(c, out);
}

void value_print_character(uint64_t number, unsigned width, bool has_sign, struct buf *out)
{
	uint32_t c = (uint32_t)(width == 2 ? number & 0xffff : number);
	buf_printf(out, has_sign ? "%" PRId64 " '" : "%" PRIu64 " '", number);
	put_character(c, out);
	buf_char(out, '\'');
}

static uint32_t character_at(const unsigned char *bytes, size_t at, unsigned width)
{
	uint32_t c = 0;
	memcpy(&c, bytes + at * width, width);
	return c;
}

static void put_text(const unsigned char *bytes, size_t count, unsigned width, bool cut, struct buf *out)
{
	buf_char(out, '"');
	if (width == 1)
		text_put_safe(out, (const char *)bytes, count);
	for (size_t i = 0; width > 1 && i < count; i++) {
		uint32_t c = character_at(bytes, i, width);
		uint32_t low = width == 2 && c >= 0xd800 && c < 0xdc00 && i + 1 < count ? character_at(bytes, i + 1, width) : 0;
		if (low >= 0xdc00 && low < 0xe000) { /* two of them make one */
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			i++;
		}
		put_character(c, out);
	}
	buf_str(out, cut ? "\"..." : "\"");
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

void value_print_text(const struct value_world *w, uint64_t address, uint64_t count, unsigned width, struct buf *out)
{
	unsigned char text[VALUE_STRING_MAX * WIDTH_MAX];
	size_t shown = count < VALUE_STRING_MAX ? (size_t)count : VALUE_STRING_MAX;
	if (w->read(w->data, address, text, shown * width) != shown * width)
		buf_str(out, "<not in memory>");
	else
		put_text(text, shown, width, count > shown, out);
}

static size_t length_of(const unsigned char *text, size_t count, unsigned width)
{
	size_t length = 0;
	while (length < count && character_at(text, length, width))
		length++;
	return length;
}

void value_print_text_at(const struct value_world *w, uint64_t address, unsigned width, struct buf *out)
{
	unsigned char text[VALUE_STRING_MAX * WIDTH_MAX];
	size_t got = w->read(w->data, address, text, (size_t)VALUE_STRING_MAX * width) / width,
	       size = length_of(text, got, width);
	if (!got)
		return;
	buf_char(out, ' ');
	put_text(text, size, width, size == got, out);
}

void value_print_text_array(
	const struct value_world *w, const struct value *value, uint64_t count, unsigned width, struct buf *out)
{
	unsigned char text[VALUE_STRING_MAX * WIDTH_MAX];
	size_t size = count < VALUE_STRING_MAX ? (size_t)count : VALUE_STRING_MAX;
	if (!value_fetch(w, value, text, size * width)) {
		buf_str(out, "<not in memory>");
		return;
	}
	bool cut = size < count && length_of(text, size, width) == size;
	while (size && !character_at(text, size - 1, width))
		size--; /* the NULs at its end are not shown, others are */
	put_text(text, size, width, cut, out);
}
