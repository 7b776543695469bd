/* A diff as rows: partners beside each other, what one run lacks left empty, long common stretches folded. Nothing is stored per
 * event, so a diff of millions costs no more than its hunks. Pure. */
#ifndef TUI_DIFFROWS_H
#define TUI_DIFFROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/diff.h"

#define DIFFROWS_CONTEXT 3 /* common events shown before and after a difference */

struct diffrows {
	const struct diff *diff;
	bool fold;
	size_t open;   /* a hunk that is not folded (the playhead is inside); hunk_count for none */
	size_t *first; /* row that each hunk starts at; hunk_count + 1 of them */
	size_t room;
};

/* What one row shows. */
struct diffrow {
	size_t hunk;
	bool same, folded;
	size_t a, b;   /* events; TIMELINE_NONE where a side has none */
	size_t hidden; /* folded: how many */
};

void diffrows_make(struct diffrows *rows, const struct diff *diff, bool fold, size_t open);
void diffrows_finish(struct diffrows *rows);
size_t diffrows_count(const struct diffrows *rows);
struct diffrow diffrows_at(const struct diffrows *rows, size_t row);
/* The row that shows event of a side (0 or 1): its own, or the fold it is in. */
size_t diffrows_find(const struct diffrows *rows, int side, size_t event);
/* Whether the event lies in the hidden part of a folded hunk. */
bool diffrows_hides(const struct diff *diff, int side, size_t event);

#endif
