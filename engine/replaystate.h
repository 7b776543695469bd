/*
 * The part of a saved device state that belongs to QEMU's replay. A state that a replaying QEMU saved says that the kind of the
 * next event was read already, of the log it was replaying; a machine that starts a log of its own with it would wait for that
 * event for ever.
 */
#ifndef ENGINE_REPLAYSTATE_H
#define ENGINE_REPLAYSTATE_H

#include <stdbool.h>

#include "engine/err.h"

/*
 * Makes every state in the snapshot file start its log anew. The section "replay" (replay/replay-snapshot.c of QEMU, all big
 * endian): version 2 (7.2 to 8.2)   i64 clocks[2], u64 icount, i32 instructions, u32 kind, u32 unread, ... version 3 (9.0
 * to 10.0)  i64 clocks[2], u64 icount, i32 instructions, u32 events, u32 kind, u8 unread, ... fd is open for writing. ERR_QEMU if
 * there is no such section.
 */
bool replaystate_forget_unread(int fd, struct err *err);

/*
 * Makes the virtual clock of every state in the snapshot file go on from where it stands when an open machine goes on with it.
 * Idle time is added to that clock from the host time at which the idling began. A state that a machine which does not sleep has
 * saved knows of no such time, and QEMU takes 0 for it, the start of that machine: all host time since would be added at once.
 * The subsection "timer/icount/warp_timer" (version 1, softmmu/cpu-timers.c), which only an open machine saves: i64
 * vm_clock_warp_start, i64 icount_warp_timer; both become -1, for "not idle" and "not armed". ERR_QEMU if there is none.
 */
bool replaystate_forget_idling(int fd, struct err *err);

#endif
