#include "engine/ksyms.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

/*
 * The table, as Linux's scripts/kallsyms.c writes it (each part starts at a multiple of 8):
 *
 *	offsets[count] i32, relative_base u64	(since 6.4 these two follow token_index)
 *	count u32
 *	names: for each symbol a length (one byte, or two when the first has its top bit set) and so many token numbers
 *	markers[count / 256 rounded up] u32: where in names symbol 0, 256, 512, ... starts
 *	seqs_of_names[count] of 3 bytes (since 6.2 and in some older ones)
 *	token_table: 256 NUL-terminated strings; token_index[256] u16: where in token_table each starts
 *
 * It has no header. The token table is found by the digits, which always stand for themselves, and the rest by walking
 * back from it; each part must agree with the next, so nothing else is taken for it.
 */
#define TOKENS       256
#define KERNEL_PLACE (16u << 20) /* physical; CONFIG_PHYSICAL_START */

struct ksyms {
	struct ksym *list; /* by address */
	/* Open hashing: 1 + the place in list, 0 where none is. Of equal names the one at the lower address is found. */
	uint32_t *by_name, mask;
	size_t count;
	char *names;
};

struct table {
	const unsigned char *bytes;
	uint64_t size;
	uint64_t tokens, index, markers, names, offsets;
	uint32_t count;
	uint64_t base;
};

static uint32_t u32_at(const struct table *t, uint64_t at)
{
	uint32_t value = 0;
	if (at <= t->size && t->size - at >= 4)
		memcpy(&value, t->bytes + at, 4);
	return value;
}

static uint64_t u64_at(const struct table *t, uint64_t at)
{
	return u32_at(t, at) | (uint64_t)u32_at(t, at + 4) << 32;
}

static uint32_t token_at(const struct table *t, unsigned token)
{
	return t->bytes[t->index + token * 2] | (uint32_t)t->bytes[t->index + token * 2 + 1] << 8;
}

static uint64_t align8(uint64_t at)
{
	return (at + 7) & ~UINT64_C(7);
}

/* digits: where "0\0" ... "9\0" was found. Token '0' is number 48, so 48 strings lie before it, and the index follows the table.
 */
static bool find_tokens(struct table *t, uint64_t digits)
{
	uint64_t end = digits;
	for (int token = '0'; token < TOKENS; token++) {
		const void *nul = end < t->size
			? memchr(t->bytes + end, 0, t->size - end < KSYM_NAME_MAX ? t->size - end : KSYM_NAME_MAX)
			: NULL;
		if (!nul)
			return false;
		end = (uint64_t)((const unsigned char *)nul - t->bytes) + 1;
	}
	t->index = align8(end);
	if (t->index + TOKENS * 2 > t->size || token_at(t, 0) != 0)
		return false;
	for (unsigned token = 1; token < TOKENS; token++)
		if (token_at(t, token) <= token_at(t, token - 1))
			return false;
	if (token_at(t, '0') > digits)
		return false;
	t->tokens = digits - token_at(t, '0');
	for (unsigned token = 1; token < TOKENS; token++)
		if (t->tokens + token_at(t, token) >= t->index || t->bytes[t->tokens + token_at(t, token) - 1])
			return false;
	return true;
}

/* The token numbers of the name at *at; moves *at past it. False when it runs out of the table. */
static bool next_name(const struct table *t, uint64_t *at, uint64_t *ret_first, uint32_t *ret_count)
{
	if (*at + 2 > t->markers)
		return false;
	uint32_t count = t->bytes[(*at)++];
	if (count & 0x80)
		count = (count & 0x7f) | (uint32_t)t->bytes[(*at)++] << 7;
	*ret_first = *at;
	*ret_count = count;
	*at += count;
	return count && *at <= t->markers;
}

