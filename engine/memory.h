/*
 * Memory of a stopped x86-64 machine: its physical RAM is a mapping that nobody changes while it is stopped, and virtual
 * addresses are found by walking the page tables in it. Nothing here trusts what it reads.
 */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/regs.h"

#define MEMORY_PAGE 4096u

/* A stopped machine: all that the questions need. ram is borrowed and must not change while the stop is used. */
struct stop {
	const unsigned char *ram; /* guest-physical address 0 is ram[0] */
	uint64_t ram_size;        /* at most 3 GiB: above it the machine's RAM is not contiguous */
	struct regs regs;
};

/* One virtual address space of a stopped machine. */
struct space {
	const struct stop *stop;
	uint64_t root; /* physical address of the top page table (cr3 without its low bits) */
};

enum memory_flags { MEMORY_WRITE = 1, MEMORY_USER = 2, MEMORY_EXEC = 4 };

struct memory_page {
	uint64_t physical; /* of the address asked for, not of the page */
	uint64_t left;     /* bytes from there to the end of the page or of RAM */
	unsigned flags;
};

/* Bytes of RAM at a physical address; NULL unless all of them are RAM. */
const void *memory_physical(const struct stop *stop, uint64_t physical, uint64_t size);

/* The address space that the processor used when it stopped. */
struct space memory_current(const struct stop *stop);

/* Walks the four levels. False when the address is not canonical, not mapped, or mapped to something that is not RAM. */
bool memory_walk(const struct space *space, uint64_t address, struct memory_page *ret_page);

/*
 * Calls each(data, virtual, physical, size) for every page that is mapped with its start between first and last, by address;
 * large pages are one call. Tables that lead round in circles end it after MEMORY_EACH_MAX calls.
 */
#define MEMORY_EACH_MAX (1u << 22)
typedef void memory_mapped(void *data, uint64_t virtual, uint64_t physical, uint64_t size);
void memory_each(const struct space *space, uint64_t first, uint64_t last, memory_mapped *each, void *data);

/* Copies as much as is mapped, up to size; returns how much. */
size_t memory_read_some(const struct space *space, uint64_t address, void *out, size_t size);

/* All or nothing; the error names the first address that is not mapped. */
bool memory_read(const struct space *space, uint64_t address, void *out, size_t size, struct err *err);

/* A NUL-terminated string of at most max bytes with its NUL; cut there. Returns its length, -1 if its start is not mapped. */
long memory_read_str(const struct space *space, uint64_t address, char *out, size_t max);

/* Lines of 16 bytes, hexadecimal and ASCII; what is not mapped is shown as "--". */
void memory_print(const struct space *space, uint64_t address, size_t size, struct buf *out);

#endif
