/* Paths of members as anybody might write them: found inside their struct, or refused with a sentence. Input: TYPE '\n' PATH. */
#include <stdlib.h>
#include <string.h>
#include "engine/types.h"
#include "tests/unit/sample_btf.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct types *types; /* read once: it is the same for every input */
	struct err err = {0};
	struct type_member m;
	uint32_t whole;
	if (!types) {
		struct buf btf = sample_btf();
		types = types_create(btf.data, btf.size, &err);
		buf_free(&btf);
		if (!types)
			abort();
	}
	char *text = mem_strn((const char *)data, size), *path = strchr(text, '\n');
	if (path)
		*path++ = 0;
	bool has_type = types_size(types, text, &whole, &err);
	bool found = types_member(types, has_type ? text : "outer", path ? path : text, &m, &err);
	if (found && !strchr(path ? path : text, '[') && has_type && m.offset + m.size > whole)
		abort();
	if (!found && !err.text[0])
		abort();
	free(text);
	return 0;
}