/* Do names that start after the count at `at`, and markers that end at `end`, fit each other exactly? */
static bool fits_markers(struct table *t, uint64_t at, uint64_t end)
{
	uint64_t markers = (t->count + 255) / 256;
	if (end <= at || align8(markers * 4) > end - at)
		return false;
	t->markers = end - align8(markers * 4);
	t->names = at + 8;
	if (t->markers <= t->names || u32_at(t, t->markers) || (markers > 1 && !u32_at(t, t->markers + 4)))
		return false;
	uint64_t name = t->names, first;
	uint32_t unused;
	for (uint32_t i = 0; i < t->count; i++) {
		if (i % 256 == 0 && u32_at(t, t->markers + i / 256 * 4) != name - t->names)
			return false;
		if (!next_name(t, &name, &first, &unused))
			return false;
	}
	return align8(name) == t->markers;
}

static bool fits_count(struct table *t, uint64_t at)
{
	t->count = u32_at(t, at);
	if (t->count < KSYMS_MIN || t->count > KSYMS_MAX || u32_at(t, at + 4))
		return false;
	uint64_t sequence = align8((uint64_t)t->count * 3);
	return fits_markers(t, at, t->tokens) || (sequence < t->tokens && fits_markers(t, at, t->tokens - sequence));
}

static bool is_kernel_base(uint64_t base)
{
	return base >= UINT64_C(0xffffffff80000000);
}

/* Finds the address offsets, which lie before the count (old order) or after the token index (new order). */
static bool find_offsets(struct table *t, uint64_t count_at)
{
	uint64_t room = align8((uint64_t)t->count * 4);
	if (count_at >= room + 8 && is_kernel_base(t->base = u64_at(t, count_at - 8))) {
		t->offsets = count_at - 8 - room;
		return true;
	}
	t->offsets = t->index + TOKENS * 2;
	t->base = u64_at(t, t->offsets + room);
	return is_kernel_base(t->base) && t->offsets + room + 8 <= t->size;
}

static bool find_table_from(struct table *t, uint64_t from)
{
	static const char digits[20] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
	for (;;) {
		const unsigned char *hit = from < t->size ? memmem(t->bytes + from, t->size - from, digits, sizeof digits) : NULL;
		if (!hit)
			return false;
		from = (uint64_t)(hit - t->bytes) + 1;
		if (!find_tokens(t, from - 1))
			continue;
		/* 40 bytes a name is more than any kernel has; the count is below the names. */
		uint64_t limit = (uint64_t)KSYMS_MAX * 40;
		for (uint64_t at = t->tokens & ~UINT64_C(7); at >= 8 && t->tokens - at < limit; at -= 8)
			if (fits_count(t, at - 8) && find_offsets(t, at - 8))
				return true;
	}
}

/* First where a kernel that is not moved about lies: below it is only memory that nobody may have touched. */
static bool find_table(struct table *t)
{
	return find_table_from(t, KERNEL_PLACE) || find_table_from(t, 0);
}

/* Writes the name with its type letter in front; returns its length without the NUL, 0 when it is too long. */
static size_t expand(const struct table *t, uint64_t first, uint32_t count, char out[KSYM_NAME_MAX + 1])
{
	size_t size = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *token = (const char *)t->bytes + t->tokens + token_at(t, t->bytes[first + i]);
		size_t part = strnlen(token, KSYM_NAME_MAX);
		if (size + part > KSYM_NAME_MAX)
			return 0;
		memcpy(out + size, token, part);
		size += part;
	}
	out[size] = 0;
	return size;
}

static uint64_t address_of(const struct table *t, uint32_t i)
{
	int32_t offset = (int32_t)u32_at(t, t->offsets + (uint64_t)i * 4);
	/* Per-CPU symbols are kept as they are (KALLSYMS_ABSOLUTE_PERCPU), the others count down from base - 1. */
	return offset >= 0 ? (uint64_t)offset : t->base - 1 - (uint64_t)(int64_t)offset;
}

