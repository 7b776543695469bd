/* gdb's requests to go on, forward and back, and what it is told about where they ended. */
#ifndef ENGINE_GDBMOVES_H
#define ENGINE_GDBMOVES_H

#include "engine/gdbstate.h"

/* The answer to "?": where it stands. */
void gdbmoves_where(struct gdbserver *g, struct buf *out);
/* text: behind "vCont;". */
void gdbmoves_actions(struct gdbserver *g, const char *text, size_t size, struct buf *out);
/* "bc" and "bs"; or "c" and "s" of a gdb without vCont. */
void gdbmoves_simple(struct gdbserver *g, bool step, bool backward, struct buf *out);
/* Copies the files that have been mapped since the last time. */
void gdbmoves_take_files(struct gdbserver *g);
/* Says a sentence, if there is somebody to say it to. */
void gdbmoves_say(struct gdbserver *g, const char *text);

#endif
