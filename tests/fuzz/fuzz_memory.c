/* Page tables of arbitrary bytes: a walk never leaves RAM, and what it finds is what reading gives. Input: cr3, address, RAM. */
#include <stdlib.h>
#include <string.h>
#include "engine/memory.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stop stop = {0};
	uint64_t address;
	if (size < 16)
		return 0;
	memcpy(&stop.regs.cr3, data, 8);
	memcpy(&address, data + 8, 8);
	stop.ram_size = size - 16;
	unsigned char *ram = malloc(size - 16 ? size - 16 : 1); /* its own block, so that a read beyond it is seen */
	memcpy(ram, data + 16, size - 16);
	stop.ram = ram;
	stop.regs.cr3 %= size * 2;

	struct space space = memory_current(&stop);
	struct memory_page page;
	char bytes[9000], text[300];
	bool found = memory_walk(&space, address, &page);
	size_t got = memory_read_some(&space, address, bytes, sizeof bytes);
	if (found != (got > 0) || (found && (page.physical >= stop.ram_size || bytes[0] != (char)ram[page.physical])))
		abort();
	memory_read_str(&space, address, text, sizeof text);
	struct buf out = {0};
	memory_print(&space, address, 64, &out);
	buf_free(&out);
	free(ram);
	return 0;
}
