#include "engine/types.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/buf.h"

struct types {
	struct btf *btf;
};

static int be_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* Debian 12's libbpf declares btf__new_split but does not export it: the bytes go through a file in memory. */
static struct btf *read_split(struct btf *base, const void *bytes, size_t size)
{
	char path[40];
	int fd = memfd_create("btf", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct btf *btf = write(fd, bytes, size) == (ssize_t)size ? btf__parse_raw_split(path, base) : NULL;
	close(fd);
	return btf;
}

struct types *types_create_split(const struct types *base, const void *bytes, size_t size, struct err *err)
{
	libbpf_set_print(be_quiet); /* a library must not write to the terminal */
	struct btf *btf = NULL;
	errno = EFBIG;
	if (size <= UINT32_MAX)
		btf = base ? read_split(base->btf, bytes, size) : btf__new(bytes, (uint32_t)size);
	if (!btf) {
		err_set(err, ERR_QEMU, "the kernel's types (.BTF, %zu bytes) cannot be read: %s", size, strerror(errno));
		return NULL;
	}
	struct types *types = mem_alloc(sizeof *types);
	types->btf = btf;
	return types;
}

struct types *types_create(const void *bytes, size_t size, struct err *err)
{
	return types_create_split(NULL, bytes, size, err);
}

void types_destroy(struct types *types)
{
	if (!types)
		return;
	btf__free(types->btf);
	free(types);
}

/* Past typedef, const, volatile, restrict and tags. NULL when there is no such type or the chain is too long. */
static const struct btf_type *strip(const struct btf *btf, uint32_t *id)
{
	for (int i = 0; i < TYPES_DEPTH_MAX; i++) {
		const struct btf_type *type = btf__type_by_id(btf, *id);
		if (!type || (!btf_is_mod(type) && !btf_is_typedef(type) && !btf_is_type_tag(type)))
			return type;
		*id = type->type;
	}
	return NULL;
}

static bool find_composite(const struct btf *btf, const char *name, uint32_t *ret_id, struct err *err)
{
	static const uint32_t kinds[] = {BTF_KIND_STRUCT, BTF_KIND_UNION, BTF_KIND_TYPEDEF};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int id = btf__find_by_name_kind(btf, name, kinds[i]);
		uint32_t found = (uint32_t)id;
		const struct btf_type *type = id > 0 ? strip(btf, &found) : NULL;
		if (type && btf_is_composite(type)) {
			*ret_id = found;
			return true;
		}
	}
	return err_set(err, ERR_QEMU, "the kernel has no struct %s", name);
}

struct place {
	uint32_t type;     /* id */
	uint64_t bits;     /* from the start of the outermost struct */
	uint32_t bit_size; /* 0: not a bit field */
};

/* Goes to the member of that name of the struct or union at `at`, also through members without a name. */
static bool enter_member(const struct btf *btf, struct place *at, const char *name, size_t size, int depth)
{
	const struct btf_type *type = strip(btf, &at->type);
	if (!type || !btf_is_composite(type) || depth > TYPES_DEPTH_MAX)
		return false;
	const struct btf_member *member = btf_members(type);
	for (uint32_t i = 0; i < btf_vlen(type); i++, member++) {
		const char *called = btf__name_by_offset(btf, member->name_off);
		struct place next = {member->type, at->bits + btf_member_bit_offset(type, i), btf_member_bitfield_size(type, i)};
		bool found = called && *called ? strlen(called) == size && !memcmp(called, name, size)
					       : enter_member(btf, &next, name, size, depth + 1);
		if (found) {
			*at = next;
			return true;
		}
	}
	return false;
}

/* "[12]" at text: goes to that element. Returns what follows; NULL when it is no array or the index is malformed. */
static const char *enter_element(const struct btf *btf, struct place *at, const char *text)
{
	const struct btf_type *type = strip(btf, &at->type);
	uint64_t index = 0;
	const char *c = text + 1;
	for (; *c >= '0' && *c <= '9' && index < UINT32_MAX; c++)
		index = index * 10 + (uint64_t)(*c - '0');
	if (!type || !btf_is_array(type) || *c != ']' || c == text + 1 || index >= UINT32_MAX)
		return NULL;
	uint32_t element = btf_array(type)->type;
	int64_t size = btf__resolve_size(btf, element);
	if (size < 0)
		return NULL;
	*at = (struct place){element, at->bits + index * (uint64_t)size * 8, 0};
	return c + 1;
}

bool types_member(const struct types *types, const char *type, const char *path, struct type_member *ret, struct err *err)
{
	struct place at = {0};
	if (strlen(path) > TYPES_PATH_MAX)
		return err_set(
			err, ERR_INPUT, "a member path of %zu bytes is too long (at most %d)", strlen(path), TYPES_PATH_MAX);
	if (!find_composite(types->btf, type, &at.type, err))
		return false;
	for (const char *c = path; c;) {
		size_t size = strcspn(c, ".[");
		if (!size || !enter_member(types->btf, &at, c, size, 0))
			return err_set(err, ERR_QEMU, "the kernel's struct %s has no member %s", type, path);
		c += size;
		while (c && *c == '[')
			c = enter_element(types->btf, &at, c);
		if (!c || (*c && *c != '.'))
			return err_set(err, ERR_QEMU, "the kernel's struct %s has no element %s", type, path);
		c = *c ? c + 1 : NULL;
	}
	int64_t size = btf__resolve_size(types->btf, at.type);
	if (size < 0 || size > UINT32_MAX || at.bits / 8 > UINT32_MAX)
		return err_set(err, ERR_QEMU, "the kernel's %s.%s has no size", type, path);
	uint32_t unit = at.bit_size ? (uint32_t)size * 8 : 8;
	uint32_t start = unit ? (uint32_t)(at.bits / unit * unit) : (uint32_t)at.bits;
	*ret = (struct type_member){start / 8, (uint32_t)size, at.bit_size ? (uint32_t)at.bits - start : 0, at.bit_size};
	return true;
}

bool types_size(const struct types *types, const char *type, uint32_t *ret_size, struct err *err)
{
	uint32_t id;
	if (!find_composite(types->btf, type, &id, err))
		return false;
	*ret_size = btf__type_by_id(types->btf, id)->size;
	return true;
}
