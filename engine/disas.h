/* Machine code as text (capstone), with names for the addresses it refers to. */
#ifndef ENGINE_DISAS_H
#define ENGINE_DISAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/err.h"

#define DISAS_COUNT_MAX 10000 /* instructions in one answer */

struct disas {
	/* Reads code; how many bytes could be read. */
	size_t (*read)(void *data, uint64_t address, void *out, size_t size);
	/* Appends a name for an address ("leaf+0x12"); appends nothing when there is none. May be NULL. */
	void (*name)(void *data, uint64_t address, struct buf *out);
	void *data;
	bool att; /* AT&T syntax instead of Intel's */
};

/*
 * Appends a line for each of count instructions from address, with "=>" at pc, and stops before `end` if that is not 0. Bytes
 * that are no instruction are shown one by one as (bad). ERR_INPUT when not even the first byte can be read.
 */
bool disas_print(
	const struct disas *disas, uint64_t address, uint64_t end, size_t count, uint64_t pc, struct buf *out, struct err *err);

/* One instruction, or a byte that is none. */
struct disas_instruction {
	uint64_t address;
	const uint8_t *bytes;
	size_t size;
	const char *text; /* "mov eax, dword ptr [rip + 0x2ed2]  # 0x404010 <counter>"; borrowed during the call */
	bool bad;
};

/* Hands over up to count instructions from address on, until visit returns false. ERR_INPUT when not even the first byte can be
 * read. */
bool disas_each(const struct disas *disas, uint64_t address, size_t count,
	bool (*visit)(void *data, const struct disas_instruction *instruction), void *data, struct err *err);

/* Does the instruction at the start of code write that register ("rax"; parts of it count)? False for what is no instruction. A
 * system call writes rax, rcx and r11: what the kernel leaves in them. */
bool disas_writes(const void *code, size_t size, const char *name);

#endif
