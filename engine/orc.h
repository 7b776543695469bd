/*
 * The chain of calls inside the kernel, by the kernel's own ORC unwind tables, read from its memory.
 */
#ifndef ENGINE_ORC_H
#define ENGINE_ORC_H

#include "engine/layout.h"
#include "engine/unwind.h"

/* The registers of a task when it last ran user code, saved on its kernel stack. False when it has none (a kernel thread). */
bool orc_user_registers(const struct guest *guest, uint64_t task, struct frame_registers *ret);

/* The registers with which a task that is not on the processor will go on, inside the kernel. False when they are not in memory.
 */
bool orc_sleeping_registers(const struct guest *guest, uint64_t task, struct frame_registers *ret);

/* Appends the kernel's frames from these registers on, down to where the kernel was entered; frames->end says why it ends. */
void orc_unwind(const struct guest *guest, const struct frame_registers *registers, bool is_return, struct frames *frames);

#endif
