#include "engine/view.h"

#include <inttypes.h>
#include <string.h>

#include "engine/text.h"

#define TUPLE_DEPTH_MAX 4

/* The member behind a path such as "_M_impl._M_start", bases looked through. */
static bool member(const struct value_world *w, const struct value *whole, const char *path, struct value *ret)
{
	struct err ignored;
	struct value at = *whole;
	while (*path) {
		size_t size = strcspn(path, ".");
		if (!value_member(w, &at, path, size, ret, &ignored))
			return false;
		at = *ret;
		path += size + (path[size] == '.');
	}
	return true;
}

static bool number(const struct value_world *w, const struct value *whole, const char *path, uint64_t *ret)
{
	struct value value;
	return member(w, whole, path, &value) && value_number(w, &value, ret);
}

static bool string(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	uint64_t at, size;
	(void)depth;
	if (!number(w, value, "_M_dataplus._M_p", &at) || !number(w, value, "_M_string_length", &size))
		return false;
	view_print_text(w, at, size, out);
	return true;
}

static bool string_view(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	uint64_t at, size;
	(void)depth;
	if (!number(w, value, "_M_str", &at) || !number(w, value, "_M_len", &size))
		return false;
	view_print_text(w, at, size, out);
	return true;
}

/* The name as it was written, without what the library's templates have by default. */
static void print_count(const char *kind, uint64_t count, struct buf *out)
{
	buf_printf(out, "std::%s of %" PRIu64, kind, count);
}

/* The elements of a std::vector. */
static bool elements(const struct value_world *w, const struct value *value, struct value *ret_first, uint64_t *ret_count)
{
	struct value start;
	struct err ignored;
	uint64_t from, to;
	if (!member(w, value, "_M_impl._M_start", &start) || !number(w, value, "_M_impl._M_start", &from) ||
		!number(w, value, "_M_impl._M_finish", &to) || !value_target(w, &start, ret_first, &ignored))
		return false;
	uint64_t size = value_size(ret_first);
	/* One that was not constructed yet is shown as it is. */
	if (!size || to < from || (to - from) % size)
		return false;
	*ret_count = (to - from) / size;
	return true;
}

static bool vector(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	struct value first;
	uint64_t count;
	if (!elements(w, value, &first, &count))
		return false;
	print_count("vector", count, out);
	buf_char(out, ' ');
	view_print_items(w, &first, count, VALUE_NATURAL, depth, out);
	return true;
}

static bool tree(const struct value_world *w, const struct value *value, const char *kind, struct buf *out)
{
	uint64_t count;
	if (!number(w, value, "_M_t._M_impl._M_node_count", &count))
		return false;
	print_count(kind, count, out);
	return true;
}

static bool table(const struct value_world *w, const struct value *value, const char *kind, struct buf *out)
{
	uint64_t count;
	if (!number(w, value, "_M_h._M_element_count", &count))
		return false;
	print_count(kind, count, out);
	return true;
}

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
			found = each.is_base && (!strncmp(name, "_Head_base<0", 12) || !strncmp(name, "_Tuple_impl<0", 13));
		}
		if (!found)
			return false;
		at = each.value;
	}
	return false;
}

static bool pointer_of(const struct value_world *w, const struct value *value, struct value *ret)
{
	struct value tuple;
	return member(w, value, "_M_ptr", ret) || (member(w, value, "_M_t._M_t", &tuple) && tuple_head(&tuple, ret));
}

static bool pointer(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	struct value p;
	(void)depth;
	if (!pointer_of(w, value, &p))
		return false;
	value_print(w, &p, out);
	return true;
}

/* Does the name of its type begin like that? */
static bool is_a(const struct value *value, const char *begin)
{
	Dwarf_Die type;
	const char *name = value->has_type && !value->pointers && value_peel(&value->type, &type) ? dwarf_diename(&type) : NULL;
	return name && !strncmp(name, begin, strlen(begin));
}

enum view_found view_element(const struct value_world *w, const struct value *value, int64_t index, struct value *ret)
{
	struct value first, pointer;
	struct err ignored;
	uint64_t count = 0;
	bool is_vector = is_a(value, "vector<") && elements(w, value, &first, &count), found;
	if (is_vector)
		found = value_address(&first, &pointer, &ignored);
	else if (is_a(value, "basic_string<") && number(w, value, "_M_string_length", &count)) {
		found = member(w, value, "_M_dataplus._M_p", &pointer);
		count++; /* its NUL */
	} else
		return VIEW_OTHER;
	found = found && index >= 0 && (uint64_t)index < count && value_element(w, &pointer, index, ret, &ignored);
	return found ? VIEW_FOUND : VIEW_OUTSIDE;
}

bool view_pointer(const struct value_world *w, const struct value *value, struct value *ret)
{
	struct value pointer;
	if ((!is_a(value, "unique_ptr<") && !is_a(value, "shared_ptr<")) || !pointer_of(w, value, &pointer))
		return false;
	*ret = pointer;
	return true;
}

bool view_print(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	static const struct {
		const char *name;
		bool (*print)(const struct value_world *w, const struct value *value, int depth, struct buf *out);
		bool (*count)(const struct value_world *w, const struct value *value, const char *kind, struct buf *out);
	} views[] = {{"basic_string<char", string, NULL}, {"basic_string_view<char", string_view, NULL},
		{"vector<", vector, NULL}, {"map<", NULL, tree}, {"set<", NULL, tree}, {"multimap<", NULL, tree},
		{"multiset<", NULL, tree}, {"unordered_map<", NULL, table}, {"unordered_set<", NULL, table},
		{"unique_ptr<", pointer, NULL}, {"shared_ptr<", pointer, NULL}};
	Dwarf_Die type;
	const char *name = value_peel(&value->type, &type) ? dwarf_diename(&type) : NULL;
	for (size_t i = 0; name && i < sizeof views / sizeof *views; i++) {
		size_t size = strlen(views[i].name);
		if (strncmp(name, views[i].name, size))
			continue;
		if (views[i].print)
			return views[i].print(w, value, depth, out);
		char kind[32] = {0};
		memcpy(kind, views[i].name, size - 1);
		return views[i].count(w, value, kind, out);
	}
	return false;
}
