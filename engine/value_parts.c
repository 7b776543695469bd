#include "engine/value_parts.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "engine/container.h"
#include "engine/text.h"

enum { KEY_MAX = 100 /* bytes of a text in an expression */ };

/* What is unfolded instead of the value itself. arrow: members are reached through a pointer. */
struct whole {
	struct value value;
	Dwarf_Die type; /* peeled */
	int tag;
	bool arrow;
	struct container items; /* kind is NULL: it is none */
};

static bool peel(struct whole *w)
{
	w->tag = w->value.has_type && value_peel(&w->value.type, &w->type) ? dwarf_tag(&w->type) : 0;
	return w->tag != 0;
}

static bool find_whole(const struct value_world *world, const struct value *value, struct whole *w)
{
	struct err ignored;
	*w = (struct whole){.value = *value};
	if (value_is_reference(value) && !value_target(world, value, &w->value, &ignored))
		return false;
	struct value pointer;
	struct container_text text;
	/* A std::unique_ptr is unfolded as what it points to; a text is no more than what is shown of it. */
	if (container_text(world, &w->value, &text))
		return false;
	if (!container_open(world, &w->value, &w->items) && container_pointer(world, &w->value, &pointer))
		w->value = pointer;
	if (w->value.place == VALUE_GONE || (!w->items.kind && !peel(w)))
		return false;
	if (w->items.kind)
		return true;
	struct whole target = {.arrow = true};
	if (w->tag == DW_TAG_pointer_type && value_target(world, &w->value, &target.value, &ignored) && peel(&target) &&
		value_is_composite(target.tag) && value_is_there(world, &target.value))
		*w = target;
	return true;
}

/* Member number `index` of those that have something in them. */
static bool find_member(const struct value *whole, uint64_t index, struct value_member_of *ret)
{
	for (size_t i = 0; value_members(whole, i, ret); i++)
		if (!(ret->is_base && value_is_empty(&ret->value)) && !index--)
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
	return value_peel(&target.type, &type) && dwarf_tag(&type) != DW_TAG_subroutine_type && value_is_there(world, &target);
}

static uint64_t count_items(const struct value_world *world, struct container items)
{
	struct value ignored;
	while (items.at < VALUE_ITEMS_MAX && container_next(world, &items, &ignored))
		;
	return items.at;
}

void value_parts(const struct value_world *world, const struct value *value, struct value_parts *ret)
{
	struct whole w;
	struct value_member_of member;
	*ret = (struct value_parts){0};
	if (!find_whole(world, value, &w))
		return;
	if (w.items.kind) {
		ret->count = w.items.counted ? w.items.count : count_items(world, w.items);
		ret->indexed = w.items.direct;
	} else if (value_is_composite(w.tag)) {
		while (find_member(&w.value, ret->count, &member))
			ret->count++;
	} else if (w.tag == DW_TAG_array_type) {
		ret->count = value_count(&w.value);
		ret->indexed = true;
	} else
		ret->count = is_followed(world, &w);
}

static bool member(const struct whole *w, uint64_t index, struct value *ret, struct buf *name, struct buf *suffix)
{
	struct value_member_of found;
	if (!find_member(&w->value, index, &found))
		return false;
	*ret = found.value;
	if (found.is_base) {
		const char *called = dwarf_diename(&found.type);
		buf_char(name, '<');
		text_put_safe(name, called ? called : "base", called ? strlen(called) : 4);
		buf_char(name, '>');
	} else if (found.name) {
		text_put_safe(name, found.name, strlen(found.name));
		buf_str(suffix, w->arrow ? "->" : ".");
		buf_str(suffix, found.name);
	}
	return true;
}

/* What an expression finds the value by, where that is sure: a number, or a text that can be typed. */
static bool put_key(const struct value_world *world, const struct value *key, struct buf *suffix)
{
	struct container_text text;
	char bytes[KEY_MAX];
	uint64_t number;
	if (value_is_integer(key) && value_number(world, key, &number)) {
		buf_printf(suffix, value_is_signed(key) ? "%" PRId64 : "%" PRIu64, number);
		return true;
	}
	if (!container_text(world, key, &text) || text.width != 1 || text.size > sizeof bytes ||
		world->read(world->data, text.address, bytes, text.size) != text.size)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (bytes[i] < ' ' || bytes[i] > '~' || bytes[i] == '"' || bytes[i] == '\\')
			return false;
	buf_char(suffix, '"');
	buf_add(suffix, bytes, text.size);
	buf_char(suffix, '"');
	return true;
}

/* An item of a container. Two of a multimap may have one key. */
static bool item(const struct value_world *world, const struct value *value, const struct container *c, uint64_t index,
	struct value *ret, struct buf *name, struct buf *suffix)
{
	struct value whole, key;
	struct buf path = {0};
	if (container_item(world, value, index, &whole) != CONTAINER_FOUND)
		return false;
	*ret = whole;
	if (!strcmp(c->name, "optional")) {
		buf_char(name, '*');
		buf_char(suffix, '*');
		return true;
	}
	buf_char(name, '[');
	if (c->keyed && container_member(world, &whole, "first", &key) && container_member(world, &whole, "second", ret)) {
		value_print(world, &key, name);
		bool is_sure = !strstr(c->name, "multi") && put_key(world, &key, &path);
		if (is_sure)
			buf_printf(suffix, "[%s]", path.data);
		else
			buf_printf(suffix, "[#%" PRIu64 "].second", index);
	} else {
		buf_printf(name, "%" PRIu64, index + c->first);
		buf_printf(suffix, "[%s%" PRIu64 "]", c->positional ? "" : "#", index + c->first);
	}
	buf_char(name, ']');
	buf_free(&path);
	return true;
}

bool value_part(const struct value_world *world, const struct value *value, uint64_t index, struct value *ret, struct buf *name,
	struct buf *suffix)
{
	struct whole w;
	struct err ignored;
	if (!find_whole(world, value, &w))
		return false;
	if (w.items.kind)
		return item(world, &w.value, &w.items, index, ret, name, suffix);
	if (value_is_composite(w.tag))
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
