#include "engine/memory.h"

#include <string.h>

#define ENTRY_PRESENT 0x1u
#define ENTRY_WRITE   0x2u
#define ENTRY_USER    0x4u
#define ENTRY_LARGE   0x80u
#define ENTRY_NX      (UINT64_C(1) << 63)
#define ENTRY_ADDRESS UINT64_C(0x000ffffffffff000)
#define RAM_LIMIT     (UINT64_C(3) << 30) /* QEMU puts the rest of a larger RAM above 4 GiB */

static uint64_t ram_end(const struct stop *stop)
{
	return stop->ram_size < RAM_LIMIT ? stop->ram_size : RAM_LIMIT;
}

const void *memory_physical(const struct stop *stop, uint64_t physical, uint64_t size)
{
	uint64_t limit = ram_end(stop);
	if (physical > limit || size > limit - physical)
		return NULL;
	return stop->ram + physical;
}

struct space memory_current(const struct stop *stop)
{
	return (struct space){stop, stop->regs.cr3 & ENTRY_ADDRESS};
}

static bool is_canonical(uint64_t address)
{
	uint64_t top = address >> 47;
	return top == 0 || top == 0x1ffff;
}

bool memory_walk(const struct space *space, uint64_t address, struct memory_page *ret_page)
{
	if (!is_canonical(address))
		return false;
	uint64_t table = space->root & ENTRY_ADDRESS;
	unsigned flags = MEMORY_WRITE | MEMORY_USER | MEMORY_EXEC;
	for (int shift = 39; shift >= 12; shift -= 9) {
		const unsigned char *at = memory_physical(space->stop, table + (address >> shift & 511) * 8, 8);
		uint64_t entry;
		if (!at)
			return false;
		memcpy(&entry, at, 8);
		if (!(entry & ENTRY_PRESENT))
			return false;
		flags &= ~((entry & ENTRY_WRITE ? 0 : MEMORY_WRITE) | (entry & ENTRY_USER ? 0 : MEMORY_USER) |
			(entry & ENTRY_NX ? MEMORY_EXEC : 0u));
		table = entry & ENTRY_ADDRESS;
		bool large = (entry & ENTRY_LARGE) && (shift == 30 || shift == 21);
		if (large || shift == 12) {
			uint64_t mask = (UINT64_C(1) << shift) - 1;
			uint64_t physical = (table & ~mask) | (address & mask);
			if (!memory_physical(space->stop, physical, 1))
				return false;
			uint64_t left = mask + 1 - (address & mask), ram = ram_end(space->stop) - physical;
			*ret_page = (struct memory_page){
				physical, left < ram ? left : ram, flags}; /* a large page may go on where RAM ends */
			return true;
		}
	}
	return false;
}

struct each {
	const struct stop *stop;
	uint64_t first, last;
	memory_mapped *call;
	void *data;
	uint64_t left; /* entries that may still be followed */
};

static void each_in(struct each *e, uint64_t table, uint64_t base, int shift)
{
	const unsigned char *entries = memory_physical(e->stop, table, MEMORY_PAGE);
	for (uint64_t i = 0; entries && i < 512; i++) {
		uint64_t at = base | i << shift, entry, size = UINT64_C(1) << shift;
		if (shift == 39 && i >= 256)
			at |= UINT64_C(0xffff) << 48;
		memcpy(&entry, entries + i * 8, 8);
		if (!(entry & ENTRY_PRESENT) || at > e->last || at + (size - 1) < e->first)
			continue;
		if (!e->left)
			return;
		e->left--;
		if (shift > 12 && !((entry & ENTRY_LARGE) && shift <= 30))
			each_in(e, entry & ENTRY_ADDRESS, at, shift - 9);
		else if (at >= e->first && memory_physical(e->stop, entry & ENTRY_ADDRESS & ~(size - 1), 1))
			e->call(e->data, at, entry & ENTRY_ADDRESS & ~(size - 1), size);
	}
}

void memory_each(const struct space *space, uint64_t first, uint64_t last, memory_mapped *each, void *data)
{
	struct each e = {space->stop, first, last, each, data, MEMORY_EACH_MAX};
	each_in(&e, space->root & ENTRY_ADDRESS, 0, 39);
}

size_t memory_read_some(const struct space *space, uint64_t address, void *out, size_t size)
{
	size_t done = 0;
	while (done < size) {
		struct memory_page page;
		if (address + done < address || !memory_walk(space, address + done, &page))
			break;
		uint64_t part = size - done < page.left ? size - done : page.left;
		const void *bytes = memory_physical(space->stop, page.physical, part);
		if (!bytes)
			break;
		memcpy((char *)out + done, bytes, part);
		done += part;
	}
	return done;
}

bool memory_read(const struct space *space, uint64_t address, void *out, size_t size, struct err *err)
{
	size_t done = memory_read_some(space, address, out, size);
	if (done == size)
		return true;
	return err_set(err, ERR_INPUT, "0x%llx is not in memory (asked for %zu bytes from 0x%llx)",
		(unsigned long long)(address + done), size, (unsigned long long)address);
}

long memory_read_str(const struct space *space, uint64_t address, char *out, size_t max)
{
	size_t size = 0;
	while (size + 1 < max) {
		size_t part = MEMORY_PAGE - (size_t)((address + size) % MEMORY_PAGE);
		if (part > max - 1 - size)
			part = max - 1 - size;
		size_t got = memory_read_some(space, address + size, out + size, part);
		const char *nul = memchr(out + size, 0, got);
		if (nul)
			return nul - out;
		size += got;
		if (got < part)
			break;
	}
	if (max)
		out[size] = 0;
	return size ? (long)size : -1;
}

void memory_print(const struct space *space, uint64_t address, size_t size, struct buf *out)
{
	for (size_t row = 0; row < size; row += 16) {
		unsigned char bytes[16];
		size_t count = size - row < 16 ? size - row : 16;
		bool have[16];
		for (size_t i = 0; i < count; i++)
			have[i] = memory_read_some(space, address + row + i, &bytes[i], 1) == 1;
		buf_printf(out, "0x%016llx ", (unsigned long long)(address + row));
		for (size_t i = 0; i < 16; i++) {
			if (i == 8)
				buf_char(out, ' ');
			if (i >= count)
				buf_str(out, "   ");
			else if (have[i])
				buf_printf(out, " %02x", bytes[i]);
			else
				buf_str(out, " --");
		}
		buf_str(out, "  ");
		for (size_t i = 0; i < count; i++)
			buf_char(out, have[i] && bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : have[i] ? '.' : ' ');
		buf_char(out, '\n');
	}
}
