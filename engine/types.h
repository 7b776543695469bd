/*
 * The kernel's own description of its types (.BTF): where in a struct a member lies. The only file that sees libbpf.
 */
#ifndef ENGINE_TYPES_H
#define ENGINE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

#define TYPES_PATH_MAX  200 /* longest dotted path */
#define TYPES_DEPTH_MAX 32  /* deepest nesting of anonymous members, and longest chain of typedefs and qualifiers */

struct types;

/* A member: its place in bytes from the start of the struct. */
struct type_member {
	uint32_t offset;
	uint32_t size;      /* bytes of the member; 0 when it is an array without a length */
	uint32_t bit_shift; /* of a bit field: how far to shift right after reading `size` bytes at offset */
	uint32_t bit_size;  /* 0: not a bit field */
};

/* Copies size bytes of .BTF. The result is the caller's (types_destroy). ERR_QEMU when they are no BTF. */
struct types *types_create(const void *bytes, size_t size, struct err *err);
/* As types_create, for a kernel module's .BTF, which counts on from the kernel's: base (borrowed) must outlive it. */
struct types *types_create_split(const struct types *base, const void *bytes, size_t size, struct err *err);
void types_destroy(struct types *types);

/*
 * "se.sum_exec_runtime" of type "task_struct". Members of anonymous structs and unions are found by their own names;
 * "[3]" after a name picks an element of an array. ERR_QEMU when this kernel has no such member.
 */
bool types_member(const struct types *types, const char *type, const char *path, struct type_member *ret, struct err *err);

/* Size in bytes of a struct, a union or a typedef of one. */
bool types_size(const struct types *types, const char *type, uint32_t *ret_size, struct err *err);

#endif
