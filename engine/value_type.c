/* Types as text: their names, and their definitions. */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"
#include "engine/value.h"

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
