#include "engine/value_parts.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/text.h"

/* What is unfolded instead of the value itself. arrow: members are reached through a pointer. */
struct whole {
	struct value value;
	Dwarf_Die type; /* peeled */
	int tag;
	bool arrow;
};

static bool is_composite(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool peel(struct whole *w)
{
	w->tag = w->value.has_type && value_peel(&w->value.type, &w->type) ? dwarf_tag(&w->type) : 0;
	return w->tag != 0;
}

static bool is_readable(const struct value_world *world, const struct value *value)
{
	char byte;
	return value->place != VALUE_MEMORY || world->read(world->data, value->address, &byte, 1) == 1;
}

static bool find_whole(const struct value_world *world, const struct value *value, struct whole *w)
{
	struct err ignored;
	*w = (struct whole){.value = *value};
	if (value_is_reference(value) && !value_target(world, value, &w->value, &ignored))
		return false;
	if (w->value.place == VALUE_GONE || !peel(w))
		return false;
	struct whole target = {.arrow = true};
	if (w->tag == DW_TAG_pointer_type && value_target(world, &w->value, &target.value, &ignored) && peel(&target) &&
		is_composite(target.tag) && is_readable(world, &target.value))
		*w = target;
	return true;
}

/* The next member that is shown, itself included; members without storage of their own are left out. */
static bool is_shown(Dwarf_Die *child)
{
	int tag = dwarf_tag(child);
	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) && !dwarf_hasattr(child, DW_AT_external) &&
		!dwarf_hasattr(child, DW_AT_declaration);
}

static bool find_shown(Dwarf_Die *type, uint64_t index, Dwarf_Die *ret)
{
	for (int bad = dwarf_child(type, ret); !bad; bad = dwarf_siblingof(ret, ret))
		if (is_shown(ret) && !index--)
			return true;
	return false;
}

/* A pointer that can be followed, to something that is no text and no struct. */
static bool is_followed(const struct value_world *world, const struct whole *w)
{
	struct value target;
	struct err ignored;
	Dwarf_Die type;
	if (w->tag != DW_TAG_pointer_type || value_is_text(&w->value) || !value_target(world, &w->value, &target, &ignored))
		return false;
	return value_peel(&target.type, &type) && dwarf_tag(&type) != DW_TAG_subroutine_type && is_readable(world, &target);
}

void value_parts(const struct value_world *world, const struct value *value, struct value_parts *ret)
{
	struct whole w;
	Dwarf_Die child;
	*ret = (struct value_parts){0};
	if (!find_whole(world, value, &w))
		return;
	if (is_composite(w.tag)) {
		for (int bad = dwarf_child(&w.type, &child); !bad; bad = dwarf_siblingof(&child, &child))
			ret->count += is_shown(&child);
	} else if (w.tag == DW_TAG_array_type) {
		ret->count = value_count(&w.value);
		ret->indexed = true;
	} else
		ret->count = is_followed(world, &w);
}

static bool member(const struct whole *w, uint64_t index, struct value *ret, struct buf *name, struct buf *suffix)
{
	Dwarf_Die type = w->type, child, child_type;
	if (!find_shown(&type, index, &child) || !value_type_of(&child, &child_type))
		return false;
	const char *called = dwarf_diename(&child);
	*ret = value_of_member(&w->value, &child, &child_type);
	if (dwarf_tag(&child) == DW_TAG_inheritance) {
		called = dwarf_diename(&child_type);
		buf_char(name, '<');
		text_put_safe(name, called ? called : "base", called ? strlen(called) : 4);
		buf_char(name, '>');
	} else if (called) {
		text_put_safe(name, called, strlen(called));
		buf_str(suffix, w->arrow ? "->" : ".");
		buf_str(suffix, called);
	}
	return true;
}

bool value_part(const struct value_world *world, const struct value *value, uint64_t index, struct value *ret, struct buf *name,
	struct buf *suffix)
{
	struct whole w;
	struct err ignored;
	if (!find_whole(world, value, &w))
		return false;
	if (is_composite(w.tag))
		return member(&w, index, ret, name, suffix);
	if (w.tag == DW_TAG_array_type) {
		if (index >= value_count(&w.value) || !value_element(world, &w.value, (int64_t)index, ret, &ignored))
			return false;
		buf_printf(name, "[%" PRIu64 "]", index);
		buf_printf(suffix, "[%" PRIu64 "]", index);
		return true;
	}
	if (index || !is_followed(world, &w) || !value_target(world, &w.value, ret, &ignored))
		return false;
	buf_char(name, '*');
	buf_char(suffix, '*');
	return true;
}
