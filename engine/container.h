/*
 * What the containers of the C++ library (libstdc++) hold, one item after the other: std::vector and its kin, maps, sets, lists,
 * tuples, std::optional and std::variant. They are read from the memory of a program that may be damaged: a count, a pointer or a
 * chain of nodes that cannot be ends the walk, and `damaged` says so. libc++ keeps them otherwise; its are shown as structs.
 */
#ifndef ENGINE_CONTAINER_H
#define ENGINE_CONTAINER_H

#include "engine/value.h"

#define CONTAINER_STEPS_MAX 100000 /* items passed on the way to one */
#define CONTAINER_DEPTH_MAX 128    /* of a tree: one of 2^64 nodes is not deeper */
#define CONTAINER_TUPLE_MAX 64     /* items of a tuple */

struct container_kind;
struct container {
	const struct container_kind *kind; /* static */
	const char *name;                  /* "map": static */
	bool keyed;                        /* an item is a std::pair of a key and a value */
	bool positional;                   /* x[N] is item N */
	bool direct;                       /* which is reached without those before it, by setting `at` */
	bool counted;                      /* count is what it says itself; else nothing does */
	bool damaged;                      /* the walk ended where it should not */
	uint64_t count;
	uint64_t first;        /* what the first item is called: of a variant which of its types it is */
	uint64_t at;           /* the number of the next item */
	uint64_t node, offset; /* of linked ones: where the next node is, and the item in it */
	uint64_t seen;         /* a node that was passed: one that comes again is a circle */
	uint64_t start, end;
	struct value item; /* the type of the items; of those in a row the first */
};

/* True when the value is one; then container_next gives its items. */
bool container_open(const struct value_world *world, const struct value *value, struct container *ret);
/* The next item. False behind the last one, and when it cannot be reached (damaged). */
bool container_next(const struct value_world *world, struct container *c, struct value *ret);

enum container_found { CONTAINER_OTHER /* it is no such thing */, CONTAINER_FOUND, CONTAINER_OUTSIDE /* it has no such item */ };
/* Item number `index` in the order of the walk. */
enum container_found container_item(
	const struct value_world *world, const struct value *value, uint64_t index, struct value *ret);
/* x[key]: of a map the value that belongs to the key (a number or a text), of others the item of that number. Also of a string.
 */
enum container_found container_element(
	const struct value_world *world, const struct value *value, const struct value *key, struct value *ret);

/* What a std::unique_ptr, shared_ptr or weak_ptr points with, or the address of what a std::optional holds. False: no such thing.
 */
bool container_pointer(const struct value_world *world, const struct value *value, struct value *ret);

/* Where a std::string or string_view keeps its text, and how many bytes a character has. False when it is none. */
struct container_text {
	uint64_t address, size; /* in characters */
	unsigned width;
};
bool container_text(const struct value_world *world, const struct value *value, struct container_text *ret);
/* Do both hold the same text? False also when one is none. *ret_equal. */
bool container_same_text(const struct value_world *world, const struct value *a, const struct value *b, bool *ret_equal);

/* The member behind a path such as "_M_impl._M_start", bases looked through. */
bool container_member(const struct value_world *world, const struct value *whole, const char *path, struct value *ret);
bool container_number(const struct value_world *world, const struct value *whole, const char *path, uint64_t *ret);
/* The name of its type, without namespaces: "map<int, ...>"; NULL when it has none. */
const char *container_type_name(const struct value *value);

#endif
