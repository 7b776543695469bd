/* regs_parse takes any bytes: it gives a whole register file, or a sentence. What it takes prints without change. */
#include <stdlib.h>
#include "engine/regs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct regs regs;
	struct err err = {0};
	struct buf out = {0};
	uint64_t value;
	if (regs_parse(&regs, (const char *)data, size, &err)) {
		regs_print(&regs, NULL, true, &out);
		if (!out.size || regs_differ(&regs, &regs) || !regs_get(&regs, "rip", &value) || value != regs.rip)
			abort();
	} else if (err.code != ERR_QEMU || !err.text[0]) {
		abort();
	}
	buf_free(&out);
	return 0;
}
