/* Which events fall into which column of a picture of the timeline, with long idle times folded away. Pure. */
#ifndef ENGINE_SCALE_H
#define ENGINE_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buf.h"
#include "engine/timeline.h"

#define SCALE_FOLDS_MAX 8 /* idle times that are folded at most */

enum lanes_axis { LANES_VTIME, LANES_ICOUNT, LANES_EVENT };

/* from <= to, both included, in the axis' unit: nanoseconds, instructions, event indexes. */
struct lanes_window {
	enum lanes_axis axis;
	uint64_t from, to;
};

/* A stretch of the window that is drawn to one measure, or a folded one. */
struct scale_piece {
	uint64_t from, to; /* both included */
	int column, columns;
	bool folded;
};

struct scale {
	struct lanes_window window;
	int columns;
	struct scale_piece pieces[2 * SCALE_FOLDS_MAX + 1];
	size_t piece_count;
	size_t *first; /* columns + 1 of them: events of column c are first[c] .. first[c + 1] - 1 */
};

/* columns may be 0. Idle time is folded on the time axis only, and only where fold is set. */
void scale_init(struct scale *scale, const struct timeline *timeline, struct lanes_window window, int columns, bool fold);
void scale_finish(struct scale *scale);

/* Where an event stands on the axis. */
uint64_t scale_value(const struct timeline *timeline, enum lanes_axis axis, size_t event);
/* Column of an event, -1 before the window, `columns` after it. */
int scale_column(const struct scale *scale, size_t event);

/* A step of 1, 2 or 5 times a power of ten that is drawn at least `columns` wide in every piece. */
uint64_t scale_step(const struct scale *scale, int columns);
/* Column of a value inside a piece. */
int scale_piece_column(const struct scale_piece *piece, uint64_t value);
/* "1.5s", "200M", "17": short, for ticks. */
void scale_put_value(enum lanes_axis axis, uint64_t value, struct buf *out);

#endif