static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* table order, so that equal addresses sort the same every time */
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* Hashed and not sorted: a kernel has two hundred thousand names, and a session asks for fifty. */
static void index_names(struct ksyms *ksyms)
{
	for (ksyms->mask = 1; ksyms->mask < 2 * ksyms->count; ksyms->mask *= 2)
		;
	ksyms->by_name = mem_array(ksyms->mask, sizeof *ksyms->by_name);
	ksyms->mask--;
	for (size_t i = 0; i < ksyms->count; i++) {
		uint32_t at = hash(ksyms->list[i].name) & ksyms->mask;
		while (ksyms->by_name[at] && strcmp(ksyms->list[ksyms->by_name[at] - 1].name, ksyms->list[i].name))
			at = (at + 1) & ksyms->mask;
		if (!ksyms->by_name[at])
			ksyms->by_name[at] = (uint32_t)i + 1;
	}
}

static void decode(const struct table *t, struct ksyms *ksyms)
{
	char name[KSYM_NAME_MAX + 1];
	struct buf names = {0};
	uint64_t at = t->names, first;
	uint32_t tokens;
	ksyms->list = mem_array(t->count, sizeof *ksyms->list);
	size_t *starts = mem_array(t->count, sizeof *starts);
	for (uint32_t i = 0; i < t->count && next_name(t, &at, &first, &tokens); i++) {
		size_t size = expand(t, first, tokens, name);
		if (size < 2)
			continue;
		starts[ksyms->count] = names.size;
		ksyms->list[ksyms->count++] = (struct ksym){address_of(t, i), NULL, *name};
		buf_add(&names, name + 1, size); /* with its NUL, without the type */
	}
	ksyms->names = buf_take(&names);
	for (size_t i = 0; i < ksyms->count; i++)
		ksyms->list[i].name = ksyms->names + starts[i];
	free(starts);
	qsort(ksyms->list, ksyms->count, sizeof *ksyms->list, by_address);
	index_names(ksyms);
}

struct ksyms *ksyms_create(const void *bytes, uint64_t size, struct err *err)
{
	struct table table = {.bytes = bytes, .size = size};
	if (!find_table(&table)) {
		err_set(err, ERR_QEMU, "no kernel symbol table (kallsyms) in %llu bytes of memory", (unsigned long long)size);
		return NULL;
	}
	struct ksyms *ksyms = mem_alloc(sizeof *ksyms);
	decode(&table, ksyms);
	return ksyms;
}

void ksyms_destroy(struct ksyms *ksyms)
{
	if (!ksyms)
		return;
	free(ksyms->list);
	free(ksyms->by_name);
	free(ksyms->names);
	free(ksyms);
}

size_t ksyms_count(const struct ksyms *ksyms)
{
	return ksyms->count;
}

const struct ksym *ksyms_get(const struct ksyms *ksyms, size_t i)
{
	return i < ksyms->count ? &ksyms->list[i] : NULL;
}

const struct ksym *ksyms_find(const struct ksyms *ksyms, const char *name)
{
	for (uint32_t at = hash(name) & ksyms->mask; ksyms->by_name[at]; at = (at + 1) & ksyms->mask) {
		const struct ksym *k = &ksyms->list[ksyms->by_name[at] - 1];
		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

const struct ksym *ksyms_at(const struct ksyms *ksyms, uint64_t address)
{
	if (address < UINT64_C(0xffffffff80000000) || !ksyms->count)
		return NULL;
	size_t low = 0, high = ksyms->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ksyms->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || low == ksyms->count)
		return NULL; /* below the first, or past the end mark (_end): a module's, or nothing's */
	/* Of several at one address the first in the table is the plain one. */
	while (low > 1 && ksyms->list[low - 2].address == ksyms->list[low - 1].address)
		low--;
	return ksyms->list[low - 1].address < UINT64_C(0xffffffff80000000) ? NULL : &ksyms->list[low - 1];
}
