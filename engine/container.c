#include "engine/container.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { NODE_TREE = 32 /* bytes before the item of a tree's node */, NODE_LIST = 16, ALIGN_DEPTH = 8 };

struct container_kind {
	const char *type; /* how the name of the type begins */
	const char *name;
	bool (*open)(const struct value_world *w, const struct value *value, struct container *c);
	bool (*next)(const struct value_world *w, struct container *c, struct value *ret);
	bool keyed, positional, direct;
};

bool container_member(const struct value_world *w, const struct value *whole, const char *path, struct value *ret)
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

bool container_number(const struct value_world *w, const struct value *whole, const char *path, uint64_t *ret)
{
	struct value value;
	return container_member(w, whole, path, &value) && value_number(w, &value, ret);
}

const char *container_type_name(const struct value *value)
{
	Dwarf_Die type;
	return value->has_type && !value->pointers && !value->repeat && value_peel(&value->type, &type) ? dwarf_diename(&type)
													: NULL;
}

static bool word_at(const struct value_world *w, uint64_t address, uint64_t *ret)
{
	return w->read(w->data, address, ret, sizeof *ret) == sizeof *ret;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* A type that a template was made with, by its name (NULL: any) and number among those, packs counted through. */
static bool argument_in(Dwarf_Die *parent, const char *name, uint64_t *number, Dwarf_Die *ret)
{
	Dwarf_Die child;
	for (int bad = dwarf_child(parent, &child); !bad; bad = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		const char *called = dwarf_diename(&child);
		if (tag == DW_TAG_GNU_template_parameter_pack && argument_in(&child, name, number, ret))
			return true;
		if (tag == DW_TAG_template_type_parameter && (!name || (called && !strcmp(called, name))) && !(*number)--)
			return value_type_of(&child, ret);
	}
	return false;
}

static bool argument(const struct value *value, const char *name, uint64_t number, struct value *ret)
{
	Dwarf_Die type;
	*ret = (struct value){.has_type = true, .place = VALUE_MEMORY};
	return value->has_type && value_peel(&value->type, &type) && argument_in(&type, name, &number, &ret->type);
}

static uint64_t align_of(const struct value *value, int depth)
{
	Dwarf_Die type, element;
	struct value_member_of member;
	uint64_t align = 1;
	if (depth > ALIGN_DEPTH || !value->has_type || !value_peel(&value->type, &type))
		return 8;
	if (dwarf_tag(&type) == DW_TAG_array_type && value_type_of(&type, &element))
		return align_of(&(struct value){.type = element, .has_type = true}, depth + 1);
	if (!value_is_composite(dwarf_tag(&type))) {
		align = value_size(value);
		return align && align <= 16 ? align : 8;
	}
	for (size_t i = 0; value_members(value, i, &member); i++) {
		uint64_t each = align_of(&member.value, depth + 1);
		align = each > align ? each : align;
	}
	return align;
}

/* ---- in a row ----------------------------------------------------------------------------------------------------- */

static bool open_vector(const struct value_world *w, const struct value *value, struct container *c)
{
	struct value start;
	struct err ignored;
	uint64_t from, to;
	if (!container_member(w, value, "_M_impl._M_start", &start) || !value_number(w, &start, &from) ||
		!container_number(w, value, "_M_impl._M_finish", &to) || !value_target(w, &start, &c->item, &ignored))
		return false;
	uint64_t size = value_size(&c->item);
	/* One that was not constructed yet is shown as it is. */
	if (!size || to < from || (to - from) % size)
		return false;
	c->count = (to - from) / size;
	return true;
}

static bool next_in_row(const struct value_world *w, struct container *c, struct value *ret)
{
	(void)w;
	*ret = c->item;
	ret->address += c->at * value_size(&c->item);
	return true;
}

static bool open_array(const struct value_world *w, const struct value *value, struct container *c)
{
	return container_member(w, value, "_M_elems", &c->item) && (c->count = value_count(&c->item)) > 0;
}

static bool next_array(const struct value_world *w, struct container *c, struct value *ret)
{
	struct err ignored;
	return value_element(w, &c->item, (int64_t)c->at, ret, &ignored);
}

static bool open_bits(const struct value_world *w, const struct value *value, struct container *c)
{
	uint64_t offset, end, end_offset;
	if (!container_number(w, value, "_M_impl._M_start._M_p", &c->start) ||
		!container_number(w, value, "_M_impl._M_start._M_offset", &offset) ||
		!container_number(w, value, "_M_impl._M_finish._M_p", &end) ||
		!container_number(w, value, "_M_impl._M_finish._M_offset", &end_offset))
		return false;
	c->offset = offset;
	if (end < c->start || end - c->start > UINT64_MAX / 16 || offset > 63 || end_offset > 63 ||
		(end - c->start) * 8 + end_offset < offset)
		return false;
	c->count = (end - c->start) * 8 + end_offset - offset;
	return true;
}

static bool next_bit(const struct value_world *w, struct container *c, struct value *ret)
{
	unsigned char byte;
	uint64_t bit = c->offset + c->at;
	if (w->read(w->data, c->start + bit / 8, &byte, 1) != 1)
		return false;
	*ret = value_of_number(byte >> bit % 8 & 1, VALUE_BOOL);
	return true;
}

static bool open_deque(const struct value_world *w, const struct value *value, struct container *c)
{
	struct value start, finish, cur;
	struct err ignored;
	uint64_t at, first, last, node, to, to_first, to_node;
	if (!container_member(w, value, "_M_impl._M_start", &start) ||
		!container_member(w, value, "_M_impl._M_finish", &finish) || !container_member(w, &start, "_M_cur", &cur) ||
		!value_target(w, &cur, &c->item, &ignored) || !container_number(w, &start, "_M_cur", &at) ||
		!container_number(w, &start, "_M_first", &first) || !container_number(w, &start, "_M_last", &last) ||
		!container_number(w, &start, "_M_node", &node) || !container_number(w, &finish, "_M_cur", &to) ||
		!container_number(w, &finish, "_M_first", &to_first) || !container_number(w, &finish, "_M_node", &to_node))
		return false;
	uint64_t size = value_size(&c->item);
	if (!size || last <= first || (last - first) % size || at < first || at > last || to < to_first || to_node < node ||
		(to_node - node) / 8 > UINT64_MAX / (last - first) - 2)
		return false;
	c->offset = (last - first) / size; /* items of one block */
	c->start = (at - first) / size;
	c->node = node;
	uint64_t held = (to_node - node) / 8 * c->offset + (to - to_first) / size;
	c->count = held - c->start;
	return held >= c->start;
}

static bool next_in_deque(const struct value_world *w, struct container *c, struct value *ret)
{
	uint64_t at = c->start + c->at, block;
	*ret = c->item;
	if (!word_at(w, c->node + at / c->offset * 8, &block))
		return false;
	ret->address = block + at % c->offset * value_size(&c->item);
	return true;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

static bool open_list(const struct value_world *w, const struct value *value, struct container *c)
{
	struct value head;
	c->offset = NODE_LIST;
	if (!container_member(w, value, "_M_impl._M_node", &head) || head.place != VALUE_MEMORY ||
		!container_number(w, &head, "_M_next", &c->node) || !argument(value, "_Tp", 0, &c->item))
		return false;
	c->counted = container_number(w, &head, "_M_size", &c->count);
	c->end = head.address;
	return true;
}

static bool open_forward_list(const struct value_world *w, const struct value *value, struct container *c)
{
	c->counted = false;
	if (!container_number(w, value, "_M_impl._M_head._M_next", &c->node) || !argument(value, "_Tp", 0, &c->item))
		return false;
	c->offset = align_of(&c->item, 0) > 8 ? 16 : 8;
	return true;
}

static bool open_table(const struct value_world *w, const struct value *value, struct container *c)
{
	struct value table;
	if (!container_member(w, value, "_M_h", &table) || !container_number(w, &table, "_M_element_count", &c->count) ||
		!container_number(w, &table, "_M_before_begin._M_nxt", &c->node) || !argument(&table, "_Value", 0, &c->item))
		return false;
	c->offset = align_of(&c->item, 0) > 8 ? 16 : 8;
	return true;
}

static bool next_linked(const struct value_world *w, struct container *c, struct value *ret)
{
	*ret = c->item;
	ret->address = c->node + c->offset;
	if (c->node && c->node != c->end)
		return word_at(w, c->node, &c->node);
	return false;
}

static bool open_tree(const struct value_world *w, const struct value *value, struct container *c)
{
	struct value tree, head;
	if (!container_member(w, value, "_M_t", &tree) || !container_member(w, &tree, "_M_impl._M_header", &head) ||
		head.place != VALUE_MEMORY || !container_number(w, &tree, "_M_impl._M_node_count", &c->count) ||
		!container_number(w, &head, "_M_left", &c->node) || !argument(&tree, "_Val", 0, &c->item))
		return false;
	c->end = head.address;
	return true;
}

enum { PARENT = 8, LEFT = 16, RIGHT = 24 };

/* The node that comes behind another one; the head behind the last. */
static bool successor(const struct value_world *w, uint64_t *node)
{
	uint64_t next, right, up;
	if (!word_at(w, *node + RIGHT, &right))
		return false;
	int depth = 0;
	if (right) {
		for (next = right; depth < CONTAINER_DEPTH_MAX && word_at(w, next + LEFT, &right) && right; depth++)
			next = right;
		*node = next;
		return !right;
	}
	for (next = *node; depth < CONTAINER_DEPTH_MAX; depth++) {
		if (!word_at(w, next + PARENT, &up) || !word_at(w, up + RIGHT, &right))
			return false;
		if (right != next)
			break;
		next = up;
	}
	/* The head's own right is the last node: then that is where it ends. */
	if (word_at(w, next + RIGHT, &right) && right != up)
		next = up;
	*node = next;
	return depth < CONTAINER_DEPTH_MAX;
}

static bool next_in_tree(const struct value_world *w, struct container *c, struct value *ret)
{
	*ret = c->item;
	ret->address = c->node + NODE_TREE;
	return c->node && c->node != c->end && successor(w, &c->node);
}

/* ---- others ------------------------------------------------------------------------------------------------------- */

/* A base whose name begins like that, followed by a number. */
static bool find_base(const struct value *whole, const char *begin, uint64_t number, struct value *ret)
{
	struct value_member_of each;
	char wanted[32];
	snprintf(wanted, sizeof wanted, "%s<%llu", begin, (unsigned long long)number);
	for (size_t i = 0; value_members(whole, i, &each); i++) {
		const char *name = each.is_base ? dwarf_diename(&each.type) : NULL;
		size_t size = strlen(wanted);
		if (!name || strncmp(name, wanted, size) || (name[size] != ',' && name[size] != '>'))
			continue;
		*ret = each.value;
		return true;
	}
	return false;
}

static bool next_in_tuple(const struct value_world *w, struct container *c, struct value *ret)
{
	struct value head, part;
	if (!find_base(&c->item, "_Tuple_impl", c->at, &part) || !find_base(&part, "_Head_base", c->at, &head))
		return false;
	c->item = part;
	if (!container_member(w, &head, "_M_head_impl", ret))
		*ret = head; /* an empty class is a base itself */
	return true;
}

static bool open_tuple(const struct value_world *w, const struct value *value, struct container *c)
{
	struct container counting = {.item = *value};
	struct value ignored;
	while (counting.at < CONTAINER_TUPLE_MAX && next_in_tuple(w, &counting, &ignored))
		counting.at++;
	c->item = *value;
	c->count = counting.at;
	return true;
}

static bool next_single(const struct value_world *w, struct container *c, struct value *ret)
{
	(void)w;
	*ret = c->item;
	return true;
}

static bool open_optional(const struct value_world *w, const struct value *value, struct container *c)
{
	uint64_t engaged;
	if (!container_number(w, value, "_M_payload._M_engaged", &engaged) || engaged > 1 ||
		!container_member(w, value, "_M_payload._M_payload._M_value", &c->item))
		return false;
	c->count = engaged;
	return true;
}

static bool open_variant(const struct value_world *w, const struct value *value, struct container *c)
{
	struct value index, room, type;
	if (!container_member(w, value, "_M_index", &index) || !value_number(w, &index, &c->first) ||
		!container_member(w, value, "_M_u", &room) || room.place != VALUE_MEMORY)
		return false;
	/* All ones: it lost its value when an exception came between. */
	c->count = c->first != UINT64_MAX >> (64 - 8 * value_size(&index));
	if (!c->count)
		return true;
	if (!argument(value, NULL, c->first, &type))
		return false;
	c->item = type;
	c->item.address = room.address;
	return true;
}

static const struct container_kind *kind_of(const char *name)
{
	static const struct container_kind kinds[] = {{"vector<bool", "vector", open_bits, next_bit, false, true, true},
		{"vector<", "vector", open_vector, next_in_row, false, true, true},
		{"array<", "array", open_array, next_array, false, true, true},
		{"deque<", "deque", open_deque, next_in_deque, false, true, true},
		{"list<", "list", open_list, next_linked, false, true, false},
		{"forward_list<", "forward_list", open_forward_list, next_linked, false, true, false},
		{"map<", "map", open_tree, next_in_tree, true, false, false},
		{"multimap<", "multimap", open_tree, next_in_tree, true, false, false},
		{"set<", "set", open_tree, next_in_tree, false, false, false},
		{"multiset<", "multiset", open_tree, next_in_tree, false, false, false},
		{"unordered_map<", "unordered_map", open_table, next_linked, true, false, false},
		{"unordered_multimap<", "unordered_multimap", open_table, next_linked, true, false, false},
		{"unordered_set<", "unordered_set", open_table, next_linked, false, false, false},
		{"unordered_multiset<", "unordered_multiset", open_table, next_linked, false, false, false},
		{"tuple<", "tuple", open_tuple, next_in_tuple, false, true, false},
		{"optional<", "optional", open_optional, next_single, false, false, false},
		{"variant<", "variant", open_variant, next_single, false, true, false}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(name, kinds[i].type, strlen(kinds[i].type)))
			return &kinds[i];
	return NULL;
}

bool container_open(const struct value_world *w, const struct value *value, struct container *c)
{
	static const char *const around[][2] = {{"stack<", "stack"}, {"queue<", "queue"}, {"priority_queue<", "priority_queue"}};
	const char *name = container_type_name(value), *outer = NULL;
	struct value inner = *value;
	for (size_t i = 0; name && i < sizeof around / sizeof *around; i++)
		if (!strncmp(name, around[i][0], strlen(around[i][0])) && container_member(w, value, "c", &inner)) {
			outer = around[i][1];
			name = container_type_name(&inner);
			break;
		}
	const struct container_kind *kind = name && value->place != VALUE_GONE ? kind_of(name) : NULL;
	if (!kind)
		return false;
	*c = (struct container){.kind = kind, .name = outer ? outer : kind->name, .counted = true};
	c->keyed = kind->keyed;
	c->positional = kind->positional;
	c->direct = kind->direct;
	return kind->open(w, &inner, c);
}

bool container_next(const struct value_world *w, struct container *c, struct value *ret)
{
	if (c->damaged || (c->counted && c->at >= c->count))
		return false;
	bool over = !c->counted && c->node == c->end;
	if (over || !c->kind->next(w, c, ret)) {
		c->damaged = !over;
		return false;
	}
	c->at++;
	if (!c->direct && c->node) {
		c->damaged = c->node == c->seen;
		if (!(c->at & (c->at - 1)))
			c->seen = c->node;
	}
	return true;
}
