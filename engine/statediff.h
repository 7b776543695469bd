/*
 * What differs between two stops of a machine, or of two machines: registers, and pages of memory with whose they are.
 *
 * A process's pages are compared by their address in the process, since two moments may keep them in different places of the
 * machine's memory. In another run its libraries, heap and stack may lie elsewhere too: its pages are those at the same place of
 * the mapping of that name, and pointers that point to the same place there are no difference. All other pages are compared where
 * they are.
 */
#ifndef ENGINE_STATEDIFF_H
#define ENGINE_STATEDIFF_H

#include "engine/owners.h"
#include "engine/ram.h"

#define STATEDIFF_PAGES_MAX  8  /* pages shown of one file, heap, stack of a process, and of the kernel */
#define STATEDIFF_PARTS_MAX  16 /* of those, and of files, caches, stacks */
#define STATEDIFF_OWNERS_MAX 32 /* processes shown */
#define STATEDIFF_NAMES_MAX  4  /* variables shown of one page */

struct statediff_side {
	struct regs regs;
	const struct ram *ram; /* borrowed, as all of this */
	const struct owners *owners;
};

/* Appends the name of what is at an address of a process of the second stop (0: of the kernel), nothing when it has none. */
typedef void statediff_name(void *data, uint32_t pid, uint64_t address, struct buf *out);

/* Text, safe for a terminal; of each kind the one with the most bytes that differ first. ERR_INPUT when the machines have not the
 * same size. apart: of two runs. */
bool statediff_print(const struct statediff_side *before, const struct statediff_side *after, bool apart, statediff_name *name,
	void *data, struct buf *out, struct err *err);

#endif
