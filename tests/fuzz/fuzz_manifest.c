/* A manifest from anywhere: read whole or refused with a sentence. */
#include "engine/manifest.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct manifest m = {0};
	struct err err = {0};
	struct buf copy = {0};
	buf_add(&copy, data, size);
	if (manifest_parse(&m, copy.data, copy.size, "manifest.json", &err)) {
		struct buf again = {0};
		manifest_write(&m, &again);
		buf_free(&again);
	} else if (!*err.text) {
		__builtin_trap();
	}
	manifest_finish(&m);
	buf_free(&copy);
	return 0;
}
