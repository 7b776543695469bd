/* How the timeline's picture is put together, shared by lanes_draw.c (frame, axis, playhead) and lanes_rows.c (the lanes). Not
 * for others. */
#ifndef ENGINE_LANES_DRAW_H
#define ENGINE_LANES_DRAW_H

#include "engine/lanes.h"

enum glyph {
	G_HORIZONTAL,
	G_VERTICAL,
	G_TOP_LEFT,
	G_TOP_TEE,
	G_TOP_RIGHT,
	G_BOTTOM_LEFT,
	G_BOTTOM_TEE,
	G_BOTTOM_RIGHT,
	G_TICK,
	G_FOLD,
	G_PLAYHEAD,
	G_CUT,
	G_KILLED,
	G_FAULT_SELECTED,
	G_FAULT_APPLIED,
	G_FAULT_REJECTED,
	G_FAULT_OBSERVED,
	G_FAULT_HEALED,
	G_FAULT_LASTS,
	G_PASS,
	G_FAIL,
	G_UNEXERCISED,
	G_UNKNOWN,
	G_DENSITY, /* 1 line, then 8 levels of more */
	G_COUNT = G_DENSITY + 9,
};

/* A picture being drawn. */
struct draw {
	const struct timeline *t;
	const struct lanes_options *o;
	const uint32_t *glyphs;
	struct lanes *lanes;
	bool framed;
	int label;    /* columns of the labels */
	int playhead; /* column of the picture, or -1 */
};

/* A fault on the picture. Columns are those of the scale and may lie outside of it. */
struct lane_span {
	size_t fault;
	int from, to;
	int name; /* column of its name: up to `to` it stands inside */
	int end;  /* where the next fault of its row may start */
	int row;
};

void lane_put(const struct lanes *lanes, int row, int column, uint32_t glyph, enum lane_role role);
/* ASCII text; what does not fit before `end` is left out. */
void lane_put_text(const struct lanes *lanes, int row, int column, int end, const char *text, enum lane_role role);
/* A name of the run, cut to `room` columns, made printable. */
void lane_put_name(const struct draw *draw, int row, int column, int room, const char *name, enum lane_role role);
bool lane_is_blank(const struct lanes *lanes, int row, int from, int to);
void lane_draw_sides(const struct draw *draw, int row, const char *label);

/* lanes_rows.c */
void lane_draw_nodes(const struct draw *draw, int row, int rows, int first_node);
/* Faults that touch the window, each in a row where it has room: the first that is free, else the last. Owned by the caller. */
struct lane_span *lane_place_faults(const struct draw *draw, size_t *ret_count, int *ret_rows);
void lane_draw_faults(const struct draw *draw, int row, int rows, const struct lane_span *spans, size_t count);
void lane_draw_properties(const struct draw *draw, int row);

#endif
