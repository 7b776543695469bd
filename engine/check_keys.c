#include "engine/check_keys.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buf.h"

struct key {
	size_t at, size; /* of its bytes */
};

struct check_keys {
	struct buf bytes;
	struct key *keys;
	size_t count, room;
	size_t *slots;     /* number + 1; 0 is free */
	size_t slot_count; /* a power of two, at least twice count */
};

struct check_keys *check_keys_create(void)
{
	struct check_keys *k = mem_alloc(sizeof *k);
	k->slot_count = 64;
	k->slots = mem_array(k->slot_count, sizeof *k->slots);
	return k;
}

void check_keys_destroy(struct check_keys *k)
{
	if (!k)
		return;
	buf_free(&k->bytes);
	free(k->keys);
	free(k->slots);
	free(k);
}

size_t check_keys_count(const struct check_keys *k)
{
	return k->count;
}

const char *check_keys_text(const struct check_keys *k, size_t number, size_t *ret_size)
{
	*ret_size = k->keys[number].size;
	return k->bytes.data + k->keys[number].at;
}

/* FNV-1a. Values are limited in number, so a guest that makes them collide only makes itself slow. */
static uint64_t hash(const char *data, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

/* The slot where the value is, or the free one where it belongs. */
static size_t find_slot(const struct check_keys *k, const char *data, size_t size)
{
	size_t slot = (size_t)hash(data, size) & (k->slot_count - 1);
	for (; k->slots[slot]; slot = (slot + 1) & (k->slot_count - 1)) {
		const struct key *key = &k->keys[k->slots[slot] - 1];
		if (key->size == size && (size == 0 || memcmp(k->bytes.data + key->at, data, size) == 0))
			break;
	}
	return slot;
}

size_t check_keys_find(const struct check_keys *k, const char *data, size_t size)
{
	size_t number = k->slots[find_slot(k, data, size)];
	return number ? number - 1 : CHECK_KEYS_NONE;
}

static void grow(struct check_keys *k)
{
	free(k->slots);
	k->slot_count *= 2;
	k->slots = mem_array(k->slot_count, sizeof *k->slots);
	for (size_t i = 0; i < k->count; i++)
		k->slots[find_slot(k, k->bytes.data + k->keys[i].at, k->keys[i].size)] = i + 1;
}

size_t check_keys_add(struct check_keys *k, const char *data, size_t size)
{
	size_t slot = find_slot(k, data, size);
	if (k->slots[slot])
		return k->slots[slot] - 1;
	if (k->count >= CHECK_VALUES_MAX || size > CHECK_VALUE_MAX)
		return CHECK_KEYS_NONE;
	struct key key = {k->bytes.size, size};
	buf_add(&k->bytes, data, size);
	ARRAY_PUSH(k->keys, k->count, k->room) = key;
	k->slots[slot] = k->count;
	if (2 * k->count >= k->slot_count)
		grow(k);
	return k->count - 1;
}
