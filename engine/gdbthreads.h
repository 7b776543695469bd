/* Threads as gdb knows them: which one a question is about, and lists of them. */
#ifndef ENGINE_GDBTHREADS_H
#define ENGINE_GDBTHREADS_H

#include "engine/gdbstate.h"

/* The thread that questions are about, and its process. */
uint32_t gdbthreads_meant(struct gdbserver *g);
uint32_t gdbthreads_process(struct gdbserver *g);
bool gdbthreads_lives(struct gdbserver *g, int64_t id);
/* How many there are. */
size_t gdbthreads_count(struct gdbserver *g);
/* Answers "H": at is what follows. */
void gdbthreads_choose(struct gdbserver *g, const char *at, const char *end, struct buf *out);

/* "p1.2", or "2" for a gdb that knows one process only. */
void gdbthreads_put(const struct gdbserver *g, uint32_t pid, uint32_t thread, struct buf *out);
/* All of them, as XML; the other one is for a gdb that does not read that. */
void gdbthreads_put_texts(struct gdbserver *g, struct buf *out);
void gdbthreads_put_list(struct gdbserver *g, struct buf *out);

#endif
