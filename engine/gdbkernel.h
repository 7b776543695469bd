/*
 * The guest's kernel as a file of symbols for gdb: names from the kernel's own tables and those of its modules, and how to unwind
 * its stacks. There is no code in it (that is in the guest's memory), and there are no types and lines.
 */
#ifndef ENGINE_GDBKERNEL_H
#define ENGINE_GDBKERNEL_H

#include "engine/layout.h"

/* Appends the bytes of an ELF file. ERR_QEMU when the kernel has no symbols of its own ends. */
bool gdbkernel_write(const struct guest *guest, struct buf *out, struct err *err);

#endif
