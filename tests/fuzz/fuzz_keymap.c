/* A keys.conf from anywhere: taken whole, or refused with a place and nothing changed. */
#include <string.h>

#include "tui/action.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct keymap map, before;
	struct err err = {0};
	memset(&map, 0, sizeof map);
	keymap_init(&map);
	before = map;
	if (!keymap_parse(&map, (const char *)data, size, "k", &err)) {
		if (strncmp(err.text, "k:", 2) != 0 || memcmp(&map, &before, sizeof map) != 0)
			__builtin_trap();
		return 0;
	}
	for (size_t i = 0; i < map.count; i++) {
		char name[KEYS_NAME_MAX];
		uint32_t key;
		keys_name(map.bindings[i].key, name);
		if (!keys_parse(name, strlen(name), &key, NULL) || key != map.bindings[i].key)
			__builtin_trap();
	}
	return 0;
}
