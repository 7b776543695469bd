#include "engine/view.h"

#include <inttypes.h>
#include <string.h>

#include "engine/text.h"

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

static bool vector(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	struct value start, first;
	struct err ignored;
	uint64_t from, to;
	if (!member(w, value, "_M_impl._M_start", &start) || !number(w, value, "_M_impl._M_start", &from) ||
		!number(w, value, "_M_impl._M_finish", &to) || !value_target(w, &start, &first, &ignored))
		return false;
	uint64_t size = value_size(&first);
	/* One that was not constructed yet is shown as it is. */
	if (!size || to < from || (to - from) % size)
		return false;
	print_count("vector", (to - from) / size, out);
	buf_char(out, ' ');
	view_print_items(w, &first, (to - from) / size, VALUE_NATURAL, depth, out);
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

static bool pointer(const struct value_world *w, const struct value *value, int depth, struct buf *out)
{
	struct value p;
	(void)depth;
	if (!member(w, value, "_M_ptr", &p) && !member(w, value, "_M_t._M_t._M_head_impl", &p))
		return false;
	value_print(w, &p, out);
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
