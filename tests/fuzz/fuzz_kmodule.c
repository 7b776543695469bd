/* Any bytes as a kernel module and as a kernel image. */
#include <stdlib.h>
#include <string.h>
#include "engine/kernel.h"
#include "engine/kmodule.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	char *depends = kmodule_info(data, size, "depends", &err);
	if (!depends && err.code != ERR_INPUT)
		abort();
	free(depends);
	struct buf out = {0};
	err = (struct err){0};
	if (!kernel_unpack(data, size, &out, &err) && (err.code != ERR_INPUT || !err.text[0]))
		abort();
	buf_free(&out);
	return 0;
}
