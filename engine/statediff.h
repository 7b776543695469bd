/*
 * What differs between two stops of a machine, or of two machines: registers, and pages of memory with whose they are.
 */
#ifndef ENGINE_STATEDIFF_H
#define ENGINE_STATEDIFF_H

#include "engine/owners.h"
#include "engine/ram.h"

#define STATEDIFF_PAGES_MAX 64 /* pages shown of one process, and of the kernel */
#define STATEDIFF_NAMES_MAX 4  /* variables shown of one page */

struct statediff_side {
	struct regs regs;
	const struct ram *ram; /* borrowed, as all of this */
	const struct owners *owners;
};

/* Appends the name of what is at an address of a process of the second stop (0: of the kernel), nothing when it has none. */
typedef void statediff_name(void *data, uint32_t pid, uint64_t address, struct buf *out);

/* Text, safe for a terminal. ERR_INPUT when the machines have not the same size. */
bool statediff_print(const struct statediff_side *before, const struct statediff_side *after, statediff_name *name, void *data,
	struct buf *out, struct err *err);

#endif
