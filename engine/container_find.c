/* One item of a container: by its number, or by its key; what smart pointers point with; and texts, which keys often are. */
#include <dwarf.h>
#include <string.h>

#include "engine/container.h"

enum { TEXT_MAX = 4096 /* bytes of a text that are compared */, TUPLE_DEPTH_MAX = 4 };

enum container_found container_item(const struct value_world *w, const struct value *value, uint64_t index, struct value *ret)
{
	struct container c;
	if (!container_open(w, value, &c))
		return CONTAINER_OTHER;
	if (c.direct)
		c.at = index;
	for (uint64_t steps = 0; steps < CONTAINER_STEPS_MAX && container_next(w, &c, ret); steps++)
		if (c.at > index)
			return CONTAINER_FOUND;
	return CONTAINER_OUTSIDE;
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return name && !strncmp(name, with, strlen(with));
}

static bool text_of(
	const struct value_world *w, const struct value *value, const char *at, const char *length, struct container_text *ret)
{
	struct value pointer, first;
	struct err ignored;
	if (!container_member(w, value, at, &pointer) || !value_number(w, &pointer, &ret->address) ||
		!container_number(w, value, length, &ret->size) || !value_target(w, &pointer, &first, &ignored))
		return false;
	ret->width = (unsigned)value_size(&first);
	return ret->width == 1 || ret->width == 2 || ret->width == 4;
}

bool container_text(const struct value_world *w, const struct value *value, struct container_text *ret)
{
	const char *name = container_type_name(value);
	struct value inner;
	if (begins(name, "basic_string<"))
		return text_of(w, value, "_M_dataplus._M_p", "_M_string_length", ret);
	if (begins(name, "basic_string_view<"))
		return text_of(w, value, "_M_str", "_M_len", ret);
	return name && !strcmp(name, "path") && container_member(w, value, "_M_pathname", &inner) &&
		text_of(w, &inner, "_M_dataplus._M_p", "_M_string_length", ret);
}

/* The bytes of a text of one-byte characters. */
static bool read_text(const struct value_world *w, const struct value *value, char text[TEXT_MAX], size_t *ret_size)
{
	struct container_text t;
	uint64_t address;
	if (container_text(w, value, &t)) {
		*ret_size = (size_t)t.size;
		return t.width == 1 && t.size <= TEXT_MAX && w->read(w->data, t.address, text, *ret_size) == *ret_size;
	}
	if (!value_is_text(value))
		return false;
	if (value->place == VALUE_BYTES && value->repeat) {
		*ret_size = strnlen((const char *)value->bytes, value->size);
		memcpy(text, value->bytes, *ret_size);
		return true;
	}
	if (!value_number(w, value, &address))
		return false;
	uint64_t most = value_count(value);
	most = most && most < TEXT_MAX ? most : TEXT_MAX;
	size_t got = w->read(w->data, address, text, (size_t)most);
	*ret_size = strnlen(text, got);
	return got > 0;
}

bool container_same_text(const struct value_world *w, const struct value *a, const struct value *b, bool *ret_equal)
{
	char first[TEXT_MAX], second[TEXT_MAX];
	size_t size, other;
	if (!read_text(w, a, first, &size) || !read_text(w, b, second, &other))
		return false;
	*ret_equal = size == other && !memcmp(first, second, size);
	return true;
}

/* ---- by key ------------------------------------------------------------------------------------------------------- */

static bool is_key(const struct value_world *w, const struct value *value, const struct value *key)
{
	uint64_t a, b;
	bool equal = false;
	if (container_same_text(w, value, key, &equal))
		return equal;
	return value_number(w, value, &a) && value_number(w, key, &b) && a == b;
}

static bool find_key(const struct value_world *w, struct container *c, const struct value *key, struct value *ret)
{
	struct value item, first;
	while (c->at < CONTAINER_STEPS_MAX && container_next(w, c, &item))
		if (container_member(w, &item, "first", &first) && is_key(w, &first, key))
			return container_member(w, &item, "second", ret);
	return false;
}

/* A character of a string; its NUL is one of them. */
static enum container_found character(const struct value_world *w, const struct container_text *text, const struct value *value,
	uint64_t index, struct value *ret)
{
	struct value pointer;
	struct err ignored;
	if (index > text->size)
		return CONTAINER_OUTSIDE;
	bool found = container_member(w, value, "_M_dataplus._M_p", &pointer) || container_member(w, value, "_M_str", &pointer);
	return found && value_element(w, &pointer, (int64_t)index, ret, &ignored) ? CONTAINER_FOUND : CONTAINER_OUTSIDE;
}

enum container_found container_element(
	const struct value_world *w, const struct value *value, const struct value *key, struct value *ret)
{
	struct container c;
	struct container_text text;
	uint64_t index = UINT64_MAX;
	bool is_text = container_text(w, value, &text), is_number = value_number(w, key, &index);
	if (is_text)
		return is_number ? character(w, &text, value, index, ret) : CONTAINER_OUTSIDE;
	if (!container_open(w, value, &c))
		return CONTAINER_OTHER;
	if (c.keyed)
		return find_key(w, &c, key, ret) ? CONTAINER_FOUND : CONTAINER_OUTSIDE;
	if (!is_number || !c.positional || index < c.first)
		return CONTAINER_OUTSIDE;
	return container_item(w, value, index - c.first, ret);
}

/* ---- pointers ------------------------------------------------------------------------------------------------------ */

/* The first member of a std::tuple: bases that hold nothing may have members of that name too. */
static bool tuple_head(const struct value *tuple, struct value *ret)
{
	struct value at = *tuple;
	struct value_member_of each;
	for (int depth = 0; depth < TUPLE_DEPTH_MAX; depth++) {
		bool found = false;
		for (size_t i = 0; !found && value_members(&at, i, &each); i++) {
			const char *name = each.is_base ? dwarf_diename(&each.type) : each.name;
			if (!name)
				continue;
			if (!each.is_base && !strcmp(name, "_M_head_impl")) {
				*ret = each.value;
				return true;
			}
			found = each.is_base && (begins(name, "_Head_base<0") || begins(name, "_Tuple_impl<0"));
		}
		if (!found)
			return false;
		at = each.value;
	}
	return false;
}

bool container_pointer(const struct value_world *w, const struct value *value, struct value *ret)
{
	const char *name = container_type_name(value);
	struct value inner;
	struct err ignored;
	struct container c;
	if (begins(name, "optional<"))
		return container_open(w, value, &c) && container_next(w, &c, &inner) && value_address(&inner, ret, &ignored);
	if (begins(name, "unique_ptr<"))
		return container_member(w, value, "_M_t._M_t", &inner) && tuple_head(&inner, ret);
	return (begins(name, "shared_ptr<") || begins(name, "weak_ptr<")) && container_member(w, value, "_M_ptr", ret);
}
