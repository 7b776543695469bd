/*
 * Which moments of a run are kept as checkpoints: where to make them, how many bytes they may hold, which to give up. Pure: a
 * checkpoint is a pointer here, and whoever owns the marks makes and frees them.
 *
 * Grid marks stand at multiples of a spacing, so that any moment is at most one spacing behind one. Hot marks stand close behind
 * where somebody walks back step by step; only the last few are kept. When the budget is used up all hot ones but the last go;
 * if that is not enough the spacing doubles and every other mark of the grid goes. Light marks hold nothing (their checkpoints
 * are on disk) and are never given up for room.
 */
#ifndef ENGINE_MARKS_H
#define ENGINE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKS_NONE    SIZE_MAX
#define MARKS_HOT_MAX 4

struct mark {
	uint64_t icount;
	bool hot, light;
	uint64_t used; /* number of its last use: larger is later */
	void *what;
};

struct marks {
	struct mark *list; /* by icount; no two at one icount */
	size_t count, room;
	size_t bytes, budget;
	uint64_t spacing; /* of the grid, instructions */
	uint64_t uses;
	/* A mark is given up. Returns the bytes that this gave back: fewer than it was added with when others share them. */
	size_t (*forget)(void *data, void *what);
	void *data;
};

/* spacing > 0. */
void marks_init(struct marks *m, uint64_t spacing, size_t budget_bytes, size_t (*forget)(void *data, void *what), void *data);
/* Forgets all; the marks may be used again. */
void marks_clear(struct marks *m);
void marks_finish(struct marks *m);

/* The last mark at or before icount; MARKS_NONE if there is none. */
size_t marks_before(const struct marks *m, uint64_t icount);
/* Says that a mark was useful. */
void marks_use(struct marks *m, size_t i);
/* Gives one up, as when it could not be restored. */
void marks_drop(struct marks *m, size_t i);

/* Takes what. Others may be given up for it; the grid may become wider. A mark that is there already makes *what forgotten. */
void marks_add(struct marks *m, uint64_t icount, size_t bytes, bool hot, void *what);
/* A light one, of the grid. */
void marks_add_light(struct marks *m, uint64_t icount, void *what);

/* The first place of the grid in (from, to] without a mark; UINT64_MAX if there is none. */
uint64_t marks_missing(const struct marks *m, uint64_t from, uint64_t to);

#endif
